"""The pool: rotation in order, values that change, constants that do not."""

import random

import numpy
import pytest
import torch

from perfproof.measure.arguments import CHANGED, CHANGED_IN_PART, DRAWN, ArgumentPool, seeded


def pool(renewal=DRAWN, sets=6, constant=("weight",), mutates=()):
    def inputs():
        return torch.randn(40, 3), torch.randn(5), numpy.random.rand(30)

    made = ArgumentPool(seeded(inputs, {}, "cpu", ["numpy"]), ("x", "weight", "y"), constant, mutates, random.Random(1))
    made.renewal = renewal
    made.grow(sets, 10.0)
    return made


def copied(arguments):
    return [value.clone() if isinstance(value, torch.Tensor) else value.copy() for value in arguments]


def test_places_rotate_and_repeats_are_counted():
    one = pool(sets=4)
    assert one.take(3) == [0, 1, 2] and one.repeated_calls == 0
    assert one.take(3) == [3, 0, 1] and one.repeated_calls == 2
    one.renew(10.0)
    assert one.take(4) == [2, 3, 0, 1] and one.repeated_calls == 2


@pytest.mark.parametrize("renewal", [DRAWN, CHANGED, CHANGED_IN_PART])
def test_renewal_changes_every_set_and_keeps_its_shape_and_its_constants(renewal):
    one = pool(renewal)
    for place in one.take(6):
        assert one.sets[place][1] is one.sets[0][1], "constants are one object"
    before = [copied(arguments) for arguments in one.sets]
    one.renew(10.0)
    for old, new in zip(before, one.sets, strict=True):
        assert not torch.equal(old[0], new[0]) and not numpy.array_equal(old[2], new[2])
        assert old[0].shape == new[0].shape and old[2].dtype == new[2].dtype
        assert torch.equal(old[1], new[1])


@pytest.mark.parametrize("renewal", [CHANGED, CHANGED_IN_PART])
def test_many_renewals_do_not_drift_away(renewal):
    one = pool(renewal)
    spread = float(one.sets[0][0].std())
    for _ in range(500):
        one.take(6)
        one.renew(10.0)
    assert 0.2 * spread < float(one.sets[0][0].std()) < 5 * spread


def test_what_is_mutated_is_restored():
    one = pool(CHANGED, mutates=("x",))
    one.sets[2][0].fill_(1e9)
    one.take(6)
    one.renew(10.0)
    assert float(one.sets[2][0].abs().max()) < 100


def test_sets_do_not_share_memory():
    one = pool(CHANGED)
    assert len({arguments[0].data_ptr() for arguments in one.sets}) == len(one.sets)


def test_draws_follow_the_seed_whatever_was_done_to_the_generators():
    draw = seeded(lambda: torch.randn(3), {}, "cpu", [])
    first = draw(7)[0]
    torch.manual_seed(99)
    assert torch.equal(draw(7)[0], first) and not torch.equal(draw(8)[0], first)


def test_a_wrong_number_of_inputs_is_said():
    with pytest.raises(ValueError, match="`inputs` returned 1 values, the functions take 2"):
        ArgumentPool(seeded(lambda: torch.ones(1), {}, "cpu", []), ("x", "y"), (), (), random.Random(1))
