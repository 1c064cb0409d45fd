"""Read telemetry back, all at once or as it grows: series by source and name, `gpu0.sm_mhz`.

Of a counter there are two series: its total, and under the name of its rate the change a second between readings.
"""

import gzip
import json
import math
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.core.telemetry import TelemetryColumn, TelemetryHeader

READS = TelemetryHeader.model_fields["schema_version"].default

LONGEST_LINE = 4 * 2**20  # bytes; the longest is the header, which has about a hundred a column
LARGEST_UNPACKED = 2**30  # bytes: a small packed file can hold any amount
RATE_NS = 190_000_000  # about 0.2 s: the kernel counts CPU time in hundredths of a second


@dataclass
class Series:
    """One column over time. Values that could not be read are not in it."""

    column: TelemetryColumn
    times_ns: array = field(default_factory=lambda: array("q"))
    values: array = field(default_factory=lambda: array("d"))

    def between(self, start_ns: int, end_ns: int) -> "Series":
        first, last = bisect_left(self.times_ns, start_ns), bisect_right(self.times_ns, end_ns)
        return Series(self.column, self.times_ns[first:last], self.values[first:last])

    def rates(self) -> "Series":
        """Changes a second of a counter, over stretches of RATE_NS; one that was reset and went back gives none."""
        rates = Series(TelemetryColumn(name=self.column.rate, kind="gauge", unit=self.column.rate_unit))
        since, before = 0, 0.0
        for place, (now, value) in enumerate(zip(self.times_ns, self.values, strict=True)):
            if place and value >= before:
                if now - since < RATE_NS:
                    continue
                rates.times_ns.append(now)
                rates.values.append((value - before) * 1e9 / (now - since))
            since, before = now, value
        return rates


@dataclass
class Telemetry:
    header: TelemetryHeader
    series: dict[str, Series]

    @property
    def sources(self) -> list[str]:
        """gpu0, gpu1, ..., host: those that have a series."""
        return list(dict.fromkeys(name.partition(".")[0] for name in self.series))

    @property
    def span_ns(self) -> tuple[int, int]:
        """From the first reading to the last."""
        times = [series.times_ns for series in self.series.values() if series.times_ns]
        if not times:
            return self.header.start_ns, self.header.start_ns
        return min(one[0] for one in times), max(one[-1] for one in times)

    def gauges(self, start_ns: int, end_ns: int) -> dict[str, Series]:
        """What a person reads: values of a moment and rates of counters in this stretch."""
        found = {}
        for name, series in self.series.items():
            part = series.between(start_ns, end_ns)
            if series.column.kind == "gauge":
                found[name] = part
            elif series.column.rate:
                found[f"{name.partition('.')[0]}.{series.column.rate}"] = part.rates()
        return {name: part for name, part in found.items() if part.values}


class Recording:
    """A telemetry file, read on from where the last reading ended."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.telemetry: Telemetry | None = None
        self._offset, self._lines = 0, 0

    def update(self) -> Telemetry:
        """Everything up to the last whole line of the file."""
        for line in self._new_lines():
            self._lines += 1
            try:
                self._take(json.loads(line))
            except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
                what = " ".join(str(error).split())[:200]
                raise DocumentError(f"{self.path}, line {self._lines}: not telemetry: {what}") from None
        if self.telemetry is None:
            raise DocumentError(f"{self.path}: holds no telemetry; the sampler ended before it began")
        return self.telemetry

    def _new_lines(self) -> Iterator[bytes]:
        """Whole lines behind those that were read before, unpacked as they are read."""
        packed = self.path.suffix == ".gz"
        try:
            with self.path.open("rb") as raw:
                file = gzip.GzipFile(fileobj=raw) if packed else raw
                file.seek(self._offset)
                while (line := file.readline(LONGEST_LINE + 1)).endswith(b"\n"):
                    self._offset += len(line)
                    self._hold_to_limits(line, packed)
                    yield line
                self._hold_to_limits(line, packed)
        except (OSError, EOFError, zlib.error) as error:
            raise DocumentError(f"{self.path}: cannot be read: {error}") from None

    def _hold_to_limits(self, line: bytes, packed: bool) -> None:
        if len(line) > LONGEST_LINE:
            where = f"{self.path}, line {self._lines + 1}"
            raise DocumentError(f"{where}: not telemetry: longer than {LONGEST_LINE / 2**20:g} MiB")
        if packed and self._offset > LARGEST_UNPACKED:
            why = f"holds more than {LARGEST_UNPACKED / 2**20:g} MiB"
            raise DocumentError(f"{self.path}: {why}; if it is telemetry, unpack it with gunzip first")

    def _take(self, value: object) -> None:
        if self.telemetry is None:
            self.telemetry = _begin(value)
            return
        if not isinstance(value, list):
            raise TypeError("a row is a list")
        header, (number, since, *values) = self.telemetry.header, value
        group = header.groups[number]
        if len(values) != len(group.columns) or number < 0:
            raise ValueError(f"a row of group {number} has {len(group.columns)} values, not {len(values)}")
        for column, one in zip(group.columns, values, strict=True):
            if one is not None and math.isfinite(one):
                series = self.telemetry.series[f"{group.source}.{column.name}"]
                series.times_ns.append(header.start_ns + since * 1000)
                series.values.append(one)


def read(path: Path | str) -> Telemetry:
    """A telemetry file as the sampler left it, or compressed. DocumentError for what isn't one."""
    return Recording(path).update()


def _begin(value: object) -> Telemetry:
    version = value.get("schema_version") if isinstance(value, dict) else None
    if isinstance(version, int) and version > READS:
        raise ValueError(f"written by a newer perfproof: schema version {version}, this one reads up to {READS}")
    header = TelemetryHeader.model_validate(value)
    names = [(group.source, column) for group in header.groups for column in group.columns]
    return Telemetry(header, {f"{source}.{column.name}": Series(column) for source, column in names})
