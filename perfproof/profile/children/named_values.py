"""The values that a line of a program names: `prices`, `self.db`, `book.rows`. No code of the program runs for that."""

import dis
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

LOADS = ("LOAD_NAME", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_DEREF")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
MISSING = object()


def named_values(frame: FrameType, line: int) -> list[Any]:
    """By the names' order in the alphabet; an attribute counts if the object itself holds it."""
    known: dict[str, Any] = {**frame.f_globals, **frame.f_locals}
    found = [_value(known, path) for path in sorted(_paths(frame.f_code, line))]
    return [one for one in found if one is not MISSING]


def _value(known: dict[str, Any], path: tuple[str, ...]) -> Any:
    value = known.get(path[0], MISSING)
    for name in path[1:]:
        value = getattr(value, "__dict__", {}).get(name, MISSING)
    return value


@lru_cache(maxsize=1000)
def _paths(code: CodeType, line: int) -> frozenset[tuple[str, ...]]:
    """What a line of code loads by name, and the attributes of that. Lines are not known before Python 3.11."""
    found: set[tuple[str, ...]] = set()
    path: tuple[str, ...] = ()
    for one in dis.get_instructions(code):
        place = getattr(one, "positions", None)
        if place is None or place.lineno != line:
            path = ()
        elif one.opname.startswith(LOADS):
            path = (str(one.argval),)
        elif one.opname.startswith(ATTRIBUTES) and path:
            path = (*path, str(one.argval))
        elif one.opname == "COPY":  # `self.x *= y` keeps `self`, to store into it
            continue
        else:
            path = ()
        found.add(path)
    return frozenset(found - {()})
