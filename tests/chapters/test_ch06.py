"""Chapter 6 and 7, pairs without kernels: right by a margin, wrong answers caught, costs as counted by hand."""

import numpy
import pytest
import torch

from perfproof.pairs.contract import read_pair
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers

SORTING = "ch06_cuda_fundamentals/branch_sorting"
LOOP = "ch06_cuda_fundamentals/vectorised_loop"
WALK, FIELDS = "ch07_memory_access/row_major_walk", "ch07_memory_access/struct_of_arrays"
MARGIN = 0.6
KERNELS = [path for chapter in ("ch06_*", "ch07_*") for path in sorted(CHAPTERS.glob(f"{chapter}/*.cu"))]


@pytest.mark.parametrize("name", [SORTING, WALK, FIELDS])
def test_every_side_agrees_with_the_reference(name):
    pair = LoadedPair(name)
    for seed in range(3):
        arguments = pair.draw(pair.module.smoke, seed)
        expected = pair.module.reference(*arguments)
        for side in pair.sides:
            prepare = getattr(pair.module, f"prepare_{side}", None)
            state = (prepare(*arguments),) if prepare else ()
            result = getattr(pair.module, side)(*state, *arguments)
            assert pair.of_tolerance([result], [expected]) < MARGIN, (side, seed)
        for what, wrong in wrong_answers(expected, [], torch.float32).items():
            assert pair.of_tolerance([wrong], [expected]) > 1, what


def test_both_forms_of_the_distance_agree_with_another_formula():
    module = LoadedPair(LOOP).module
    numpy.random.seed(3)
    arguments = module.inputs(777)
    expected, bounds = module.reference(*arguments), module.tolerance
    for side in (module.baseline, module.optimized):
        assert numpy.all(abs(side(*arguments) - expected) <= MARGIN * (bounds["atol"] + bounds["rtol"] * expected))
    one_off = expected.copy()
    one_off[5] += 1e-3
    assert not numpy.allclose(one_off, expected, rtol=bounds["rtol"], atol=bounds["atol"])


def test_the_distance_of_a_quarter_of_the_equator_is_known():
    module = LoadedPair(LOOP).module
    quarter = module.optimized(numpy.zeros(1), numpy.array([numpy.pi / 2]), numpy.zeros(2))
    assert quarter[0] == pytest.approx(module.RADIUS * numpy.pi / 2)


def test_sorting_changes_the_order_and_nothing_else():
    module = LoadedPair(SORTING).module
    values, limits = module.inputs(elements=500, limits=3)
    ordered = module.prepare_optimized(values, limits)
    assert torch.equal(ordered, values.sort().values) and not torch.equal(ordered, values)


def test_the_model_counts_sectors_where_the_layout_wastes_them():
    walk, fields = (LoadedPair(name).module for name in (WALK, FIELDS))
    cost = walk.cost(**walk.workload)
    assert cost["baseline_bytes"] / cost["bytes"] == pytest.approx(40 / 12)
    cost = fields.cost(**fields.workload)
    assert cost["baseline_bytes"] / cost["bytes"] == 4.5


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_a_kernel_pair_keeps_the_contract_and_says_what_it_needs(path):
    pair = read_pair(path.with_suffix(".py"), path.stem, "chapter")
    assert pair.kernel_files and pair.needs.get("cuda", 0) >= 8.0 and pair.workload_cpu is None
    assert pair.smoke and all(size % 2 or size % 64 for size in pair.smoke.values()), "smoke sizes are ragged"
