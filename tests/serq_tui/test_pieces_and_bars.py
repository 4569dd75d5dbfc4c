"""Lines, columns and bars as plain data."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from serq_tui.bars import FREE, USED, Part, bar, cells_of
from serq_tui.pieces import Column, Piece, cut, fit, flowed, laid_out, piece, shown_columns, width_of


def plain(line: tuple[Piece, ...]) -> str:
    return "".join(part.text for part in line)


COLUMNS = (Column("a", 4), Column("b", 6, "right", rank=1), Column("c", 6, rank=2), Column("d", 5, stretch=True))


def test_a_narrow_table_drops_its_highest_rank_first_and_keeps_rank_nought() -> None:
    # all four need 4 + 6 + 6 + 5 and three gaps: 24
    assert [index for index, _ in shown_columns(COLUMNS, 24)] == [0, 1, 2, 3]
    assert [index for index, _ in shown_columns(COLUMNS, 23)] == [0, 1, 3]
    assert [index for index, _ in shown_columns(COLUMNS, 8)] == [0, 3]


@given(st.integers(min_value=10, max_value=200))
def test_a_row_fills_its_table_exactly_once_the_last_rank_fits(width: int) -> None:
    shown = shown_columns(COLUMNS, width)
    cells = tuple(piece(column.title * 9) for column in COLUMNS)
    assert width_of(laid_out(cells, COLUMNS, shown)) == max(width, 10)


def test_a_right_aligned_number_ends_where_its_column_ends() -> None:
    assert plain(fit(piece("64"), 6, "right")) == "    64"


def test_a_cut_is_shown_and_a_line_that_fits_is_left_alone() -> None:
    line = (Piece("ab", "dim"), Piece("cdef"))
    assert plain(cut(line, 6)) == "abcdef"
    assert plain(cut(line, 4)) == "abc…"
    assert cut(line, 0) == ()


def test_parts_flow_into_a_second_line_where_the_first_is_full() -> None:
    lines = flowed((piece("aaaa"), piece("bbbb"), piece("cccc")), 10, indent=1)
    assert [plain(line) for line in lines] == ["aaaa  bbbb", " cccc"]


@given(st.lists(st.floats(min_value=0, max_value=1e6), max_size=6), st.integers(min_value=0, max_value=60))
def test_the_cells_of_a_bar_never_exceed_its_width(amounts: list[float], width: int) -> None:
    cells = cells_of(tuple(amounts), sum(amounts), width)
    assert sum(cells) <= width
    assert all(many >= 0 for many in cells)


def test_a_sliver_keeps_a_cell_so_that_it_does_not_read_as_nothing() -> None:
    # 1 of 1000 is a hundredth of a cell of ten
    assert cells_of((999, 1), 1000, 10) == (9, 1)


def test_a_bar_is_filled_in_order_and_its_rest_is_free() -> None:
    line = bar((Part(5, USED, "used"),), 10, 8)
    assert plain(line) == USED * 4 + FREE * 4
    assert [part.role for part in line] == ["used", "free"]
