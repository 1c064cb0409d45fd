"""The value of an alert's expression over recorded readings: the part of PromQL that our rules use.

Selectors with label matchers, ranges in s, m and h, + - * /, comparisons with >, <, >= and <=, and the functions
FUNCTIONS and sum(). A rate is the growth between the first and the last reading in its range over the time between
them; Prometheus also extends it to the ends of the range, which changes little if readings are dense.
"""

import ast
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from perfproof.core.errors import DocumentError

Labels = tuple[tuple[str, str], ...]
Vector = dict[Labels, float]
Value = Vector | float
Reading = tuple[float, dict[tuple[str, Labels], float]]  # seconds, and values by name and labels
Points = list[tuple[float, float]]

SAMPLE = re.compile(r"^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$")
LABEL = re.compile(r'([A-Za-z_]\w*)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"\s*,?\s*')
SELECTOR = re.compile(r"(?<![\w.:])([A-Za-z_:][\w:]*)(?!\s*\()(?![\w:])(?:\s*\{([^}]*)\})?(?:\s*\[(\d+)([smh])\])?")
SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
STALE_SECONDS = 300.0  # an older reading is no current value, as in Prometheus


def read_metrics(text: str, seconds: float) -> Reading:
    """A scrape of /metrics. Lines that are no sample are left out; a text without any is an error."""
    found: dict[tuple[str, Labels], float] = {}
    for line in text.splitlines():
        match = SAMPLE.match(line.strip())
        if match is None or line.startswith("#"):
            continue
        try:
            value = float(match[3])
        except ValueError:
            continue
        found[match[1], tuple(sorted((name, text) for name, _, text in LABEL.findall(match[2] or "")))] = value
    if not found:
        raise DocumentError("no sample of Prometheus in this text; record what /metrics answers")
    return seconds, found


def evaluate(expression: str, readings: list[Reading], now: float) -> Value:
    """At the time `now`, from the readings up to then. With names for its selectors it is an expression of Python."""
    selectors: list[re.Match[str]] = []

    def named(match: re.Match[str]) -> str:
        selectors.append(match)
        return f"s{len(selectors) - 1}"

    try:
        tree = ast.parse(SELECTOR.sub(named, expression).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        raise _problem(expression) from None
    return _Evaluation(expression, selectors, [one for one in readings if one[0] <= now], now).value(tree)


def _problem(expression: str) -> DocumentError:
    return DocumentError(
        f"alert expression {expression!r} is not understood; see alert_expression.py for what is known"
    )


@dataclass
class _Evaluation:
    text: str
    selectors: list[re.Match[str]]
    readings: list[Reading]
    now: float

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.Name():
                return self._newest(node)
            case ast.BinOp(left, sign, right) if type(sign) in ARITHMETIC:
                return _combined(self.value(left), ARITHMETIC[type(sign)], self.value(right))
            case ast.Compare(left, [sign], [right]) if type(sign) in COMPARISONS:
                return _compared(self.value(left), self.value(right), COMPARISONS[type(sign)])
            case ast.Call(ast.Name("sum"), [inner], []):
                return _summed(self.value(inner))
            case ast.Call(ast.Name(function), [ast.Name() as series], []) if function in FUNCTIONS:
                found = self._series(series, in_range=True)
                return {labels: FUNCTIONS[function](points) for labels, points in found.items() if len(points) > 1}
        raise _problem(self.text)

    def _newest(self, node: ast.Name) -> Vector:
        """Without what has gone from the newest reading."""
        newest = self.readings[-1][0]
        return {
            labels: points[-1][1]
            for labels, points in self._series(node, in_range=False).items()
            if points[-1][0] == newest
        }

    def _series(self, node: ast.Name, in_range: bool) -> dict[Labels, Points]:
        name, labels, length, unit = self.selectors[int(node.id[1:])].groups()
        if (length is not None) != in_range:
            raise _problem(self.text)
        seconds = int(length) * SECONDS[unit] if in_range else STALE_SECONDS
        matchers = LABEL.findall(labels or "")
        found: dict[Labels, Points] = {}
        for at, values in self.readings:
            if at >= self.now - seconds:
                for (metric, own), value in values.items():
                    if metric == name and _matches(dict(own), matchers):
                        found.setdefault(own, []).append((at, value))
        return found


def _matches(labels: dict[str, str], matchers: list[Any]) -> bool:
    for name, sign, wanted in matchers:
        there = labels.get(name, "")
        equal = re.fullmatch(wanted, there) is not None if "~" in sign else there == wanted
        if equal == sign.startswith("!"):
            return False
    return True


def _grown(points: Points) -> float:
    """Growth of a counter; after a restart it begins at zero again."""
    values = [value for _, value in points]
    return sum(later - before if later >= before else later for before, later in pairwise(values))


FUNCTIONS: dict[str, Callable[[Points], float]] = {
    "rate": lambda points: _grown(points) / (points[-1][0] - points[0][0]),
    "increase": _grown,
    "delta": lambda points: points[-1][1] - points[0][1],
    "avg_over_time": lambda points: sum(value for _, value in points) / len(points),
    "max_over_time": lambda points: max(value for _, value in points),
}
ARITHMETIC: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b if b else float("nan") if not a else float("inf"),
}
COMPARISONS: dict[type, Callable[[float, float], bool]] = {
    ast.Gt: operator.gt,
    ast.Lt: operator.lt,
    ast.GtE: operator.ge,
    ast.LtE: operator.le,
}


def _combined(left: Value, operation: Callable[[float, float], float], right: Value) -> Value:
    if isinstance(left, float) and isinstance(right, float):
        return operation(left, right)
    if isinstance(right, float):
        return {labels: operation(value, right) for labels, value in left.items()}  # type: ignore[union-attr]
    if isinstance(left, float):
        return {labels: operation(left, value) for labels, value in right.items()}
    return {labels: operation(value, right[labels]) for labels, value in left.items() if labels in right}


def _compared(left: Value, right: Value, is_true: Callable[[float, float], bool]) -> Value:
    """A comparison keeps the values for which it holds."""
    if isinstance(left, float):
        raise DocumentError("an alert compares a metric with something, and here a number stands on the left")
    limits = dict.fromkeys(left, right) if isinstance(right, float) else right
    return {labels: value for labels, value in left.items() if labels in limits and is_true(value, limits[labels])}


def _summed(value: Value) -> Value:
    if isinstance(value, float):
        return value
    return {(): sum(value.values())} if value else {}
