"""Pages of Nsight Compute with one row per metric: the usual CSV of `ncu --csv --metrics ...`, and the text for people.

Both name metrics either as they are collected (`dram__bytes.sum`) or, on the details page, by the words of a section
("Duration"). Words that stand for one metric are given its name; the others stay as they are.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

METRIC, UNIT, VALUE = "Metric Name", "Metric Unit", "Metric Value"
TITLE = re.compile(
    r"^\s*(?P<name>\S.*?)\s*(?P<grid>\(\d[\d ,]*\))x(?P<block>\(\d[\d ,]*\)),[^()]*, CC (?P<cc>\d+\.\d+)\s*$"
)
DASHES = re.compile(r"^\s*-{3,}(?: -{3,}){2}\s*$")
WORDS = {  # of the sections that ncu ships: the metric behind the word
    ("Duration", ""): "gpu__time_duration.sum",
    ("Elapsed Cycles", ""): "gpc__cycles_elapsed.max",
    ("SM Frequency", ""): "gpc__cycles_elapsed.avg.per_second",
    ("DRAM Frequency", ""): "dram__cycles_elapsed.avg.per_second",
    ("SM Active Cycles", ""): "sm__cycles_active.avg",
    ("Compute (SM) Throughput", "%"): "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    ("Memory Throughput", "%"): "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    ("Memory Throughput", "byte/second"): "dram__bytes.sum.per_second",
    ("DRAM Throughput", "%"): "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    ("L1/TEX Cache Throughput", "%"): "l1tex__throughput.avg.pct_of_peak_sustained_active",
    ("L2 Cache Throughput", "%"): "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    ("L1/TEX Hit Rate", "%"): "l1tex__t_sector_hit_rate.pct",
    ("L2 Hit Rate", "%"): "lts__t_sector_hit_rate.pct",
    ("Achieved Occupancy", "%"): "sm__warps_active.avg.pct_of_peak_sustained_active",
    ("Theoretical Occupancy", "%"): "sm__maximum_warps_per_active_cycle_pct",
    ("Registers Per Thread", ""): "launch__registers_per_thread",
}


@dataclass
class Page:
    """The metrics of one kernel: columns that say which it is, then a column for each metric."""

    identity: dict[str, str]
    units: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)

    def take(self, name: str, unit: str, value: str) -> None:
        """The first value of a metric counts: sections repeat some."""
        metric = metric_of(name, unit)
        if metric and metric not in self.values:
            self.units[metric], self.values[metric] = unit, value


def pages_of_rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[Page]:
    """Rows of the CSV with one metric each, gathered by kernel; a row of a rule has no metric."""
    own = (METRIC, UNIT, VALUE, "Section Name", "Rule Name", "Rule Type", "Rule Description")
    page: Page | None = None
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        identity = {name: cell for name, cell in cells.items() if name not in own and not name.startswith("Estimated")}
        if page is None or page.identity != identity:
            if page is not None:
                yield page
            page = Page(identity)
        page.take(cells.get(METRIC, ""), cells.get(UNIT, ""), cells.get(VALUE, ""))
    if page is not None:
        yield page


def pages_of_text(lines: Sequence[str]) -> Iterator[Page]:
    """The text page: a line about the kernel, then tables between lines of dashes."""
    page: Page | None = None
    spans: list[tuple[int, int]] = []
    for line in lines:
        title = TITLE.match(line) if ", CC " in line else None
        if title:
            if page is not None:
                yield page
            named = {"Kernel Name": title["name"], "Grid Size": title["grid"], "Block Size": title["block"]}
            page, spans = Page({"ID": "0", **named, "CC": title["cc"]}), []
        elif DASHES.match(line):
            spans = [match.span() for match in re.finditer("-+", line)]
        elif not line.strip():
            spans = []
        elif page is not None and spans:
            name, unit, value = _cells(line, spans)
            if name and name != METRIC:
                page.take(name, unit, value)
    if page is not None:
        yield page


def metric_of(name: str, unit: str) -> str:
    """A collected name as it is; a word of a section by what it stands for in that unit; else empty."""
    name = name.strip()
    if "__" in name:
        return name
    kind = (
        "%"
        if unit.strip() == "%"
        else "byte/second"
        if unit.strip().lower().endswith(("byte/s", "byte/second"))
        else ""
    )
    return WORDS.get((name, kind)) or (WORDS.get((name, ""), "") if kind != "%" else "")


def _cells(line: str, spans: list[tuple[int, int]]) -> tuple[str, str, str]:
    """As the dashes above cut the line; by gaps if a name runs over its column."""
    ends = [span[1] for span in spans]
    if len(line) > ends[0] and not line[ends[0]].isspace():
        found = re.match(r"^\s*(\S.*?)\s{2,}(?:(\S+)\s+)?(\S+)\s*$", line)
        return (found[1], found[2] or "", found[3]) if found else ("", "", "")
    return line[: ends[0]].strip(), line[ends[0] : ends[1]].strip(), line[ends[1] :].strip()
