"""Objects of classes written in Python: a graph, a state, a node with a parent. Their attributes are what they are.

A class that says itself how its objects are compared or read, or that keeps something out of sight, is not meant.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from perfproof.core.training import is_stateful


class _Plain:
    pass


SIZE = _Plain.__basicsize__  # of an object with attributes and nothing else
ODD = ("__getattr__", "__next__", "__array__", "__dataframe__")
OWN_WAYS = ("__eq__", "__getattribute__", "__reduce_ex__", "__reduce__")


def is_object(value: Any) -> bool:
    kind = type(value)
    plain = kind.__basicsize__ == SIZE and kind.__dictoffset__ != 0
    return plain and not _has_own_ways(kind) and not is_stateful(value)


Items = Callable[[Any], Iterable[tuple[str, Any]] | None]


def parts_of_object(root: Any, items_of: Items) -> list[tuple[str, Any]]:
    """What lies in an object and in the objects and containers within; one that comes again is named by its place."""
    return [(name, type(value).__name__ if holds else value) for name, value, holds in _reached(root, items_of)]


def strip_object(root: Any, items_of: Items, strip: Callable[[Any], None]) -> None:
    """Remove what cached properties keep, in all objects within; `strip` does the rest."""
    for _, value, holds in _reached(root, items_of):
        if is_object(value):
            for name in [name for name in vars(value) if _is_kept(value, name)]:
                del vars(value)[name]
        elif not holds:
            strip(value)


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Names and values, in order; what a cached property keeps follows from the others."""
    return ((name, item) for name, item in sorted(vars(value).items()) if not _is_kept(value, name))


def _reached(root: Any, items_of: Items) -> Iterator[tuple[str, Any, bool]]:
    """Everything within, with its place, and whether it holds others; what comes again is told by its first place."""
    seen: dict[int, str] = {}
    waiting = [("", root)]
    while waiting:
        name, value = waiting.pop()
        items = attributes(value) if is_object(value) else items_of(value)
        if items is not None and id(value) in seen:
            yield name, f"the same as {seen[id(value)]}", False
            continue
        if items is not None:
            seen[id(value)] = name
            waiting += [(f"{name}.{key}" if name else key, item) for key, item in items]
        yield name, value, items is not None


def _is_kept(value: Any, name: str) -> bool:
    return isinstance(inspect.getattr_static(type(value), name, None), functools.cached_property)


def _has_own_ways(kind: type) -> bool:
    """Does it say how its objects are compared, read, copied or gone through?"""
    return any(hasattr(kind, name) for name in ODD) or any(
        getattr(kind, name) is not getattr(object, name) for name in OWN_WAYS
    )
