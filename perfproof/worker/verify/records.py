"""Records: dicts, tuples, named tuples, dataclasses and other objects that all have the same fields.

A list of them is a table, whose columns may be changed one at a time, and a record may get another value for one field.
"""

import copy
from typing import Any

from perfproof.core.objects import attributes, is_object
from perfproof.core.trees import is_record


def field_names(record: Any) -> list[Any]:
    """Keys of a dict, places of a tuple, names of anything else; of no record there are none."""
    if type(record) is dict:
        return list(record)
    if isinstance(record, tuple):
        return list(getattr(record, "_fields", range(len(record))))
    if is_record(record):
        return [*type(record).__dataclass_fields__]
    return [name for name, _ in attributes(record)] if is_object(record) else []


def field(record: Any, name: Any) -> Any:
    if isinstance(record, (dict, tuple)) and not hasattr(record, "_fields"):
        return record[name]
    return getattr(record, name, None)


def with_field(record: Any, name: Any, value: Any) -> Any:
    """A copy with another value for one field; a frozen dataclass and slots are no obstacle."""
    if type(record) is dict:
        return {**record, name: value}
    if isinstance(record, tuple):
        if hasattr(record, "_fields"):
            return type(record)(
                *(value if one == name else item for one, item in zip(record._fields, record, strict=True))
            )
        return (*record[:name], value, *record[name + 1 :])
    changed = copy.copy(record)
    object.__setattr__(changed, name, value)
    return changed


def columns(table: Any) -> dict[Any, list]:
    """The columns of a list of records of one form, by field; of anything else there are none."""
    if type(table) is not list or len(table) < 2 or len({*map(type, table)}) > 1:
        return {}
    names = field_names(table[0])
    if type(table[0]) is dict:
        return {name: [one.get(name) for one in table] for name in names}
    if any(field_names(one) != names for one in table):
        return {}
    return {name: [field(one, name) for one in table] for name in names}


def with_column(table: list, name: Any, column: list) -> list:
    return [with_field(one, name, item) for one, item in zip(table, column, strict=True)]
