"""How code reaches a part of a result: `[3].count`, `["total"]`, `.rows[2]`. And what a result is, in a few words."""

import json
from collections import deque
from typing import Any

from perfproof.core.foreign import is_array, is_tensor
from perfproof.core.objects import is_object
from perfproof.core.trees import Path, is_record, is_stateful, items_of
from perfproof.core.units import count
from perfproof.worker.verify.mismatch import shown

LIBRARIES = ("pandas", "polars", "pyarrow")  # of frames, whose parts are columns
MOST_NAMED = 3
_NOWHERE = object()


def place(value: Any, path: Path) -> str:
    """The part of a value at a path; what no code reaches (the state of a module) is `part weight of [1]`."""
    written, rest = _reached(value, path)
    if not rest:
        return written
    return f"part {'.'.join(rest)}{f' of {written}' if written else ''}"


def argument_place(name: str, value: Any, path: Path) -> str:
    """The part of an argument: `rows[3].count`."""
    written, rest = _reached(value, path)
    return f"the argument `{name}{written}`" + (f", part {'.'.join(rest)}" if rest else "")


def place_in_answer(answer: Any, path: Path) -> str:
    """An answer is a result and the arguments that were changed, by name; a result that is one value has no parts."""
    if path[:1] == ("1",) and len(path) > 1:
        return argument_place(path[1], answer[1].get(path[1]), path[2:])
    return place(answer[0], path[1:])


def structure_problem(ours: Any, theirs: Any, path: Path = ()) -> tuple[Path, str]:
    """Where two results have other containers, lengths or keys, and how; nothing if it is not about those."""
    mine, right = (None if is_stateful(one) else items_of(one) for one in (ours, theirs))
    if mine is None and right is None:
        return (), ""
    if _container(ours) != _container(theirs):
        return path, f"is {described(ours)}, expected {described(theirs)}"
    inner, expected = dict(mine or ()), dict(right or ())
    if inner.keys() != expected.keys():
        return path, _other_items(ours, theirs, inner, expected)
    found = (structure_problem(item, expected[name], (*path, name)) for name, item in inner.items())
    return next((one for one in found if one[1]), ((), ""))


def described(value: Any) -> str:
    """None, a list of 182 items, a Tensor of shape (3,), a str ('abc')."""
    kind, shape = type(value).__name__, getattr(value, "shape", None)
    if value is None:
        return "None"
    if isinstance(value, dict):
        return f"a {kind} with {count(len(value), 'key')}"
    if _container(value) == "items":
        return f"a {kind} of {count(len(value), 'item')}"
    if isinstance(shape, tuple):
        return f"a {kind} of shape {tuple(shape)}"
    return f"a {kind}" if items_of(value) is not None or is_object(value) else f"a {kind} ({shown(value)})"


def _reached(value: Any, path: Path) -> tuple[str, Path]:
    """The code as far as there is one, and the rest of the path."""
    written = ""
    for at, name in enumerate(path):
        step, value = _step(value, name)
        if not step:
            return written, path[at:]
        written += step
    return written, ()


def _step(value: Any, name: str) -> tuple[str, Any]:
    """The code for one step, and what is there; no code if the name is of our making."""
    if isinstance(value, dict) and not is_stateful(value):
        key = next((key for key in value if str(key) == name), _NOWHERE)
        return (f"[{_key(key)}]", value[key]) if key is not _NOWHERE else ("", None)
    if _container(value) == "items" or (is_array(value) and value.dtype.kind == "O" and value.ndim == 1):
        fields = getattr(value, "_fields", None)
        return f".{fields[int(name)]}" if fields else f"[{name}]", value[int(name)]
    if is_record(value):
        return f".{name}", getattr(value, name)
    if is_object(value):  # its parts are named by the whole way to them
        first, _, rest = name.partition(".")
        inner = vars(value).get(first)
        return f".{first}{place(inner, tuple(rest.split('.'))) if rest else ''}", inner
    if is_array(value) and value.dtype.names:
        return f"[{_key(name)}]", value[name]
    if type(value).__module__.partition(".")[0] in LIBRARIES:
        return (".index" if name == "index" else f"[{_key(name)}]" if name != "values" else "", None)
    return "", None


def _container(value: Any) -> str:
    if is_tensor(value) or is_array(value) or is_stateful(value):
        return ""
    if isinstance(value, dict):
        return "keys"
    return "items" if isinstance(value, (list, tuple, deque)) else "fields" if is_record(value) else ""


def _other_items(ours: Any, theirs: Any, inner: dict[str, Any], expected: dict[str, Any]) -> str:
    if _container(ours) == "items":
        return f"has {count(len(ours), 'item')}, expected {len(theirs):,}"
    missing = [_step(theirs, name)[0] for name in expected if name not in inner]
    extra = [_step(ours, name)[0] for name in inner if name not in expected]
    return other_names(missing, extra)


def other_names(missing: list[str], extra: list[str]) -> str:
    """What a result lacks, and what it has instead."""
    said = [f"lacks {_listed(missing)}"] if missing else []
    return " and ".join(said + ([f"has {_listed(extra)}, which is not expected"] if extra else []))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _key(key: Any) -> str:
    return json.dumps(key, ensure_ascii=False) if type(key) is str else shown(key)
