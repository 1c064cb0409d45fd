"""What sampled stacks say about the thread that launches a GPU's work: Python in a model's forward, and waits."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.sampled import LEAST_MS, LEAVES, LOADER, POOLS, SLEEPS, Lines, Sample, lines_of

MOSTLY, WORTH_NAMING = 0.7, 0.2  # of the time of lines outside of operators; of all of the time
OF_GAPS = 0.5  # of the time that they have to explain
WORKS = 0.2  # of the launching thread's time: another thread that works so much may be what is waited for
ASKS = 0.5  # of the launching thread's time, that others wait for an answer
TIMED = re.compile(r"\bsleep\(|\btimeout\b|\bwait\([^)]|\bwait_for\([^)]*,|\bget\([^)]*,|\bpoll\([^)]")
ANSWER = re.compile(r"\b(result|wait)\(")
ELSEWHERE = (LOADER, "torch.distributed", "multiprocessing.", *POOLS)  # such waits have rules of their own


def in_model(evidence: Evidence, gaps: float) -> Lines | None:
    """Lines outside of operators in what a model's forward calls, if they take most of the time of all such lines, and
    enough to explain these gaps (a share of the step)."""
    code, samples = sampled.other_code(evidence), sampled.working_samples(evidence)
    if code is None or code.share <= WORTH_NAMING:
        return None
    known = {line for line, _ in code.lines}
    found = [one for one in samples if one.own in known and not (one.waits or one.in_operator or one.in_framework)]
    inside = [one for one in found if one.in_forward and not any(frame.startswith(LOADER) for frame in one.frames)]
    lines = lines_of(inside, samples)
    return lines if lines and _total(inside) > MOSTLY * _total(found) and lines.share >= OF_GAPS * gaps else None


@dataclass(frozen=True)
class Wait:
    """Lines on which the launching thread waits: up to a time limit, by the clock, and whether others need answers."""

    lines: Lines
    is_timed: bool
    sleeps: bool
    others_ask: bool


def wait_of_launching_thread(evidence: Evidence) -> Wait | None:
    """Waits for a clock, a queue or a peer, not for the GPU, while no other thread of the program works."""
    by_thread = sampled.samples_by_thread(evidence)
    computing = {thread: _total([one for one in own if _computes(one)]) for thread, own in by_thread.items()}
    thread = max(computing, key=lambda one: computing[one], default="")
    if not thread or not computing[thread] or _total(by_thread[thread]) < LEAST_MS:
        return None
    own = by_thread.pop(thread)
    whole = _total(own)
    if any(_total([one for one in other if not one.waits]) > WORKS * whole for other in by_thread.values()):
        return None
    lines = lines_of([one for one in own if _idles(one)], own)
    if lines is None:
        return None
    text = lines.texts[0]
    asking = sum(_total([one for one in other if _asks(one)]) for other in by_thread.values())
    return Wait(lines, TIMED.search(text) is not None, SLEEPS.search(text) is not None, asking > ASKS * whole)


def _computes(one: Sample) -> bool:
    return not one.waits and (one.in_operator or one.in_framework)


def _idles(one: Sample) -> bool:
    if not (one.waits and one.own) or one.in_framework or one.kind is not None:
        return False
    leaves = one.for_thread or one.for_peer or LEAVES.search(one.text) is not None
    return leaves and not any(frame.startswith(ELSEWHERE) for frame in one.frames)


def _asks(one: Sample) -> bool:
    """Does it wait for something that another thread is to hand over? The end of a thread is not meant."""
    joins = any(frame.startswith("threading:join") for frame in one.frames)
    return one.waits and bool(one.own) and one.for_thread and not joins and ANSWER.search(one.text) is not None


def _total(samples: Sequence[Sample]) -> float:
    return sum(one.milliseconds for one in samples)
