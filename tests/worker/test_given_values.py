"""Values instead of a function that draws them: what is drawn anew, and what stays as it was given."""

import numpy
import pytest
import torch

from perfproof.core.trees import clone
from perfproof.worker.given_values import GivenValues
from perfproof.worker.measure.arguments import seeded

GIVEN = torch.tensor([0.0, 0.0, 1.5, -2.5, 7.0] * 40)


def test_floating_point_numbers_are_drawn_from_those_that_were_given():
    first, second = (GivenValues((GIVEN,))()[0] for _ in range(2))
    assert first.shape == GIVEN.shape and first.dtype == GIVEN.dtype
    assert not torch.equal(first, second) and not torch.equal(first, GIVEN)
    assert set(first.tolist()) == set(GIVEN.tolist())
    assert 0.2 < float((first == 0).float().mean()) < 0.6, "as many zeros as there were, about"


def test_arrays_are_drawn_and_the_seed_decides():
    draw = seeded(GivenValues((GIVEN.numpy().astype("float64"), GIVEN)), {}, "cpu", ["numpy"])
    (first,), (again,), (other,) = (list(draw(seed, 1)) for seed in (1, 1, 2))
    for place in (0, 1):
        assert (first[place] == again[place]).all() and not (first[place] == other[place]).all()


@pytest.mark.parametrize(
    "value",
    [
        7,
        0.5,
        "text",
        [3, 1, 2],
        torch.arange(5),
        torch.tensor(0.5),
        torch.ones(8),
        numpy.arange(5),
        torch.tensor([True, False]),
        torch.nn.Linear(2, 2),
        torch.tensor([1.0, 2.0]).to_sparse(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_may_be_a_size_an_index_or_a_setting_stays(value):
    given = GivenValues((value,))
    assert given.is_fixed and given.drawn == (False,)
    (drawn,) = given()
    assert type(drawn) is type(value)


def test_copies_keep_their_strides_and_gradients_and_the_given_values_stay():
    given = torch.arange(12.0).reshape(3, 4).t().detach().requires_grad_()
    before = clone(given)
    (drawn,) = GivenValues((given,))()
    assert drawn.requires_grad and drawn.is_leaf and drawn.stride() == given.stride() and torch.equal(before, given)


def test_only_some_of_the_arguments_are_drawn():
    given = GivenValues(({"x": GIVEN}, 3, [GIVEN, 2]))
    assert given.drawn == (True, False, True) and not given.is_fixed
    assert given()[1] == 3 and given()[2][1] == 2
