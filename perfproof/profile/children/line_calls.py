"""The calls that a line of a program makes, with the values of their arguments. No code of the program runs for that.

A value is known for constants, names, attributes that an object itself holds, `len(...)`, the shape of an array, and
sums, differences and products of whole numbers. Everything else is MISSING.
"""

import ast
from functools import lru_cache
from types import FrameType
from typing import Any, NamedTuple

MISSING = object()
ARRAYS = ("ndarray", "Tensor")
LENGTHS: dict[type, Any] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.FloorDiv: lambda left, right: left // right if right else MISSING,
}


class Called(NamedTuple):
    """A call: `rng.choice(size, 8, replace=False)`."""

    name: str  # of the function: choice
    receiver: Any  # what it is a method or function of: rng
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    texts: tuple[str, ...]  # constant texts anywhere in its first argument


def calls_of(frame: FrameType, line: int, tree: ast.Module | None) -> list[Called]:
    """Those of the statement on a line: of a chain of calls over several lines, all of them."""
    return [_called(frame, node) for node in _by_line(tree).get(line, ())] if tree is not None else []


def calls_in_function(frame: FrameType, tree: ast.Module | None) -> list[Called]:
    """Those of the whole function."""
    lines = {line for _, _, line in frame.f_code.co_lines() if line is not None}
    nodes = {one: None for line in lines for one in _by_line(tree).get(line, ())} if tree is not None else {}
    return [_called(frame, node) for node in nodes]


@lru_cache(maxsize=100)
def _by_line(tree: ast.Module) -> dict[int, list[ast.Call]]:
    found: dict[int, dict[ast.Call, None]] = {}
    for outer in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
        inner = [one for one in ast.walk(outer) if isinstance(one, ast.Call)]
        for line in range(outer.lineno, (outer.end_lineno or outer.lineno) + 1):
            found.setdefault(line, {}).update(dict.fromkeys(inner))
    return {line: list(nodes) for line, nodes in found.items()}


def _called(frame: FrameType, node: ast.Call) -> Called:
    function = node.func
    return Called(
        function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", ""),
        value_of(frame, function.value) if isinstance(function, ast.Attribute) else MISSING,
        tuple(value_of(frame, one) for one in node.args),
        {one.arg: value_of(frame, one.value) for one in node.keywords if one.arg},
        tuple(
            one.value
            for argument in node.args[:1]
            for one in ast.walk(argument)
            if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ),
    )


def value_of(frame: FrameType, node: ast.AST) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id, MISSING))
    if isinstance(node, ast.Attribute):
        return _attribute(value_of(frame, node.value), node.attr)
    if isinstance(node, ast.Subscript):
        shape, place = value_of(frame, node.value), value_of(frame, node.slice)
        is_place = isinstance(shape, tuple) and type(place) is int and -len(shape) <= place < len(shape)
        return shape[place] if is_place else MISSING
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = value_of(frame, node.operand)
        return -value if type(value) is int else MISSING
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and len(node.args) == 1:
        value = value_of(frame, node.args[0])
        is_array = type(value).__name__ == "ndarray" and value.ndim
        return len(value) if is_array or type(value) in (list, tuple, dict, set, str, bytes, range) else MISSING
    if isinstance(node, ast.BinOp) and type(node.op) in LENGTHS:
        left, right = value_of(frame, node.left), value_of(frame, node.right)
        return LENGTHS[type(node.op)](left, right) if type(left) is type(right) is int else MISSING
    return MISSING


def _attribute(value: Any, name: str) -> Any:
    if name == "shape" and type(value).__name__ in ARRAYS:
        return tuple(value.shape)
    return getattr(value, "__dict__", {}).get(name, MISSING) if value is not MISSING else MISSING
