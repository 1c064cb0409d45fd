"""The host cannot launch kernels as fast as the GPU finishes them."""

from dataclasses import dataclass
from statistics import fmean, median

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import gaps, host, sampled
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.launched import around_launches
from perfproof.diagnose.rules.host_sync import reading_times
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, short, time
from perfproof.profile.intervals import intersection, total, union
from perfproof.profile.launches import launch_of_work, launches, queue_depths

SHORT_NS = 10_000  # of device work under a launch, median
HOST_TO_WORK = 0.8  # the host's time in launching calls and the operators around them over the device's in their work
SHALLOW = 2.0  # launches that wait in the queue, mean over time: with more, the host is ahead
OPTIMIZER, MUCH_OF_IT = "Optimizer.step", 0.4  # of the kernels
LOST, MUCH_LOST = 0.05, 0.15  # of the step, in gaps that wait for a launch


@dataclass(frozen=True)
class Launching:
    """How one device was fed."""

    trace: Trace
    device: int
    launches: int
    work_ns: float  # a launch, median; a graph is one launch
    call_ns: float  # mean
    ratio: float  # host's time in launching calls and operators over the device's time in the work
    depth: float
    lost: float  # share of the step
    between_reads: float  # of it, while values are read one by one


def find(evidence: Evidence) -> Finding | Abstained | None:
    looked = [_look(trace, device) for trace in evidence.device_traces for device in trace.used_devices]
    known = [one for one in looked if one is not None]
    if not known:
        return Abstained(rule="launch_bound", missing=NO_DEVICE_TRACE)
    worst = max(known, key=lambda one: one.lost)
    behind = worst.depth <= SHALLOW or worst.lost > MUCH_LOST  # part of the step may have a full queue
    bound = worst.work_ns < SHORT_NS and worst.ratio >= HOST_TO_WORK and behind
    return _finding(worst, sampled.busiest(evidence)) if bound and worst.lost > LOST else None


def _look(trace: Trace, device: int) -> Launching | None:
    events = trace.events
    rows = [row for row in trace.rows(Kind.KERNEL) if events.device[row] == device]
    work: dict[int, int] = {}
    for row, call in launch_of_work(events, rows).items():
        work[call] = work.get(call, 0) + events.end_ns[row] - events.start_ns[row]
    made = launches(events, rows)
    if not made:
        return None
    depths = [mean for depth in queue_depths(events, rows) if (mean := depth.mean()) is not None]
    calls = [launch.call_ns for launch in made]
    around = [*(launch.call for launch in made), *host.outermost_operators(trace)]
    waiting = [(gap.start_ns, gap.end_ns) for gap in gaps.idle_gaps(trace, device) if gap.cause == "launch"]
    reading = reading_times(trace, host.sync_calls(trace))
    return Launching(
        trace=trace,
        device=device,
        launches=len(made),
        work_ns=median(work.values()),
        call_ns=fmean(calls),
        ratio=total(trace.covered(around)) / max(1, sum(work.values())),
        depth=max(depths, default=0.0),
        lost=trace.share(sum(end - start for start, end in waiting)),
        between_reads=trace.share(total(intersection(union(waiting), reading))),
    )


def _of_optimizer(one: Launching) -> list[Proof]:
    """If it launches much of all: then its loop over the parameters is what takes the time."""
    events = one.trace.events
    found = [
        name
        for around in around_launches(one.trace).values()
        for name in [next((events.name(row) for row in around if events.name(row).startswith(OPTIMIZER)), "")]
    ]
    inside = [name for name in found if name]
    if len(inside) <= MUCH_OF_IT * len(found):
        return []
    text = f"{percent(len(inside) / len(found))} of the kernels are launched by {short(inside[0])}"
    return [Proof(text=text, values={"by_optimizer": len(inside) / len(found)})]


def _finding(one: Launching, lines: sampled.Lines | None) -> Finding:
    a_step = one.launches / len(one.trace.steps)
    return Finding(
        rule="launch_bound",
        title="launching takes longer than the work",
        confidence=confidence_of(one.lost, LOST, MUCH_LOST),
        evidence=[
            Proof(
                text=f"{a_step:.0f} launches a step; half of them start no more than {time(one.work_ns)} of work; a "
                f"launching call takes {time(one.call_ns)}, and with the operators around them the host is busy for "
                f"{one.ratio:.1f} times as long as the device",
                place=f"{one.trace.label}, device {one.device}",
                values={"launches_a_step": a_step, "work_s": one.work_ns / 1e9, "call_s": one.call_ns / 1e9},
            ),
            Proof(
                text=f"{percent(one.lost)} of the step is gaps that wait for the next launch; on average "
                f"{one.depth:.1f} launches wait in the queue",
                values={"lost_share": one.lost, "queue_depth": one.depth},
            ),
            *_of_optimizer(one),
            *([Proof(text=f"lines that launch: {lines.listed()}", place=lines.lines[0][0])] if lines else []),
        ],
        share=one.lost,
        advice="if a loop of the program launches them, one operator for all of its turns (a batched product, vmap, "
        "index_add_, a segmented reduction, foreach=True or fused=True of an optimizer); else capture the step in a "
        'CUDA graph, use torch.compile(mode="reduce-overhead"), or a larger batch',
        experiment="perfproof run ch12:graph_replay",
        refuted_by="with a CUDA graph the step takes as long as before",
        parts={"host_sync": one.between_reads} if one.between_reads else {},
    )
