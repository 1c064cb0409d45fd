"""The table people read: verdict first, nothing wider than asked, the next command last."""

import io

import pytest

from perfproof.core.documents import Check, Warning
from perfproof.report.formats import table
from tests.report.sample_runs import everything, judged, run, side, target


@pytest.mark.parametrize("width", [60, 72, 80, 100, 160])
@pytest.mark.parametrize("more", [False, True])
def test_no_line_is_wider_than_asked(width, more):
    lines = table.render(everything(), width=width, details=more, notes=more).splitlines()
    assert max(len(line) for line in lines) <= width


def test_a_row_starts_with_the_verdict_and_has_the_interval():
    text = table.render(run(target()))
    assert "\nfaster   3.21x [3.18, 3.24]      3.21 ms  1.00 ms  ch01:batched_gemm\n" in text


def test_a_sentence_comes_first_then_the_table():
    lines = table.render(run(target())).splitlines()
    assert lines[0].startswith("perfproof 0.1.0") and "3.21x faster than baseline" in lines[2]
    assert lines.index(next(line for line in lines if line.startswith("verdict"))) > 2


def test_a_figure_is_not_torn_from_its_unit():
    lines = table.render(run(target()), width=60).splitlines()
    assert not any(line.startswith(("% ", "ms ", "ms)")) for line in lines)


def test_a_narrow_terminal_has_the_target_above_its_figures():
    lines = table.render(everything(), width=60).splitlines()
    at = lines.index("ch01:batched_gemm")
    assert lines[at + 1] == "  faster  3.21x [3.18, 3.24]  3.21 ms → 1.00 ms"


def test_no_result_and_no_remark_is_printed_twice():
    lines = [line.strip() for line in table.render(everything(), notes=True).splitlines() if line.strip()]
    assert len(set(lines)) == len(lines)
    text = table.render(everything(), notes=True)
    for once in ("below 0.8 %", "2 of 14 launches at 0.06x", "needs 7 more launches", "signal 11"):
        assert text.count(once) == 1, once


def test_without_a_figure_there_are_no_columns():
    text = table.render(run(target("mine", status="refused", reason="mine.py:7: `optimised` means nothing here")))
    assert "\nmine: refused\n    mine.py:7: `optimised` means nothing here\n" in text and "interval]" not in text


def test_the_first_line_breaks_between_its_parts():
    lines = table.render(run(target()), width=60).splitlines()
    assert all(line.endswith((" ·", " effort")) for line in lines[: lines.index("")])


def test_quiet_is_one_line_for_each_result():
    lines = table.render_quiet(everything()).splitlines()
    assert len(lines) == 13 and lines[0].startswith("ch01:batched_gemm: optimized is 3.21x faster")
    assert "ch05:f: timeout: 300 s were not enough" in lines


def test_every_target_and_every_variant_has_a_row():
    text = table.render(everything())
    for name in ("ch03:thread_count", "optimized_a", "optimized_b", "ch05:a", "ch05:f", "(naive)"):
        assert name in text


def test_reasons_and_what_matters_stand_below_their_row():
    lines = table.render(everything()).splitlines()
    undecided = next(i for i, line in enumerate(lines) if line.startswith("inconclusive"))
    assert lines[undecided + 1] == "    needs 7 more launches, about 40 s"
    crashed = next(i for i, line in enumerate(lines) if line.startswith("crashed"))
    assert lines[crashed + 1] == "    the worker died of signal 11" and lines[crashed + 2].endswith("logs/ch05-e.log")


def test_at_most_two_lines_stand_below_a_result_and_the_rest_are_notes():
    many = [Warning(code=code, text=f"about {code}") for code in ("W104", "W127", "W128", "W105")]
    plain, full = (table.render(run(target(warnings=many)), notes=notes) for notes in (False, True))
    below = [line for line in plain.splitlines() if line.startswith("    ")]
    assert below == ["    W104 about W104", "    W127 about W127"]
    assert "2 notes: perfproof report run abc123 --notes" in plain
    assert "about W128" in full and "about W105" in full and "2 notes" not in full


def test_the_last_line_is_the_next_command():
    assert table.render(run(target())).splitlines()[-1].startswith("next: perfproof ")


def test_a_command_is_never_broken_and_loses_its_comment_where_there_is_no_room():
    quick = run(target(), options={"effort": "quick", "artifacts_dir": "/a/folder/with/a/rather/long/name"})
    assert "# about" in table.render(quick, width=160).splitlines()[-1]
    assert table.render(quick, width=60).splitlines()[-1].endswith("/a/folder/with/a/rather/long/name")


def test_details_are_a_second_table_only_when_asked_for():
    assert "of tolerance" not in table.render(everything())
    text = table.render(everything(), details=True)
    assert "1.00 MiB  1.50 s" in text and "1.2e-04" in text and "ch04:sharded_optimizer optimized" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_was_not_checked_stands_below_the_row_at_every_width(width):
    quick = run(target(checks=[Check(name="isolation", result="not-run")]))
    lines = table.render(quick, width=width).splitlines()
    first = next(at for at, line in enumerate(lines) if line.lstrip().startswith("faster "))
    assert lines[first + 1] == "    side effects not checked"


def test_set_up_has_columns_in_the_details():
    sides = {"baseline": side(), "optimized": side(setup_seconds=1.5, first_call_seconds=1.8)}
    text = table.render(run(target(variants=sides)), details=True)
    assert "first call" not in table.render(run(target()), details=True)
    assert "set-up  in the first call" in text and "1.50 s  1.80 s" in text


def test_ten_rows_say_how_many_are_wrong_by_chance():
    few, many = (run(*(target(f"ch01:t{i}") for i in range(count))) for count in (9, 10))
    assert "by chance" not in table.render(few)
    assert "about 0.3 of 10 rows wrong by chance" in table.render(many)


@pytest.mark.parametrize(("code", "title"), [("W104", "near the empty-body floor"), ("W105", "one launch only")])
def test_a_remark_on_many_targets_is_one_line(code, title):
    warned = run(*(target(f"ch01:t{i}", warnings=[Warning(code=code, text="x")]) for i in range(5)))
    text = table.render(warned, notes=True)
    assert text.count(f"{code} ") == 1 and f"{code} {title}: 5 targets: ch01:t0, ch01:t1" in text


def test_a_warning_about_the_machine_is_shown_and_a_note_is_counted():
    found = [{"code": "W108", "text": "this is a virtual machine"}, {"code": "W131", "text": "little memory"}]
    machine = {"kind": "xeon-2c", "warnings": found}
    text = table.render(run(target(), machine=machine))
    assert "W131 little memory" in text and "perfproof explain W131" in text
    assert "virtual machine" not in text and "1 note: " in text
    assert "W108 this is a virtual machine" in table.render(run(target(), machine=machine), notes=True)


def test_a_busy_machine_is_said_once():
    found = [{"code": "W107", "text": "load average 1.73 on 2 CPUs"}]
    machine = {"cpu": {"model": "x", "load_average": [1.73, 1, 1]}, "warnings": found}
    text = table.render(run(target(), machine=machine), notes=True)
    assert "machine busy (load 1.7)" in text and "W107" not in text


def test_an_interrupted_run_says_how_far_it_came():
    stopped = run(target(), state="interrupted", planned=["a", "b", "c"])
    assert "interrupted: 1 of 3 targets done" in table.render(stopped)


def test_a_run_without_a_finished_target_is_a_table_too():
    assert "no target has finished" in table.render(run(state="running", planned=["a"]))


def test_the_level_of_the_intervals_is_said():
    assert "97 % interval" in table.render(run(target()))
    two = target(ratios={"a": judged(level=0.985), "b": judged(level=0.97)})
    assert "97 to 98.5 % interval" in table.render(run(two))


def test_colour_adds_codes_and_changes_no_letter():
    import re

    plain, coloured = table.render(everything()), table.render(everything(), colour=True)
    assert "\x1b[" in coloured and "\x1b[" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    for word in ("faster", "ch01:batched_gemm", "3.21 ms", "W104", "3.21x faster"):
        assert re.search(rf"\x1b\[[0-9;]+m{re.escape(word)}\x1b\[0m", coloured), word


def test_colour_is_for_terminals_and_can_be_refused(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert table.wants_colour(Terminal()) and not table.wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not table.wants_colour(Terminal())


def test_details_say_where_the_time_of_a_target_went():
    text = table.render(run(target(seconds=12.0, spent={"samples": 6.0, "verification": 4.5})), details=True)
    assert "ch01:batched_gemm took 12.0 s: samples 6.00 s, verification 4.50 s, the rest 1.50 s" in text
    assert "samples" not in table.render(run(target(seconds=12.0, spent={"samples": 6.0})))
