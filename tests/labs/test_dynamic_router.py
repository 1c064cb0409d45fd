"""The lab of the router: every step answers as the plain decoder does, on one traffic, and less work is found."""

import pytest
import torch

from tests.chapters.loaded_pair import CHAPTERS, LoadedPair
from tests.repeating import up_to

LAB = CHAPTERS.parent / "labs" / "dynamic_router"
STEPS = sorted(path.stem for path in LAB.glob("step_*.py"))


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def first():
    return LoadedPair(f"{LAB}/step_01_least_loaded").module


def names_of(step: str) -> dict:
    """A step's own functions; what it borrows stays a name."""
    names: dict = {}
    exec(compile((LAB / f"{step}.py").read_text(), step, "exec"), names)
    return names


@pytest.mark.parametrize("step", STEPS)
@up_to(3)  # the last step's limit is a time of this machine
def test_every_step_gives_the_right_answers_call_after_call(first, step):
    names = names_of(step)
    source = vars(first) if isinstance(names["inputs"], str) else names
    sides = ["optimized"] if isinstance(names["baseline"], str) else ["baseline", "optimized"]
    torch.manual_seed(1)
    draws = [source["inputs"](**names["smoke"]) for _ in range(3)]
    for side in sides:
        prepared = names[f"prepare_{side}"](*draws[0])
        for arguments in draws:
            assert torch.equal(names[side](prepared, *arguments), source["reference"](*arguments))
        (prepared[0] if isinstance(prepared, tuple) else prepared).stop()


def test_all_steps_but_the_last_have_one_traffic_and_each_the_step_before_as_its_baseline(first):
    second, third, fourth = (names_of(step) for step in STEPS[1:])
    assert second["baseline"] == STEPS[0] and third["baseline"] == STEPS[1]
    assert vars(first)["workload"] == second["workload"] == third["workload"]
    assert callable(fourth["baseline"])


def test_the_model_says_that_pools_lose_on_prompts_and_win_where_both_pools_have_as_much_to_do():
    cost = names_of("step_03_two_pools")["cost"]
    assert cost(5, 4, 160, 96, 8)["predicted_optimized"] < 0.6
    assert cost(1, 4, 10, 20, 25)["predicted_optimized"] == pytest.approx(1.0)
