"""Neighbouring threads touch addresses that lie apart: most bytes that are fetched are not used.

Loads and stores count by how many sectors they touch: one result of four bytes a block uses an eighth of its sector,
and is nothing beside what a reduction reads. Where the sectors of the two were not counted, loads alone are judged.
"""

from typing import Literal

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.wording import percent

USED = 0.50  # of the bytes of a sector
WIDEST = 16  # sectors that a request of 16 bytes a thread needs; of 4 bytes it needs 4
EXCESS = 1.5  # times what is needed
LOADS, STORES = "ld", "st"
BYTES_USED = "smsp__sass_average_data_bytes_per_sector_mem_global_op_{}.pct"
PER_REQUEST = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_{}.ratio"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
TRAFFIC = (  # of their peaks
    "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
)
LITTLE = 0.10
NEEDS = ((BYTES_USED.format(LOADS), PER_REQUEST.format(LOADS)),)


def find(evidence: Evidence) -> Finding | Abstained | None:
    return counted.find(
        evidence, "uncoalesced", "COAL", judge, NEEDS,
        title="global memory accesses that are not coalesced",
        advice="let neighbouring threads read neighbouring addresses: transpose the layout, or stage in shared memory",
        experiment="perfproof run ch07:coalesced_copy",
        refuted_by="with sectors fully used the kernel takes as long",
    )  # fmt: skip


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    """By the bytes used where they were collected; else by sectors, which the width of an access makes ambiguous."""
    if _touches_little(kernel):
        return None
    used = _weighed(kernel, BYTES_USED)
    if used is not None:
        return _by_bytes(kernel, used)
    requests = _weighed(kernel, PER_REQUEST)
    return "missing" if requests is None else _by_sectors(kernel, requests)


def _touches_little(kernel: Counted) -> bool:
    """Whether memory has next to nothing to do with its time, however its few accesses lie."""
    traffic = [kernel.value(metric) for metric in TRAFFIC]
    return all(one is not None and one < LITTLE for one in traffic)


def _by_bytes(kernel: Counted, used: dict[str, tuple[float, float]]) -> Hit | None:
    touched = sum(sectors for sectors, _ in used.values())
    share = sum(sectors * part for sectors, part in used.values()) / touched if touched else 1.0
    if share >= USED:
        return None
    what = "loads and stores" if len(used) > 1 else "loads" if LOADS in used else "stores"
    text = f"{what} use {percent(share)} of the bytes that they fetch"
    return Hit(kernel, 1 - share, text, {"bytes_used": share})


def _by_sectors(kernel: Counted, requests: dict[str, tuple[float, float]]) -> Hit | None:
    touched = sum(sectors for sectors, _ in requests.values())
    most = touched / sum(sectors / each for sectors, each in requests.values()) if touched else 0.0
    if most <= EXCESS * WIDEST:
        return None
    text = f"{most:.0f} sectors a request, where even the widest accesses need {WIDEST}"
    return Hit(kernel, 1 - WIDEST / most, text, {"sectors_per_request": most})


def _weighed(kernel: Counted, metric: str) -> dict[str, tuple[float, float]] | None:
    """Of loads and of stores that there are: the sectors they touch, and the metric. Loads alone where the sectors of
    the two are not known; None where not even the metric of loads is."""
    read = {way: (kernel.value(SECTORS.format(way)), kernel.value(metric.format(way))) for way in (LOADS, STORES)}
    known = {
        way: (sectors, value) for way, (sectors, value) in read.items() if sectors is not None and value is not None
    }
    if len(known) < len(read):
        value = read[LOADS][1]
        if value is None:
            return None
        known = {LOADS: (1.0, value)}
    return {way: (sectors, value) for way, (sectors, value) in known.items() if sectors and value}
