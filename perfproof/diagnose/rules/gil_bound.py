"""Another Python thread holds the interpreter's lock, and the thread that drives the step waits for it; or several
threads run Python, of which only one can at a time; or one thread keeps the lock from another.

The first needs stacks of the threads that held the lock, in a file whose name has `gil` in it, as nothing in such a
file says how it was recorded: `perfproof profile --tool gil`, or `py-spy record --gil --threads -f raw -o gil.txt`. The
second needs the stacks that `perfproof profile` samples beside a trace.
"""

from collections import Counter
from pathlib import Path

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Events
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import STACKS, Evidence
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short

OTHERS = 0.50  # of the samples in which somebody held the lock
CERTAIN = 0.80
TURNS = 0.50  # of the time, with one of several threads in Python
WAITS, WAITS_MUCH = 0.15, 0.35  # of a thread's time
ENOUGH = 50  # samples
THREAD = "thread ("  # how py-spy begins the outermost frame when it is asked for threads
MAIN = "MainThread"
STARTING = ("_find_and_load", "_load_unlocked", "exec_module")  # imports: before the program's own work
HOW = "`perfproof profile --tool gil -- COMMAND`"


def find(evidence: Evidence) -> Finding | Abstained | None:
    files = [(path, events) for path, events in evidence.tables if events.source in STACKS]
    held = [(path, _by_thread(events)) for path, events in files if "gil" in Path(path).name.lower()]
    held = [(path, threads) for path, threads in held if threads.total() >= ENOUGH]
    if not held and sampled.working_samples(evidence):
        return _in_turns(sampled.contending(evidence)) or _keeps(sampled.starved(evidence))
    if not held:
        missing = f"{ENOUGH} samples of the threads that hold the interpreter's lock: {HOW}"
        return Abstained(rule="gil_bound", missing=missing)
    path, threads = max(held, key=lambda one: _others(one[1]))
    return _finding(path, threads) if _others(threads) > OTHERS else None


def _in_turns(found: sampled.Contending | None) -> Finding | None:
    if found is None or found.lines.share <= TURNS:
        return None
    text = f"for {percent(found.lines.share)} of the time one of {found.threads} threads runs Python, and the others "
    text += f"wait for the interpreter's lock: {found.lines.listed()}"
    return Finding(
        rule="gil_bound",
        title=f"{found.threads} threads run Python, one at a time",
        confidence="high" if found.lines.share > CERTAIN else "medium",
        evidence=[Proof(text=text, place=found.lines.lines[0][0], values={"threads": float(found.threads)})],
        share=found.lines.share * (1 - 1 / found.threads),
        advice="processes in place of threads (ProcessPoolExecutor, loader workers), or code that releases the lock",
        experiment=COMPARE_CHANGE,
        refuted_by="with as many processes the program takes as long",
        basis="facts",
    )


def _keeps(found: sampled.Starved | None) -> Finding | None:
    if found is None or found.waits.share <= WAITS:
        return None
    text = f"for {percent(found.waits.share)} of the time {found.waits.listed()} waits for the interpreter's lock, "
    text += f"while the thread {found.thread!r} works: {found.holder.listed()}"
    return Finding(
        rule="gil_bound",
        title=f"the thread {found.thread!r} keeps the interpreter's lock from others",
        confidence=confidence_of(found.waits.share, WAITS, WAITS_MUCH),
        evidence=[Proof(text=text, place=found.holder.lines[0][0], values={"share": found.waits.share})],
        share=found.waits.share,
        advice="do that thread's work in a process, in shorter calls, or in code that releases the lock",
        experiment=COMPARE_CHANGE,
        refuted_by="without that thread the program takes as long",
        basis="facts",
    )


def _by_thread(events: Events) -> Counter[str]:
    """Samples of each thread's own work, by its name."""
    threads: Counter[str] = Counter()
    for total in events.totals:
        if total.path and total.path[0].startswith(THREAD) and not _is_import(total.path):
            threads[short(total.path[0].partition("): ")[2])] += round(total.values.get("samples", 0))
    return threads


def _is_import(path: tuple[str, ...]) -> bool:
    return any(frame.startswith(STARTING) for frame in path)


def _others(threads: Counter[str]) -> float:
    return 1 - threads[MAIN] / threads.total()


def _finding(path: str, threads: Counter[str]) -> Finding:
    others = _others(threads)
    name, samples = next((one for one in threads.most_common() if one[0] != MAIN), ("unnamed", 0))
    text = (
        f"in {percent(others)} of {threads.total()} samples with the lock held, a thread other than the main one "
        f"holds it; most of all {name!r}, {samples} samples"
    )
    return Finding(
        rule="gil_bound",
        title=f"the thread {name!r} keeps the interpreter's lock from the step",
        confidence="high" if others >= CERTAIN else "medium",
        evidence=[Proof(text=text, place=path, values={"others": others, "samples": threads.total()})],
        share=None,  # samples with the lock held have no time without it beside them
        advice="move that thread's Python work to a process (DataLoader workers), or into code that releases the lock",
        experiment=COMPARE_CHANGE,
        refuted_by="the step takes as long with that thread stopped, its data prepared beforehand",
    )
