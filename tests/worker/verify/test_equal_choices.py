"""Another place of an equal value is right if the reference takes such places in no order, and only then."""

import numpy
import pytest
import torch

from perfproof.worker.verify.case import Contract
from perfproof.worker.verify.sway import apart_from

LENGTH = 400


def scores(seed=0):
    return torch.randint(0, 20, (6, LENGTH), generator=torch.Generator().manual_seed(seed))


def unordered(x, take=12, axis=1):
    """Places of the largest values, equal ones in an order of chance."""
    mixed = torch.randperm(x.shape[axis], generator=torch.Generator().manual_seed(5))
    order = x.index_select(axis, mixed).argsort(dim=axis, descending=True, stable=True)
    return mixed[order.narrow(axis, 0, take)]


def stable(x, take=12):
    return x.argsort(dim=1, descending=True, stable=True)[:, :take]


def judged(arguments, reference, variant):
    names = tuple(f"argument_{at}" for at in range(len(arguments)))
    contract = Contract(names, (), (), dict(rtol=1e-4, atol=1e-5), "", "cpu")
    expected, found = ((one(*arguments), {}) for one in (reference, variant))
    return apart_from(found, expected, contract, arguments, lambda own: (reference(*own), {}))


@pytest.mark.parametrize(
    "made",
    [
        scores(),
        scores().bfloat16(),
        scores().numpy(),
        scores().to(torch.uint8),
    ],
)
def test_an_unstable_sort_may_take_any_of_equal_values(made):
    def places(function):
        return lambda x: (torch.as_tensor(x).sort(dim=1).values[:, :3], function(torch.as_tensor(x)))

    found = judged((made,), places(unordered), places(stable))
    assert found.problem == "" and found.other_places


def test_the_axis_and_the_container_do_not_matter():
    x = scores().T.contiguous()
    found = judged((x, 12), lambda x, _: dict(at=unordered(x, axis=0)), lambda x, _: dict(at=stable(x.T).T))
    assert found.problem == ""


def test_the_best_of_each_row_may_be_any_of_the_best():
    found = judged((scores(),), lambda x: unordered(x)[:, 3], lambda x: unordered(x)[:, 1])
    assert found.problem == ""


@pytest.mark.parametrize("seed", range(5))
def test_one_tie_alone_is_excused_too(seed):
    """Whether a reference keeps order is a matter of the function, and not of how its one tie falls."""
    x = torch.randperm(LENGTH, generator=torch.Generator().manual_seed(seed)).reshape(1, -1)
    x[x == LENGTH - 1] = LENGTH - 2
    swapped = unordered(x).clone()
    swapped[0, :2] = swapped[0, :2].flip(0)
    assert judged((x,), unordered, lambda _: swapped).problem == ""
    assert judged((x,), stable, lambda x: stable(x)[:, [1, 0, *range(2, 12)]]).problem


@pytest.mark.parametrize(
    "reference",
    [
        stable,
        lambda x: LENGTH - 1 - stable(x.flip(1)),
        lambda x: stable(x, take=24)[:, 12:],
        lambda x: stable(x, take=1).expand(-1, 12),
    ],
)
def test_a_reference_that_takes_equal_values_in_order_is_followed_to_the_letter(reference):
    assert "must be equal" in judged((scores(),), reference, unordered).problem


def first_of_each(x):
    """For every value its first place: one place again and again."""
    at = unordered(x)
    return (x.unsqueeze(1) == x.gather(1, at).unsqueeze(2)).int().argmax(2)


def beside(x):
    return (unordered(x) + 1) % LENGTH


def one_wrong(x):
    at = stable(x).clone()
    at[3, 7] = at[3, 0] if int(x[3, at[3, 0]]) != int(x[3, at[3, 7]]) else int(x[3].argmin())
    return at


@pytest.mark.parametrize("attack", [first_of_each, beside, one_wrong, lambda x: torch.zeros_like(unordered(x))])
def test_places_that_are_wrong_stay_wrong(attack):
    assert judged((scores(),), unordered, attack).problem


def test_a_coarse_copy_of_the_scores_excuses_nothing():
    """A sort by bucket takes equal buckets, and not the best scores."""
    fine = torch.rand(6, LENGTH, generator=torch.Generator().manual_seed(1))
    arguments = fine, (fine * 8).long()
    attack = judged(arguments, lambda fine, _: unordered(fine), lambda _, bucket: stable(bucket))
    assert "must be equal" in attack.problem


def test_values_that_are_nearly_all_equal_excuse_nothing():
    x = torch.zeros(6, LENGTH)
    x[:, 7] = 1.0
    wrong = judged((x,), lambda x: unordered(x, take=4), lambda x: stable(x, take=4).flip(1))
    few = judged((x,), lambda x: unordered(x, take=300)[:, 1:], lambda x: stable(x, take=300)[:, 1:])
    assert wrong.problem and few.problem


def test_whole_numbers_that_are_no_places_stay_exact():
    x = scores()
    counts = judged((x,), lambda x: x.sum(1), lambda x: x.sum(1) + 1)
    texts = judged((numpy.array(["a", "b", "a"]),), lambda _: numpy.array([2, 0]), lambda _: numpy.array([0, 2]))
    assert counts.problem and texts.problem
