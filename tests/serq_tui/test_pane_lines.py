"""A pane draws the lines that changed, and no others."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.strip import Strip

from serq_tui.panes.frame import Drawn, other_up_to
from serq_tui.panes.pane import Pane
from serq_tui.pieces import Content, Entry, Line, Piece, piece


class Lines(Pane[tuple[str, ...]]):
    """Lines as they are given; it counts which are drawn."""

    BINDINGS = ()

    def __init__(self) -> None:
        super().__init__("lines")
        self.drawn: list[int] = []

    def content(self, state: tuple[str, ...], width: int) -> Content:
        return Content([Entry(piece(text), text) for text in state[1:]])

    def title(self, state: tuple[str, ...]) -> str:
        return state[0]

    def render_line(self, y: int) -> Strip:
        self.drawn.append(y)
        return super().render_line(y)


class Shown(App[None]):
    CSS = "#lines { height: 6; border-top: solid white; }"  # five lines under the title

    def compose(self) -> ComposeResult:
        yield Lines()


async def test_only_lines_that_are_others_are_drawn() -> None:
    app = Shown()
    async with app.run_test(size=(40, 10)) as pilot:
        pane = app.query_one(Lines)

        async def draws(*state: str) -> list[int]:
            pane.drawn.clear()
            pane.show(state)
            await pilot.pause()
            return sorted(set(pane.drawn))

        everything = [0, 1, 2, 3, 4]
        assert await draws("title", "a", "b", "c") == everything
        assert await draws("title", "a", "b", "c") == []
        assert await draws("title", "a", "B", "c") == [1]
        assert await draws("title", "a", "B") == [2]
        assert await draws("title", "x", "a", "B") == [0, 1, 2]
        assert await draws("another", "x", "a", "B") == everything, "the title is drawn with the whole pane"
        # Eight lines in a pane of five: the scroll mark, 5 * 5 // 8 = 3 lines long, comes beside the first three.
        assert await draws("another", "x", "a", "B", "4", "5", "6", "7", "8") == everything
        pane.drawn.clear()
        pane.choose(3)
        pane.show(("another", "x", "a", "B", "4", "five", "6", "7", "8"))
        await pilot.pause()
        assert 4 in pane.drawn


async def test_a_pane_of_another_size_is_drawn_whole() -> None:
    app = Shown()
    async with app.run_test(size=(40, 10)) as pilot:
        pane = app.query_one(Lines)
        pane.show(("title", "a", "b"))
        await pilot.pause()
        await pilot.resize_terminal(30, 10)
        pane.drawn.clear()
        pane.show(("title", "a", "c"))
        await pilot.pause()
        assert 1 in pane.drawn
        assert pane.render_line(0).cell_length == pane.size.width


def test_of_a_line_what_is_before_its_last_change_is_drawn() -> None:
    def drawn(*texts: str, cursor: bool = False) -> Drawn:
        line: Line = tuple(Piece(text) for text in texts)
        return Entry(line, "key"), cursor, False

    row = drawn("r7 ", "12", "/30 ", "48")
    assert other_up_to(row, row, 40) == 0
    assert other_up_to(row, drawn("r7 ", "13", "/30 ", "48"), 40) == 5
    assert other_up_to(row, drawn("r7 ", "13", "/30 ", "64"), 40) == 11
    assert other_up_to(row, drawn("r7 ", "1", "/30 ", "148"), 40) == 11, "as long as it was, its columns elsewhere"
    assert other_up_to(row, drawn("r7 ", "12", "/30 ", "112"), 40) == 40, "what is shorter or longer is drawn whole"
    assert other_up_to(row, drawn("r7 ", "12", "/30 ", "48", cursor=True), 40) == 40
    assert other_up_to(None, row, 40) == 40
