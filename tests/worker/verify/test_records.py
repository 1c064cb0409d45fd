"""Records of every kind: their fields, tables of them, and copies with another value."""

from collections import namedtuple
from dataclasses import dataclass

import pytest

from perfproof.worker.verify.records import columns, field, field_names, with_column, with_field

Pair = namedtuple("Pair", "left right")


@dataclass(frozen=True)
class Frozen:
    left: int
    right: str


@dataclass(slots=True)
class Slotted:
    left: int
    right: str


class Plain:
    def __init__(self, left, right):
        self.left, self.right = left, right


RECORDS = [{"left": 1, "right": "a"}, Pair(1, "a"), Frozen(1, "a"), Slotted(1, "a"), Plain(1, "a")]


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: type(one).__name__)
def test_a_copy_has_another_value_and_the_original_stays(record):
    assert field_names(record) == ["left", "right"]
    changed = with_field(record, "left", 7)
    assert type(changed) is type(record)
    assert [field(changed, name) for name in ("left", "right")] == [7, "a"]
    assert field(record, "left") == 1


def test_fields_of_a_plain_tuple_are_its_places():
    assert field_names((3, "b")) == [0, 1]
    assert with_field((3, "b"), 1, "c") == (3, "c")


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: type(one).__name__)
def test_a_list_of_records_is_a_table(record):
    table = [record, with_field(record, "left", 2)]
    assert columns(table) == {"left": [1, 2], "right": ["a", "a"]}
    assert columns(with_column(table, "left", [5, 6]))["left"] == [5, 6]


@pytest.mark.parametrize("value", [[], [1, 2], "text", [(1, 2), (1, 2, 3)], [Frozen(1, "a"), Pair(1, "a")], None])
def test_anything_else_has_no_columns(value):
    assert columns(value) == {}
