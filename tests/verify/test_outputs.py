"""What a result may be, where it may live, and that nothing stale passes for it."""

import collections
import math

import numpy
import pytest
import torch

from perfproof.verify.outputs import (
    alias_problem,
    changed_problem,
    kind_problem,
    layout_of,
    layout_problem,
    poison,
    same_bits,
    scrub_allocator,
    type_problem,
)


class Later(torch.Tensor):
    pass


class LaterList(list):
    def __iter__(self):
        return iter([torch.ones(1)])


class LaterDict(dict):
    def items(self):
        return [("a", torch.ones(1))]


class LaterModule(torch.nn.Linear):
    def named_parameters(self, *_, **__):
        return iter([("weight", torch.ones(1))])


class LaterArray(numpy.ndarray):
    pass


class LaterNumber(numpy.float64):
    pass


Named = collections.namedtuple("Named", "value")


@pytest.mark.parametrize(
    "result",
    [
        torch.ones(2),
        torch.nn.Parameter(torch.ones(2)),
        numpy.ones(2),
        numpy.float32(1.0),
        (1, 2.0, "three", b"four", None, True, 1j),
        {"a": [torch.ones(1)]},
        collections.OrderedDict(a=torch.ones(1)),
        collections.defaultdict(list, a=torch.ones(1)),
        Named(torch.ones(1)),
        torch.ones(2, 2).max(0),
        torch.nn.Linear(2, 2),
    ],
    ids=lambda result: type(result).__name__,
)
def test_plain_results_are_fine(result):
    assert kind_problem(result, "cpu") == ""


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (torch.ones(2).as_subclass(Later), "the result is a Later, not a plain torch.Tensor"),
        ([torch.ones(2).as_subclass(Later)], "part 0 of the result is a Later"),
        (torch.ones(2).to_sparse(), "the result is not a dense tensor"),
        (torch.ones(2, device="meta"), "the result is not a dense tensor"),
        (numpy.ones(2).view(LaterArray), "the result is a LaterArray, not a plain numpy.ndarray"),
        (LaterNumber(1.0), "the result is a LaterNumber"),
        ({"a": {1, 2}}, "part a of the result is a set"),
        (LaterList([1]), "the result holds a LaterList"),
        ((LaterDict(a=1),), "the result holds a LaterDict"),
        (LaterModule(2, 2), "the result holds a LaterModule"),
    ],
)
def test_results_that_could_be_computed_later_are_found(result, words):
    assert words in kind_problem(result, "cpu")


def test_a_variant_has_to_return_the_baseline_s_types():
    assert type_problem((torch.ones(1), 1.0), (torch.zeros(9), 2.0)) == ""
    assert type_problem(torch.ones(1).half(), torch.ones(1)) == "returns float16 on cpu, the baseline float32 on cpu"
    assert type_problem([1], (1,)) == ""
    assert type_problem({"a": 1}, {"b": 1}) == "returns a int, the baseline b int"
    assert type_problem(numpy.ones(1), ()) == "returns float64 array, the baseline nothing"


def shares(output, *arguments, mutates=()):
    return alias_problem(output, arguments, tuple("xyz"[: len(arguments)]), mutates)


def test_memory_of_an_argument_is_no_result():
    x, y = torch.ones(10), torch.ones(10)
    for output in (x, x[3:], x.view(2, 5), x.detach(), [1.0, x], torch.from_numpy(x.numpy()[1:]), x.numpy()[2:]):
        assert shares(output, y, x) == "the result shares memory with the argument `y`: return memory of its own"
    assert shares(x.clone(), x, y) == ""
    assert shares(x[:0], x) == ""
    assert shares(x, x, mutates=("x",)) == ""


def test_memory_of_an_array_is_no_result_wherever_its_view_begins():
    x = numpy.arange(10.0)
    for output in (x, x[3:], x[::-1], x[::2], x.reshape(2, 5)[1], torch.from_numpy(x)[4:]):
        assert shares(output, x)
    backwards = x[::-1]
    assert shares(x[5:], backwards) and shares(x.copy(), backwards) == ""


def test_neighbours_in_memory_are_not_the_same_memory():
    both = numpy.zeros(20)
    left, right = (
        torch.frombuffer(both, count=10, dtype=torch.float64),
        torch.frombuffer(both, offset=80, dtype=torch.float64),
    )
    assert shares(left, right) == ""
    assert shares(left, left) != ""


def test_a_changed_argument_is_named_unless_it_is_declared():
    before, after = (torch.ones(2), numpy.ones(2)), (torch.ones(2), numpy.zeros(2))
    assert changed_problem(before, after, ("x", "y"), ()).startswith("changes its argument `y`")
    assert changed_problem(before, after, ("x", "y"), ("y",)) == ""
    assert changed_problem(before, before, ("x", "y"), ()) == ""


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (torch.tensor([1.0, math.nan]), torch.tensor([1.0, math.nan]), True),
        (torch.tensor([1.0, math.nan]), torch.tensor([math.nan, 1.0]), False),
        (torch.tensor([1.0]), torch.tensor([1.0], dtype=torch.float64), False),
        (torch.tensor([1]), torch.tensor([[1]]), False),
        (torch.tensor([1.0], requires_grad=True), torch.tensor([1.0]), True),
        (numpy.array([math.nan]), numpy.array([math.nan]), True),
        (numpy.array([1]), numpy.array([2]), False),
        (math.nan, math.nan, True),
        (1, 1.0, False),
        ("a", "a", True),
        ((1, 2), (1,), False),
    ],
)
def test_same_bits(first, second, same):
    assert same_bits(first, second) is same


def test_poison_is_what_no_right_answer_holds():
    values = {
        "float": torch.ones(3),
        "whole": torch.ones(3, dtype=torch.int64),
        "array": numpy.ones(3),
        "whole array": numpy.ones(3, dtype=numpy.int32),
        "part of a graph": torch.ones(3, requires_grad=True),
        "expanded": torch.ones(1).expand(3),
        "complex": torch.ones(3, dtype=torch.complex64),
    }
    poison(values)
    assert all(values[name].isnan().all() for name in ("float", "part of a graph", "expanded", "complex"))
    assert values["whole"].tolist() == values["whole array"].tolist() == [0x55] * 3
    assert numpy.isnan(values["array"]).all()


def test_what_cannot_be_poisoned_is_left():
    frozen = numpy.ones(3)
    frozen.flags.writeable = False
    with torch.inference_mode():
        inference = torch.ones(3)
    poison([frozen, inference, torch.ones(3, dtype=torch.bool), "text", 1.0])
    assert frozen.tolist() == inference.tolist() == [1.0] * 3


def test_free_memory_of_a_result_s_size_is_taken_and_scrubbed(monkeypatch):
    taken, empty_like = [], torch.empty_like
    monkeypatch.setattr(torch, "empty_like", lambda leaf: taken.append(empty_like(leaf)) or taken[-1])
    example = torch.full((100,), 8.0)
    scrub_allocator((example, numpy.ones(5)))
    assert len(taken) > 1
    assert all(block.shape == example.shape and block.isnan().all() for block in taken)
    assert example.eq(8.0).all()


def strides_problem(result, baseline):
    return layout_problem(layout_of(result), layout_of(baseline))


PLAIN = torch.randn(3, 4)


@pytest.mark.parametrize(
    ("result", "baseline"),
    [
        (torch.randn(4, 3).T, PLAIN),
        (torch.randn(4).expand(3, 4), PLAIN),
        (torch.randn(3, 12)[:, :4], PLAIN),
        (torch.randn(12).unfold(0, 4, 3)[:3], torch.randn(3, 4)),
        (numpy.zeros((4, 3)).T, numpy.zeros((3, 4))),
        (numpy.broadcast_to(numpy.zeros(4), (3, 4)), numpy.zeros((3, 4))),
        ([PLAIN, torch.randn(4, 3).T], [PLAIN, PLAIN]),
    ],
)
def test_a_view_where_the_baseline_has_plain_memory_leaves_work_to_others(result, baseline):
    said = strides_problem(result, baseline)
    assert "has the strides" in said and 'layout = "any"' in said


@pytest.mark.parametrize(
    ("result", "baseline"),
    [
        (PLAIN, torch.randn(4, 3).T),  # plainer than the baseline
        (torch.randn(4, 3).T, torch.randn(4, 3).T),
        (torch.randn(5, 4)[:3], PLAIN),  # the front of a larger buffer
        (torch.randn(4, 1).T, torch.randn(1, 4)),  # the stride of one row means nothing
        (torch.empty(0, 4).T, torch.empty(4, 0)),
        (numpy.zeros((3, 4)), numpy.zeros((4, 3)).T),
        ((1.0, "text", PLAIN), (2.0, "text", PLAIN)),
        (torch.randn(3, 8)[:, ::2], torch.randn(3, 8)[:, ::2]),
    ],
)
def test_the_layout_of_the_baseline_and_plain_memory_are_right(result, baseline):
    assert strides_problem(result, baseline) == ""


def test_the_same_object_has_the_same_bits_whatever_its_type():
    eight_bits = torch.randn(5).to(torch.float8_e4m3fn)
    assert same_bits((eight_bits,), (eight_bits,))
