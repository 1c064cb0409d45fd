"""A fixed seed in `inputs` is named by file and line with a seed to draw; what the harness combines is not blamed."""

import importlib.util

import pytest

from perfproof.worker.given_values import GivenValues
from perfproof.worker.verify import fixed_seeds

HEAD = """import random

import numpy as np
import torch
from numpy.random import default_rng

SEED = 3


def library(size, random_state=None):
    return np.random.RandomState(random_state).standard_normal(size)


def helper(seed):
    return default_rng(seed).standard_normal(9)


"""


@pytest.fixture
def remedy(tmp_path):
    def of(body):
        path = tmp_path / "mine.py"
        path.write_text(HEAD + body)
        spec = importlib.util.spec_from_file_location("mine", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        lines = path.read_text().splitlines()
        marked = next((number for number, line in enumerate(lines, 1) if line.endswith("# here")), 0)
        return fixed_seeds.remedy(module.inputs), f"({path}:{marked}, in "

    return of


@pytest.mark.parametrize(
    ("line", "called", "instead"),
    [
        ("default_rng(0).random(n)", "default_rng(0)", "default_rng(np.random.randint(2**31))"),
        ("default_rng(SEED).random(n)", "default_rng(SEED)", "default_rng(np.random.randint(2**31))"),
        ("default_rng(n).random(n)", "default_rng(n)", "default_rng(np.random.randint(2**31))"),
        ("np.random.RandomState(0).rand(n)", "np.random.RandomState(0)", "RandomState(np.random.randint(2**31))"),
        ("np.random.Generator(np.random.PCG64(1))", "np.random.PCG64(1)", "PCG64(np.random.randint(2**31))"),
        ("random.Random(0).random()", "random.Random(0)", "random.Random(random.getrandbits(62))"),
        (
            "torch.randn(n, generator=torch.Generator().manual_seed(0))",
            "torch.Generator().manual_seed(0)",
            "manual_seed(int(torch.randint(2**62, ())))",
        ),
        ("library(n, random_state=0)", "library(random_state=0)", "library(random_state=np.random.randint(2**31))"),
    ],
)
def test_a_fixed_seed_is_named_with_its_line_and_what_to_write(remedy, line, called, instead):
    said, place = remedy(f"def inputs(n):\n    return {line}  # here\n")
    assert said.startswith(f"{called} makes every draw begin alike {place}inputs)") and said.endswith(instead)


def test_a_seed_in_a_local_variable_or_in_a_function_that_inputs_calls_is_found(remedy):
    said, place = remedy("def inputs(n):\n    seed = 0\n    return default_rng(seed).random(n)  # here\n")
    assert f"default_rng(seed) makes every draw begin alike {place}inputs)" in said
    said, _ = remedy("def inputs(n):\n    return helper(0)\n")
    assert "default_rng(seed)" in said and "in helper)" in said


@pytest.mark.parametrize(
    "line",
    [
        "torch.linspace(0, 1, n)",  # nothing is drawn
        "(torch.manual_seed(0), torch.ones(n))[1:]",  # combined with the seed of the draw: not the reason
        "(np.random.seed(0), np.random.default_rng(0), random.seed(0), np.ones(n))[3:]",
        "(default_rng(None).random(n), default_rng(), np.ones(n))[2:]",
        "default_rng(np.random.randint(9)).random(n)",
    ],
)
def test_without_a_fixed_seed_the_function_is_named(remedy, line):
    said, place = remedy(f"def inputs(n):  # here\n    return {line}\n")
    assert said == f"{fixed_seeds.DRAW} {place}inputs)"


def test_values_and_functions_without_a_source_have_the_general_remedy():
    assert fixed_seeds.remedy(None) == fixed_seeds.remedy(GivenValues((3,))) == fixed_seeds.DRAW
    names: dict = {}
    exec("from numpy.random import default_rng\ndef inputs():\n    return default_rng(0)\n", names)
    assert fixed_seeds.remedy(names["inputs"]).startswith(fixed_seeds.DRAW)
