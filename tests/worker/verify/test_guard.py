"""A name that stands for something else is found: in a library, in the harness, in its tables, below every name."""

import copy
import json
import math
import statistics
import subprocess
import sys
import textwrap
import types

import numpy
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from perfproof.core.training import Settings
from perfproof.worker.measure import clocks
from perfproof.worker.verify import compare, outputs, training_state
from perfproof.worker.verify.guard import OPERATORS, Guard


@pytest.fixture
def guard():
    return Guard()


def test_nothing_is_found_while_nothing_is_replaced(guard):
    assert guard.look() == []


@pytest.mark.parametrize(
    ("owner", "name", "found"),
    [
        (torch, "allclose", "torch.allclose replaced"),
        (torch.Tensor, "sub", "torch.Tensor.sub replaced"),
        (torch.cuda, "synchronize", "torch.cuda.synchronize replaced"),
        (torch.cuda.Event, "record", "torch.cuda.streams.Event.record replaced"),
        (statistics, "median", "statistics.median replaced"),
        (numpy, "median", "numpy.median replaced"),
        (numpy.random, "seed", "numpy.random.seed replaced"),
        (json, "dumps", "json.dumps replaced"),
        (compare, "difference", "perfproof.worker.verify.compare.difference replaced"),
        (compare, "TURNED", "perfproof.worker.verify.compare.TURNED replaced"),
        (compare.Difference, "worse", "perfproof.worker.verify.compare.Difference.worse replaced"),
        (Guard, "look", "perfproof.worker.verify.guard.Guard.look replaced"),
    ],
)
def test_a_replaced_name_is_found(guard, monkeypatch, owner, name, found):
    look = guard.look
    monkeypatch.setattr(owner, name, lambda *_: None)
    assert found in look()


def test_a_name_that_is_gone_is_found(guard, monkeypatch):
    monkeypatch.delattr(torch, "allclose")
    assert guard.look() == ["torch.allclose replaced"]


def test_a_new_name_is_found_in_the_harness_and_allowed_elsewhere(guard, monkeypatch):
    monkeypatch.setattr(torch, "new_and_strange", 1, raising=False)
    assert guard.look() == []
    monkeypatch.setattr(compare, "float", lambda value: 0.0, raising=False)
    monkeypatch.setattr(compare.Difference, "new_and_strange", 1, raising=False)
    assert sorted(guard.look()) == [
        "perfproof.worker.verify.compare.Difference.new_and_strange replaced",
        "perfproof.worker.verify.compare.float replaced",
    ]


def test_what_python_itself_writes_into_a_class_of_the_harness_is_allowed(guard):
    copy.deepcopy(Settings({}))
    _ = Settings.__annotations__
    assert guard.look() == []


def test_a_module_may_be_loaded_later(guard, monkeypatch):
    import perfproof

    monkeypatch.setattr(perfproof, "loaded_later", types.ModuleType("perfproof.loaded_later"), raising=False)
    assert guard.look() == []


def test_an_entry_of_a_table_is_found(guard, monkeypatch):
    monkeypatch.setitem(clocks.CLOCKS, ("call", "cpu"), None)
    assert guard.look() == ["perfproof.worker.measure.clocks.CLOCKS.('call', 'cpu') replaced"]


def test_a_built_in_function_that_is_hidden_from_the_guard_itself_does_not_blind_it(guard, monkeypatch):
    import perfproof.worker.verify.guard as module

    for name in ("len", "list", "isinstance", "vars", "type"):
        monkeypatch.setattr(module, name, lambda *_: (), raising=False)
    monkeypatch.delattr(torch, "allclose")
    assert "torch.allclose replaced" in guard.look()


def test_the_functions_of_a_loaded_file_are_remembered_and_its_numbers_are_not(guard):
    namespace = {"helper": lambda: 1, "torch": torch, "calls": 0}
    guard.remember("reference's own", namespace)
    namespace["calls"] += 1
    namespace["cache"] = {}
    assert guard.look() == []
    namespace["torch"] = types.SimpleNamespace()
    assert guard.look() == ["reference's own.torch replaced"]


class Kernels(TorchDispatchMode):
    """Names of all kernels that are called."""

    def __init__(self):
        super().__init__()
        self.called = set()

    def __torch_dispatch__(self, kernel, types, arguments=(), options=None):
        self.called.add(str(kernel).removeprefix("aten.").removesuffix(".default"))
        return kernel(*arguments, **(options or {}))


def test_every_kernel_that_the_comparison_calls_is_watched():
    pairs = []
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool, torch.complex64):
        x = (9 * torch.randn(64, 300)).to(dtype)
        wrong, odd = x.clone(), x.clone()
        wrong[3, 4] = 1
        odd[0, 0] = 1 if dtype in (torch.int64, torch.bool) else math.nan
        for one in (x, wrong, odd, x.t()):
            other = x.t() if one.shape == x.t().shape else x
            pairs += [(one, other), ([one] * 5, [other] * 5), (odd, one)]
    pairs += [(torch.randn(3000, 3000), torch.randn(3000, 3000)), (1.0, 1.0), ([1.0, 2.0] * 40, [1.0, 2.0] * 40)]
    states = [(torch.randn(9, 9), torch.randn(9, 9))] * 5 + [(torch.randn(500, 500).t(), torch.randn(500, 500).t())]
    with Kernels() as kernels:
        for ours, theirs in pairs:
            compare.difference(ours, theirs, dict(rtol=1e-3, atol=1e-4))
            outputs.same_bits(ours, theirs)
        training_state._steps(states)
    assert kernels.called and kernels.called <= {*OPERATORS}


@pytest.mark.parametrize(
    ("operator", "kernel"),
    [
        ("sub.Tensor", "lambda a, b, alpha=1: torch.zeros_like(a)"),
        ("amax", "lambda a, dim, keepdim=False: torch.zeros_like(a)[:, 0]"),
        ("stack", "lambda parts, dim=0: torch.zeros(len(parts), *parts[0].shape)"),
    ],
)
def test_a_kernel_that_is_replaced_below_every_name_is_found(operator, kernel, warm_python):
    program = f"""
        import warnings
        import torch
        from perfproof.worker.verify.guard import Guard

        warnings.simplefilter("ignore")
        guard = Guard()
        library = torch.library.Library("aten", "IMPL")
        library.impl("{operator}", {kernel}, "CPU", allow_override=True)
        print(guard.look())
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"['the kernel of aten::{operator} replaced']"
