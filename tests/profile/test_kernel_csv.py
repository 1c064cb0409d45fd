"""A table of kernels of one's own."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.profile.kernel_csv import looks_like, parse

TABLE = """# measured by hand
name,us,flops,bytes,dtype,launches,feed_bytes,capability
gemm,100,2e9,1e6,bfloat16,3,5e8,9.0
"copy, large",50,0,4e8,,,,
"""


def test_a_row_is_a_point_and_launches_multiply():
    (gemm, copy), warnings = parse(TABLE, "x")
    assert warnings == []
    assert (gemm.seconds, gemm.flops, gemm.bytes) == (pytest.approx(3e-4), 6e9, {"DRAM": 3e6})
    assert (gemm.work, gemm.launches, gemm.feed_bytes, gemm.capability) == ({"bf16": 6e9}, 3, 1.5e9, "9.0")
    assert (copy.name, copy.seconds, copy.work) == ("copy, large", pytest.approx(5e-5), {})
    assert {gemm.source, copy.source} == {"metadata"}


@pytest.mark.parametrize(("unit", "factor"), [("seconds", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)])
def test_the_column_names_the_unit_of_time(unit, factor):
    assert parse(f"name,{unit}\nk,2\n", "x")[0][0].seconds == pytest.approx(2 * factor)


@pytest.mark.parametrize("cell", ["fast", "-1", "nan", "inf", "1_000", "1e40"])
def test_what_is_no_number_is_unknown(cell):
    (kernel,), _ = parse(f"name,us,flops,bytes\nk,{cell},{cell},{cell}\n", "x")
    assert (kernel.seconds, kernel.flops, kernel.bytes) == (None, None, {})
    assert set(kernel.unknown) == {"time", "flops", "DRAM bytes"}


def test_a_number_of_launches_that_is_not_known_makes_the_time_unknown():
    assert parse("name,us,launches\nk,5,some\n", "x")[0][0].seconds is None
    assert parse("name,us,launches\nk,5,1.5\n", "x")[0][0].seconds is None


def test_a_time_of_zero_is_not_believed():
    assert parse("name,us\nk,0\n", "x")[0][0].seconds is None


def test_broken_rows_and_unused_columns_are_said():
    kernels, warnings = parse('name,us,colour\nk,5,red\nhalf,5\n"open,5,red\n,5,red\n', "x")
    assert len(kernels) == 1
    assert warnings[0] == "columns that are not used: colour"
    assert [warning.split(" is ")[0] for warning in warnings[1:]] == ["line 3", "line 4", "line 5"]


@pytest.mark.parametrize("text", ["", "us\n5\n", "name\nk\n", "name,us,ms\nk,1,2\n"])
def test_a_table_without_its_columns_is_refused(text):
    with pytest.raises(DocumentError, match="needs the columns name and one of seconds, ms, us, ns"):
        parse(text, "x")


def test_a_table_is_recognised_by_its_header():
    assert looks_like(TABLE)
    assert not looks_like("name,flops\n") and not looks_like("") and not looks_like('"ID","Kernel Name"\n')


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_no_text_crashes_the_reader(text):
    with contextlib.suppress(DocumentError):
        parse("name,us,launches,bytes\n" + text, "x")
