"""Query heads that a tensor-parallel group cannot divide are warned of wherever --tp is taken."""

import inspect
from dataclasses import replace

import pytest

from perfproof.calc.calculators import fit, kv_cache
from perfproof.calc.head_split import uneven_heads
from perfproof.cli.calculator_commands import calculator, calculator_files

WITH_TP = [name for name in calculator_files() if "tp" in inspect.signature(calculator(name).calculate).parameters]


def test_whole_heads_go_to_every_gpu(shape):
    model = shape("llama-3.1-70b")
    assert [tp for tp in range(1, 130) if not uneven_heads(model, tp)] == [1, 2, 4, 8, 16, 32, 64]
    (said,) = uneven_heads(model, 3)
    assert said.startswith("tp 3 does not divide the 64 query heads of llama-3.1-70b")


def test_a_model_without_attention_has_nothing_to_divide(shape):
    assert uneven_heads(replace(shape("llama-3.1-8b"), heads=0), 3) == []


@pytest.mark.parametrize("name", WITH_TP)
def test_every_calculator_with_tp_warns(shape, h200, name):
    calculate = calculator(name).calculate
    given = {"shape": shape("llama-3.1-70b"), "gpu": h200, "sweep": None}
    taken = {key: value for key, value in given.items() if key in inspect.signature(calculate).parameters}
    for tp, warned in ((3, True), (2, False)):
        said = calculate(**taken, tp=tp).warnings
        assert any("does not divide the 64 query heads" in one for one in said) is warned, said


def test_those_are_the_calculators_with_tp():
    assert {"fit", "kv-cache", "roofline", "speculative", "training", "weights"} <= set(WITH_TP)


def test_heads_that_are_assumed_are_not_held_against_tp():
    said = kv_cache.calculate(None, layers=2, hidden=512, tp=3).warnings
    assert not any("does not divide" in one for one in said)
    assert any(
        "does not divide" in one for one in kv_cache.calculate(None, layers=2, hidden=512, heads=4, tp=3).warnings
    )


def test_the_advice_of_fit_is_a_tp_that_divides_the_heads(shape, h200):
    small = replace(h200, memory=40e9)
    advised = fit.calculate(shape("llama-3.1-70b"), small, tp=3).warnings
    assert "query heads" in advised[0] and "try --tp 8" in advised[1]
    odd = replace(shape("llama-3.1-70b"), heads=5)
    assert fit.calculate(odd, small).warnings == (
        "it does not fit with any --tp: try --pp, a shorter context or weights of fewer bits",
    )
