"""Whether a thread asks again and again instead of waiting: a loop that only tests until another thread has acted.

The loop is judged as it is written. What is done without a condition may only ask (`queue.empty()`, `time.time()`,
`sleep(0)`) or count; what is behind a condition, as taking an item from a queue, calls something, so that it would be
seen in the stacks if it were done often. `while low < high: low += 1` computes and is no such loop.
"""

import ast
import os
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

SPINS = "[spins] "
ASKS = frozenset({
    "empty", "full", "qsize", "is_set", "is_alive", "done", "poll", "running", "locked", "exists", "time", "monotonic",
    "perf_counter", "time_ns", "monotonic_ns", "perf_counter_ns", "get_nowait", "len", "all", "any", "ready", "is_file",
    "sched_yield",
})  # fmt: skip
QUIET = (ast.Pass, ast.Continue, ast.Break)


def mark(frame: FrameType, line: int, tree: Any) -> list[str]:
    """For the innermost frame of a thread, which is on such a line of a loop itself, and not in what it calls."""
    for first, last, guarded in _loops(frame.f_code, tree):
        if first <= line <= last and not any(start <= line <= end for start, end in guarded):
            return [f"{SPINS}{frame.f_code.co_name} ({os.path.basename(frame.f_code.co_filename)}:{first})"]
    return []


@lru_cache(maxsize=1000)
def _loops(code: CodeType, tree: Any) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """First and last line of each loop of a function that only asks, and of what is done behind its conditions."""
    own = {line for _, _, line in code.co_lines() if line is not None}
    nodes = [one for one in ast.walk(tree) if isinstance(one, ast.While) and one.lineno in own] if tree else []
    found = []
    for node in nodes:
        guarded, asks = list[ast.stmt](), _before_a_guard(node.body)
        guarded += node.body[len(asks) :]
        acts = len(asks) == len(node.body) or any(isinstance(p, ast.Call) for one in guarded for p in ast.walk(one))
        if _only_asks(node.test) and acts and all(_is_quiet(one, guarded) for one in asks) and not _moves_on(node):
            places = [(one.lineno, one.end_lineno or one.lineno) for one in guarded]
            found.append((node.lineno, node.end_lineno or node.lineno, places))
    return found


def _before_a_guard(body: list[ast.stmt]) -> list[ast.stmt]:
    """Up to the first `if` that goes back to the loop's test: what follows is done if its condition does not hold."""
    for place, one in enumerate(body):
        if isinstance(one, ast.If) and not one.orelse and isinstance(one.body[-1], ast.Continue):
            return body[: place + 1]
    return body


def _moves_on(loop: ast.While) -> bool:
    """Whether it counts something that a condition asks for: then it goes through places, and computes."""
    counts = [one.target for one in ast.walk(loop) if isinstance(one, ast.AugAssign)]
    counted = {one.id for one in counts if isinstance(one, ast.Name)}
    tests = [one.test for one in ast.walk(loop) if isinstance(one, ast.While | ast.If)]
    return any(isinstance(part, ast.Name) and part.id in counted for test in tests for part in ast.walk(test))


def _is_quiet(node: ast.stmt, guarded: list[ast.stmt]) -> bool:
    """Whether a statement does nothing unless a condition holds. What it does then is put into `guarded`."""
    if isinstance(node, QUIET):
        return True
    if isinstance(node, ast.If):
        then = [one for one in (*node.body, *node.orelse) if not isinstance(one, (*QUIET, ast.Return, ast.If))]
        nested = [one for one in (*node.body, *node.orelse) if isinstance(one, ast.If)]
        guarded += then
        does = not then or any(isinstance(part, ast.Call) for one in then for part in ast.walk(one))
        return _only_asks(node.test) and does and all(_is_quiet(one, guarded) for one in nested)
    if isinstance(node, ast.Try):
        handled = all(isinstance(one, QUIET) for handler in node.handlers for one in handler.body)
        first, rest = node.body[:1], [*node.body[1:], *node.orelse]
        guarded += rest  # what follows a question that may raise
        return handled and not node.finalbody and all(_is_quiet(one, guarded) for one in first)
    if isinstance(node, ast.AugAssign):
        return isinstance(node.value, ast.Constant)  # it counts its rounds
    if isinstance(node, ast.Expr | ast.Assign):
        return isinstance(node.value, ast.Call) and _only_asks(node.value)
    return False


def _only_asks(node: ast.expr) -> bool:
    """No call but questions."""
    return all(_asks(one) for one in ast.walk(node) if isinstance(one, ast.Call))


def _asks(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    is_zero = [getattr(one, "value", None) for one in call.args] == [0]
    return name in ASKS or (name == "sleep" and is_zero) or (name in ("wait", "acquire", "get") and _never_waits(call))


def _never_waits(call: ast.Call) -> bool:
    given = [*call.args, *(one.value for one in call.keywords if one.arg in ("timeout", "block", "blocking"))]
    return any(getattr(one, "value", None) in (0, False) for one in given)
