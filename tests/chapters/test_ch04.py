"""Chapter 4, networking: the sides are right on every rank, and the model says what its docstring says."""

import pytest

from perfproof.core.options import Effort

from .loaded_pair import CHAPTERS, LoadedPair

PATH = CHAPTERS / "ch04_networking" / "bucketed_allreduce.py"
TINY = Effort("quick", 1, 1, couples=1, quads=5, most_quads=5, seconds=0.01, new_interpreters=False)


def test_both_sides_of_the_bucket_are_right_on_two_ranks(run_pair):
    result = run_pair(PATH, effort=TINY, fast=True)
    assert result.status == "ok", result.reason
    assert {check.result for check in result.checks} == {"pass"}
    assert (result.ranks.count, result.ranks.backend) == (2, "gloo")
    assert all(side.error.of_tolerance < 0.5 for side in result.variants.values())


def test_a_bucket_that_forgets_the_last_tensor_is_found(run_pair, tmp_path):
    source = PATH.read_text()
    shorter = tmp_path / "shorter.py"
    shorter.write_text(source.replace("zip(gradients, parts, strict=True)", "zip(gradients[:-1], parts)"))
    result = run_pair(shorter, effort=TINY, fast=True)
    assert result.status == "failed-verification" and "optimized" in result.reason


def test_the_model_counts_latencies():
    cost = LoadedPair("ch04_networking/bucketed_allreduce").module.cost
    assert cost(tensors=400, elements=32_768)["predicted_optimized"] == pytest.approx(28.5, abs=0.1)
    assert cost(tensors=4, elements=32)["predicted_optimized"] == pytest.approx(4, abs=0.01)
    assert cost(tensors=1, elements=10**9)["predicted_optimized"] == 1
