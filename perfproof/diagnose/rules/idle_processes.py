"""The program waits for the processes of a pool, and most of them have nothing to do: the work is shared unevenly."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.rules.thread_count import Threads, counted_threads
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent

WAITS = 0.7  # of the main thread's time
IDLE, MOSTLY_IDLE = 0.35, 0.60  # of the processes that could run at once


def find(evidence: Evidence) -> Finding | Abstained | None:
    threads = counted_threads(evidence)
    if threads is None or not sampled.samples_by_thread(evidence):
        return Abstained(rule="idle_processes", missing=HOW)
    waits, named = sampled.pool_waits(evidence), sampled.named_work(evidence)
    # Sending the tasks may be what the processes wait for.
    parts = {"python_code": named.share} if named else {}
    return None if waits is None or waits.share < WAITS else _judge(threads, waits, parts)


def _judge(threads: Threads, waits: sampled.Lines, parts: dict[str, float]) -> Finding | None:
    at_once = min(threads.processes, threads.cpus)
    idle = 1 - threads.processes_can_run / at_once if at_once > 1 else 0.0
    if idle <= IDLE:
        return None
    text = (
        f"of {threads.processes:.1f} processes {threads.processes_can_run:.1f} can run on average, and the program may "
        f"use {threads.cpus:g} CPUs; it waits for them {percent(waits.share)} of the time: {waits.listed()}"
    )
    return Finding(
        rule="idle_processes",
        title="processes of a pool have nothing to do",
        confidence=confidence_of(idle, IDLE, MOSTLY_IDLE),
        evidence=[Proof(text=text, place=waits.lines[0][0], values={"idle": idle})],
        share=idle,
        advice="smaller chunks (chunksize=1, imap_unordered), the longest tasks first; if all of them wait, look for a "
        "lock or for what they read",
        experiment=COMPARE_CHANGE,
        refuted_by="with smaller chunks the processes have as little to do",
        parts=parts,
        basis="facts",
    )
