"""The raw page of Nsight Compute: real forms, broken forms, and never a wrong number."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.profile.ncu import csv as ncu_csv
from perfproof.profile.ncu.csv import decode, parse, read_file

RECORDED = Path(__file__).parents[1] / "recorded"
BASE = (RECORDED / "h200_three_kernels.csv").read_text()
TRUTH = parse(BASE, "base").kernels
TIME, DRAM = "gpu__time_duration.sum", "dram__bytes.sum"


def values(name):
    """Every reading of a file as (kernel, metric, value)."""
    found = read_file(RECORDED / name)
    return [(kernel.name, metric, one.value) for kernel in found.kernels for metric, one in kernel.readings.items()]


def test_three_kernels_in_base_units():
    counted = read_file(RECORDED / "h200_three_kernels.csv")
    first = counted.kernels[0]
    assert [kernel.name[:11] for kernel in counted.kernels] == ["sm90_xmma_g", "void wgmma_", "rmsnorm_row"]
    assert (first.capability, first.grid, first.block) == ("9.0", "(32, 64, 1)", "(384, 1, 1)")
    assert first.get(TIME, "time").value == pytest.approx(1.488e-3)
    assert first.get(DRAM, "byte").value == 905969664
    assert first.get("sm__ops_path_tensor_src_bf16_dst_fp32.sum", "count").value == 2 * 8192**3
    assert first.get("dram__throughput.avg.pct_of_peak_sustained_elapsed", "share").value == pytest.approx(0.1412)
    assert counted.warnings == ()


def test_a_recorded_page_is_read_with_its_card_and_its_facts():
    page = read_file(RECORDED / "h200_shortened_names.csv")
    assert len(page.kernels) == 4 and page.warnings == ()
    for kernel in page.kernels:
        assert (kernel.device, kernel.capability) == ("NVIDIA H200", "9.0")
        assert kernel.get("profiler__replayer_passes", "count").value == 5
        assert kernel.get("launch__sm_count", "count").value == 132
    unread = {metric for kernel in page.kernels for metric, one in kernel.readings.items() if one.value is None}
    assert unread == {
        *("device__attribute_confidential_computing_mode", "device__attribute_display_name", "launch__kernel_name"),
        *("launch__cluster_scheduling_policy", "launch__func_cache_config", "launch__tpc_enabled"),
    }


def test_a_mangled_name_is_undone():
    mangled = BASE.replace("rmsnorm_row", "_ZN2at7rmsnormILi4EEEvPf")
    assert parse(mangled, "page").kernels[2].name == "void at::rmsnorm<4>(float*)"


@pytest.mark.parametrize("name", ["h200_auto_units.csv", "h200_live.csv", "h200_german.csv"])
def test_every_form_of_the_page_gives_the_same_numbers(name):
    expected = values("h200_three_kernels.csv")
    found = values(name)
    assert [one[:2] for one in found] == [one[:2] for one in expected]
    assert [one[2] for one in found] == pytest.approx([one[2] for one in expected], rel=1e-5)  # of the printed digits


def test_a_cut_row_is_left_out_and_said():
    counted = read_file(RECORDED / "h200_truncated.csv")
    assert len(counted.kernels) == 2
    assert any("not a whole row" in warning for warning in counted.warnings)


def test_columns_and_units_that_are_not_known_do_not_disturb_the_others():
    counted = read_file(RECORDED / "h200_newer_columns.csv")
    strange = counted.kernels[0].readings["sm__quantum_flux.avg"]
    assert strange.value is None and "furlong" in strange.why
    assert counted.kernels[0].get(TIME, "time").value == pytest.approx(1.488e-3)


def test_what_ncu_did_not_give_is_unknown_with_its_word():
    counted = read_file(RECORDED / "h200_not_available.csv")
    assert counted.kernels[0].get(DRAM, "byte").why == "ncu printed 'n/a'"
    assert counted.kernels[2].get(TIME, "time").value is None
    assert counted.kernels[0].get("nothing__like.it", "byte").why == "not collected"


def test_the_details_page_has_its_words_read_as_the_metrics_they_stand_for():
    (kernel,) = read_file(RECORDED / "h200_details_page.csv").kernels
    assert (kernel.name, kernel.capability, kernel.grid) == ("rmsnorm_row", "9.0", "(16384, 1, 1)")
    assert kernel.get(TIME, "time").value == pytest.approx(70.72e-6)


def test_missing_permission_is_named_with_its_remedy():
    with pytest.raises(DocumentError, match="NVreg_RestrictProfilingToAdminUsers=0"):
        read_file(RECORDED / "no_permission.txt")


@pytest.mark.parametrize(
    "text", ["", "hello\n", "a,b,c\n1,2,3\n", "==PROF== x\n==WARNING== No kernels were profiled.\n"]
)
def test_what_is_no_page_is_an_error_of_one_line(text):
    with pytest.raises(DocumentError) as caught:
        parse(text, "x.csv")
    assert str(caught.value).startswith("x.csv: ") and "\n" not in str(caught.value)


def test_without_its_row_of_units_nothing_with_a_unit_is_read():
    lines = BASE.splitlines(keepends=True)
    counted = parse("".join([lines[0], *lines[2:]]), "x")
    assert len(counted.kernels) == 3 and "units is missing" in counted.warnings[0]
    assert all(one.value is None for kernel in counted.kernels for one in kernel.readings.values())


def test_two_locales_in_one_file_are_refused():
    german = (RECORDED / "h200_german.csv").read_text().splitlines(keepends=True)
    with pytest.raises(DocumentError, match="two locales"):
        parse(BASE + german[2], "x")


def test_an_unquoted_last_value_without_an_end_of_line_may_be_cut():
    counted = parse(f'ID,Kernel Name,{TIME}\n"","",ns\n0,k,12345', "x")
    assert counted.kernels[0].get(TIME, "time").value is None
    whole = parse(f'ID,Kernel Name,{TIME}\n"","",ns\n0,k,12345\n', "x")
    assert whole.kernels[0].get(TIME, "time").value == pytest.approx(12.345e-6)


def test_a_metric_that_stands_in_two_columns_is_nobodys():
    counted = parse(f"ID,Kernel Name,{TIME},{TIME}\n,,ns,ns\n0,k,1,2\n", "x")
    assert counted.kernels[0].get(TIME, "time").value is None and "two columns" in counted.warnings[0]


def test_the_work_grows_with_the_columns_and_not_with_their_square(monkeypatch):
    compared = 0

    class Cell(str):
        def __eq__(self, other):
            nonlocal compared
            compared += 1
            return str(self) == other

        __hash__ = str.__hash__

    def comparisons(columns):
        nonlocal compared
        header = ",".join(f"sm__metric_{number}.sum" for number in range(columns))
        page = f"ID,Kernel Name,{header}\n" + f",{',' * columns}\n" + f"0,k{',1' * columns}\n" * 3
        compared = 0
        assert [len(kernel.readings) for kernel in parse(page, "x").kernels] == [columns] * 3
        return compared

    plain = ncu_csv._cells
    monkeypatch.setattr(ncu_csv, "_cells", lambda line: [Cell(cell) for cell in plain(line)])
    assert comparisons(400) < 3 * comparisons(200)


def test_several_processes_print_several_pages():
    assert len(parse(BASE + "==PROF== Connected\n" + BASE, "x").kernels) == 6


def test_a_redirect_on_windows_is_read():
    assert decode(BASE.encode("utf-16")) == BASE
    assert decode(b"\xef\xbb\xbf" + BASE.encode()) == BASE
    assert len(parse(BASE.replace("\n", "\r\n"), "x").kernels) == 3


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(DocumentError, match="cannot be read"):
        read_file(tmp_path / "none.csv")


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(BASE)), st.integers(0, 60), st.text(max_size=3))
def test_a_damaged_page_gives_right_numbers_or_none(start, length, put):
    """A piece is lost or replaced: a kernel whose line is whole has the values it had."""
    damaged = BASE[:start] + put + BASE[start + length :]
    header, units, *rows = BASE.splitlines()
    left = damaged.splitlines()
    try:
        counted = parse(damaged, "x")
    except DocumentError:
        return
    if header not in left or units not in left:
        return  # another page
    for kernel, line in zip(TRUTH, rows, strict=True):
        assert line not in left or kernel in counted.kernels


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(BASE)))
def test_a_page_cut_anywhere_has_only_whole_kernels(end):
    try:
        counted = parse(BASE[:end], "x")
    except DocumentError:
        return
    assert all(kernel in TRUTH for kernel in counted.kernels)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_crash_the_reader(content):
    with contextlib.suppress(DocumentError):
        parse(decode(b'"ID","Kernel Name","gpu__time_duration.sum"\n' + content), "x")
