"""The program's own code, or a library that it calls, takes the time outside of operators."""

import re
from collections import Counter

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import misuses, sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.hints import hint_for, implicit_for
from perfproof.diagnose.kinds_of_work import STARTING
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.rules.input_bound import restarts_share
from perfproof.diagnose.sampled import Lines
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent
from perfproof.profile.readers.kineto import NO_TIMES

TAKES, TAKES_MUCH = 0.15, 0.35  # of the time
EXPLAINED_BY = (
    *("input_bound", "host_work", "blocked_loop", "gil_bound"),
    *(
        "repeated_calls",
        "same_matrix",
        "operands",
        "growing_work",
        "useless_cache",
        "short_steps",
        "launch_bound",
        "host_sync",
    ),
)
OF_A_FUNCTION = 0.4  # of the time
OF_ITS_KIND = 0.4  # of the named work with most of the time: then it is more precise than that
OPERATORS_A_STEP = 2  # with fewer the program computes elsewhere, and its other code may be just that


# What has a table of contents or a session of its own, which every opening reads or makes again.
OPENS = re.compile(r"\b(ZipFile|TarFile|tarfile\.open|h5py\.File|Dataset|lmdb\.open|sqlite3\.connect|connect)\(")
KEEP_OPEN = (
    "open it once and keep it open, one per thread or process: each opening reads its table of contents, or begins a "
    "session"
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="python_code", missing=HOW)
    if evidence.uses_gpu and not evidence.device_traces:
        return Abstained(rule="python_code", missing=NO_TIMES)  # whether the GPU hides it is not known
    named, other = sampled.named_work(evidence), sampled.other_code(evidence)
    uses_device = named is not None and named.kind is not None and named.kind.uses_device
    if _idle_share(evidence) <= TAKES and not uses_device:
        return None  # what the host does is hidden behind the device
    misused = misuses.worst(evidence)
    if misused is not None and misused[1].share > max(TAKES, OF_ITS_KIND * (named.share if named else 0.0)):
        return _misused(*misused)
    if named is not None and named.kind is not None and named.share > (TAKES_MUCH if named.kind.may_be_due else TAKES):
        return _named(named, restarts_share(evidence) if named.kind == STARTING else 0.0)
    if other is None or other.share <= TAKES:
        return None
    computes = any(len(trace.rows(Kind.OPERATOR)) >= OPERATORS_A_STEP * len(trace.steps) for trace in evidence.traces)
    return _other(other) if computes and not sampled.is_unseen(evidence) else _alone(other, sampled.held(evidence))


def _idle_share(evidence: Evidence) -> float:
    """How much of the step the least busy device is idle; 1 without a device."""
    busy = [trace.share(max(trace.busy_ns.values())) for trace in evidence.device_traces]
    return 1 - min(busy, default=0.0)


def _named(lines: Lines, restarts: float) -> Finding:
    """`restarts`: the share in which a loader starts its processes; input_bound names it if it is more."""
    assert lines.kind is not None
    parts = dict.fromkeys(("repeated_calls", "same_matrix", "growing_work", "useless_cache"), lines.share)
    parts |= {"input_bound": lines.share} if restarts > lines.share else {}
    text = f"{percent(lines.share)} of the time goes into {lines.kind.what}, called from {lines.listed()}"
    return Finding(
        rule="python_code",
        title=f"{lines.kind.what}: much of the time",
        confidence="low" if lines.kind.may_be_due else confidence_of(lines.share, TAKES, TAKES_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice=KEEP_OPEN if OPENS.search(lines.texts[0]) else lines.kind.advice,
        experiment=COMPARE_CHANGE,
        refuted_by="without it the program takes as long",
        parts=parts,
        basis="facts",
    )


def _misused(misuse: misuses.Misuse, lines: Lines) -> Finding:
    text = f"{percent(lines.share)} of the time: {misuse.what}, in {lines.listed()}"
    return Finding(
        rule="python_code",
        title=misuse.what,
        confidence=confidence_of(lines.share, TAKES, TAKES_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice=misuse.advice,
        experiment=COMPARE_CHANGE,
        refuted_by=misuse.refuted_by,
        parts=dict.fromkeys(("repeated_calls", "same_matrix", "growing_work", "useless_cache"), lines.share),
        basis="facts",
    )


def _alone(lines: Lines, held: Lines | None) -> Finding | None:
    """Without operators the code may be what computes. Python holds the interpreter's lock, array libraries do not.

    If no function has much of the time, it is a program of Python, and that says nothing against it.
    """
    if held is None or held.share <= TAKES:
        return None  # busiest_line names it
    text = (
        f"for {percent(held.share)} of the time Python code runs, no library that computes on arrays: {held.listed()}"
    )
    proof = Proof(text=text, place=held.lines[0][0], values={"share": held.share})
    known = implicit_for(held.lines[0][0])[0]
    unknown = not any(held.texts)
    is_told = known or unknown or hint_for(held.texts[:1]) or NUMERIC.search(held.texts[0])
    sure = "medium" if is_told and _most_of_a_function(held) >= OF_A_FUNCTION else "low"
    title = known or "Python code takes the time"
    update = {"title": title, "confidence": sure, "evidence": [proof], "share": held.share}
    return _other(lines).model_copy(update=update)


# Arithmetic on items, one by one, is what arrays do at once; what looks up keys and moves objects may be just needed.
NUMERIC = re.compile(r"\w\[[^\]]+\]\s*[-+*/%]|[-+*/%]=?\s*\w+(\.\w+)*\[|\bmath\.|\*\*|\babs\(|\bsum\(")


def _most_of_a_function(lines: Lines) -> float:
    shares: Counter[str] = Counter()
    for line, share in lines.lines:
        shares[line.rpartition(":")[0]] += share  # type: ignore[assignment]
    return max(shares.values())


def _other(lines: Lines) -> Finding:
    """If the trace sees the same time as late input or as other work, it stands there."""
    text = f"{percent(lines.share)} of the time is in lines that hardly call operators: {lines.listed()}"
    title, advice = implicit_for(lines.lines[0][0])
    return Finding(
        rule="python_code",
        title=title or "code outside of operators takes the time",
        confidence=confidence_of(lines.share, TAKES, TAKES_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice=advice
        or hint_for(lines.texts)
        or "compute whole arrays instead of single values, do it once before the loop, or in worker processes",
        experiment="perfproof profile --tool perf -- COMMAND",
        refuted_by="without these lines the program takes as long",
        parts=dict.fromkeys(EXPLAINED_BY, lines.share),
    )
