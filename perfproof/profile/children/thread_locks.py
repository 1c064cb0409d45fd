"""Whether threads wait for a lock whose holder waits for something itself: a peer, a disk or a clock.

A thread waits for a lock if it enters a `with` statement over it, or calls `acquire`. It holds one if one of its frames
is inside such a statement. Only `threading.Lock` and `RLock` are looked at: a semaphore lets several in, and a thread
that waits for a condition has given up its lock.
"""

import ast
import os
from collections.abc import Callable
from functools import lru_cache
from types import FrameType
from typing import Any, NamedTuple

HELD_IN = "[threads wait for a lock held in] "
FEWEST = 2  # threads that wait for one lock
LOCKS = ("lock", "RLock")
LIBRARY = "threading"  # a thread that waits there waits for another one


class Looked(NamedTuple):
    """A thread at one moment: its frames from the outermost on, with the program's among them, and whether it waits."""

    frames: list[FrameType]
    own: list[FrameType]
    waits: bool


def mark(threads: list[Looked], line_of: Callable[[FrameType], int], value_of: Any, tree_of: Any) -> dict[int, str]:
    """Per place of a thread in the list that waits for a lock, where its holder waits meanwhile."""

    def locks(frame: FrameType, inside: bool) -> set[int]:
        line = line_of(frame)
        values = [value_of(frame, one) for one in _at(tree_of(frame.f_code), line, inside) if _in(frame, one)]
        return {id(one) for one in values if type(one).__module__ == "_thread" and type(one).__name__ in LOCKS}

    waiting: dict[int, list[int]] = {}
    for place, one in enumerate(threads):
        if one.waits and one.own and one.own[-1] is one.frames[-1]:
            for lock in locks(one.own[-1], inside=False):
                waiting.setdefault(lock, []).append(place)
    found: dict[int, str] = {}
    for lock, places in waiting.items():
        if len(places) < FEWEST:
            continue
        others = [one for place, one in enumerate(threads) if place not in places and one.own]
        holder = next((one for one in others if any(lock in locks(frame, inside=True) for frame in one.own)), None)
        if holder is not None and holder.waits and holder.frames[-1].f_globals.get("__name__") != LIBRARY:
            inner = holder.own[-1]
            name = f"{inner.f_code.co_name} ({os.path.basename(inner.f_code.co_filename)}:{line_of(inner)})"
            found |= dict.fromkeys(places, f"{HELD_IN}{name}")
    return found


def _in(frame: FrameType, node: ast.expr) -> bool:
    return any(line == node.lineno for _, _, line in frame.f_code.co_lines())


@lru_cache(maxsize=10_000)
def _at(tree: ast.Module | None, line: int, inside: bool) -> list[ast.expr]:
    """What the `with` statements are over that a line is inside of, or those that begin there and are acquired."""
    nodes = _statements(tree) if tree is not None else []
    over = [
        item.context_expr
        for node in nodes
        if isinstance(node, ast.With) and (node.body[0].lineno <= line <= (node.end_lineno or 0)) is inside
        for item in node.items
        if inside or node.lineno <= line < node.body[0].lineno
    ]
    acquired = [
        node.func.value
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.lineno == line
    ]
    return over if inside else over + acquired


@lru_cache(maxsize=100)
def _statements(tree: ast.Module) -> list[ast.With | ast.Call]:
    found: list[ast.With | ast.Call] = []
    for node in ast.walk(tree):
        acquires = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "acquire"
        if isinstance(node, ast.With) or acquires:
            found.append(node)  # type: ignore[arg-type]
    return found
