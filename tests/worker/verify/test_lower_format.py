"""Defaults for a lower precision: honest rounding to a format passes, that of a coarser format and zeros do not."""

import pytest
import torch

from perfproof.core.tolerance import DEFAULT_TOLERANCE, for_format
from perfproof.worker.verify import controls
from perfproof.worker.verify.case import FORMATS
from perfproof.worker.verify.compare import difference

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn}
COARSER = {"fp32": torch.float16, "fp16": torch.bfloat16, "bf16": torch.float8_e4m3fn}


def rounded(x, kind):
    return x.to(kind).to(x.dtype)


def tolerance(name):
    return for_format(DEFAULT_TOLERANCE, FORMATS[name][0])


def products(kind=None):
    torch.manual_seed(4)
    a, b = torch.randn(300, 700, dtype=torch.float64), torch.randn(700, 300, dtype=torch.float64)
    return rounded(a, kind) @ rounded(b, kind) if kind else a @ b


def chain(kind=None):
    torch.manual_seed(4)
    x = torch.randn(100_000, dtype=torch.float64)
    for step in (lambda x: 0.1 * x, torch.exp, lambda x: x * 1.7, torch.atan):
        x = rounded(step(x), kind) if kind else step(x)
    return x


def cancelling(kind=None):
    x = torch.linspace(-6, 6, 100_000, dtype=torch.float64)
    return torch.nn.functional.gelu(x.to(kind)).double() if kind else torch.nn.functional.gelu(x)


def test_a_function_that_cancels_in_single_precision_passes():
    assert not difference(cancelling(torch.float32), cancelling(), tolerance("fp32")).problem
    assert difference(cancelling(torch.float16), cancelling(), tolerance("fp32")).problem


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("answer", [products, chain])
def test_what_is_computed_in_a_declared_format_passes(answer, name):
    assert not difference(answer(TYPES[name]), answer(), tolerance(name)).problem


@pytest.mark.parametrize("name", COARSER)
@pytest.mark.parametrize("answer", [products, chain])
def test_what_is_computed_in_a_coarser_format_does_not(answer, name):
    assert difference(answer(COARSER[name]), answer(), tolerance(name)).problem


@pytest.mark.parametrize("name", FORMATS)
def test_wrong_answers_fail_for_every_format(name):
    right = torch.randn(10_000)
    assert controls.test_the_checker([(right, (torch.randn(10_000),), right)], tolerance(name)).result == "pass"


def test_a_declared_tolerance_stays():
    declared = dict(rtol=1e-5, atol=0.0)
    assert for_format(declared, 2.0**-7) == declared
