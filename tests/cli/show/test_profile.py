"""What is printed: nothing unknown is shown as a number, and the reader is told what to do next."""

from pathlib import Path

import pytest

from perfproof.cli.show.profile import announcement, record_page
from perfproof.core.profile_record import Capture, Portion, ProfileRecord, VariantDifference
from perfproof.profile.diff import diff
from perfproof.profile.plans import Plan
from perfproof.profile.tool_help import Dropped


def kernel(name, seconds, **fields):
    return Portion(kind="kernel", name=name, launches=1, seconds=seconds, **fields)


def page(*captures, differences=(), **fields):
    record = ProfileRecord(
        **{"perfproof_version": "0", "started": "", "asked_tool": "auto", "tool": "ncu", "preset": "roofline"},
        **{"target": "ch07:x", "device": "cuda:0", "captures": list(captures), "differences": list(differences)},
        **fields,
    )
    return record_page(record, Path("artifacts/profiles/a")).splitlines()


@pytest.mark.parametrize(
    ("passes", "said"),
    [("1", "about 1 time"), ("3", "about 3 times"), ("2 to 4", "about 2 to 4 times"), ("", "no replay")],
)
def test_counters_are_announced_with_their_cost(passes, said):
    lines = announcement("ncu", Plan(metrics=("a__b.sum", "c__d.sum"), passes=passes)).splitlines()
    assert lines[0].startswith("ncu: 2 metrics, ") and lines[0].endswith(said)
    assert lines[1:] == ["  a__b.sum", "  c__d.sum"]


def test_what_was_left_out_is_announced_with_its_reason():
    text = announcement("nsys", Plan(recorded=("cuda",), dropped=(Dropped("--trace=nccl", "this nsys has none"),)))
    assert text == "nsys: records cuda\n  left out --trace=nccl: this nsys has none"


def test_a_kernel_without_a_time_has_a_dash():
    (line,) = [line for line in page(Capture(tool="ncu", status="ok", portions=[kernel("k", None)])) if " k " in line]
    assert "–" in line and "0 ns" not in line


def test_two_sides_show_what_went_came_and_changed():
    before = [kernel("gone", 1e-3), kernel("kept", 2e-3, counters={"dram__bytes.sum": 8e6})]
    after = [kernel("new", 1e-4), kernel("kept", 1e-3, counters={"dram__bytes.sum": 4e6})]
    rows = VariantDifference(before="baseline", after="optimized", rows=diff(before, after))
    lines = [" ".join(line.split()) for line in page(Capture(tool="ncu", status="ok"), differences=[rows])]
    assert "~ changed kept 2.00 ms -> 1.00 ms; dram__bytes.sum 8e+06 -> 4e+06" in lines
    assert "- gone gone 1.00 ms -> –" in lines and "+ added new – -> 100 µs" in lines


def test_two_that_cannot_be_compared_say_why():
    refused = VariantDifference(before="baseline", after="optimized", refused="optimized is timeout: too long")
    assert "  not compared: optimized is timeout: too long" in page(
        Capture(tool="ncu", status="timeout", why="too long"), differences=[refused]
    )


def test_the_next_step_names_every_file_of_the_last_good_capture():
    good = Capture(tool="trace-ranks", status="ok", main_files=["r0.json", "r1.json"])
    bad = Capture(tool="trace-ranks", status="failed", why="it broke", main_files=["r2.json"])
    assert page(good, bad)[-1] == "next  perfproof diagnose artifacts/profiles/a/r0.json artifacts/profiles/a/r1.json"


def test_a_stand_in_is_named():
    assert page(Capture(tool="torch", status="ok"), stands_in_for="ncu, denied: no permission")[1] == (
        "ncu stands in for ncu, denied: no permission"
    )


def test_a_long_name_keeps_both_its_ends():
    name = "a" * 60 + "middle" + "z" * 60
    (line,) = [line for line in page(Capture(tool="ncu", status="ok", portions=[kernel(name, 1.0)])) if "…" in line]
    assert "aaa" in line and "zzz" in line and "middle" not in line


def test_a_table_of_operators_counts_whole_calls_and_fits_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    name = "aten::_a_long_name_of_an_operator_that_would_not_fit_beside_its_figures"
    one = Portion(kind="operator", name=name, launches=30_720, seconds=0.113)
    lines = page(Capture(tool="torch", variant="", status="ok", seconds=1.0, portions=[one]))
    assert max(map(len, lines)) <= 60
    assert any("calls" in line for line in lines) and any("30,720" in line for line in lines)
