"""Programs without marks: the cause comes first, and on healthy ones nothing is said with confidence."""

import pytest

from tests.diagnose.plain import first_gpu, second_gpu, third_gpu
from tests.diagnose.plain.drawn_gpu import FAULTS, HEALTHY, draw
from tests.diagnose.plain.recording import diagnosed, is_right, on_simulated_gpu


def named(programs):
    return [pytest.param(program, causes, id=program.__name__) for program, causes in programs.items()]


@pytest.mark.parametrize(("program", "causes"), named(first_gpu.CAUSES | second_gpu.CAUSES | third_gpu.CAUSES))
def test_the_cause_of_a_program_on_a_gpu_comes_first(tmp_path, program, causes):
    found = diagnosed(on_simulated_gpu(program, tmp_path))
    said = [(one.rule, one.confidence, one.share) for one in found.findings]
    assert is_right(found, causes), f"{sorted(causes) or 'healthy'}, but: {said}"


@pytest.mark.parametrize("seed", range(len(FAULTS) + len(HEALTHY)))
def test_with_drawn_numbers_the_cause_comes_first_too(tmp_path, seed):
    program, causes = draw(seed)
    found = diagnosed(on_simulated_gpu(program, tmp_path))
    said = [(one.rule, one.confidence, one.share) for one in found.findings]
    assert is_right(found, causes), f"{program.__name__}: {sorted(causes) or 'healthy'}, but: {said}"


def test_start_up_is_left_out_and_told(tmp_path):
    steps = diagnosed(on_simulated_gpu(first_gpu.large_products, tmp_path)).steps[0]
    assert steps.startup_seconds == pytest.approx(0.23, abs=0.01) and steps.mean_seconds == pytest.approx(
        0.002, abs=1e-4
    )


def test_where_nothing_repeats_that_is_said_and_nothing_is_above_low(tmp_path):
    found = diagnosed(on_simulated_gpu(first_gpu.nothing_repeats, tmp_path))
    assert "nothing in it repeats" in found.steps[0].source and found.findings
    assert {one.confidence for one in found.findings} == {"low"} and {one.by for one in found.downgraded} == {"steps"}
