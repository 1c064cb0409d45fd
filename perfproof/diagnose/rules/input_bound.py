"""The step waits for its input."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import host
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, short, time
from perfproof.profile.intervals import Interval, difference, intersection, total

WAITS, WAITS_MUCH = 0.05, 0.20  # of the step
NO_MARK = (
    "ranges that mark where the program takes its next batch: a torch DataLoader makes them, "
    'otherwise `with record_function("next_batch"):`'
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.traces:
        return Abstained(rule="input_bound", missing="a trace: `perfproof profile --tool torch -- python train.py`")
    marked = [trace for trace in evidence.traces if host.input_waits(trace)]
    if not marked:
        busy = [trace for trace in evidence.device_traces if _idle_share(trace) <= WAITS]
        if busy and len(busy) == len(evidence.traces):
            return None  # no device waits for anything
        return Abstained(rule="input_bound", missing=NO_MARK)
    found = [finding for trace in marked if (finding := _judge(trace)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0) if found else None


def _judge(trace: Trace) -> Finding | None:
    rows = host.input_waits(trace)
    waits = trace.covered(rows)
    lost = intersection(waits, _idle(trace)) if trace.devices else waits
    share = trace.share(total(lost))
    if share <= WAITS:
        return None
    meanwhile = "while the GPU has nothing to do" if trace.devices else "on the thread that computes"
    name = trace.events.name(max(rows, key=lambda row: trace.events.end_ns[row] - trace.events.start_ns[row]))
    return Finding(
        rule="input_bound",
        title="the step waits for its input",
        confidence=confidence_of(share, WAITS, WAITS_MUCH),
        evidence=[
            Proof(
                text=f"{percent(share)} of the step goes by in {short(name)} {meanwhile}: "
                f"{time(total(lost) / len(trace.steps))} a step, {len(rows) / len(trace.steps):.1f} waits",
                place=trace.place(max(rows, key=lambda row: trace.events.end_ns[row] - trace.events.start_ns[row])),
                values={"share": share, "seconds_a_step": total(lost) / len(trace.steps) / 1e9},
            )
        ],
        share=share,
        advice="prepare batches ahead: loader workers, prefetch, pinned memory, cheaper decoding",
        experiment="perfproof ab --a 'python train.py' --b 'python train.py --synthetic-input'",
        refuted_by="with a cached or synthetic batch the step takes as long: that A/B decides",
    )


def _idle(trace: Trace) -> list[Interval]:
    """Where no device of the rank has work."""
    return difference(trace.window, trace.covered(trace.rows(Kind.KERNEL, Kind.COPY, Kind.FILL)))


def _idle_share(trace: Trace) -> float:
    return trace.share(total(_idle(trace)))
