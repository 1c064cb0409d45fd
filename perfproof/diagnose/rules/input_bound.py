"""The step waits for its input.

A DataLoader marks its waits, and so may a program. Without marks: the host works while the GPU has nothing to do, and
then copies data to it; or, without a GPU, no operator runs, and then Python's data becomes a tensor.
"""

import re

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import device_hosts, gaps, host, sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.hints import hint_for
from perfproof.diagnose.kinds_of_work import STARTING
from perfproof.diagnose.rules import host_waits
from perfproof.diagnose.rules.thread_count import computing_threads
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short, time
from perfproof.profile.children.running_text import GROWS
from perfproof.profile.host_names import is_input
from perfproof.profile.idle_causes import thread_of
from perfproof.profile.intervals import Interval, difference, intersection, total

WAITS, WAITS_MUCH = 0.05, 0.20  # of the step
INFERRED, INFERRED_MUCH = 0.10, 0.30  # of the step, without marks
SEED, STARTS_NS, STARTS = "aten::random_", 10_000_000, 2  # a shorter pause starts no processes
MANY_PROCESSES = re.compile(r"enumerate\(DataLoader\)#_MultiProcessing\w*\.__next__")
THREADS = 3.0  # of the program compute meanwhile, on average: the work is done on many cores already
NO_MARK = (
    "ranges that mark where the program takes its next batch: a torch DataLoader makes them, "
    'otherwise `with record_function("next_batch"):`'
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.traces:
        return Abstained(rule="input_bound", missing="a trace: `perfproof profile --tool torch -- python train.py`")
    marked = [trace for trace in evidence.traces if host.input_waits(trace)]
    inferred = [finding for trace in evidence.traces if (finding := _infer(trace, evidence)) is not None]
    if not marked and inferred:
        return max(inferred, key=lambda finding: finding.share or 0.0)
    if not marked:
        busy = [trace for trace in evidence.device_traces if _idle_share(trace) <= WAITS]
        if busy and len(busy) == len(evidence.traces):
            return None  # no device waits for anything
        return Abstained(rule="input_bound", missing=NO_MARK)
    found = [finding for trace in marked if (finding := _judge(trace, evidence)) is not None] or inferred
    restarts = [one for trace in marked if (one := _restarts(trace)) is not None]
    restart, work = max(restarts, key=lambda one: one.share or 0.0, default=None), sampled.named_work(evidence)
    starting = work if work and work.kind == STARTING else None
    if restart and (starting is None or starting.share < (restart.share or 0.0)):
        lines = [Proof(text=f"asked for in {starting.listed()}", place=starting.lines[0][0])] if starting else []
        return restart.model_copy(update={"evidence": [*restart.evidence, *lines]})
    if not found:
        return None
    largest, named = max(found, key=lambda finding: finding.share or 0.0), work
    # A loader that starts its workers again is late because of that, not because of what they do.
    if named and named.kind == STARTING:
        return largest.model_copy(update={"parts": {**largest.parts, "python_code": named.share}})
    if named and named.kind and 2 * named.share > (largest.share or 0.0):
        return largest.model_copy(update={"advice": f"{named.kind.advice}; or prepare ahead: loader workers, prefetch"})
    return largest


def _judge(trace: Trace, evidence: Evidence) -> Finding | None:
    rows = host.input_waits(trace)
    waits = trace.covered(rows)
    lost = intersection(waits, _idle(trace)) if trace.devices else waits
    share = trace.share(total(lost))
    if share <= WAITS:
        return None
    meanwhile = "while the GPU has nothing to do" if trace.devices else "on the thread that computes"
    least = WAITS if trace.devices else INFERRED  # without a GPU the loader's work is part of what there is to do
    name = trace.events.name(max(rows, key=lambda row: trace.events.end_ns[row] - trace.events.start_ns[row]))
    proof = Proof(
        text=f"{percent(share)} of the step goes by in {short(name)} {meanwhile}: "
        f"{time(total(lost) / len(trace.steps))} per step, {_times(len(rows) / len(trace.steps))}",
        place=trace.place(max(rows, key=lambda row: trace.events.end_ns[row] - trace.events.start_ns[row])),
        values={"share": share, "seconds_a_step": total(lost) / len(trace.steps) / 1e9},
    )
    code = sampled.loading(evidence)
    found = _finding([proof, *_named(code)], share, confidence_of(share, least, WAITS_MUCH))
    again = sampled.repeats_in_loader(evidence)
    found = found.model_copy(update={"parts": {"repeated_calls": min(share, again)} if again else {}})
    hint = hint_for(code.texts) if code else ""
    return found.model_copy(update={"advice": f"{hint}; or prepare ahead: loader workers, prefetch"} if hint else {})


def _times(waits: float) -> str:
    return "one wait per step" if round(waits, 1) == 1 else f"{waits:.1f} waits per step"


def restarts_share(evidence: Evidence) -> float:
    """The share of the time in which a loader starts its processes anew for short epochs."""
    return max((one.share or 0.0 for trace in evidence.traces if (one := _restarts(trace)) is not None), default=0.0)


def _restarts(trace: Trace) -> Finding | None:
    """A loader without persistent workers starts all of its processes anew for each epoch.

    A new iterator draws a seed for its workers, starts them, and is then asked for its first batch. One start in a
    recording may be the end of a long epoch by chance; two say how long an epoch is.
    """
    found = loader_starts(trace)
    lost = intersection(found, _idle(trace)) if trace.devices else found
    share = trace.share(total(lost))
    if len(found) < STARTS or share <= INFERRED:
        return None
    batches = sum(1 for row in host.input_waits(trace) if found[0][1] <= trace.events.start_ns[row] < found[-1][1])
    text = (
        f"{percent(share)} of the time goes by between the seed of a new iterator of the loader and its first batch, "
        f"{time(total(lost) / len(found))} each time, while its processes are started; an epoch has about "
        f"{batches / (len(found) - 1) - 1:.0f} batches"
    )
    finding = _finding([Proof(text=text, place=trace.moment(found[0][0]), values={"share": share})], share, "high")
    return finding.model_copy(
        update={
            "title": "the loader starts its processes anew for each short epoch",
            "confidence": confidence_of(share, INFERRED, INFERRED_MUCH),
            "advice": "persistent_workers=True, which keeps the processes over epochs; or longer epochs (one sampler "
            "that goes round), fewer workers",
            "refuted_by": "with persistent_workers=True an epoch takes as long",
        }
    )


def loader_starts(trace: Trace) -> list[Interval]:
    """The longest pause of the main thread between each seed and the batch that follows it, if it is long enough."""
    events, main = trace.events, host.main_thread(trace)
    found: list[Interval] = []
    seeded, ended, pause = False, 0, (0, 0)
    rows = [row for row in events.where(Kind.RANGE, Kind.OPERATOR) if thread_of(events, row) == main]
    for row in sorted(rows, key=events.start_ns.__getitem__):  # a batch after the last step ends a pause within it
        start, name = events.start_ns[row], events.name(row)
        if seeded and start - ended > pause[1] - pause[0]:
            pause = (ended, start)
        if is_input(name):
            if MANY_PROCESSES.match(name) and pause[1] - pause[0] > STARTS_NS:
                found.append(pause)
            seeded, pause = False, (0, 0)
        seeded = seeded or name == SEED
        ended = max(ended, events.end_ns[row])
    return found


def _infer(trace: Trace, evidence: Evidence) -> Finding | None:
    """From what follows the host's work: a batch that is copied to the GPU, or a tensor made of Python's data."""
    if trace.devices:
        spans = _before_copies(trace)
        share = trace.share(sum(end - start for start, end in spans))
    else:
        feeding = [gap for gap in host.python_gaps(trace) if gap.feeds]
        spans, share = [(gap.start_ns, gap.end_ns) for gap in feeding], host.recurring_share(trace, feeding)
        share = sampled.at_most(evidence, share)
    if share <= INFERRED or python_in_model(trace, evidence):
        return None  # Python in a model's forward is work of the step: host_work names it
    longest = max(spans, key=lambda span: span[1] - span[0])
    doing, steps = host.covering(trace, longest), len(trace.steps)
    then = "while the GPU has nothing to do, and then copies data to it" if trace.devices else "and then makes a tensor"
    proofs = [
        Proof(
            text=f"for {percent(share)} of the step the host works ({short(doing)}) {then}: "
            f"{time(share * trace.step_ns)} per step, {len(spans) / steps:.1f} times; no range marks it as input",
            place=trace.moment(longest[0]),
            values={"share": share, "seconds_a_step": share * trace.step_ns / 1e9},
        )
    ]
    code = sampled.other_code(evidence)
    if lines := _named(code):
        proofs += lines
    elif doing == host.UNNAMED:
        proofs.append(
            Proof(text="the function that does it: `perfproof profile --tool perf -- COMMAND` samples stacks")
        )
    # Without a GPU a wait, or a container that is gone through, is the cause, not that a tensor comes next.
    waits, grows = sampled.waits(evidence), sampled.growing(evidence, GROWS)
    parts = {"host_waits": waits.share if waits else 0.0, "growing_work": grows[1].share if grows else 0.0}
    parts = (
        host_waits.parts_beside_device(evidence)
        if trace.devices
        else {rule: part for rule, part in parts.items() if part > 0}
    )
    advice = {"advice": hint} if code and (hint := hint_for(code.texts)) else {}
    found = _finding(proofs, share, confidence_of(share, INFERRED, INFERRED_MUCH))
    threads = computing_threads(evidence)
    if threads >= THREADS:
        proofs.append(Proof(text=f"{threads:.1f} threads of the program can run meanwhile: a library uses many cores"))
        found = found.model_copy(update={"confidence": "low", "evidence": proofs})
    return found.model_copy(update={"parts": parts, **advice})


def python_in_model(trace: Trace, evidence: Evidence) -> sampled.Lines | None:
    """What the host does before it copies to the GPU, if it is Python in a model's forward, and no loader feeds it."""
    if not trace.devices or host.input_waits(trace):
        return None
    gap = trace.share(sum(end - start for start, end in _before_copies(trace)))
    return device_hosts.in_model(evidence, gap) if gap > INFERRED else None


def _named(lines: sampled.Lines | None) -> list[Proof]:
    if lines is None:
        return []
    proofs = [Proof(text=f"lines that take the time: {lines.listed()}", place=lines.lines[0][0])]
    if whole := lines.functions():
        proofs.append(Proof(text=f"functions, with all of their own lines: {whole}"))
    return proofs


def _before_copies(trace: Trace) -> list[Interval]:
    by_device = [
        [(gap.start_ns, gap.end_ns) for gap in gaps.idle_gaps(trace, device) if gap.cause == "input"]
        for device in trace.used_devices
    ]
    return max(by_device, key=lambda spans: sum(end - start for start, end in spans), default=[])


def _finding(proofs: list[Proof], share: float, confidence: Confidence) -> Finding:
    return Finding(
        rule="input_bound",
        title="the step waits for its input",
        confidence=confidence,
        evidence=proofs,
        share=share,
        advice="do less per item (whole tensors, no loop in Python), or prepare ahead: loader workers, prefetch",
        experiment=COMPARE_CHANGE,
        refuted_by="the step takes as long if the program reads one batch and uses it for every step",
    )


def _idle(trace: Trace) -> list[Interval]:
    """Where no device of the rank has work."""
    return difference(trace.window, trace.covered(trace.rows(Kind.KERNEL, Kind.COPY, Kind.FILL)))


def _idle_share(trace: Trace) -> float:
    return trace.share(total(_idle(trace)))
