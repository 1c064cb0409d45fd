"""Trees are walked, rebuilt and copied whatever they are made of, and a copy shares nothing with its model."""

import itertools
import random
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

import numpy
import pytest
import torch

from perfproof.core import trees
from perfproof.core.foreign import foreign_parts, is_exact
from perfproof.core.trees import buffers, canonical, clone, drained, holds_iterator, leaves, map_leaves, whole
from tests.core.kinds import KINDS, Batch, Pair, Point, every_kind


def names(value):
    return [".".join(path) for path, _ in leaves(value)]


@every_kind
def test_a_copy_has_the_same_type_and_parts(make):
    value = make(random.Random(1))
    copied = clone(value)
    assert type(copied) is type(value) and names(copied) == names(value)


@every_kind
def test_a_copy_shares_no_memory(make):
    value = make(random.Random(1))
    copied = clone(value)
    ours, theirs = ({_address(one) for one in buffers(each)} for each in (value, copied))
    assert not ours & theirs


def _address(buffer):
    return buffer.data_ptr() if isinstance(buffer, torch.Tensor) else buffer.ctypes.data


def test_containers_keep_their_type_and_what_belongs_to_it():
    value = {"d": deque([1, 2], maxlen=3), "c": Counter("aab"), "f": defaultdict(list, x=1), "o": OrderedDict(b=1, a=2)}
    found = map_leaves(value, lambda leaf: leaf * 10)
    assert found["d"] == deque([10, 20]) and found["d"].maxlen == 3
    assert found["c"].most_common(1) == [("a", 20)] and found["f"]["new"] == []
    assert list(found["o"].items()) == [("b", 10), ("a", 20)]


def test_a_frozen_dataclass_and_what_it_keeps_besides_its_fields_are_rebuilt():
    batch = Batch(Point(1.0, 2.0))
    batch.beside = torch.ones(2)
    found = clone(batch)
    assert found.values == batch.values and found.beside is not batch.beside and found.label == "train"
    assert map_leaves(Point(1.0, 2.0), lambda leaf: -leaf) == Point(-1.0, -2.0)


def test_shapes_and_named_results_of_torch_are_rebuilt():
    assert type(clone(torch.Size([2, 3]))) is torch.Size
    assert clone(torch.ones(2, 2).max(0)).indices.tolist() == [0, 0]


def test_dicts_are_walked_by_key_and_ordered_dicts_in_their_order():
    assert names({"b": 1, "a": 2}) == names({"a": 2, "b": 1}) == ["a", "b"]
    assert names(OrderedDict(b=1, a=2)) == ["b", "a"]


def test_parts_have_names_that_say_where_they_are():
    assert names(Pair(Batch(1.0), {"k": (2,)})) == ["0.values", "0.label", "1.k.0"]
    assert names([torch.eye(2).to_sparse_csr()]) == ["0.indices", "0.values of 2x2"]
    assert names(KINDS["structured array"](random.Random(1))) == ["a", "b"]
    assert names(KINDS["jagged"](random.Random(1))) == ["offsets", "values"]


def test_a_frame_is_walked_by_columns_and_is_one_leaf_as_a_whole():
    frame = KINDS["pandas frame"](random.Random(1))
    assert names(frame) == ["index", "a", "b", "c.missing", "c.values", "d", "e"]
    assert [leaf is frame for _, leaf in whole([frame])] == [True] and list(buffers(frame)) == []


def test_text_and_dates_of_a_column_are_one_leaf_and_numbers_among_them_are_not():
    assert len(list(leaves(numpy.array(["a", None, "b"], dtype=object)))) == 1
    assert [leaf for _, leaf in leaves(numpy.array(["a", 1.5], dtype=object))] == ["a", 1.5]


def test_only_the_library_s_own_types_are_known():
    """A class with the name of a known one may compute its parts when they are read."""
    stand_in = type("DataFrame", (), {"__module__": "pandas", "columns": property(lambda _: pytest.fail("read"))})()
    assert foreign_parts(stand_in) is None
    assert not is_exact(type("int", (int,), {})(3))


class Nested(torch.Tensor):
    pass


def test_a_subclass_of_a_tensor_has_no_parts():
    assert foreign_parts(torch.ones(2).as_subclass(Nested)) is None


@pytest.mark.parametrize(
    "lazy",
    [
        (number for number in (1.0, 2.0)),
        iter([1.0, 2.0]),
        map(float, (1, 2)),
        itertools.chain([1.0], [2.0]),
        (one for one in [iter([1.0]), 2.0]),
    ],
)
def test_iterators_are_drained_once_and_wherever_they_are(lazy):
    assert holds_iterator({"a": [lazy]})
    items = drained({"a": [lazy]})["a"][0]
    assert isinstance(items, list) and [leaf for _, leaf in leaves(items)] == [1.0, 2.0] and list(lazy) == []


def test_what_is_no_iterator_is_left_as_it_is(tmp_path):
    value = {"a": [torch.ones(2), "text", range(3)], "b": Point(1.0, 2.0)}
    assert drained(value) is value
    with (tmp_path / "file").open("w+") as file:
        assert drained(file) is file


def test_an_endless_iterator_is_refused_in_words(monkeypatch):
    monkeypatch.setattr(trees, "MOST_ITEMS", 5)
    assert drained(iter(range(5))) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="an iterator of more than 5 items: return fewer"):
        drained(itertools.count())


def test_classes_of_two_copies_of_a_file_are_equal_by_name():
    def load():
        @dataclass(frozen=True)
        class Key:
            name: str

        return Key, Enum("Level", ["LOW", "HIGH"])

    (key, level), (other_key, other_level) = load(), load()
    assert level.LOW != other_level.LOW and canonical(level.LOW) == canonical(other_level.LOW)
    assert canonical({key("a"), level.HIGH}) == canonical({other_level.HIGH, other_key("a")})
    assert canonical({key("a")}) != canonical({other_key("b")})


PLAIN_TREES = [1, "a", None, [1.0, 2], (1, ("a", b"b")), {"k": [1, {2: 3}]}, [{1, 2}, frozenset("a")], [], {}]


@pytest.mark.parametrize("value", PLAIN_TREES, ids=str)
def test_numbers_and_texts_in_containers_are_plain(value):
    assert trees.is_plain(value) and list(trees.special(value)) == []
    copied = trees.clone(value)
    assert copied == value and type(copied) is type(value)
    assert copied is not value or not isinstance(value, (list, dict))


@pytest.mark.parametrize(
    "value",
    [
        numpy.zeros(3),
        [1, numpy.float64(2)],
        (1, [torch.zeros(2)]),
        {"k": bytearray(b"x")},
        [type("Own", (list,), {})()],
        [Decimal(1)],
        deque([1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_holds_anything_else_is_not(value):
    assert not trees.is_plain(value)
    assert len(list(trees.special(value))) <= 1


def test_of_a_value_with_plain_parts_only_the_others_are_special():
    value = {"rows": [(1, "a")] * 3, "x": torch.zeros(2), "more": {"y": numpy.ones(1), "z": [1.0]}}
    assert [path for path, _ in trees.special(value)] == [("more", "y"), ("x",)]


@every_kind
def test_what_skips_plain_values_finds_what_a_walk_over_every_leaf_finds(make):
    value = make(random.Random(1))
    for one in (value, [value, [1, 2.0, "three"]], {"a": value, "b": [[4, 5], [6]]}, ([1] * 9, [[1.5], value])):
        every = [(path, leaf) for path, leaf in leaves(one)]
        others = [place for place, leaf in every if not trees.is_plain(leaf)]
        assert [place for place, leaf in trees.special_leaves(one) if not trees.is_plain(leaf)] == others
        assert trees.count_leaves(one) == len(every)
        assert [*trees.texts_in(one)] == [leaf for _, leaf in every if type(leaf) is str]
        assert trees.size_in_bytes(one) == sum(trees.size_in_bytes(leaf) for _, leaf in every)


@pytest.mark.parametrize(
    ("value", "ordered"),
    [
        (3, True),
        ([1, 2.0, "three", None], True),
        (([1], (2, [3])), True),
        ({"a": 1}, False),
        ([1, {2}], False),
        ([[1], [2, (3, {"a": 4})]], False),
        (frozenset({1}), False),
    ],
)
def test_only_what_holds_no_dict_and_no_set_has_one_form_in_bytes(value, ordered):
    assert trees.is_ordered(value) == ordered


def test_a_long_list_is_not_walked_number_by_number(monkeypatch):
    numbers = ([1] * 100_000, [[0.5, 1]] * 10)
    monkeypatch.setattr(trees, "_walk", lambda *_: pytest.fail("each number has a path of its own there"))
    assert trees.count_leaves(numbers) == 100_020 and [*trees.texts_in(numbers)] == []
    assert [*trees.special_leaves(numbers)] == [] and trees.size_in_bytes(numbers) > 100_000
