"""The value of an alert's expression over recorded readings: the part of PromQL that our rules use.

Selectors with label matchers, ranges in s, m and h, + - * /, comparisons with >, <, >= and <=, and the functions
FUNCTIONS and sum(). A rate is the growth between the first and the last reading in its range over the time between
them; Prometheus also extends it to the ends of the range, which changes little if readings are dense.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
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
TOKEN = re.compile(r"\s*([A-Za-z_:][\w:]*|\d+(?:\.\d+)?(?:e-?\d+)?|>=|<=|[-+*/()<>,]|\{[^}]*\}|\[\d+[smh]\])")
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
    """At the time `now`, from the readings up to then."""
    parser = _Parser(_tokens(expression), expression, [one for one in readings if one[0] <= now], now)
    found = parser.comparison()
    if parser.place < len(parser.tokens):
        raise parser.problem()
    return found


@cache
def _tokens(expression: str) -> tuple[str, ...]:
    tokens, place = [], 0
    while expression[place:].strip():
        match = TOKEN.match(expression, place)
        if match is None:
            raise DocumentError(f"alert expression {expression!r}: not understood from {expression[place:][:20]!r} on")
        tokens.append(match[1])
        place = match.end()
    return tuple(tokens)


@dataclass
class _Parser:
    """Reads and computes in one pass: an expression is short and is evaluated once per reading."""

    tokens: tuple[str, ...]
    text: str
    readings: list[Reading]
    now: float
    place: int = 0

    def next_is(self, *wanted: str) -> bool:
        return self.place < len(self.tokens) and self.tokens[self.place] in wanted

    def take(self) -> str:
        if self.place == len(self.tokens):
            raise self.problem()
        self.place += 1
        return self.tokens[self.place - 1]

    def expect(self, wanted: str) -> None:
        if not self.next_is(wanted):
            raise self.problem()
        self.place += 1

    def problem(self) -> DocumentError:
        at = self.tokens[self.place] if self.place < len(self.tokens) else "the end"
        return DocumentError(
            f"alert expression {self.text!r}: unexpected {at}; see alert_expression.py for what is known"
        )

    def comparison(self) -> Value:
        left = self.total()
        if not self.next_is(">", "<", ">=", "<="):
            return left
        sign = self.take()
        return _compared(left, self.total(), COMPARISONS[sign])

    def total(self) -> Value:
        found = self.product()
        while self.next_is("+", "-"):
            found = _combined(found, ARITHMETIC[self.take()], self.product())
        return found

    def product(self) -> Value:
        found = self.part()
        while self.next_is("*", "/"):
            found = _combined(found, ARITHMETIC[self.take()], self.part())
        return found

    def part(self) -> Value:
        token = self.take()
        if token == "(":
            found = self.comparison()
            self.expect(")")
            return found
        if token[0].isdigit():
            return float(token)
        if token == "sum" and self.next_is("("):
            self.take()
            inner = self.comparison()
            self.expect(")")
            return _summed(inner)
        if token in FUNCTIONS and self.next_is("("):
            self.take()
            series = self.series(self.take())
            self.expect(")")
            return {labels: FUNCTIONS[token](points) for labels, points in series.items() if len(points) > 1}
        if not re.match(r"[A-Za-z_:]", token):
            self.place -= 1
            raise self.problem()
        return {
            labels: points[-1][1]
            for labels, points in self.series(token, STALE_SECONDS).items()
            if points and points[-1][0] == self.readings[-1][0]  # gone from the newest reading: no value
        }

    def series(self, name: str, seconds: float = 0.0) -> dict[Labels, Points]:
        has_labels = self.place < len(self.tokens) and self.tokens[self.place].startswith("{")
        matchers = LABEL.findall(self.take()[1:-1]) if has_labels else []
        if not seconds:
            if self.place == len(self.tokens) or not self.tokens[self.place].startswith("["):
                raise self.problem()
            length = self.take()
            seconds = int(length[1:-2]) * SECONDS[length[-2]]
        found: dict[Labels, Points] = {}
        for at, values in self.readings:
            if at >= self.now - seconds:
                for (metric, labels), value in values.items():
                    if metric == name and _matches(dict(labels), matchers):
                        found.setdefault(labels, []).append((at, value))
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
ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else float("nan") if not a else float("inf"),
}
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
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
