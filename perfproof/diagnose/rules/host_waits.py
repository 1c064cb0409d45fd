"""The program waits for something that computes nothing: a lock, a timer, a disk, another thread.

With a GPU only waits of the thread that launches its work count, while the GPU has nothing to do.
"""

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.diagnose import device_hosts, sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.thread_count import computing_threads, counted_threads
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent

WAITS, WAITS_MUCH = 0.15, 0.35  # of the time
LOCKED = 0.5  # of the time, with tasks that wait for one lock
THREADS = 2.0  # that can run, on average, beside the one that samples
ALL_WAIT = 0.1  # processes that can run
MANAGED = 0.3  # of the time that a manager's process can run; it computes nothing itself
HOW = "sampled stacks beside a trace, at least 100 ms of them: `perfproof profile --duration 10s -- python train.py`"


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="host_waits", missing=HOW)
    lines = sampled.waits(evidence)
    if evidence.uses_gpu:
        return _beside_device(evidence)
    if asleep := sampled.sleeps_beside_idle_workers(evidence):
        return _sleeps(asleep)
    if lines is None or lines.share <= WAITS:
        return None
    if (queued := sampled.queues_for_lock(evidence)) and queued.share > LOCKED:
        return _one_lock(queued)
    if (line := sampled.threads_in_line(evidence)) and line.share > LOCKED:
        return _held_lock(line, lines.share)
    if delayed := sampled.delayed_connection(evidence):
        return _both_ends(delayed, "the server's thread waits for the next request")
    threads, late = counted_threads(evidence), sampled.late_callbacks(evidence)
    peer = sampled.waits_for_peer(evidence)
    if threads is not None and peer is not None and threads.processes > 0 and threads.processes_can_run < ALL_WAIT:
        return _both_ends(peer, "the processes that the program started wait as well")
    if threads is not None and threads.managers_can_run >= MANAGED:
        return _for_manager(lines, threads.managers_can_run)
    if threads is not None and threads.processes_can_run >= 1:
        return _for_processes(lines, threads.processes_can_run)
    if computing_threads(evidence) >= THREADS:
        return None  # what is waited for are threads of a library that compute
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


def parts_beside_device(evidence: Evidence) -> dict[str, float]:
    """What of a GPU's idle time is a wait that this rule names."""
    found = _beside_device(evidence)
    return {} if found is None else {"host_waits": found.share or 0.0}


def _beside_device(evidence: Evidence) -> Finding | None:
    """Other waits of the launching thread are for the GPU. A server that nobody asks may wait as long as it likes."""
    wait = device_hosts.wait_of_launching_thread(evidence) if evidence.device_traces else None
    threads = counted_threads(evidence)
    processes = threads.processes_can_run if threads is not None else 0.0
    if wait is None or processes >= 1 or computing_threads(evidence) >= THREADS:
        return None  # what is waited for computes on CPUs
    busy = min(trace.share(max(trace.busy_ns.values())) for trace in evidence.device_traces)
    share = min(wait.lines.share, 1 - busy)
    if share <= WAITS:
        return None
    confidence: Confidence = "low"
    if wait.others_ask and (wait.is_timed or wait.sleeps):
        confidence = confidence_of(share, WAITS, WAITS_MUCH)
    elif wait.sleeps:
        confidence = "medium"
    text = (
        f"for {percent(wait.lines.share)} of its time the thread that launches the GPU's work waits in "
        f"{wait.lines.listed()}, and the GPU is idle for {percent(1 - busy)} of the step"
    )
    text += "; other threads wait for its answers meanwhile" if wait.others_ask else ""
    return Finding(
        rule="host_waits",
        title="the program waits while the GPU has nothing to do",
        confidence=confidence,
        evidence=[Proof(text=text, place=wait.lines.lines[0][0], values={"share": wait.lines.share})],
        share=share,
        advice="start with what is there: take what the queue has (get_nowait) and run it, and wait only while the "
        "queue is empty; a shorter delay for a batch to fill, and no larger batch than there can be requests at once; "
        "wait for an event in place of a sleep",
        experiment=COMPARE_CHANGE,
        refuted_by="with a shorter delay no more requests are answered per second, and each takes as long",
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


def _held_lock(lines: sampled.Lines, waits: float) -> Finding:
    text = (
        f"for {percent(lines.share)} of the time of the threads that use it, they wait for a lock whose holder waits "
        f"for something itself, inside of the block, in {lines.listed()}"
    )
    return Finding(
        rule="host_waits",
        title="threads wait for one lock that is held during a wait",
        confidence=confidence_of(waits, WAITS, WAITS_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=waits,
        advice="hold the lock only around shared data: look up, release it, ask or read without it, and take it again "
        "to store the answer; one lock per key; one connection per thread",
        experiment=COMPARE_CHANGE,
        refuted_by="what is done under the lock can be done by one thread at a time only",
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


def _for_manager(lines: sampled.Lines, can_run: float) -> Finding:
    """What the processes ask of a manager costs them more than what it costs the manager."""
    text = (
        f"for {percent(can_run)} of the time the process of multiprocessing.Manager() is busy with what other "
        f"processes ask of it, while the main one waits in {lines.listed()}"
    )
    return Finding(
        rule="host_waits",
        title="processes work on objects of a manager, one access at a time",
        confidence="medium",
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": can_run})],
        share=lines.share,
        advice="each access of a manager's dict or list is a message to another process and back: count or collect in "
        "the worker's own variables and hand the result over once, or share the memory (shared_memory, Array)",
        experiment=COMPARE_CHANGE,
        refuted_by="with own variables in each worker the program takes as long",
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
