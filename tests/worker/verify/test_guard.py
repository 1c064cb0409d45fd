"""A name that stands for something else is found: in a library, in the harness, in its tables, below every name."""

import copy
import json
import statistics
import subprocess
import sys
import textwrap
import types

import numpy
import pytest
import torch

from perfproof.core.training import Settings
from perfproof.worker.measure import clocks
from perfproof.worker.verify import compare
from perfproof.worker.verify.guard import Guard


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


def test_a_kernel_that_is_replaced_below_every_name_is_found(warm_python):
    program = """
        import warnings
        import torch
        from perfproof.worker.verify.guard import Guard

        warnings.simplefilter("ignore")
        guard = Guard()
        library = torch.library.Library("aten", "IMPL")
        library.impl("sub.Tensor", lambda a, b, alpha=1: torch.zeros_like(a), "CPU", allow_override=True)
        print(guard.look())
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['the kernel of aten::sub.Tensor replaced']"
