"""Copies between host and GPU run while no kernel computes."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.units import both_bytes
from perfproof.diagnose.copies import exposed_ns, host_copies
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
    exposed = exposed_ns(trace, rows)
    share = trace.share(exposed)
    if share <= EXPOSED:
        return None
    pageable = [row for row in rows if "pageable" in events.name(row).lower()]
    moved = sum(max(0, events.bytes[row]) for row in rows)
    longest = max(rows, key=lambda row: events.end_ns[row] - events.start_ns[row])
    return Finding(
        rule="copies_not_overlapped",
        title="copies that nothing hides",
        confidence=confidence_of(share, EXPOSED, MUCH_EXPOSED),
        evidence=[
            Proof(
                text=f"{time(exposed / len(trace.steps))} a step, {percent(share)}, is copying between host and device "
                f"with no kernel beside it ({both_bytes(moved / len(trace.steps))} a step)",
                place=trace.place(longest),
                values={"exposed_share": share, "bytes_a_step": moved / len(trace.steps)},
            )
        ],
        share=share,
        parts={"pageable_copies": trace.share(exposed_ns(trace, pageable))},
        advice="copy the next batch on a second stream while this one is computed (two buffers), from pinned memory",
        experiment="perfproof run ch02:transfer_overlap",
        refuted_by="with the copies on their own stream the step takes as long",
    )
