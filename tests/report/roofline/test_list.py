"""The list beside the picture."""

from perfproof.report.figures.svg_file import fitted, shorten, text_width
from perfproof.report.roofline.list import detail, entries_of
from tests.report.sample_rooflines import kernel, pairs, roofline, tensor_kernels


def test_kernels_of_a_program_are_numbered_by_time():
    document = roofline(kernel("short", seconds=1e-3), kernel("long", seconds=3e-3))
    first, second = entries_of(document, 12)
    assert (first.number, first.title, first.time, first.detail) == (1, "long", "75 %", "DRAM roof")
    assert (second.title, list(second.marks.values())) == ("short", ["2"])


def test_only_the_longest_get_a_number():
    document = roofline(*(kernel(f"k{number}", seconds=number + 1) for number in range(30)))
    assert [entry.title for entry in entries_of(document, 3)] == ["k29", "k28", "k27"]


def test_the_sides_of_a_pair_are_one_entry_with_a_mark_at_each_variant():
    first, second = entries_of(pairs(), 12)
    assert (first.title, sorted(first.marks.values())) == ("a", ["1a", "1b"])
    assert first.detail == "a optimized 80 %, b torch 53 %" and first.roof == "90 → 80 %"
    assert (list(second.marks.values()), second.detail) == (["2"], "9.00 ms → 2.00 ms; DRAM roof")


def test_the_binding_resource_and_what_is_unknown_are_said():
    assert [entry.detail for entry in entries_of(tensor_kernels(), 2)] == ["binds: SM compute", "binds: TMEM"]
    assert detail(kernel(unknown={"time": "n/a"})) == "unknown: time"


def test_a_long_name_loses_its_middle():
    assert shorten("abcdefghijklmnop", 10) == "abcdef…nop"
    assert shorten("short", 10) == "short"


def test_a_text_is_cut_to_the_width_it_has():
    assert fitted("short", 12, 500) == "short"
    cut = fitted("void cutlass_80_tensorop_bf16_s16816gemm_relu", 12, 120)
    assert "…" in cut and text_width(cut, 12) <= 120
    assert text_width("核函数", 10) > text_width("abc", 10) > text_width("ill", 10)
