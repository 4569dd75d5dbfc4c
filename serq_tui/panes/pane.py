"""What every pane shares: lines drawn only where in view, a cursor that stays on what it was put on; knows no pane in particular.

A pane's picture is a function of its state, its size and what the person did in it: the cursor
remembers what it stands on and where that was, and is never moved by time.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size, clamp
from textual.markup import escape
from textual.strip import Strip

from engine.snapshot import Who
from grammar.declaring import dataclass
from serq_tui.keymap import Scope, bindings
from serq_tui.messages import Dragged
from serq_tui.panes.frame import Drawn, Frame, other_up_to
from serq_tui.panes.styled import Styled
from serq_tui.pieces import Content, Entry, Tone, said

State = TypeVar("State")

#: The last cells of a pane are the scroll mark's, also where nothing scrolls, so that no column moves when it comes.
MARGIN = 1
THUMB = "▐"

#: The ground of a line about the request one has chosen.
MARKED: Tone = "lit-before"

#: Lines a notch of the mouse wheel moves, as terminals themselves do.
WHEEL = 3


@dataclass(frozen=True, slots=True)
class _Choice:
    """Where a person looked: the line they put the cursor on, and the first line in view.

    It holds for one home: once the line to keep in view is another, the pane follows that
    again, and coming back to the first finds the choice as it was made.
    """

    key: Hashable | None
    index: int
    top: int
    home: int | None


class Pane(Styled, Generic[State], can_focus=True):
    """A titled list of lines about one part of a moment."""

    SCOPES: ClassVar[tuple[Scope, ...]] = ("pane",)
    BINDINGS = bindings(*SCOPES)

    #: The key that focuses the pane, 0 for none.
    NUMBER: ClassVar[int] = 0
    #: What keeps the title apart from a rule without corners; Textual does so itself beside corners.
    TITLE_PAD: ClassVar[str] = " "
    #: Whether a cursor shows: a pane of nothing to select only scrolls.
    CURSOR: ClassVar[bool] = True

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._state: State | None = None
        self._content: Content | None = None
        self._content_width = -1
        self._titled = ""
        self._choice: _Choice | None = None
        self._frame: Frame | None = None
        self._drawn: dict[int, Drawn] = {}
        """What each line of the pane was last drawn from, in a size."""
        self._drawn_size: Size | None = None
        self._sought = ""
        self._marked: Who | None = None
        self._rule: int | None = None
        """The line of the screen where the pane's rule is held while it is dragged."""

    # ----------------------------------------------------------------- what a pane says

    def content(self, state: State, width: int) -> Content:
        """The pane's lines for a width."""
        raise NotImplementedError

    def title(self, state: State) -> str:
        """What stands in the pane's rule."""
        raise NotImplementedError

    def home_index(self, state: State) -> int | None:
        """The line to keep in view until the person looks elsewhere; None for the first."""
        return None

    # ----------------------------------------------------------------- state

    @property
    def state(self) -> State | None:
        """What is shown."""
        return self._state

    def show(self, state: State) -> None:
        """Show a state; drawn only if it differs."""
        if state == self._state:
            return
        self._state = state
        self.redraw()

    def redraw(self) -> None:
        """Make the lines anew and draw those that are others by now."""
        self._content = None
        if self._state is not None:
            number = f"[dim]{self.NUMBER}[/dim] " if self.NUMBER else ""
            pad = self.TITLE_PAD
            title = f"{pad}{number}{escape(self.title(self._state))}{pad}"
            if title != self._titled:
                self._titled = title
                self.border_title = title
                self.refresh()
                return
        size = self.size
        if size != self._drawn_size:
            self.refresh()
            return
        frame = self._framed(size)
        others = [
            # What is searched for may lie across what stays and what does not.
            Region(0, y, size.width if self._sought else end, 1)
            for y in range(size.height)
            if (end := other_up_to(self._drawn.get(y), frame.line(y), size.width))
        ]
        if others:
            self.refresh(*others)

    def lines(self) -> Content:
        """The pane's lines at its present width."""
        width = self.size.width - MARGIN
        if self._content is None or width != self._content_width:
            self._content = self.content(self._state, width) if self._state is not None else Content([])
            self._content_width = width
        return self._content

    # ----------------------------------------------------------------- cursor

    @property
    def cursor(self) -> int:
        """Index of the line the cursor is on: where its key stands now, else where it last stood."""
        lines, choice = self.lines(), self._valid_choice()
        if choice is None:
            index = self._home() or 0
        else:
            place = lines.place_of(choice.key) if choice.key is not None else None
            index = choice.index if place is None else place
        return clamp(index, 0, max(len(lines.entries) - 1, 0))

    @property
    def cursor_key(self) -> Hashable | None:
        """What the cursor stands on, None where that cannot be selected or the pane is empty."""
        entries = self.lines().entries
        return entries[self.cursor].key if entries else None

    def choose(self, index: int) -> None:
        """Put the cursor on a line; the nearest where there is none."""
        height, count = self._height(), len(self.lines().entries)
        index = clamp(index, 0, max(count - 1, 0))
        self._look(index, clamp(self._visible_top(), index - max(height, 1) + 1, index))

    def scroll_by(self, lines: int) -> None:
        """Move the view; the cursor is taken along where it would fall out of view."""
        height = max(self._height(), 1)
        top = clamp(self._visible_top() + lines, 0, self._last_top())
        self._look(clamp(self.cursor, top, top + height - 1), top)

    def action_move(self, lines: int) -> None:
        """Move the cursor, or scroll a pane without one."""
        if self.CURSOR:
            self.choose(self.cursor + lines)
        else:
            self.scroll_by(lines)

    def action_page(self, pages: int) -> None:
        """Move by a screenful."""
        self.action_move(pages * max(self._height() - 1, 1))

    def mark(self, who: Who | None) -> None:
        """Have a request stand out, wherever the pane names it; None marks nobody."""
        if who != self._marked:
            self._marked = who
            self.refresh()

    # ----------------------------------------------------------------- searching

    @property
    def sought(self) -> str:
        """What is searched for here, empty for nothing."""
        return self._sought

    def seek(self, text: str) -> int:
        """Search for a text, whatever its case, and go to the first line from the cursor on that has it; empty ends it.

        Returns:
            How many lines have it.
        """
        self._sought = text.lower()
        hits = self._hits()
        if hits:
            here = self._here()
            self._show_line(next((hit for hit in hits if hit >= here), hits[0]))
        self.refresh()
        return len(hits)

    def next_hit(self, onward: int) -> bool:
        """Go to the next line that has what is searched for, or to the one before; False where none has."""
        hits, here = self._hits(), self._here()
        if not hits:
            return False
        if onward > 0:
            self._show_line(next((hit for hit in hits if hit > here), hits[0]))
        else:
            self._show_line(next((hit for hit in reversed(hits) if hit < here), hits[-1]))
        return True

    def _hits(self) -> list[int]:
        if not self._sought:
            return []
        return [index for index in range(len(self.lines().entries)) if self._sought in self.words(index).lower()]

    def words(self, index: int) -> str:
        """What a line says to whoever searches."""
        return said(self.lines().entries[index].line)

    def _here(self) -> int:
        return self.cursor if self.CURSOR else self._visible_top()

    def _show_line(self, index: int) -> None:
        if self.CURSOR:
            self.choose(index)
        else:
            self._look(index, clamp(index, 0, self._last_top()))

    def _look(self, index: int, top: int) -> None:
        entries = self.lines().entries
        if entries:
            index = min(index, len(entries) - 1)
            self._choice = _Choice(entries[index].key, index, top, self._home())
            self.refresh()

    def _home(self) -> int | None:
        return self.home_index(self._state) if self._state is not None else None

    def _valid_choice(self) -> _Choice | None:
        return self._choice if self._choice is not None and self._choice.home == self._home() else None

    def _height(self) -> int:
        return max(self.size.height - (self.lines().head is not None), 0)

    def _last_top(self) -> int:
        return max(len(self.lines().entries) - self._height(), 0)

    def _visible_top(self) -> int:
        """Index of the first line in view: where the person left it, moved no more than what must be seen asks."""
        choice, height = self._valid_choice(), self._height()
        if choice is None:
            home = self._home() or 0
            # A third above what is lit: what led to it is read before what follows.
            top = home - height // 3 if home >= height else 0
        else:
            top = choice.top
            if self.CURSOR and self.has_focus and height:
                top = clamp(top, self.cursor - height + 1, self.cursor)
        return clamp(top, 0, self._last_top())

    # ----------------------------------------------------------------- mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the pane's rule."""
        if event.y == 0 and self.NUMBER:
            self._rule = event.screen_y
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the rule along."""
        if self._rule is not None and event.screen_y != self._rule:
            event.stop()
            moved, self._rule = event.screen_y - self._rule, event.screen_y
            self.post_message(Dragged(str(self.id), moved))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go of the rule."""
        if self._rule is not None:
            self._rule = None
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is; a second click opens."""
        offset = event.get_content_offset(self)
        if offset is None or not self.CURSOR:
            return
        row = offset.y - (self.lines().head is not None)
        if row >= 0:
            self.choose(self._visible_top() + row)
            if event.chain > 1:
                self.opened()

    def opened(self) -> None:
        """What a double click does; nothing here."""

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.scroll_by(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.scroll_by(-WHEEL)

    # ----------------------------------------------------------------- drawing

    def render_line(self, y: int) -> Strip:
        """One line of the pane."""
        # Asked for once: Textual works it out each time.
        size = self.size
        if size != self._drawn_size:
            self._drawn.clear()
            self._drawn_size = size
        drawn = self._drawn[y] = self._framed(size).line(y)
        return self._strip(*drawn, size.width)

    def _framed(self, size: Size) -> Frame:
        """What is in view in a size; worked out once a picture."""
        key = (self._choice, size, self.has_focus)
        frame = self._frame
        if frame is None or frame.lines is not self._content or frame.key != key:
            lines = self.lines()
            shows = self.CURSOR and self.has_focus and len(lines.entries) > 0
            frame = self._frame = Frame(lines, key, self._visible_top(), self.cursor if shows else None, self._thumb())
        return frame

    def _thumb(self) -> range:
        """The scroll mark: as long as the share in view, and where that share is."""
        height, count = self._height(), len(self.lines().entries)
        if count <= height or not height:
            return range(0)
        length = max(height * height // count, 1)
        start = round(self._visible_top() / (count - height) * (height - length))
        return range(start, start + length)

    def _strip(self, entry: Entry, cursor: bool, thumb: bool, width: int) -> Strip:
        marked_line = self._marked is not None and entry.key == self._marked and not cursor
        tone = "-".join(part for part in (entry.tone or (MARKED if marked_line else None), "cursor" if cursor else None) if part)
        name = str(self._marked) if self._marked is not None and not marked_line else None
        strip = self.strip(entry.line, max(width - MARGIN, 0), tone, name)
        if self._sought:
            strip = marked(strip, self._sought)
        return Strip.join([strip, Strip([Segment(THUMB if thumb else " ", self.style_of("", "free"))])])


def marked(strip: Strip, text: str) -> Strip:
    """A line with every place reversed where it has a text, whatever its case."""
    where, written = 0, strip.text.lower()
    while (at := written.find(text, where)) >= 0:
        where = at + len(text)
        hit = strip.crop(at, where).apply_style(Style(reverse=True))
        strip = Strip.join([strip.crop(0, at), hit, strip.crop(where, None)])
    return strip
