"""What part of a line runs, as it is written, and what in it grows.

Of `total += price(row)` the running part may be `price(row)`. The position comes from the instruction that the frame is
on, which Python has from 3.11 on; before, it is the whole line. Python looks for other threads only at calls and jumps,
so that an operator which keeps the interpreter's lock is seen at the next of them.

A container grows if it is longer each time that it is looked at. That costs nothing by itself: what is added with
`append` is not copied. `Growth` looks for what goes through the whole container: `sum(losses)`, `x in seen`,
`buffer += chunk`, `queue[number]` of a deque, `np.concatenate([rows, row])`. It also looks for what copies the rest of
a long container for a few elements (`data = data[8:]`), and for what compares all elements of an array that stays
with one value after the other (`values[labels == label]`).
"""

import ast
import dis
import linecache
import os
import re
from collections import deque
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

LONGEST = 60  # letters
RUNS, GROWS = "[runs] ", "[grows] "
FEWEST_LOOKS, LEAST = 5, 1_000  # looks at which it was longer, or that found it long; elements or bytes
LONG_DEQUE = 50_000  # elements: a place in the middle is found by going from block to block, of 64 elements each
SIZED = (list, tuple, str, bytes, bytearray)
COPIED_BY_ADDING = (tuple, str, bytes)
LONG_REST = 64_000  # elements or bytes that are copied to take a few from the front
LONG_ARRAY, COMPARED = 10_000, 64  # elements of an array; of them, those that tell whether it stays
JOINS = frozenset({"concat", "concatenate", "cat", "append", "stack", "vstack", "hstack", "column_stack", "row_stack"})
# fmt: off
CHEAP_CALLS = frozenset({
    "len", "isinstance", "id", "type", "iter", "enumerate", "zip", "next", "range", "bool", "print", "append",
    "appendleft", "add", "heappush", "heappop", "bisect", "bisect_left", "bisect_right", "put",
})
# fmt: on
WHOLE_METHODS = frozenset({"copy", "find", "partition", "split", "join"})
SEARCHES = frozenset({"index", "count", "remove", "insert"})
DRAWS = frozenset({"sample", "choice", "choices", "shuffle"})  # take elements by their places
BETWEEN = ("JUMP", "POP_JUMP", "RESUME", "FOR_ITER")  # instructions of no expression
LITERAL = re.compile(r"""(["'])[^"']{16,}\1""")  # may be long, or secret


_unread: set[str] = set()


def running_text(frame: FrameType, line: int) -> str:
    """Empty if the file has not been read yet: reading would let other threads run while frames are held."""
    if frame.f_code.co_filename not in linecache.cache:
        _unread.add(frame.f_code.co_filename)
        return ""
    return _text(frame.f_code, frame.f_lasti, line)


def read_files() -> None:
    """Those that were asked for since the last time."""
    while _unread:
        linecache.getlines(_unread.pop())


@lru_cache(maxsize=10_000)
def _text(code: CodeType, place: int, line: int) -> str:
    written = linecache.getline(code.co_filename, line).strip()
    positions = list(code.co_positions())[place // 2 : place // 2 + 1] if hasattr(code, "co_positions") else []
    if positions and not dis.opname[code.co_code[place]].startswith(BETWEEN):
        first, last, start, end = positions[0]
        if first is not None and last is not None and start is not None and end is not None:
            lines = [linecache.getline(code.co_filename, number).encode() for number in range(first, last + 1)]
            lines[-1] = lines[-1][:end]
            lines[0] = lines[0][start:]
            written = b" ".join(one.strip() for one in lines).decode(errors="replace") or written
    return _short(written)


def _short(text: str) -> str:
    text = LITERAL.sub("'…'", text.replace(";", ","))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class Read(NamedTuple):
    """A line that goes through a whole container; a call is sampled on its own line, an operator may be on another."""

    name: str
    line: int
    is_call: bool = True
    adds: bool = False
    searches: bool = False
    by_place: bool = False  # which only a deque has to search for
    takes: bool = False  # from the front, by a copy of the rest
    compared: str = ""  # with what all elements of an array are compared
    joins: bool = False  # by a library's function


class Growth:
    """Remembers how long containers were."""

    def __init__(self) -> None:
        self._lengths: dict[tuple[CodeType, str], tuple[int, int, int, int]] = {}  # length, rises, falls, long
        self._arrays: dict[tuple[CodeType, str], tuple[bytes, set[int]]] = {}  # contents; values to compare with

    def mark(self, frame: FrameType, line: int, innermost: bool = True) -> list[str]:
        """For the innermost frame of the program: the line that goes through what grows, or searches what is long.

        If a library has been called (`innermost` is False), only elements that it draws from a deque are looked at.
        """
        code = frame.f_code
        for read in whole_reads(code) if code.co_filename in linecache.cache else ():
            if not innermost and not (read.is_call and (read.by_place or read.joins)):
                continue
            value = _value(frame, read.name)
            length = _length(value, read)
            costs = self._groups if read.compared else self._costs
            if length is not None and costs(read, frame, length) and (not read.is_call or read.line == line):
                text = _short(linecache.getline(code.co_filename, read.line).strip())
                return [f"{GROWS}{code.co_name} ({os.path.basename(code.co_filename)}:{read.line}) {text}"]
        return []

    def _costs(self, read: Read, frame: FrameType, length: int) -> bool:
        code = frame.f_code
        before, rises, falls, long = self._lengths.get((code, read.name), (length, 0, 0, 0))
        rises, falls, long = rises + (length > before), falls + (length < before), long + (length >= LEAST)
        self._lengths[code, read.name] = (length, rises, falls, long)
        if read.takes:
            return length >= LONG_REST and falls >= FEWEST_LOOKS
        grows = rises >= FEWEST_LOOKS and falls <= rises // 10
        return length >= LEAST and (grows or ((read.searches or read.by_place) and long >= FEWEST_LOOKS))

    def _groups(self, read: Read, frame: FrameType, length: int) -> bool:
        """Whether an array that stays is compared with one value after the other."""
        value, place = _value(frame, read.compared), (frame.f_code, read.name)
        if length < LONG_ARRAY or getattr(value, "shape", ()) != () or isinstance(value, (list, dict)):
            return False
        contents = _some_elements(_value(frame, read.name))
        before, seen = self._arrays.get(place, (contents, set()))
        seen = seen if before == contents else set()
        seen.add(hash(value))
        self._arrays[place] = (contents, seen)
        return len(seen) >= FEWEST_LOOKS


def _some_elements(array: Any) -> bytes:
    found: bytes = array.reshape(-1)[:: max(1, array.size // COMPARED)].tobytes()
    return found


def _length(value: Any, read: Read) -> int | None:
    if read.joins and type(value).__name__ == "DataFrame":
        return len(value)
    if type(value).__name__ == "ndarray":
        return int(value.size) if (read.is_call or read.compared) and not read.by_place else None
    if read.compared or read.joins:
        return None
    if read.by_place:
        return len(value) if isinstance(value, deque) and len(value) >= LONG_DEQUE else None
    kinds: Any = COPIED_BY_ADDING if read.adds else (list, tuple) if read.searches else SIZED
    return len(value) if isinstance(value, kinds) else None


def _value(frame: FrameType, name: str) -> Any:
    """Only what can be read without running code of the program."""
    first, *rest = name.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for each in rest:
        value = getattr(value, "__dict__", {}).get(each)
    return value


def tree_of(code: CodeType) -> ast.Module | None:
    """The file as it is written; None until it has been read."""
    return _tree(code.co_filename) if code.co_filename in linecache.cache else None


@lru_cache(maxsize=1000)
def whole_reads(code: CodeType) -> tuple[Read, ...]:
    """The lines of a function that go through a whole container that has a name."""
    tree = _tree(code.co_filename)
    if tree is None:
        return ()
    inside = {line for _, _, line in code.co_lines() if line is not None}
    nodes = [node for node in ast.walk(tree) if getattr(node, "lineno", None) in inside]
    return tuple(found for node in nodes for found in _whole(node) if found.name)


def _whole(node: ast.AST) -> list[Read]:
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        receiver = _dotted(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        if called in DRAWS:
            return [Read(_dotted(one), node.lineno, by_place=True) for one in node.args]
        if called in SEARCHES or _is_first(node, called):
            return [Read(receiver, node.lineno, searches=True)]
        if called in JOINS and node.args and isinstance(node.args[0], (ast.List, ast.Tuple)):
            return [Read(_dotted(one), node.lineno, joins=True) for one in node.args[0].elts]
        names = [receiver] if called in WHOLE_METHODS else []
        names += [_dotted(one) for one in node.args] if called not in CHEAP_CALLS else []
        return [Read(name, node.lineno) for name in names]
    if isinstance(node, ast.Subscript) and not _is_end(node.slice):
        return [Read(_dotted(node.value), node.lineno, is_call=False, by_place=True)]
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        name = _dotted(node.comparators[0])
        return [Read(name, node.lineno, is_call=False, searches=searches) for searches in (True, False)]
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
        name, value = _dotted(node.left), _dotted(node.comparators[0])
        return [Read(name, node.lineno, is_call=False, compared=value)] if value else []
    if isinstance(node, ast.Assign) and _rest(node.value) and _dotted(node.targets[0]) == _rest(node.value):
        return [Read(_rest(node.value), node.lineno, is_call=False, takes=True)]
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return [Read(_dotted(node.target), node.lineno, is_call=False, adds=True)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [Read(_dotted(one), node.lineno, is_call=False) for one in (node.left, node.right)]
    return []


def _rest(node: ast.AST) -> str:
    """Of `data[8:]` the name."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return ""
    part = node.slice
    return _dotted(node.value) if part.lower is not None and part.upper is None and part.step is None else ""


def _is_first(node: ast.Call, called: str) -> bool:
    """`queue.pop(0)` moves all other elements."""
    return called == "pop" and len(node.args) == 1 and getattr(node.args[0], "value", None) == 0


def _is_end(node: ast.AST) -> bool:
    """`queue[0]` and `queue[-1]` are near."""
    return (isinstance(node, ast.Constant) and node.value == 0) or isinstance(node, ast.UnaryOp)


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


@lru_cache(maxsize=100)
def _tree(file: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return None
