"""The comparison sees every element, every part, NaN and infinity, and knows what each type can be asked for."""

import math
from collections import Counter, OrderedDict
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.tolerance import DEFAULT_TOLERANCE
from perfproof.worker.verify.compare import Difference, Part, difference
from perfproof.worker.verify.numbers import (
    PIECE,
    dtype_name,
    honest_rounding,
    in_type_of,
    rounding,
    tolerance_for,
)
from tests.core.kinds import every_kind, three

LOOSE = dict(rtol=1e-3, atol=1e-3)
NAN, INF = math.nan, math.inf


def problem(result, reference, tolerance=LOOSE):
    return difference(result, reference, tolerance).problem


@given(
    size=st.integers(1, 200),
    where=st.integers(0, 10**6),
    times=st.floats(1.5, 1e6),
    sign=st.sampled_from((-1.0, 1.0)),
    seed=st.integers(0, 2**31),
)
@settings(max_examples=200, deadline=None)
def test_a_perturbation_above_the_tolerance_of_any_single_element_is_found(size, where, times, sign, seed):
    reference = torch.randn(size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    result = reference.clone()
    allowed = LOOSE["atol"] + LOOSE["rtol"] * abs(float(reference[where % size]))
    result[where % size] += sign * times * allowed
    found = difference(result, reference, LOOSE)
    assert "times the tolerance" in found.problem
    assert found.of_tolerance == pytest.approx(times, rel=1e-6)
    assert found.max_absolute == pytest.approx(times * allowed, rel=1e-6)


@given(size=st.integers(1, 200), share=st.floats(0.0, 0.99), seed=st.integers(0, 2**31))
@settings(max_examples=100, deadline=None)
def test_a_perturbation_below_it_passes(size, share, seed):
    generator = torch.Generator().manual_seed(seed)
    reference = torch.randn(size, generator=generator, dtype=torch.float64)
    noise = share * (torch.rand(size, generator=generator, dtype=torch.float64) * 2 - 1)
    assert problem(reference + noise * (LOOSE["atol"] + LOOSE["rtol"] * reference.abs()), reference) == ""


def test_the_figures_are_those_of_the_difference():
    found = difference(torch.tensor([3.0, 4.5]), torch.tensor([3.0, 4.0]), dict(rtol=0.0, atol=1.0))
    assert found.rms_relative == pytest.approx(0.5 / 5.0)
    assert (found.max_absolute, found.of_tolerance, found.problem) == (0.5, 0.5, "")


@pytest.mark.parametrize(
    ("result", "reference"),
    [
        ([NAN, 1.0], [0.0, 1.0]),
        ([0.0, 1.0], [NAN, 1.0]),
        ([INF, 1.0], [0.0, 1.0]),
        ([0.0, 1.0], [INF, 1.0]),
        ([-INF, 1.0], [INF, 1.0]),
        ([NAN, 1.0], [INF, 1.0]),
    ],
)
def test_nan_and_infinity_in_other_places_are_found(result, reference):
    assert problem(torch.tensor(result), torch.tensor(reference), dict(rtol=1e9, atol=1e9))


@pytest.mark.parametrize("odd", [NAN, INF, -INF])
def test_nan_and_infinity_in_the_same_places_are_right_and_hide_nothing(odd):
    reference = torch.tensor([odd, 1.0])
    assert problem(torch.tensor([odd, 1.0]), reference) == ""
    assert "differs in 1 of " in problem(torch.tensor([odd, 2.0]), reference)


def test_nothing_allowed_and_nothing_apart_is_right():
    assert difference(torch.zeros(3), torch.zeros(3), dict(rtol=0.0, atol=0.0)) == Difference(
        parts=(Part(spacing=2.0**-23),)
    )
    assert difference(torch.ones(1), torch.zeros(1), dict(rtol=1.0, atol=0.0)).of_tolerance == INF


def test_a_result_of_several_pieces_is_compared_as_one():
    generator = torch.Generator().manual_seed(3)
    reference = torch.randn(2 * PIECE + 77, generator=generator, dtype=torch.float64)
    result = reference + 1e-4 * torch.randn(reference.shape, generator=generator, dtype=torch.float64)
    found, apart = difference(result, reference, LOOSE), (result - reference).abs()
    assert found.max_absolute == float(apart.max())
    assert found.of_tolerance == pytest.approx(float((apart / (1e-3 + 1e-3 * reference.abs())).max()), rel=1e-12)
    assert found.rms_relative == pytest.approx(float(apart.norm() / reference.norm()), rel=1e-12)


@pytest.mark.parametrize("odd", [NAN, INF, -INF])
@pytest.mark.parametrize("place", [0, PIECE - 1, PIECE, 2 * PIECE + 76])
def test_one_odd_value_in_any_piece_is_found_and_hides_nothing(odd, place):
    reference = torch.ones(2 * PIECE + 77)
    result = reference.clone()
    result[place] = odd
    assert problem(result, reference, dict(rtol=1e9, atol=1e9))
    reference[place] = odd
    assert problem(result, reference) == ""
    result[place - 1] += 1
    assert "differs in 1 of " in problem(result, reference)


def test_a_view_with_strides_is_compared_element_by_element():
    reference = torch.randn(700, 900).double()
    result = reference.T.contiguous().float().T
    assert not result.is_contiguous()
    assert problem(result, reference) == ""
    result[699, 899] += 1
    assert "differs in 1 of " in problem(result, reference)


def test_whole_numbers_that_double_precision_cannot_tell_apart_are_told_apart():
    reference = torch.tensor([2**62, 5])
    assert problem(reference.clone(), reference) == ""
    assert "got 4611686018427387905, expected 4611686018427387904" in problem(torch.tensor([2**62 + 1, 5]), reference)


def test_numbers_of_python_keep_all_their_digits():
    assert problem(1e39, 2e39) and problem(1.0 + 1e-9, 1.0, dict(rtol=1e-12, atol=0.0))
    assert problem(1.0 + 1e-13, 1.0, dict(rtol=1e-12, atol=0.0)) == ""
    assert problem(2**70, 2**70) == "" and problem(2**70 + 1, 2**70)


@pytest.mark.parametrize("kind", [numpy.int64, numpy.bool_, numpy.uint8])
def test_whole_numbers_of_numpy_must_be_equal_too(kind):
    assert tolerance_for(dict(rtol=1e-3, atol=1e-3), kind(1)) == (0.0, 0.0)
    assert problem(kind(1), kind(0), dict(rtol=9.0, atol=9.0)) and problem(kind(1), kind(1)) == ""


def test_a_part_of_numpy_beside_a_tensor_is_not_forgiven_by_the_tolerance():
    result, reference = (torch.ones(3), numpy.int64(1_000_001)), (torch.ones(3), numpy.int64(1_000_000))
    assert "[1]" in problem(result, reference, dict(rtol=1e-5, atol=0.0))


def test_a_number_of_python_is_as_fine_as_the_arguments_that_it_was_made_of():
    def spacing(number, *arguments):
        return difference(number, 0.5, LOOSE, arguments).parts[0].spacing

    assert spacing(0.5, torch.ones(2)) == spacing(0.5, numpy.float32(1), torch.ones(1).double()) == 2.0**-23
    assert spacing(0.5, torch.ones(2).double()) == spacing(0.5, torch.ones(2, dtype=torch.int8)) == 2.0**-52
    assert spacing(torch.tensor(0.5).double(), torch.ones(2)) == 2.0**-52
    assert spacing(numpy.float64(0.5), torch.ones(2)) == 2.0**-52


def test_values_further_apart_than_the_largest_number_are_apart():
    assert "times the tolerance" in problem(numpy.array([1.7e308]), numpy.array([-1.7e308]))


def test_an_empty_tensor_is_right():
    assert problem(torch.empty(0, 3), torch.empty(0, 3)) == ""


@pytest.mark.parametrize(
    ("result", "reference", "words"),
    [
        (torch.zeros(2), torch.zeros(3), "has shape (2,), expected (3,)"),
        (torch.zeros(3), torch.zeros(1, 3), "has shape (3,), expected (1, 3)"),
        ((torch.zeros(1),), torch.zeros(1), "is a tuple of 1 item, expected a Tensor of shape (1,)"),
        ({"a": 1.0}, {"b": 1.0}, 'lacks ["b"] and has ["a"]'),
        ((), (1.0,), "has 0 items, expected 1"),
        (torch.zeros(9), [1.0] * 9, "is a Tensor of shape (9,), expected a list of 9 items"),
        ("a", "b", "got 'a', expected 'b'"),
        ("a", b"a", "is a str ('a'), expected a bytes"),
        (None, 1.0, "is None, expected a float"),
    ],
)
def test_another_structure_is_a_problem_and_no_exception(result, reference, words):
    found = difference(result, reference, LOOSE)
    assert words in found.problem
    assert found.max_absolute == INF


def test_a_part_is_named():
    assert problem({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]}).startswith('["a"][1] is wrong: got 2, expected 3')


def test_the_worst_part_counts_and_each_is_known():
    found = difference(
        (torch.tensor([1.1]), torch.tensor([2.0]).half()), (torch.tensor([1.0]), torch.tensor([2.0])), LOOSE
    )
    assert found.rms_relative == pytest.approx(0.1, rel=1e-5)
    assert [part.relative for part in found.parts] == [found.rms_relative, 0.0]
    assert [part.spacing for part in found.parts] == [2.0**-23, 2.0**-10]


def test_worse_takes_the_worst_of_everything_and_the_first_problem():
    one = Difference(0.1, 2.0, 0.3, "", (Part(0.3, 3.0), Part(0.0, 1.0)), 0.25)
    other = Difference(0.2, 1.0, 4.0, "wrong", (Part(0.4, 4.0), Part(0.0, 1.0)), 0.5)
    both = one.worse(other)
    assert (both.rms_relative, both.max_absolute, both.of_tolerance, both.problem) == (0.2, 2.0, 4.0, "wrong")
    assert (both.parts[0].apart, both.parts[0].reference, both.wrong) == (0.5, 5.0, 0.5)
    assert Difference().worse(one).parts == one.parts


def test_a_sum_that_cancels_in_one_call_does_not_decide_alone():
    calls = [(1.0 + 1e-7, 1.0), (1e-9 + 1e-7, 1e-9)]
    found = [difference(ours, theirs, LOOSE) for ours, theirs in calls]
    assert found[1].parts[0].relative == pytest.approx(100, rel=1e-2)
    assert found[0].worse(found[1]).parts[0].relative == pytest.approx(1.4e-7, rel=1e-1)


def test_the_share_of_wrong_elements_is_known_over_all_pieces():
    reference = torch.ones(2 * PIECE + 77)
    result = reference.clone()
    result[: PIECE + 10] += 1
    assert difference(result, reference, LOOSE).wrong == pytest.approx((PIECE + 10) / (2 * PIECE + 77))
    assert difference(result[:5], reference[:4], LOOSE).wrong == 1.0
    assert difference((1.0, 2.0), (1.0, 3.0), LOOSE).wrong == 1.0  # of the worst part
    assert difference(reference, reference, LOOSE).wrong == 0.0


@pytest.mark.parametrize(
    ("leaf", "model", "rounded"),
    [
        (torch.tensor([1.0 + 2.0**-9]).double(), torch.zeros(1).bfloat16(), torch.ones(1).bfloat16()),
        (torch.tensor([1.9999999]).double(), torch.zeros(1, dtype=torch.int64), torch.tensor([2])),
        (numpy.array([1.4, 1.6]), numpy.zeros(2, dtype="int32"), numpy.array([1, 2], dtype="int32")),
        (numpy.array([0.1]), torch.zeros(1), torch.tensor([0.1])),
        (torch.tensor([0.1]).double(), numpy.zeros(1, dtype="float32"), numpy.array([0.1], dtype="float32")),
        (torch.tensor(2.9999999), 1, 3),
        (torch.tensor(0.5).bfloat16(), 1.0, 0.5),
        (numpy.longdouble(0.5), 1.0, 0.5),
        ("text", "model", "text"),
        (None, 1.0, None),
    ],
)
def test_an_answer_of_the_reference_is_rounded_to_the_type_of_a_side(leaf, model, rounded):
    found = in_type_of(leaf, model)
    assert type(found) is type(rounded) and getattr(found, "dtype", None) == getattr(rounded, "dtype", None)
    assert bool((found == rounded).all()) if hasattr(found, "all") else found == rounded


def test_long_doubles_and_steps_backwards_can_be_compared():
    values = numpy.arange(5.0)
    assert problem(values[::-1], values[::-1].astype("longdouble")) == ""
    assert problem(values[::-1], values)


def test_honest_rounding_grows_with_the_root_of_the_number_of_terms():
    assert honest_rounding(2.0**-23) == honest_rounding(2.0**-23, 256) == 8 * 2.0**-23
    assert honest_rounding(2.0**-23, 2**14) == 64 * 2.0**-23
    assert honest_rounding(2.0**-23, 1e12) < 2.0**-13  # what float16 loses is never rounding of float32
    assert honest_rounding(2.0**-52, 5e7) > 3000 * 2.0**-52
    assert honest_rounding(2.0**-7, 2**14) == 2.0**-7


def test_whole_numbers_and_truth_values_must_be_equal():
    wide = dict(rtol=1.0, atol=100.0)
    assert problem(torch.tensor([1]), torch.tensor([2]), wide)
    assert problem(torch.tensor([True]), torch.tensor([False]), wide)
    assert problem(numpy.array([1]), numpy.array([2]), wide)
    assert problem(1, 2, wide) and problem(True, False, wide)
    assert problem(1.0, 2.0, wide) == ""


def test_arrays_numbers_and_tensors_can_be_held_against_each_other():
    assert problem(numpy.array([1.0, 2.0], dtype=numpy.float32), torch.tensor([1.0, 2.0], dtype=torch.float64)) == ""
    assert problem(numpy.float64(1.0), 1.0) == ""
    assert problem(1 + 1j, torch.tensor(1 + 1j)) == ""
    assert problem(torch.tensor([1 + 1j]), torch.tensor([1 - 1j]))


def test_a_result_that_requires_gradients_is_compared_all_the_same():
    assert problem(torch.ones(2, requires_grad=True), torch.ones(2)) == ""


def test_a_tolerance_may_be_keyed_by_type():
    keyed = dict(float32=dict(rtol=1e-5, atol=1e-6), float16=dict(rtol=1e-2, atol=1e-3))
    assert tolerance_for(keyed, torch.zeros(1)) == (1e-5, 1e-6)
    assert tolerance_for(keyed, torch.zeros(1).half()) == (1e-2, 1e-3)
    assert tolerance_for(keyed, numpy.zeros(1, dtype=numpy.float16)) == (1e-2, 1e-3)
    assert tolerance_for(keyed, torch.zeros(1).double()) == (0.0, 0.0)  # not named: exact
    assert tolerance_for(keyed, torch.zeros(1, dtype=torch.int64)) == (0.0, 0.0)
    assert tolerance_for(LOOSE, torch.zeros(1).double()) == (1e-3, 1e-3)


def test_types_have_names_and_roundings():
    assert [dtype_name(leaf) for leaf in (torch.zeros(1), numpy.zeros(1), 1.0)] == ["float32", "float64", "float"]
    assert rounding(torch.zeros(1).half()) == 2.0**-10
    assert rounding(numpy.zeros(1, dtype=numpy.float32)) == 2.0**-23
    assert rounding(torch.zeros(1, dtype=torch.int64)) == rounding(1.0) == 2.0**-52


def test_named_tuples_are_walked_like_tuples():
    class Pair(NamedTuple):
        first: float
        second: float

    assert problem(Pair(1.0, 2.0), (1.0, 2.0)) == ""
    assert problem(Pair(1.0, 2.0), (1.0, 3.0)).startswith("[1] is wrong")


def test_patched_torch_functions_are_not_used(monkeypatch):
    for name in ("sub", "abs", "isnan", "equal", "max", "where", "isclose", "allclose"):
        monkeypatch.setattr(torch, name, lambda *_, **__: pytest.fail("used"))
    monkeypatch.setattr(torch.Tensor, "sub", lambda *_: pytest.fail("used"), raising=False)
    assert problem(torch.tensor([1.0]), torch.tensor([2.0]))


@every_kind
def test_every_kind_of_value_is_right_if_it_is_made_again_and_wrong_if_it_is_another(make):
    value, again, other = three(make)
    assert problem(value, again) == "" and problem(value, other, dict(rtol=1e-6, atol=1e-6))


def test_dicts_are_equal_in_any_order_and_ordered_dicts_are_not():
    assert problem({"a": 1, "b": 2}, {"b": 2, "a": 1}) == "" == problem(Counter("ab"), Counter("ba"))
    assert problem(OrderedDict(a=1, b=2), OrderedDict(b=2, a=1))


def test_sparse_values_are_equal_wherever_they_store_zeros():
    x = torch.tensor([[0.0, 1.0], [2.0, 0.0]])
    zeros = torch.sparse_coo_tensor([[0, 0, 1, 1], [0, 1, 0, 0]], [0.0, 1.0, 1.5, 0.5], (2, 2))
    tiny = (x + 1e-9).to_sparse_csr()
    for one in (zeros, tiny, x.double().to_sparse_csc(), x):
        assert problem(x.to_sparse(), one) == "" == problem(one.float(), x.double().to_sparse())
    assert "part values of 2x2 differs in 2 of 4 elements" in problem(x.to_sparse(), (x + torch.eye(2)).to_sparse())
    assert "lacks part values of 2x3 and has part values of 2x2" in problem(x.to_sparse(), torch.eye(2, 3).to_sparse())


def test_a_quantised_tensor_is_held_against_the_numbers_that_it_stands_for():
    x = torch.tensor([0.1, 0.5])
    assert problem(torch.quantize_per_tensor(x, 0.1, 0, torch.qint8), x.double()) == ""
    assert problem(torch.quantize_per_tensor(x + 0.1, 0.1, 0, torch.qint8), x.double())


def test_decimals_and_fractions_are_numbers_and_exact_without_a_tolerance():
    exact = dict(rtol=0.0, atol=0.0)
    assert problem(Decimal("1.0001"), Fraction(1), LOOSE) == "" != problem(Decimal("1.1"), 1.0, LOOSE)
    assert problem(Decimal(1), Decimal(1) + Decimal("1e-25"), exact) != "" == problem(Decimal(1), Fraction(1), exact)


def test_missing_dates_are_equal_and_other_units_are_the_same_time():
    dates = numpy.array(["2020-01-01", "NaT"], dtype="datetime64[s]")
    assert problem(dates, dates.astype("datetime64[us]")) == ""
    assert problem(dates, dates[::-1])


# the state of training


def test_a_default_tolerance_grows_and_shrinks_with_the_answer():
    """Elements next to zero have the rounding of the large ones; a small answer does not pass for zero."""
    right = torch.tensor([1e3, -1e3, 1e-3], dtype=torch.float64)
    assert not difference((right + 2e-3).float(), right, DEFAULT_TOLERANCE).problem
    assert difference((right + 2e-1).float(), right, DEFAULT_TOLERANCE).problem
    small = 1e-7 * right
    assert difference(torch.zeros(3), small, DEFAULT_TOLERANCE).problem
    assert not difference(small.float(), small, DEFAULT_TOLERANCE).problem
    assert difference([1.0, 1e-3], [1.0, 2e-3], DEFAULT_TOLERANCE).problem


@pytest.mark.parametrize("kind", ["complex64", "complex128", "float16", "bfloat16", "float32", "float64"])
def test_every_type_of_numbers_has_a_default_tolerance(kind):
    right = torch.randn(64).to(getattr(torch, kind))
    near = right * (1 + 2 * torch.finfo(right.dtype).eps)
    assert not difference(near.to(right.dtype), right, DEFAULT_TOLERANCE).problem


def test_places_that_differ_beside_values_that_agree_are_told_to_be_an_order_of_equals():
    values, places = torch.tensor([[3.0, 2.0, 2.0]]), torch.tensor([[7, 1, 4]])
    other = torch.tensor([[7, 4, 1]])
    found = difference((values, other), (values, places), {"rtol": 1e-5, "atol": 1e-6})
    assert "another order" in found.problem
    wrong = difference((values + 1, other), (values, places), {"rtol": 1e-5, "atol": 1e-6})
    assert wrong.problem and "another order" not in wrong.problem
    alone = difference((other,), (places,), {"rtol": 1e-5, "atol": 1e-6})
    assert alone.problem and "another order" not in alone.problem


def test_the_values_of_a_dict_with_very_many_keys_are_compared_together_and_named():
    table = {f"word {n}": [n, n + 1] for n in range(3_000)}
    found = difference(table | {"word 7": [7, 9]}, table, LOOSE)
    assert len(difference(table, table, LOOSE).parts) == 1
    assert "1 of 6,000 elements" in found.problem and "word 7" in found.problem and "got 9, expected 8" in found.problem


def test_figures_with_names_of_their_own_are_not_mixed():
    """A loss beside an accuracy: each is held against its own tolerance and counted by itself."""
    figures = {"loss": 3.0, "accuracy": 0.5, "steps": 100, "rate": 1e-3}
    assert len(difference(figures, figures, LOOSE).parts) == 4
