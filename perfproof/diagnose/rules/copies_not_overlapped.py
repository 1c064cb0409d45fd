"""Copies between host and GPU run while no kernel computes."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.units import both_bytes
from perfproof.diagnose.copies import alone_ns, exposed_ns, host_copies
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, time

EXPOSED, MUCH_EXPOSED = 0.05, 0.20  # of the step


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.device_traces:
        return Abstained(rule="copies_not_overlapped", missing=NO_DEVICE_TRACE)
    found = [finding for trace in evidence.device_traces if (finding := _judge(trace)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0) if found else None


def _judge(trace: Trace) -> Finding | None:
    rows, events = host_copies(trace), trace.events
    exposed, alone = exposed_ns(trace, rows), alone_ns(trace, rows)
    exposed_share = trace.share(exposed)
    if exposed_share <= EXPOSED:
        return None
    share = min(exposed_share, 1 - trace.share(alone))  # a step is never shorter than its copies
    pageable = trace.share(exposed_ns(trace, (row for row in rows if "pageable" in events.name(row).lower())))
    moved = sum(max(0, events.bytes[row]) for row in rows)
    longest = max(rows, key=lambda row: events.end_ns[row] - events.start_ns[row])
    return Finding(
        rule="copies_not_overlapped",
        title="copies that nothing hides",
        confidence=confidence_of(exposed_share, EXPOSED, MUCH_EXPOSED),
        evidence=[
            Proof(
                text=f"{time(exposed / len(trace.steps))} per step, {percent(exposed_share)}, is copying between host "
                f"and device with no kernel beside it ({both_bytes(moved / len(trace.steps))} per step)",
                place=trace.place(longest),
                values={"exposed_share": exposed_share, "bytes_a_step": moved / len(trace.steps)},
            ),
            *_bound(trace, alone, share, exposed_share),
        ],
        share=share,
        parts={"pageable_copies": share * pageable / exposed_share},
        advice="copy the next batch on a second stream while this one is computed (two buffers), from pinned memory",
        experiment="perfproof run ch02:transfer_overlap",
        refuted_by="with the copies on their own stream the step takes as long",
    )


def _bound(trace: Trace, alone: int, share: float, exposed_share: float) -> list[Proof]:
    """Said where the copies are so long that not all of them can be hidden."""
    if share >= exposed_share:
        return []
    text = f"the copies alone take {percent(trace.share(alone))} of the step: with all other work beside them no more "
    text += f"than {percent(share)} of it goes; for more, move fewer bytes"
    return [Proof(text=text, values={"copies_share": trace.share(alone)})]
