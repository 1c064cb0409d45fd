"""The lab of a whole step: every lever keeps the losses, the updates and the tokens, and each step adds one."""

import importlib
import sys
from dataclasses import asdict

import pytest
import torch

from tests.chapters.loaded_pair import CHAPTERS

LAB = CHAPTERS.parent / "labs" / "whole_step"
NAMES = sorted(path.stem for path in LAB.glob("step_*.py"))
TRAIN, DECODE = NAMES[:7], NAMES[7:]


@pytest.fixture(autouse=True)
def steps(monkeypatch):
    monkeypatch.syspath_prepend(str(LAB))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield importlib.import_module
    torch.set_num_threads(before)
    for name in (*NAMES, "_training", "_decoding"):
        sys.modules.pop(name, None)


def drawn(first, **others) -> tuple:
    sizes = first.smoke | others
    torch.manual_seed(5)
    made = first.constants(**{name: sizes[name] for name in first.constants.__code__.co_varnames[:6] if name in sizes})
    constants = made if isinstance(made, tuple) else (made,)
    known = {"weights": constants[0]} if "weights" in first.inputs.__code__.co_varnames else {}
    return first.inputs(**sizes, **known), *constants


def worst(outputs, expected, rtol, atol) -> float:
    shares = [(a.double() - b).abs() / (atol + rtol * b.abs()) for a, b in zip(outputs, expected, strict=True)]
    return max(float(share.max()) for share in shares)


def test_every_training_step_makes_the_losses_and_updates_of_the_reference(steps, monkeypatch):
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    first, modules = steps(TRAIN[0]), [steps(name) for name in TRAIN]
    values = drawn(first)
    right = first.reference(*values)
    assert worst(first.baseline(*values), right, **first.tolerance) < 0.6
    for module in modules:
        prepared = (module.prepare_optimized(*values),) if hasattr(module, "prepare_optimized") else ()
        bounds = modules[5].tolerance if module.AFTER.half else first.tolerance
        assert worst(module.optimized(*prepared, *values), right, **bounds) < 0.8, module.__name__


def test_each_training_step_switches_one_lever_on_and_begins_where_the_step_before_ended(steps):
    modules = [steps(name) for name in TRAIN]
    switched = [sum(asdict(module.AFTER).values()) for module in modules]
    assert switched == [1, 2, 3, 4, 5, 6, 7]
    assert [module.BEFORE for module in modules[1:]] == [module.AFTER for module in modules[:-1]]
    assert [module.baseline for module in modules[1:]] == TRAIN[:-1]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("_fused_norm", lambda x, eps: x),
        ("_turned", lambda x, cosine, sine: x),  # no places
        ("_optimizer", lambda leaves, fused, rate: torch.optim.AdamW(leaves, 1e-2)),  # a state of its own
    ],
)
def test_a_lever_that_trains_something_else_is_caught(steps, monkeypatch, name, wrong):
    first, last = steps(TRAIN[0]), steps(TRAIN[4])
    values = drawn(first)
    monkeypatch.setattr(steps("_training"), name, wrong)
    assert worst(last.optimized(*values), first.reference(*values), **first.tolerance) > 1


def test_every_decode_step_gives_the_tokens_of_the_plain_decoder(steps, monkeypatch):
    first, modules = steps(DECODE[0]), [steps(name) for name in DECODE]
    monkeypatch.setattr(modules[-1], "record", lambda step: (step(), step)[1])  # a graph that is run again
    values = drawn(first)
    right = first.reference(*values)
    assert torch.equal(first.baseline(first.prepare_baseline(*values), *values), right)
    for module in modules:
        prepared = (module.prepare_optimized(*values),) if hasattr(module, "prepare_optimized") else ()
        assert torch.equal(module.optimized(*prepared, *values), right), module.__name__
    assert [module.baseline for module in modules[1:]] == DECODE[:-1]


def test_queries_that_are_packed_under_the_wrong_key_give_other_tokens(steps, monkeypatch):
    first, grouped, decoding = steps(DECODE[0]), steps(DECODE[2]), steps("_decoding")
    values = drawn(first, hidden=512)  # two keys for eight queries
    right = first.reference(*values)
    assert torch.equal(grouped.optimized(*values), right)
    mixed = decoding._mixed
    monkeypatch.setattr(decoding, "_mixed", lambda query, *others: mixed(query.roll(1, 1), *others).roll(-1, 1))
    assert not torch.equal(grouped.optimized(*values), right)
