"""Neighbouring threads touch addresses that lie apart: most bytes that are fetched are not used."""

from typing import Literal

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.wording import percent

USED = 0.50  # of the bytes of a sector
WIDEST = 16  # sectors that a request of 16 bytes a thread needs; of 4 bytes it needs 4
EXCESS = 1.5  # times what is needed
LOADED = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"
STORED = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"
SECTORS = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_{}.ratio"
NEEDS = ((LOADED, STORED, *(SECTORS.format(way) for way in ("ld", "st"))),)


def find(evidence: Evidence) -> Finding | Abstained | None:
    hits = counted.look(evidence, "uncoalesced", "COAL", judge, NEEDS)
    if not isinstance(hits, list):
        return hits
    return Finding(
        rule="uncoalesced",
        title="global memory accesses that are not coalesced",
        confidence=counted.confidence(hits),
        evidence=counted.proofs(hits),
        share=counted.saved(hits),
        share_of=counted.share_of(evidence),
        advice="let neighbouring threads read neighbouring addresses: transpose the layout, or stage in shared memory",
        experiment="perfproof run ch07:coalesced_copy",
        refuted_by="with sectors fully used the kernel takes as long",
        basis="counters",
    )


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    """By the bytes used where they were collected; else by sectors, which the width of an access makes ambiguous."""
    used = {word: value for word, name in (("loads", LOADED), ("stores", STORED)) if (value := kernel.value(name))}
    sectors = {word: value for word in ("ld", "st") if (value := kernel.value(SECTORS.format(word))) is not None}
    if not used and not sectors:
        return "missing"
    if used:
        worst = min(used, key=lambda each: used[each])
        text = f"{worst} use {percent(used[worst])} of the bytes that they fetch"
        return Hit(kernel, 1 - used[worst], text, {"bytes_used": used[worst]}) if used[worst] < USED else None
    most = max(sectors.values())
    if most <= EXCESS * WIDEST:
        return None
    text = f"{most:.0f} sectors a request, where even the widest accesses need {WIDEST}"
    return Hit(kernel, 1 - WIDEST / most, text, {"sectors_per_request": most})
