"""The columns of `perfproof history` fit a terminal, and are whole in a pipe."""

from perfproof.cli.show.history import fitted, print_columns

ROWS = [["id", "target", "ratio"], ["6fc94d", "python3 -c 'sum(range(3000000))'", "1.22x"]]


def test_the_widest_column_is_cut_until_the_lines_fit():
    table = fitted(ROWS, 36)
    assert table[1] == ["6fc94d", "python3 -...000000))'", "1.22x"]
    assert sum(max(map(len, column)) for column in zip(*table, strict=True)) + 4 <= 36


def test_without_a_terminal_or_with_room_nothing_is_cut():
    assert fitted(ROWS, 0) == fitted(ROWS, 200) == ROWS


def test_columns_that_cannot_be_cut_any_further_stay():
    assert fitted(ROWS, 5)[1][1] == "pyth...00))'"


def test_spare_columns_go_before_the_list_is_told_in_words(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    print_columns(("id", "target", "machine", "commit"), [["6fc94d", "sort", "xeon-2c", "0123456789ab"]], ("machine",))
    assert capsys.readouterr().out.splitlines()[0].split() == ["id", "target", "machine", "commit"]
    monkeypatch.setenv("COLUMNS", "34")
    print_columns(("id", "target", "machine", "commit"), [["6fc94d", "sort", "xeon-2c", "0123456789ab"]], ("machine",))
    assert capsys.readouterr().out.splitlines() == ["id      target  commit", "6fc94d  sort    0123456789ab"]


def test_a_long_target_is_cut_and_not_the_date(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    rows = [["6fc94d", "2026-11-17 14:26", "benchmarks/bench_norm: main against HEAD", "167e989c"]]
    print_columns(("id", "when (UTC)", "target", "commit"), rows, ("commit",))
    shown = capsys.readouterr().out
    assert "2026-11-17 14:26  benchmarks..." in shown and max(map(len, shown.splitlines())) <= 60
    assert "gainst HEAD" in shown  # two comparisons of one pair differ there


def test_what_is_told_in_words_is_told_whole(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    rows = [["benchmarks/bench_norm: main against HEAD", "indicative", "0.72 to 1.12"]]
    print_columns(("target", "verdict", "interval"), rows)
    assert " ".join(capsys.readouterr().out.split()).startswith("benchmarks/bench_norm: main against HEAD: verdict")
