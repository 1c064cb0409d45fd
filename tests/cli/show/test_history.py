"""The columns of `perfproof history` fit a terminal, and are whole in a pipe."""

from perfproof.cli.show.history import fitted

ROWS = [["id", "target", "ratio"], ["6fc94d", "python3 -c 'sum(range(3000000))'", "1.22x"]]


def test_the_widest_column_is_cut_until_the_lines_fit():
    table = fitted(ROWS, 36)
    assert table[1] == ["6fc94d", "python3 -c 'sum(ra...", "1.22x"]
    assert sum(max(map(len, column)) for column in zip(*table, strict=True)) + 4 <= 36


def test_without_a_terminal_or_with_room_nothing_is_cut():
    assert fitted(ROWS, 0) == fitted(ROWS, 200) == ROWS


def test_columns_that_cannot_be_cut_any_further_stay():
    assert fitted(ROWS, 5)[1][1] == "python3 -..."
