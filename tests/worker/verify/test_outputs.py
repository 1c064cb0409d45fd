"""What a result may be, where it may live, and that nothing stale passes for it."""

import collections
import copy
import dataclasses
import enum
import math
import random
import re
import threading
from decimal import Decimal
from functools import partial

import numpy
import pytest
import scipy.sparse
import torch

from perfproof.core.trees import clone, drained
from perfproof.worker.verify.outputs import (
    alias_problem,
    argument_problem,
    changed_problem,
    gradient_difference,
    kind_problem,
    layout_of,
    layout_problem,
    poison,
    same_bits,
    scrub_allocator,
    shared_container,
    type_problem,
)
from tests.core.kinds import KINDS, Batch, Point, every_kind, three


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


class LaterMasked(numpy.ma.MaskedArray):
    pass


class LaterArray(numpy.ndarray):
    pass


class LaterNumber(numpy.float64):
    pass


class LaterWhole(int):
    pass


class LaterBatch(Batch):
    """Its field is computed when it is read."""

    values = property(lambda _: torch.ones(1), lambda *_: None)


@dataclasses.dataclass
class LaterFields:
    value: int = 0

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


class Level(enum.IntEnum):
    LOW = 1


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
        Level.LOW,
        range(3),
        numpy.datetime64("2020-01-01"),
    ],
    ids=lambda result: type(result).__name__,
)
def test_plain_results_are_fine(result):
    assert kind_problem(result, "cpu") == ""


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (torch.ones(2).as_subclass(Later), "the result is a Later, not a plain torch.Tensor"),
        ([torch.ones(2).as_subclass(Later)], "[0] of the result is a Later"),
        (torch.ones(2, device="meta"), "the result is a meta tensor, which has no values"),
        (torch._lazy_clone(torch.ones(2)), "the result is a lazy copy, made when it is first written"),
        (numpy.ones(2).view(LaterArray), "the result is a LaterArray, not a plain numpy.ndarray"),
        (LaterNumber(1.0), "the result is a LaterNumber"),
        ({"a": {1, LaterWhole(2)}}, '["a"] of the result holds an item that is a LaterWhole'),
        ({("a", torch.ones(1))}, "the result holds an item that is a tensor: return a list of them"),
        ((number for number in (1, 2)), "the result is a generator, whose items are computed after the call"),
        (numpy.array([LaterWhole(2)], dtype=object), "[0] of the result is a LaterWhole"),
        (LaterBatch(1), "the result holds a LaterBatch"),
        ([LaterFields(1)], "the result holds a LaterFields"),
        (threading.Lock(), "the result is a lock: return tensors, arrays, frames, numbers"),
        (numpy.ma.array([1]).view(LaterMasked), "the result is a LaterMasked"),
        (LaterList([1]), "the result holds a LaterList"),
        ((LaterDict(a=1),), "the result holds a LaterDict"),
        (LaterModule(2, 2), "the result holds a LaterModule"),
    ],
)
def test_results_that_could_be_computed_later_are_found(result, words):
    assert words in kind_problem(result, "cpu")


@every_kind
def test_every_kind_of_value_may_be_returned_and_passed(make):
    value, _, _ = three(make)
    assert kind_problem(value, "cpu") == "" and argument_problem((value, [value]), ("x", "y")) == ""


@every_kind
def test_every_kind_of_value_is_equal_to_itself_made_again_and_to_no_other(make):
    value, again, other = three(make)
    assert same_bits(value, again) and not same_bits(value, other)
    assert type_problem(value, again) == ""
    assert changed_problem((value,), (again,), ("x",), ()) == "" != changed_problem((value,), (other,), ("x",), ())


@every_kind
def test_every_kind_of_value_may_be_looked_at_after_a_call(make):
    value, argument, _ = three(make)
    assert alias_problem(value, (argument,), ("x",), ()) == "" == layout_problem(layout_of(value), layout_of(argument))
    scrub_allocator(value)
    poison(value)
    assert same_bits(argument, make(random.Random(1)))


def test_a_lazy_frame_is_refused_and_a_frame_is_not():
    frame = KINDS["polars frame"](random.Random(1))
    assert kind_problem(frame, "cpu") == ""
    assert kind_problem([frame.lazy()], "cpu").startswith("[0] of the result is a LazyFrame: return tensors, arrays")


def test_a_drained_generator_is_a_list_of_plain_values():
    assert kind_problem(drained(torch.ones(1) * at for at in range(3)), "cpu") == ""


class Odd:
    def __eq__(self, other):
        raise RuntimeError("ambiguous " * 200)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Odd(), "is a Odd, which cannot be copied and compared: pass tensors, arrays"),
        ([object()], "`y[0]` is a object, which cannot be copied"),
        ((one for one in ()), "is a generator, which cannot be copied"),
        (torch.ones(2).as_subclass(Later), "is a Later: pass a plain torch.Tensor"),
    ],
)
def test_an_argument_that_cannot_be_copied_is_refused_with_its_name(value, words):
    said = argument_problem((1.0, value), ("x", "y"))
    assert said.startswith("the argument `y") and words in said and len(said) < 250


@pytest.mark.parametrize("value", [len, re.compile("a"), torch.nn.Linear(2, 2), Decimal(1), torch.float32, None])
def test_an_argument_that_has_equal_copies_is_fine(value):
    assert argument_problem((value,), ("x",)) == ""


def test_a_generator_may_be_drawn_from_and_a_learning_rate_may_not_be_changed():
    generator = torch.Generator()
    before = clone([generator, torch.ones(2)])
    torch.rand(3, generator=generator)
    assert changed_problem((before,), ([generator, torch.ones(2)],), ("x",), ()) == ""
    assert changed_problem((before,), ([generator, torch.zeros(2)],), ("x",), ()) != ""
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    old = clone(optimizer)
    optimizer.param_groups[0]["lr"] = 0.2
    assert changed_problem((old,), (optimizer,), ("x",), ()) != "" == changed_problem((old,), (old,), ("x",), ())


@pytest.mark.parametrize("kind", ["COO", "CSR", "BSR", "jagged", "scipy CSR"])
def test_numbers_of_a_sparse_argument_are_no_result_and_its_places_may_be_shared(kind):
    value, _, _ = three(KINDS[kind])
    assert shares(value, value) != ""
    if kind == "CSR":
        new = torch.sparse_csr_tensor(value.crow_indices(), value.col_indices(), value.values() * 2, value.shape)
        assert shares(new, value) == ""


def test_poison_reaches_the_numbers_of_every_kind():
    for kind in ("COO", "CSC", "jagged", "quantised", "structured array", "scipy CSR"):
        value, again, _ = three(KINDS[kind])
        poison(value)
        assert not same_bits(value, again), kind


def test_results_of_other_types_than_the_baseline_s_are_named():
    x = torch.eye(2)
    said = type_problem(x.to_sparse(), x.to_sparse_csr())
    assert said.startswith(
        "returns float32 sparse_coo tensor on cpu, the baseline returns float32 sparse_csr tensor on"
    )
    frame = KINDS["pandas frame"](random.Random(1))
    assert "a float32 array" in type_problem(frame.astype({"a": "float32"}), frame)


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ({"1": 2.0}, {1: 2.0}, "the result is a dict with keys of the type str, the baseline's a dict with keys"),
        ([{"(1, 2)": 0}], [{(1, 2): 0}], "[0] of the result is a dict with keys of the type str"),
        ([1.0, 2.0], {0: 1.0, 1: 2.0}, "the result is a list or tuple, the baseline's a dict"),
        ({"x": 1.0, "y": 2.0}, Point(1.0, 2.0), "the result is a dict with keys of the type str"),
        ({numpy.int64(1): 2.0}, {1: 2.0}, ""),
        (collections.OrderedDict(a=[1.0]), {"a": (1.0,)}, ""),
        (collections.Counter("aab"), {"a": 2, "b": 1}, ""),
    ],
)
def test_a_dict_has_to_have_keys_of_the_baseline_s_types(ours, theirs, said):
    found = type_problem(ours, theirs)
    assert found.startswith(said) and bool(found) == bool(said)


def test_the_indices_of_a_sparse_matrix_may_have_another_width():
    narrow = scipy.sparse.csr_array(numpy.eye(3))
    wide = narrow.copy()
    wide.indices, wide.indptr = wide.indices.astype(numpy.int64), wide.indptr.astype(numpy.int64)
    assert narrow.indices.dtype != wide.indices.dtype
    assert type_problem(wide, narrow) == ""
    assert "float32" in type_problem(narrow.astype(numpy.float32), narrow)


def test_a_variant_has_to_return_the_baseline_s_types():
    assert type_problem((torch.ones(1), 1.0), (torch.zeros(9), 2.0)) == ""
    said = type_problem(torch.ones(1).half(), torch.ones(1))
    assert said.startswith("returns float16 tensor on cpu, the baseline returns float32 tensor on cpu: let both")
    assert type_problem([1], (1,)) == ""
    assert type_problem({"a": 1}, {"b": 1}).startswith('returns int at ["a"], the baseline returns int at ["b"]:')
    assert type_problem(numpy.ones(1), ()).startswith("returns float64 array, the baseline returns nothing:")


def test_a_number_of_numpy_is_the_python_number_that_it_holds_unless_it_is_less_precise():
    rows = [(numpy.int64(1), numpy.float64(2.0), numpy.bool_(True))]
    assert type_problem([(1, 2.0, True)], rows) == type_problem(rows, [(1, 2.0, True)]) == ""
    assert type_problem([(1, numpy.float32(2.0), True)], rows).startswith(
        "returns float32 at [0][1], the baseline returns float at [0][1]:"
    )
    assert type_problem([(1.0, 2.0, True)], rows).startswith(
        "returns float at [0][0], the baseline returns int at [0][0]:"
    )


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


def summed(matrix):
    matrix = matrix.copy()
    matrix.sum_duplicates()
    return matrix


TWICE_STORED = scipy.sparse.csr_array((numpy.ones(3), numpy.array([1, 1, 0]), numpy.array([0, 3, 3])), shape=(2, 4))
TWICE_THERE = torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (3, 4))


@pytest.mark.parametrize(
    ("result", "baseline", "words"),
    [
        (TWICE_THERE, TWICE_THERE.coalesce(), "values of equal indices not summed"),
        (TWICE_STORED, summed(TWICE_STORED), "values of equal indices not summed"),
        (torch.randn(3, dtype=torch.cfloat).conj(), torch.randn(3, dtype=torch.cfloat), "signs that change"),
        ([torch.randn(3, dtype=torch.cfloat).conj().imag], [torch.randn(3)], "signs that change"),
    ],
)
def test_work_that_is_left_to_whoever_reads_the_result_is_said(result, baseline, words):
    assert words in strides_problem(result, baseline)
    assert strides_problem(result, result) == "" == strides_problem(baseline, result)


def test_a_side_that_records_nothing_for_backward_is_said_and_not_stopped():
    plain, differentiable = layout_of(PLAIN), layout_of([PLAIN, PLAIN.clone().requires_grad_()])
    assert "records nothing for `backward`" in gradient_difference(plain, differentiable)
    assert "records what `backward` needs" in gradient_difference(differentiable, plain)
    assert gradient_difference(plain, plain) == "" == gradient_difference(differentiable, differentiable)


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
        (summed(TWICE_STORED), TWICE_STORED),
        (scipy.sparse.csr_array(([1.0, 2.0], [3, 0], [0, 2, 2]), shape=(2, 4)), summed(TWICE_STORED)),  # not in order
    ],
)
def test_the_layout_of_the_baseline_and_plain_memory_are_right(result, baseline):
    assert strides_problem(result, baseline) == ""


def test_the_same_object_has_the_same_bits_whatever_its_type():
    eight_bits = torch.randn(5).to(torch.float8_e4m3fn)
    assert same_bits((eight_bits,), (eight_bits,))


class Column:
    def __array__(self, dtype=None, copy=None):
        return numpy.ones(3)


class Exchanged:
    def __dataframe__(self, *_):
        return None


@pytest.mark.parametrize(("value", "way"), [(Column(), "numpy.asarray"), (Exchanged(), "a frame of pandas")])
def test_a_foreign_type_is_refused_with_the_way_to_a_plain_one(value, way):
    assert way in kind_problem(value, "cpu") and way in argument_problem((value,), ("x",))


def test_a_container_of_an_argument_in_the_result_is_named_and_a_copy_is_not():
    rows = [{"tags": [1, 2]}, {"tags": [3]}]
    shared = partial(shared_container, arguments=(rows, "text"), names=("rows", "name"))
    assert "argument `rows`" in shared([dict(row) for row in rows], mutates=())
    assert "argument `rows`" in shared((rows[0], 5), mutates=())
    assert shared(copy.deepcopy(rows), mutates=()) == shared(rows, mutates=("rows",)) == ""
    assert shared([tag for row in rows for tag in row["tags"]], mutates=()) == ""
