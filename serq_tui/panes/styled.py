"""What every widget of ours draws with: roles and grounds as styles, pieces as strips; knows no line in particular."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from serq_tui.pieces import GROUNDS, ROLES, Line, Role

#: How the name of whom one has chosen stands out.
STANDS_OUT = Style(bold=True, underline=True)


class Styled(Widget):
    """A widget whose lines are pieces in roles."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"role--{role}" for role in ROLES} | {f"ground--{ground}" for ground in GROUNDS}

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._styles: dict[tuple[str, Role], Style] = {}

    def notify_style_update(self) -> None:
        """Another theme, other styles: none worked out before holds."""
        self._styles.clear()
        super().notify_style_update()

    def style_of(self, ground: str, role: Role) -> Style:
        """The style of a role on a ground, empty for the widget's own; worked out once: a full screen asks for a thousand."""
        style = self._styles.get((ground, role))
        if style is None:
            style = self.rich_style
            if ground:
                style += self.get_component_rich_style(f"ground--{ground}", partial=True)
            style += self.get_component_rich_style(f"role--{role}", partial=True)
            self._styles[ground, role] = style
        return style

    def strip(self, line: Line, width: int, ground: str = "", name: str | None = None) -> Strip:
        """A line of a width, a piece that is ``name`` standing out in it.

        Every run in one style takes 40 bytes to say its colours, and a role does not show on blanks: they go with what
        is before them, unless that is underlined.
        """
        runs: list[tuple[str, Style]] = []
        for part in line:
            if not part.text:
                continue
            style = self.style_of(ground, part.role)
            if name is not None and part.text.strip() == name:
                style += STANDS_OUT
            elif runs and (style is runs[-1][1] or part.text.isspace()) and not runs[-1][1].underline:
                runs[-1] = (runs[-1][0] + part.text, runs[-1][1])
                continue
            runs.append((part.text, style))
        strip = Strip([Segment(text, style) for text, style in runs])
        return strip.adjust_cell_length(width, self.style_of(ground, "plain"))
