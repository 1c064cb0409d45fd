"""The table people read: verdict first, nothing wider than asked, the next command last."""

import io

import pytest

from perfproof.core.documents import Check, Warning
from perfproof.report.formats import table
from tests.report.sample_runs import everything, judged, run, side, target


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("details", [False, True])
def test_no_line_is_wider_than_asked(width, details):
    lines = table.render(everything(), width=width, details=details).splitlines()
    assert max(len(line) for line in lines) <= width


def test_a_row_starts_with_the_verdict_and_has_the_interval():
    text = table.render(run(target()))
    assert "\nfaster   3.21x [3.18, 3.24]   3.21 ms  1.00 ms  ch01:batched_gemm\n" in text


def test_every_target_and_every_variant_has_a_row():
    text = table.render(everything())
    for name in ("ch03:thread_count", "optimized_a", "optimized_b", "ch05:a", "ch05:f", "(naive)"):
        assert name in text


def test_reasons_and_notes_stand_below_their_row():
    lines = table.render(everything()).splitlines()
    same = next(i for i, line in enumerate(lines) if line.startswith("same"))
    assert lines[same + 1] == "    any difference is below 0.8 %; would have found 0.6 % in 9 of 10 runs"
    crashed = next(i for i, line in enumerate(lines) if line.startswith("crashed"))
    assert lines[crashed + 1] == "    the worker died of signal 11"


def test_the_last_line_is_the_next_command():
    assert table.render(run(target())).splitlines()[-1] == "next: perfproof rerun abc123 --effort final"


def test_details_are_a_second_table_only_when_asked_for():
    assert "of tolerance" not in table.render(everything())
    text = table.render(everything(), details=True)
    assert "1.00 MiB  1.50 s" in text and "1.2e-04" in text and "ch04:sharded_optimizer optimized" in text


def test_what_did_not_run_stands_beside_the_verdict_or_below_where_there_is_no_room():
    quick = run(target(checks=[Check(name="isolation", result="not-run")]))
    assert "\nfaster (isolation not run)  3.21x [3.18, 3.24]   3.21 ms  1.00 ms  ch01:batched_gemm\n" in table.render(
        quick
    )
    lines = table.render(quick, width=80).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("faster   3.21x"))
    assert lines[first + 1] == "    isolation not run"


def test_set_up_has_columns_in_the_details():
    sides = {"baseline": side(), "optimized": side(setup_seconds=1.5, first_call_seconds=1.8)}
    text = table.render(run(target(variants=sides)), details=True)
    assert "first call" not in table.render(run(target()), details=True)
    assert "set-up  first call" in text and "1.50 s  1.80 s" in text


def test_ten_rows_say_how_many_are_wrong_by_chance():
    few, many = (run(*(target(f"ch01:t{i}") for i in range(count))) for count in (9, 10))
    assert "by chance" not in table.render(few)
    assert "about 0.3 of 10 rows wrong by chance" in table.render(many)


def test_a_warning_on_many_targets_is_one_line():
    warned = [target(f"ch01:t{i}", warnings=[Warning(code="W105", text="one launch")]) for i in range(5)]
    assert table.render(run(*warned)).count("W105") == 1
    assert "W105 one launch only: 5 targets: ch01:t0, ch01:t1" in table.render(run(*warned))


def test_warnings_about_the_machine_are_shown():
    machine = {"kind": "xeon-2c", "warnings": [{"code": "W108", "text": "this is a virtual machine"}]}
    assert "W108 this is a virtual machine" in table.render(run(target(), machine=machine))


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
