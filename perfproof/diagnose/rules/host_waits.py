"""The program waits for something that computes nothing: a lock, a timer, a disk, another thread."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.thread_count import counted_threads
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent

WAITS, WAITS_MUCH = 0.15, 0.35  # of the time
LOCKED = 0.5  # of the time, with tasks that wait for one lock
ALL_WAIT = 0.1  # processes that can run
HOW = "sampled stacks beside a trace, at least 100 ms of them: `perfproof profile --duration 10s -- python train.py`"


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="host_waits", missing=HOW)
    lines = sampled.waits(evidence)
    if evidence.device_traces:
        return None  # the host of a GPU waits for it, and other rules look at that
    if asleep := sampled.sleeps_beside_idle_workers(evidence):
        return _sleeps(asleep)
    if lines is None or lines.share <= WAITS:
        return None
    if (queued := sampled.queues_for_lock(evidence)) and queued.share > LOCKED:
        return _one_lock(queued)
    if delayed := sampled.delayed_connection(evidence):
        return _both_ends(delayed, "the server's thread waits for the next request")
    threads, late = counted_threads(evidence), sampled.late_callbacks(evidence)
    peer = sampled.waits_for_peer(evidence)
    if threads is not None and peer is not None and threads.processes > 0 and threads.processes_can_run < ALL_WAIT:
        return _both_ends(peer, "the processes that the program started wait as well")
    if threads is not None and threads.processes_can_run >= 1:
        return _for_processes(lines, threads.processes_can_run)
    return Finding(
        rule="host_waits",
        title="the program waits and computes nothing",
        confidence=confidence_of(lines.share, WAITS, WAITS_MUCH),
        evidence=[
            Proof(
                text=f"for {percent(lines.share)} of the time the threads that do the work neither run nor queue for a "
                f"CPU; they wait in {lines.listed()}",
                place=lines.lines[0][0],
                values={"share": lines.share},
            )
        ],
        share=lines.share,
        advice="wait for an event instead of sleeping, shorten a timeout that always runs out, hold locks only around "
        "shared data, do input and output in another thread, and wait for several answers at once (asyncio.gather, a "
        "pool)",
        experiment=COMPARE_CHANGE,
        refuted_by="without that wait the program takes as long",
        parts={"gil_bound": lines.share, "blocked_loop": late.share if late else 0.0},
        basis="facts",
    )


def _sleeps(lines: sampled.Lines) -> Finding:
    text = (
        f"for {percent(lines.share)} of the time the main thread sleeps in {lines.listed()}, while the threads of its "
    )
    text += "pool wait for tasks"
    return Finding(
        rule="host_waits",
        title="the program sleeps while its workers have nothing to do",
        confidence=confidence_of(lines.share, WAITS, WAITS_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice="wait for what is done (concurrent.futures.wait, as_completed, an Event) in place of a time that is too "
        "long for short tasks; hand out the next tasks before the last ones are done",
        experiment=COMPARE_CHANGE,
        refuted_by="with a shorter sleep the program takes as long",
        basis="facts",
    )


def _one_lock(lines: sampled.Lines) -> Finding:
    text = f"for {percent(lines.share)} of the time tasks of the event loop wait for a lock at {lines.listed()}, while "
    text += "the one that holds it awaits something itself"
    return Finding(
        rule="host_waits",
        title="tasks wait for one lock that is held across an await",
        confidence=confidence_of(lines.share, WAITS, WAITS_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice="hold the lock only around shared data, not across a request; one lock per key; keep the task that asks "
        "(a future per key), which the others await",
        experiment=COMPARE_CHANGE,
        refuted_by="the lock is there to let only one request out at a time",
        basis="facts",
    )


def _both_ends(lines: sampled.Lines, other: str) -> Finding:
    """Packets are held back: Nagle's algorithm waits for an acknowledgement that the other side delays by 40 ms."""
    text = f"a client waits for an answer in {lines.listed()}, while {other}"
    return Finding(
        rule="host_waits",
        title="both ends of a connection wait",
        confidence="medium",
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice="send the head and the body of a message in one piece (a buffered writer, one write), or set "
        "TCP_NODELAY: small pieces wait for a delayed acknowledgement of 40 ms",
        experiment=COMPARE_CHANGE,
        refuted_by="with TCP_NODELAY at both ends an answer takes as long: then see what the other end waits for, with "
        "perfproof profile --pid NUMBER",
        basis="facts",
    )


def _for_processes(lines: sampled.Lines, working: float) -> Finding:
    """The processes that the program started work; what they do is not in these stacks."""
    text = (
        f"for {percent(lines.share)} of the time the main process waits in {lines.listed()}, while on average "
        f"{working:.1f} of the processes that it started can run; this recording has only the main one"
    )
    return Finding(
        rule="host_waits",
        title="the program waits for its own processes",
        confidence="low",
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share, "working": working})],
        share=lines.share,
        advice="look at one of the processes while it works: `perfproof profile --pid NUMBER --duration 10s`",
        experiment="perfproof profile --pid NUMBER --duration 10s",
        refuted_by="the processes have nothing to do with what the program waits for",
        basis="facts",
    )
