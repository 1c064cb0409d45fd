"""Calculators as forms: every one has its fields, and gives what the calculator itself gives."""

import pytest

from perfproof.calc.calculators import kv_cache
from perfproof.calc.shipped_shapes import shipped_shape
from perfproof.core.errors import NothingMatched, UsageError
from perfproof.web.forms import calculate, calculator_names, form_of

USUAL = {"model": "llama-3.1-8b", "gpu": "H200 SXM"}


def test_every_calculator_is_a_form_with_its_formula():
    for name in calculator_names():
        form = form_of(name)
        assert form.purpose and form.formula and (form.fields or form.missing), name
        assert len({field.name for field in form.fields}) == len(form.fields), name


def test_the_answer_is_the_calculators_own():
    asked = USUAL | {"tokens": "8,192", "batch": "4", "dtype": "fp8"}
    direct = kv_cache.calculate(shipped_shape("llama-3.1-8b"), tokens=8192, batch=4, dtype="fp8")
    assert calculate("kv-cache", asked) == direct


def test_a_gpu_comes_from_its_sheet_and_given_numbers_win():
    sheet = calculate("roofline", USUAL)
    assert sheet == calculate("roofline", USUAL | {"tflops": "", "link_us": "0"})
    assert calculate("roofline", USUAL | {"bandwidth_gb_s": "1"}) != sheet
    assert calculate("roofline", {"model": "gpt2", "bandwidth_gb_s": "900", "tflops": "100", "gpu_mem_gb": "80"})


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("kv-cache", USUAL | {"tokens": "many"}, "tokens 'many' is no number"),
        ("kv-cache", USUAL | {"tokens": "1.5"}, "whole number"),
        ("kv-cache", USUAL | {"tokens": "0"}, "at least 1"),
        ("kv-cache", USUAL | {"batch": "inf"}, "finite"),
        ("kv-cache", {"layers": "1000000000", "hidden": "1"}, "at most 10000"),
        ("kv-cache", USUAL | {"dtype": "x" * 5_000}, "too many"),
        ("kv-cache", {"model": "/etc/passwd"}, "not one of the shipped shapes"),
        ("kv-cache", {"model": "../shapes/gpt2"}, "not one of the shipped shapes"),
        ("roofline", {"model": "gpt2"}, "which GPU"),
        ("roofline", {"model": "gpt2", "gpu": "here"}, "no data sheet"),
        ("roofline", USUAL | {"tflops": "-1"}, "more than 0"),
        ("weights", {}, "which model"),
        ("cost-per-token", {}, "throughput is needed"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_name(name, given, why):
    with pytest.raises(UsageError, match=why):
        calculate(name, given)


def test_a_calculator_that_reads_a_file_says_so():
    assert "reads a file" in form_of("precision").missing


@pytest.mark.parametrize("name", ["nothing", "__init__", "../answer", "os"])
def test_only_calculators_of_the_folder_are_known(name):
    with pytest.raises(NothingMatched):
        form_of(name)
