"""A roofline as text."""

from perfproof.report.roofline.table import render
from tests.report.sample_rooflines import kernel, pairs, roofline, tensor_kernels


def test_roofs_have_their_value_basis_and_source():
    text = render(roofline(kernel()))
    assert "DRAM  4 TB/s             measured  memory/copy" in text
    assert "TMEM  100 % of its peak  derived   the counter's own peak" in text


def test_a_kernel_has_its_place_on_one_line():
    line = next(line for line in render(roofline(kernel("norm"))).splitlines() if " norm " in line)
    assert line.split() == [
        "1",
        "norm",
        "counters",
        "2.00",
        "ms",
        "100.0",
        "%",
        "2",
        "4",
        "TFLOP/s",
        "50.0",
        "%",
        "DRAM",
    ]


def test_the_dual_roofline_has_a_table_of_its_own_with_reasons():
    text = render(tensor_kernels())
    assert "SM compute    SM compute at 84 % leads TMEM at 50 %" in text
    assert "undetermined  the busiest, SM compute, is at 30 %: latency" in text
    assert "dual roofline" not in render(pairs())


def test_errors_warnings_and_what_is_unknown_are_all_said():
    wrong = kernel("fast", moved=99e9)
    lost = kernel("lost", seconds=None, unknown={"time": "not collected"}, notes=["W is a lower bound"])
    text = render(roofline(wrong, lost, not_shown={"copy": "its `cost` declares no bytes"}))
    assert "error: fast is at 12.38 times the DRAM roof: a counting error" in text
    assert "warning: something is missing" in text
    assert "not shown: copy: its `cost` declares no bytes" in text
    assert "unknown: time: not collected (lost)" in text and "note: W is a lower bound (lost)" in text


def test_what_is_unknown_is_a_dash_never_a_zero():
    line = next(line for line in render(roofline(kernel("lost", seconds=None))).splitlines() if " lost " in line)
    assert line.split() == ["1", "lost", "counters", "–", "–", "–", "–", "–", "unknown"]


def test_a_remark_about_many_kernels_is_one_line():
    text = render(roofline(*(kernel(f"k{number}", notes=["same"]) for number in range(9))))
    assert text.count("note: same") == 1 and "and 6 more" in text


def test_a_narrow_terminal_has_the_rows_in_words_with_their_numbers():
    text = render(tensor_kernels(), width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert "\n1 " in text and "limited by " in text and "why SM compute at 84 %" in " ".join(text.split())
