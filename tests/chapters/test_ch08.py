"""Chapter 8, warps: the pairs keep the contract, those in plain Python are right, and so are their counts."""

import importlib.util

import numpy as np
import pytest
import torch

from perfproof.core.options import Effort
from perfproof.cuda import CudaError
from perfproof.pairs.contract import read_pair
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers

WITH_KERNELS = ["loop_unrolling", "occupancy_tuning", "predication", "register_spills", "warp_shuffle_reduction"]
ON_A_CPU = ["branch_free_select", "multi_accumulator"]
TINY = Effort("quick", 1, 1, couples=1, quads=5, most_quads=5, seconds=0.01, new_interpreters=False)
MARGIN = 0.6  # honest rounding uses at most this share of a tolerance
needs_numba = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="the pair is compiled by numba")


def pair(name: str) -> LoadedPair:
    return LoadedPair(f"ch08_warps/{name}")


def called(module, side: str, *arguments):
    prepare = getattr(module, f"prepare_{side}", None)
    return getattr(module, side)(*([prepare(*arguments)] if prepare else []), *arguments)


@pytest.mark.parametrize("name", WITH_KERNELS + ON_A_CPU)
def test_every_pair_keeps_the_contract(name):
    read = read_pair(CHAPTERS / "ch08_warps" / f"{name}.py", f"ch08:{name}", "ch08")
    assert (read.workload_cpu is not None) == (name in ON_A_CPU) == ("cuda" not in read.needs)
    assert [file.suffix for file in read.kernel_files] == ([".cu"] if name in WITH_KERNELS else [])
    assert read.smoke and read.menu and len(read.variants) > 1  # each is held against what a library brings


def test_the_harness_verifies_the_selection_at_smoke_sizes(run_pair):
    result = run_pair(CHAPTERS / "ch08_warps" / "branch_free_select.py", effort=TINY, fast=True)
    assert result.status == "ok", result.reason
    assert {check.result for check in result.checks} <= {"pass", "not-run"}
    assert all(side.error.of_tolerance < MARGIN for side in result.variants.values())


def test_every_side_of_the_selection_is_right_where_the_branches_meet():
    loaded = pair("branch_free_select")
    x = torch.cat([torch.tensor([0.0, -0.0, 1e-30, -1e-30, 500.0, -500.0]), torch.randn(1_000)])
    for side in loaded.sides:
        assert loaded.of_tolerance([called(loaded.module, side, x)], [loaded.module.reference(x)]) < MARGIN


@needs_numba
def test_sums_in_several_chains_are_right_whatever_is_left_over():
    loaded = pair("multi_accumulator")
    for width in (1, 7, 8, 9, 1_003):
        x = loaded.module.inputs(3, width)
        expected = torch.from_numpy(loaded.module.reference(x))
        for side in loaded.sides:
            result = called(loaded.module, side, x)
            assert result.dtype == np.float32
            assert loaded.of_tolerance([torch.from_numpy(result)], [expected]) < MARGIN, (side, width)


@needs_numba
def test_a_chain_or_a_rest_that_is_left_out_is_outside_the_tolerance():
    loaded = pair("multi_accumulator")
    x = loaded.module.inputs(**loaded.module.smoke)
    expected = torch.from_numpy(loaded.module.reference(x))
    without_a_chain = x.copy()
    without_a_chain[:, 3:1_000:8] = 0
    for wrong in (without_a_chain, x[:, :1_000]):
        assert loaded.of_tolerance([torch.from_numpy(wrong @ wrong.T)], [expected]) > 1


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_the_side_of_a_library_agrees_with_the_reference_and_wrong_answers_do_not(name):
    loaded = pair(name)
    torch.manual_seed(4)
    drawn = loaded.module.inputs(**loaded.module.smoke)
    arguments = list(drawn) if isinstance(drawn, tuple) else [drawn]
    expected = loaded.module.reference(*arguments)
    bounds = loaded.module.tolerance
    result = called(loaded.module, "optimized_torch", *arguments)
    torch.testing.assert_close(result.double(), expected.double(), **bounds)
    for what, wrong in wrong_answers(expected.double(), [], result.dtype).items():
        if what != "one element missing" or expected.view(-1)[0] != 0:
            assert not torch.allclose(wrong.double(), expected.double(), **bounds), what


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_without_a_gpu_a_kernel_says_what_it_needs(name):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    loaded = pair(name)
    drawn = loaded.module.inputs(**loaded.module.smoke)
    with pytest.raises(CudaError, match="GPU"):
        loaded.module.baseline(*(drawn if isinstance(drawn, tuple) else [drawn]))


def test_the_models_say_what_the_docstrings_say():
    predicted = {
        name: module.cost(**module.workload)["predicted_optimized"]
        for name in WITH_KERNELS
        if (module := pair(name).module)
    }
    assert predicted == pytest.approx(
        dict(
            loop_unrolling=6.1,
            occupancy_tuning=1.97,
            predication=1.40,
            register_spills=2.72,
            warp_shuffle_reduction=1.21,
        ),
        rel=0.02,
    )
    selection = pair("branch_free_select").module.cost(count=1)
    assert selection["baseline_bytes"] / selection["optimized_bytes"] == pytest.approx(1.73, rel=0.01)
