"""A number that a program reports itself: tokens per second, a loss, a latency.

    NAME:higher=regex:PATTERN          the last match of a pattern with one group, in standard output
    NAME:lower=json:KEY.KEY            standard output is JSON, or its last line that is a JSON object
    NAME:higher=json:FILE:KEY.KEY.0    a JSON file that this run of the program wrote, from its working folder

The direction is part of the metric: `higher` or `lower` is better. What cannot be read is refused, never zero.
"""

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from perfproof.core.errors import PerfproofError, UsageError

FORM = "NAME:higher=regex:PATTERN, NAME:lower=json:KEY.KEY or NAME:higher=json:FILE:KEY.KEY"
OWN_NAMES = ("wall", "cpu", "memory")


class MetricMissing(PerfproofError):
    """A run of a program that did not report what it was to report."""


@dataclass(frozen=True)
class Metric:
    name: str
    better: Literal["higher", "lower"]
    kind: Literal["regex", "json"]
    where: str  # the pattern, or the keys with dots between
    file: str = ""  # of JSON; empty: standard output

    def path(self, cwd: Path) -> Path | None:
        return cwd / self.file if self.file else None

    def read(self, stdout: Path, cwd: Path, before: object) -> float:
        """The number that this run reported; `before` is the `mark` of the file taken before the run."""
        if self.kind == "regex":
            value: Any = self._match(stdout.read_text(errors="replace"))
        elif self.file:
            if self.mark(cwd) in (None, before):
                raise MetricMissing(f"metric {self.name}: this run did not write {self.file}")
            value = self._follow(_parsed((cwd / self.file).read_text(errors="replace"), self.file))
        else:
            value = self._follow(_last_object(stdout.read_text(errors="replace")))
        return self._number(value)

    def masked(self, text: str) -> str:
        """What a program printed, without the numbers of this metric: they are judged by delta, not as text."""
        if self.file:
            return text
        if self.kind == "regex":
            return _without_groups(self.where, text)
        try:
            number = str(self._follow(_last_object(text)))
        except MetricMissing:
            return text
        before, _, after = text.rpartition("{")
        return (
            before + re.sub(rf"(:\s*){re.escape(number)}(?=\s*[,}}\]])", r"\1-", f"{{{after}")
            if before or after
            else text
        )

    def mark(self, cwd: Path) -> object:
        """What changes when the file is written again; None without a file."""
        try:
            found = (cwd / self.file).stat() if self.file else None
        except OSError:
            return None
        return (found.st_ino, found.st_mtime_ns, found.st_size) if found else None

    def _match(self, text: str) -> str:
        found = re.findall(self.where, text, re.MULTILINE)
        if not found:
            raise MetricMissing(f"metric {self.name}: nothing in standard output matches {self.where!r}")
        return found[-1]

    def _follow(self, value: Any) -> Any:
        for key in self.where.split("."):
            try:
                value = value[int(key)] if isinstance(value, list) else value[key]
            except (KeyError, IndexError, ValueError, TypeError):
                raise MetricMissing(f"metric {self.name}: the JSON has no {self.where!r}: it ends at {key!r}") from None
        return value

    def _number(self, value: Any) -> float:
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not (math.isfinite(number) and number > 0):
            raise MetricMissing(f"metric {self.name}: {value!r} is no positive number, and a ratio needs one")
        return number


def _without_groups(pattern: str, text: str) -> str:
    pieces, end = [], 0
    for match in re.finditer(pattern, text, re.MULTILINE):
        if match.start(1) >= end:
            pieces += [text[end : match.start(1)], "-"]
            end = match.end(1)
    return "".join([*pieces, text[end:]])


def parse_metric(text: str) -> Metric:
    match = re.fullmatch(r"([A-Za-z_][\w./-]*):(higher|lower)=(regex|json):(.+)", text, re.DOTALL)
    if match is None:
        raise UsageError(f"--metric {text!r} is not understood: write {FORM}")
    name, better, kind, rest = match.groups()
    if name in OWN_NAMES:
        raise UsageError(f"--metric {text!r}: {name} is measured anyway; choose another name")
    if kind == "regex":
        _check_pattern(text, rest)
        return Metric(name, better, kind, rest)  # type: ignore[arg-type]
    file, _, keys = rest.rpartition(":")
    if not keys:
        raise UsageError(f"--metric {text!r} names no key: write {FORM}")
    return Metric(name, better, kind, keys, file)  # type: ignore[arg-type]


def _check_pattern(text: str, pattern: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise UsageError(f"--metric {text!r}: the pattern is no regular expression: {error}") from None
    if groups != 1:
        raise UsageError(f"--metric {text!r}: the pattern has {groups} groups; put ( ) around the number, once")


def _last_object(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass
    for line in reversed(text.splitlines()):
        if line.lstrip().startswith("{"):
            return _parsed(line, "the last object in standard output")
    raise MetricMissing("standard output is not JSON, and no line of it is a JSON object")


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise MetricMissing(f"{where} is not JSON: {error}") from None
