"""The lab of a mixture of experts: each token gets its own experts' results, and tokens that go astray are seen."""

import pytest
import torch

from tests.chapters.loaded_pair import CHAPTERS, LoadedPair
from tests.chapters.planted_defect import share

FIRST = "../labs/moe/step_01_sorted"
SAME = ["step_01_sorted", "step_02_grouped", "step_03_fused_gate"]  # these compute the same function


class Step:
    """A step with what it borrows from the first one."""

    def __init__(self, name: str, old: str = "", new: str = ""):
        self.first = LoadedPair(FIRST).module
        text = (CHAPTERS.parent / "labs" / "moe" / f"{name}.py").read_text()
        assert old in text
        self.names: dict = {}
        exec(compile(text.replace(old, new) if old else text, name, "exec"), self.names)

    def share(self, arguments: tuple, side: str = "optimized") -> float:
        prepare = self.names.get(f"prepare_{side}")
        state = (prepare(*arguments),) if prepare else ()
        result = self.names[side](*state, *arguments)
        reference = self.names["reference"] if callable(self.names["reference"]) else self.first.reference
        bounds = self.first.tolerance[str(result.dtype).removeprefix("torch.")]
        right = reference(*arguments)
        return float(((result.double() - right).abs() / (bounds["atol"] + bounds["rtol"] * right.abs())).max())


def arguments(seed: int, module=None, **sizes) -> tuple:
    module = module or LoadedPair(FIRST).module
    torch.manual_seed(seed)
    return module.inputs(**(module.smoke | dict(dtype="float32") | sizes))


@pytest.mark.parametrize("name", SAME)
def test_a_step_agrees_with_the_reference_also_where_an_expert_has_no_token(name):
    step = Step(name)
    for seed, sizes in enumerate([{}, dict(dtype="bfloat16"), dict(tokens=1), dict(tokens=3, experts=16, top=1)]):
        assert step.share(arguments(seed, **sizes)) < 0.9, sizes


def test_the_loop_agrees_too():
    pair = LoadedPair(FIRST)
    assert share(pair, "baseline", arguments(1)) < 0.6


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("step_01_sorted", "back[order] = results", "back[:] = results"),
        ("step_01_sorted", "order // chosen.shape[1]", "order % len(x)"),
        ("step_02_grouped", ".cumsum(0).int()", ".cumsum(0).sub(1).clamp_min(0).int()"),
        ("step_02_grouped", "for side in (gate, up)", "for side in (up, gate)"),
        ("step_03_fused_gate", "torch.cat([gate, up], 1)", "torch.cat([up, gate], 1)"),
        ("step_04_capacity", "kept = place < capacity", "kept = place <= capacity"),
        ("step_04_capacity", "argsort(stable=True)", "argsort(descending=True)"),
    ],
)
def test_tokens_that_go_to_the_wrong_place_are_caught(name, old, new):
    values = (*arguments(2), 8) if name == "step_04_capacity" else arguments(2)
    assert Step(name).share(values) < 1 < Step(name, old, new).share(values)


@pytest.mark.parametrize("capacity", [1, 8, 37])
@pytest.mark.parametrize("side", ["baseline", "optimized"])
def test_with_a_capacity_the_same_choices_are_dropped_by_both_sides(side, capacity):
    values = arguments(3)
    assert Step("step_04_capacity").share((*values, capacity), side) < 0.9
    loads = torch.bincount(values[1].flatten())
    assert (loads.max() > capacity) == (capacity < 37), "at the smaller ones something is dropped"


@pytest.mark.parametrize("side", ["baseline", "optimized"])
def test_every_token_visits_the_shared_expert(side):
    step, module = Step("step_05_shared_expert"), LoadedPair("../labs/moe/step_05_shared_expert").module
    for seed, sizes in enumerate([{}, dict(dtype="bfloat16"), dict(tokens=1), dict(tokens=3, experts=16, top=1)]):
        assert step.share(arguments(seed, module, **sizes), side) < 0.9, sizes


@pytest.mark.parametrize(
    ("old", "new"),
    [("ends[-1] = len(rows)", "pass"), (" + results[len(order) :]", ""), ("order // chosen", "order % chosen")],
)
def test_a_shared_expert_that_is_left_out_or_gets_other_rows_is_caught(old, new):
    values = arguments(2, LoadedPair("../labs/moe/step_05_shared_expert").module)
    assert not Step("step_05_shared_expert", old, new).share(values) <= 1  # rows that nothing wrote may be NaN
