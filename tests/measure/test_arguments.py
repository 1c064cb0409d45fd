"""The pool of arguments: places in turn, values that really change, constants that never do, nothing that drifts."""

import math
import random

import numpy
import pytest
import torch

from perfproof.core.trees import clone, leaves
from perfproof.measure.arguments import CHANGED, CHANGED_IN_PART, DRAWN, ArgumentPool, seeded
from perfproof.verify.outputs import same_bits

MODES = (DRAWN, CHANGED, CHANGED_IN_PART)
NAMES = ("x", "weight", "state")


MODELS = {
    "contiguous": lambda g: torch.randn(16, 16, generator=g),
    "transposed": lambda g: torch.randn(16, 16, generator=g).t(),
    "with gaps": lambda g: torch.randn(16, 32, generator=g)[:, ::2],
    "eight bits": lambda g: torch.randn(64, generator=g).to(torch.float8_e4m3fn),
    "with a gradient": lambda g: torch.randn(16, generator=g, requires_grad=True),
    "array": lambda g: torch.randn(16, 16, generator=g).numpy(),
    "array in Fortran's order": lambda g: numpy.asfortranarray(torch.randn(16, 16, generator=g).numpy()),
    "in a dict": lambda g: {"a": [torch.randn(16, generator=g), 3, "text"]},
}


def draw(seed):
    generator = torch.Generator().manual_seed(seed % 2**63)
    x = torch.randn(20, 30, generator=generator)
    return x, torch.randn(30, generator=generator), torch.randn(40, generator=generator)


def pool_of(draw=draw, names=NAMES, constant=("weight",), mutates=("state",), renewal=DRAWN, sets=6):
    pool = ArgumentPool(draw, names, constant, mutates, random.Random(1))
    pool.renewal = renewal
    pool.grow(sets, 10.0)
    return pool


def single(make, renewal=DRAWN, **kwargs):
    """A pool of one argument."""
    return pool_of(lambda seed: (make(torch.Generator().manual_seed(seed % 2**63)),), ("x",), (), (), renewal, **kwargs)


def test_places_come_in_turn():
    pool = pool_of(sets=4)
    assert pool.take(3) == [0, 1, 2]
    assert pool.take(6) == [3, 0, 1, 2, 3, 0]
    assert pool.take(1) == [1]


@pytest.mark.parametrize("renewal", MODES)
def test_repeats_are_counted_and_renewed_places_are_none(renewal):
    pool = pool_of(renewal=renewal, sets=4)
    pool.take(4)
    assert (pool.calls, pool.repeated_calls) == (4, 0)
    pool.take(3)
    assert (pool.calls, pool.repeated_calls) == (7, 3)
    pool.renew(10.0)
    pool.take(4)
    assert (pool.calls, pool.repeated_calls) == (11, 3)


def test_a_pool_has_two_sets_whatever_the_time():
    assert len(pool_of(sets=1).sets) == 2
    assert len(pool_of(renewal=CHANGED, sets=1).sets) == 2
    pool = ArgumentPool(draw, NAMES, (), (), random.Random(1))
    pool.grow(10**6, 0.0)
    assert len(pool.sets) == 2


@pytest.mark.parametrize("renewal", MODES)
def test_or_as_many_as_are_asked_for_at_least(renewal):
    pool = ArgumentPool(draw, NAMES, (), (), random.Random(1))
    pool.renewal = renewal
    pool.grow(10**6, 0.0, least=7)
    assert len(pool.sets) == 7


@pytest.mark.parametrize("renewal", MODES)
def test_renewal_changes_the_values_of_all_that_may_change_and_keeps_the_rest(renewal):
    pool = pool_of(renewal=renewal)
    before = clone(tuple(pool.sets))
    pool.take(len(pool.sets))
    pool.renew(10.0)
    for old, new in zip(before, pool.sets, strict=True):
        assert not same_bits(old[0], new[0]) and not same_bits(old[2], new[2])
        assert same_bits(old[1], new[1])
        assert [leaf.shape for _, leaf in leaves(old)] == [leaf.shape for _, leaf in leaves(new)]
        assert [leaf.dtype for _, leaf in leaves(old)] == [leaf.dtype for _, leaf in leaves(new)]


@pytest.mark.parametrize("renewal", MODES)
def test_sets_differ_from_each_other_and_share_the_constants(renewal):
    pool = pool_of(renewal=renewal)
    assert len({tuple(values[0].flatten().tolist()) for values in pool.sets}) == len(pool.sets)
    assert len({values[0].data_ptr() for values in pool.sets}) == len(pool.sets)
    assert len({id(values[1]) for values in pool.sets}) == 1
    assert pool.draw()[1] is pool.sets[0][1]


@pytest.mark.parametrize("renewal", MODES)
def test_values_are_written_where_they_were(renewal):
    pool = pool_of(renewal=renewal, mutates=())
    before = [values[0].data_ptr() for values in pool.sets]
    pool.take(len(pool.sets))
    pool.renew(10.0)
    assert [values[0].data_ptr() for values in pool.sets] == before


@pytest.mark.parametrize("renewal", MODES)
def test_a_mutated_argument_is_restored_before_its_values_change(renewal):
    pool = pool_of(renewal=renewal)
    for values in pool.sets:
        values[2].fill_(1e30)
    pool.take(len(pool.sets))
    pool.renew(10.0)
    assert all(values[2].abs().max() < 100 for values in pool.sets)


@pytest.mark.parametrize("renewal", MODES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.complex64])
def test_a_thousand_renewals_do_not_drift(renewal, dtype):
    pool = single(lambda g: torch.randn(64, 8, generator=g).to(dtype), renewal, sets=2)
    for _ in range(1000):
        pool.take(2)
        pool.renew(10.0)
    values = torch.stack([values[0] for values in pool.sets]).abs().float()
    assert values.isfinite().all()
    assert 0.05 < values.mean() < 20


@pytest.mark.parametrize("renewal", MODES)
@pytest.mark.parametrize("model", ["transposed", "with gaps", "with a gradient", "array", "in a dict"])
def test_nor_do_values_that_lie_in_no_slab(renewal, model):
    pool = single(MODELS[model], renewal, sets=2)
    for _ in range(1000):
        pool.take(2)
        pool.renew(10.0)
    floats = [leaf for _, leaf in leaves(tuple(pool.sets)) if hasattr(leaf, "shape")]
    assert all(0.05 < abs(torch.as_tensor(leaf).detach()).mean() < 20 for leaf in floats)


def test_many_samples_between_renewals_of_a_few_milliseconds():
    pool = pool_of(renewal=CHANGED, sets=100)
    for _ in range(50):
        pool.take(10)
        pool.renew(0.003)
    assert pool.repeated_calls == 0


@pytest.mark.parametrize("renewal", MODES)
@pytest.mark.parametrize("model", MODELS)
def test_every_kind_of_argument_is_renewed_in_every_way(model, renewal):
    pool = single(MODELS[model], renewal, sets=3)
    before = clone(tuple(pool.sets))
    pool.take(3)
    pool.renew(10.0)
    assert all(not same_bits(old, new) for old, new in zip(before, pool.sets, strict=True))
    assert [type(leaf) for _, leaf in leaves(before)] == [type(leaf) for _, leaf in leaves(tuple(pool.sets))]


@pytest.mark.parametrize("model", ["contiguous", "transposed", "with gaps", "array"])
def test_no_renewed_value_is_a_multiple_of_the_old_one(model):
    pool = single(MODELS[model], CHANGED, sets=2)
    before = clone(pool.sets[0][0])
    pool.take(2)
    pool.renew(10.0)
    ratio = torch.as_tensor(pool.sets[0][0]) / torch.as_tensor(before)
    assert ratio.max() - ratio.min() > 0.1


def test_an_expanded_argument_can_only_be_drawn():
    pool = single(lambda g: torch.randn(8, 1, generator=g).expand(8, 4))
    assert not pool.can_change_in_place
    before = clone(tuple(pool.sets))
    pool.take(len(pool.sets))
    pool.renew(10.0)
    assert not same_bits(before, tuple(pool.sets))


def test_whole_numbers_are_drawn_whatever_that_costs():
    pool = single(lambda g: torch.randint(0, 9, (50,), generator=g))
    pool.choose_renewal(1e-9)
    assert pool.renewal == DRAWN and not pool.can_change_in_place


@pytest.mark.parametrize(("call_seconds", "renewal"), [(10.0, DRAWN), (1e-9, CHANGED_IN_PART)])
def test_renewal_is_as_thorough_as_is_cheap(call_seconds, renewal):
    pool = pool_of()
    pool.choose_renewal(call_seconds)
    assert pool.renewal == renewal


def test_choosing_a_renewal_leaves_the_sets_alone():
    pool = pool_of()
    before, kept = clone(tuple(pool.sets)), list(pool.sets)
    pool.choose_renewal(1e-9)
    assert all(old is new for old, new in zip(kept, pool.sets, strict=True))
    assert same_bits(before, tuple(pool.sets))


def test_a_touch_changes_little_and_a_change_everything():
    pool = pool_of()
    arguments = draw(5)
    touched, changed = clone(arguments), clone(arguments)
    pool.touch(touched)
    pool.change_in_place(changed)
    assert same_bits(touched[1], arguments[1]) and same_bits(changed[1], arguments[1])
    for at in (0, 2):
        assert 0 < (touched[at] != arguments[at]).sum() <= math.ceil(arguments[at].numel() / 64)
        assert (changed[at] != arguments[at]).float().mean() > 0.9


@pytest.mark.parametrize("renewal", MODES)
def test_witnesses_see_what_a_side_did_to_a_set_it_kept(renewal):
    seen = []
    pool = pool_of(renewal=renewal, sets=200)
    pool.inspect = lambda before, now: seen.append(same_bits(before, now))
    pool.take(200)
    pool.renew(10.0)
    pool.take(200)
    pool.question_witnesses()
    assert seen and all(seen)
    pool.renew(10.0)
    for values in pool.sets:
        values[0].zero_()
        values[2].zero_()
    seen.clear()
    pool.take(200)
    pool.renew(10.0)
    assert seen and not any(seen)


def test_witnesses_say_nothing_of_constants_and_mutated_arguments():
    seen = []
    pool = pool_of(renewal=CHANGED, sets=100)
    pool.inspect = lambda before, now: seen.append((before[1:], now[1:]))
    for values in pool.sets:
        values[2].zero_()
    pool.question_witnesses()
    assert seen and all(pair == ((None, None), (None, None)) for pair in seen)


def test_one_place_can_be_renewed_at_once():
    pool = pool_of(renewal=CHANGED)
    before = clone(tuple(pool.sets))
    pool.renew_at(2)
    assert [same_bits(old, new) for old, new in zip(before, pool.sets, strict=True)] == [
        True,
        True,
        False,
        True,
        True,
        True,
    ]


def test_the_size_of_a_set_leaves_constants_out():
    assert pool_of().set_bytes == 4 * (20 * 30 + 40)


def test_inputs_that_give_too_few_values_are_refused_in_words():
    with pytest.raises(
        ValueError, match=r"`inputs` returned 2 values, the functions take 3: return one for each of x, "
    ):
        ArgumentPool(lambda seed: (1, 2), NAMES, (), (), random.Random(1))


def test_a_draw_depends_on_its_seed_alone():
    def inputs(n):
        return torch.randn(n), numpy.random.randn(n), random.random()

    draw = seeded(inputs, {"n": 5}, "cpu", ["torch", "numpy", "random"])
    first = draw(2**61 + 7)
    torch.manual_seed(1), numpy.random.seed(1), random.seed(1)
    assert same_bits(first, draw(2**61 + 7))
    assert not any(same_bits(a, b) for a, b in zip(first, draw(8), strict=True))


def test_a_replaced_generator_is_not_the_one_that_is_seeded(monkeypatch):
    draw = seeded(lambda n: torch.randn(n), {"n": 5}, "cpu", ["torch"])
    monkeypatch.setattr(torch, "default_generator", None)
    monkeypatch.setattr(torch, "manual_seed", None)
    assert not same_bits(draw(1), draw(2))


def test_a_single_argument_need_not_be_a_tuple():
    assert len(seeded(lambda n: torch.ones(n), {"n": 2}, "cpu", [])(1)) == 1


def test_a_tensor_carries_no_attribute():
    def inputs(n):
        x = torch.ones(n)
        x.answer = 42
        return {"a": [x]}, x

    nested, x = seeded(inputs, {"n": 2}, "cpu", [])(1)
    assert not hasattr(x, "answer") and not hasattr(nested["a"][0], "answer")
