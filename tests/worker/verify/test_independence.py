"""At run time too the reference calls no side, and no side calls it."""

from types import ModuleType

import pytest

from perfproof.worker.verify.independence import NotIndependent, stand_alone

SOURCE = """
def helper(x):
    return 2 * x

def baseline(x):
    return helper(x)

def optimized(x):
    return x + x

def by_name(x):
    return globals()["".join(("base", "line"))](x)

def through_eval(x):
    return eval("optimized(x)")

def through_a_helper(x):
    return by_name(x)

def alone(x):
    return helper(x)

baselines = 5
"""


@pytest.fixture
def module():
    made = ModuleType("pair")
    exec(SOURCE, made.__dict__)
    stand_alone(made, ["baseline", "optimized", "prepare_optimized", "baselines"], "the reference")
    return made


@pytest.mark.parametrize("name", ["baseline", "optimized", "by_name", "through_eval", "through_a_helper"])
def test_a_call_is_refused_however_it_is_written(module, name):
    with pytest.raises(NotIndependent) as caught:
        getattr(module, name)(1)
    said = str(caught.value)
    assert said.startswith("the reference calls `") and "; compute the answer in a way of its own" in said
    assert len(said.splitlines()) == 1


def test_helpers_other_values_and_other_instances_are_left_alone(module):
    assert module.alone(3) == 6 and module.baselines == 5
    assert not hasattr(module, "prepare_optimized")
    other = ModuleType("pair")
    exec(SOURCE, other.__dict__)
    assert other.by_name(3) == 6
