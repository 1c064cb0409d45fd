"""Copies between host and GPU go through pageable memory: slow, and the host has to help."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.core.units import both_bytes
from perfproof.diagnose.copies import TO_HOST, exposed_ns, host_copies
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.gaps import by_cause, idle_gaps
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent

BYTES_A_STEP = 1_000_000
SLOW = 0.5  # of the measured rate of pinned copies
COST, COST_MUCH = 0.03, 0.15  # of the step
LESS = "if the host only reduces what it gets (argmax, a sum), do that on the device and copy the answer; else "
PINNED = "host-to-device/pinned"


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.device_traces:
        return Abstained(rule="pageable_copies", missing=NO_DEVICE_TRACE)
    ceiling = evidence.ceilings.get(PINNED) if evidence.ceilings else None
    rate = ceiling.value if ceiling else None
    found = [finding for trace in evidence.device_traces if (finding := _judge(trace, rate)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0) if found else None


def _judge(trace: Trace, pinned_rate: float | None) -> Finding | None:
    events = trace.events
    rows = [row for row in host_copies(trace) if "pageable" in events.name(row).lower()]
    moved = sum(max(0, events.bytes[row]) for row in rows)
    spent = sum(events.end_ns[row] - events.start_ns[row] for row in rows)
    to_host = sum(max(0, events.bytes[row]) for row in rows if TO_HOST.search(events.name(row)))
    rate = moved / (spent / 1e9) if spent else 0.0
    sized = any(events.bytes[row] >= 0 for row in rows)
    slow = sized and pinned_rate is not None and rate < SLOW * pinned_rate
    share = trace.share(exposed_ns(trace, rows) + _in_calls(trace, rows)) if rows else 0.0
    if pinned_rate and sized:  # pinned, the bytes still have to be moved: a step is never shorter than that
        share = min(share, 1 - trace.share(1e9 * moved / pinned_rate))
    if (moved / len(trace.steps) <= BYTES_A_STEP if sized else share <= COST) and not (slow and share > COST):
        return None
    beside = f"; pinned copies reach {pinned_rate / 1e9:.1f} GB/s here" if pinned_rate else ""
    moves = f"{both_bytes(moved / len(trace.steps))} per step at {rate / 1e9:.1f} GB/s{beside}"
    return Finding(
        rule="pageable_copies",
        title="copies from pageable memory",
        confidence="high" if slow and share > COST_MUCH else confidence_of(share, COST, COST_MUCH),
        evidence=[
            Proof(
                text=f"{len(rows) / len(trace.steps):.1f} copies per step from or to pageable memory, "
                f"{moves if sized else 'of a size that the trace does not hold'}; {percent(share)} of the step, with "
                "the gaps in which the host is inside such a copy",
                place=trace.place(rows[0]),
                values={"bytes_a_step": moved / len(trace.steps), "bytes_per_second": rate, "share": share},
            )
        ],
        share=share,
        advice=(LESS if 2 * to_host > moved else "")
        + "page-lock the host's side (pin_memory=True), copy with non_blocking=True on a stream of its own",
        experiment="perfproof run ch01:pinned_transfer",
        refuted_by="pinned, the copies take as long and the step too",
    )


def _in_calls(trace: Trace, rows: list[int]) -> int:
    """Idle time of the devices in which the host is inside a copying call."""
    if not trace.rows(Kind.RUNTIME):
        return 0
    devices = {trace.events.device[row] for row in rows}
    return max(by_cause(idle_gaps(trace, device)).get("copy call", 0) for device in devices)
