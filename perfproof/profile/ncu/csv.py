"""Read the pages of Nsight Compute, the raw page as CSV above all: what was counted for each kernel.

The page comes from `ncu --csv --page raw ... program` or `ncu -i report.ncu-rep --csv --page raw`. It has a header row,
a row of units, then one row for each profiled kernel. A live run prints lines of its own (`==PROF== ...`), and those of
the program, before and between the rows. What cannot be read is "unknown: why" with a warning; a row that is not whole
is left out; nothing is guessed. Pages with one row per metric, as CSV or as text, are read by `ncu_pages`.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.profile.kernel_names import demangled
from perfproof.profile.ncu.numbers import Reading, decimal_mark, read, unknown
from perfproof.profile.ncu.pages import METRIC, Page, pages_of_rows, pages_of_text
from perfproof.profile.opening import read_bytes

EXPORT = "ncu -i REPORT.ncu-rep --page raw --csv --print-units base --print-kernel-base mangled > kernels.csv"
NAMED = ("ID", "Kernel Name")  # columns that make a line the header
DEVICE = "device__attribute_display_name"
CUT = "the file ends in this value"


@dataclass(frozen=True)
class CountedKernel:
    """One launch of one kernel."""

    name: str
    capability: str = ""
    grid: str = ""
    block: str = ""
    readings: dict[str, Reading] = field(default_factory=dict)
    device: str = ""  # as the driver calls the card

    def get(self, metric: str, dimension: str) -> Reading:
        """A metric's reading, if it was collected and its unit is of that dimension."""
        found = self.readings.get(metric)
        if found is None:
            return unknown("not collected")
        if found.value is not None and found.dimension != dimension:
            return unknown(f"its unit is no {dimension}")
        return found


@dataclass(frozen=True)
class CountedKernels:
    kernels: tuple[CountedKernel, ...]
    warnings: tuple[str, ...] = ()


def read_file(path: Path) -> CountedKernels:
    return parse(read_text(path), str(path))


def read_text(path: Path) -> str:
    return decode(read_bytes(path))


def decode(content: bytes) -> str:
    """UTF-8, or the UTF-16 that a redirect on Windows writes."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    return content.decode("utf-8-sig", errors="replace")


def parse(text: str, where: str) -> CountedKernels:
    """All kernels of a page; DocumentError where there is no page to read."""
    lines = text.splitlines()
    blocks = [own for block in _blocks(lines) for own in _by_kernel(block)]
    if not blocks:
        blocks = [_block_of(page) for page in pages_of_text(lines) if page.values]
    if not blocks:
        raise DocumentError(f"{where}: {_why_no_page(text)}")
    warnings: list[str] = []
    ends_in_a_value = bool(lines) and not text.endswith(("\n", "\r")) and not lines[-1].rstrip().endswith('"')
    try:
        mark = decimal_mark(row[place] for block in blocks for row in block.rows for place in block.metrics)
    except ValueError as error:
        raise DocumentError(f"{where}: {error}; export it again with LC_ALL=C: `{EXPORT}`") from None
    kernels = []
    for block in blocks:
        if block.units is None and block.rows:
            warnings.append("the row of units is missing: no value with a unit can be read")
        kernels += [_kernel(block, row, mark) for row in block.rows]
        warnings += block.warnings
    if kernels and ends_in_a_value and blocks[-1].rows and blocks[-1].last_line == len(lines) - 1:
        kernels[-1] = _without_last(kernels[-1], blocks[-1].header[-1])
        warnings.append("the file has no end of line: the last value may be cut and is not used")
    if not kernels:
        warnings.append("the page has no kernel rows")
    return CountedKernels(tuple(kernels), tuple(dict.fromkeys(warnings)))


@dataclass
class _Block:
    """A header and what stands under it."""

    header: list[str]
    units: list[str] | None = None
    rows: list[list[str]] = field(default_factory=list)
    last_line: int = -1
    warnings: list[str] = field(default_factory=list)

    @cached_property  # a full set has a thousand columns, and every row asks
    def columns_of(self) -> Counter[str]:
        """In how many columns each metric stands; the names of metrics have two underscores."""
        return Counter(name for name in self.header if "__" in name)

    @cached_property
    def metrics(self) -> list[int]:
        """Columns that hold metrics. A name that comes twice is nobody's."""
        return [place for place, name in enumerate(self.header) if self.columns_of[name] == 1]


def _blocks(lines: list[str]) -> Iterator[_Block]:
    """Split at headers: several processes print one each."""
    block: _Block | None = None
    for number, line in enumerate(lines):
        cells = _cells(line)
        if cells is not None and all(name in cells for name in NAMED):
            if block is not None:
                yield _checked(block)
            block = _Block(cells)
        elif block is not None and line.strip() and not line.startswith("=="):
            _take(block, cells, number)
    if block is not None:
        yield _checked(block)


def _by_kernel(block: _Block) -> list[_Block]:
    """The raw page as it is; one with a row per metric as a page of one row for each kernel."""
    if METRIC not in block.header:
        return [block]
    found = [_block_of(page) for page in pages_of_rows(block.header, block.rows)]
    if found:
        found[-1].warnings, found[-1].last_line = block.warnings, block.last_line
    elif block.warnings:
        found = [block]
    return found


def _block_of(page: Page) -> _Block:
    header, blank = [*page.identity, *page.values], [""] * len(page.identity)
    return _Block(header, [*blank, *page.units.values()], [[*page.identity.values(), *page.values.values()]])


def _take(block: _Block, cells: list[str] | None, number: int) -> None:
    """A line under a header: its units, a kernel, or something that does not belong there."""
    if cells is None or len(cells) != len(block.header):
        block.warnings.append(f"line {number + 1} is not a whole row and was left out")
        return
    identity = cells[block.header.index("ID")].strip()
    if identity == "" and block.units is None and not block.rows:
        block.units = cells
    elif identity.isdigit():
        block.rows.append(cells)
        block.last_line = number
    else:
        block.warnings.append(f"line {number + 1} is not a whole row and was left out")


def _checked(block: _Block) -> _Block:
    twice = sorted(name for name, columns in block.columns_of.items() if columns > 1)
    block.warnings += [f"{name} stands in two columns: neither is used" for name in twice]
    return block


def _kernel(block: _Block, row: list[str], mark: str | None) -> CountedKernel:
    def named(column: str) -> str:
        return row[block.header.index(column)].strip() if column in block.header else ""

    readings = {
        block.header[place]: unknown("the row of units is missing")
        if block.units is None
        else read(row[place], block.units[place], mark)
        for place in block.metrics
    }
    return CountedKernel(
        name=demangled(named("Kernel Name")) or "unnamed",
        capability=named("CC").replace(",", "."),
        grid=named("Grid Size"),
        block=named("Block Size"),
        device=named(DEVICE),
        readings=readings,
    )


def _without_last(kernel: CountedKernel, column: str) -> CountedKernel:
    readings = {name: unknown(CUT) if name == column else found for name, found in kernel.readings.items()}
    return replace(kernel, readings=readings)


def _cells(line: str) -> list[str] | None:
    """The cells of one line; None where its quotes do not match. Read alone, no line can swallow the next ones."""
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return None


def _why_no_page(text: str) -> str:
    if "ERR_NVGPUCTRPERM" in text:
        return (
            "ncu was not allowed to read the GPU's counters (ERR_NVGPUCTRPERM); ask the administrator for "
            "`options nvidia NVreg_RestrictProfilingToAdminUsers=0`, or plot a saved run: `perfproof roofline RUN`"
        )
    if METRIC in text:
        return f"a page of ncu with one row per metric, but no whole row; make the raw page with `{EXPORT}`"
    if "No kernels were profiled" in text:
        return "ncu profiled no kernel; check its -k and --nvtx-include filters"
    return f"no header with {' and '.join(NAMED)}: not the raw page of ncu; make it with `{EXPORT}`"
