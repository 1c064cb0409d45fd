"""What a call leaves behind: a result that later ones share, objects that are never freed, files that stay open.

All are lawful where the program copies results and ends soon, and all are gains that the baseline does not have.
"""

import gc
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy

from perfproof.worker.libraries import compiled_graphs
from perfproof.worker.verify.case import Contract, attempt
from perfproof.worker.verify.outputs import mutable_containers, share_memory

ROUNDS, CALLS = 4, 4  # a small cache is full after the first round
RESULTS, SHARED_SECONDS = 20, 0.5  # that are kept at a time, and of CPU time
LONG_ROUNDS, LONG_CALLS, LONG_SECONDS = 8, 64, 2.0  # the guards of a compiled module remember some hundred objects
OBJECTS = "objects"
TIMES = 2  # what the baseline leaves: libraries leave a block or two per call

Side = Callable[..., Any]  # returns its result as it is, not a copy


def check(contract: Contract, sides: Mapping[str, Side], drawn: list[tuple], is_short: bool) -> list[str]:
    """Lines about variants that do what the baseline does not; it is the first of the sides. Growth takes calls."""
    found: list[str] = []
    (_, baseline), *variants = sides.items()
    usual = [_kind(what) for what in _shared(baseline, contract, drawn)]
    for name, call in variants:
        found += [f"{name} {what}" for what in _shared(call, contract, drawn) if _kind(what) not in usual]
        kept = _kept(call, baseline, contract, drawn) if is_short else []
        found += [f"{name} keeps {what} of every call: a program that runs on needs more and more" for what in kept]
    return found


def _kept(call: Side, baseline: Side, contract: Contract, drawn: list[tuple]) -> list[str]:
    """What calls of the variant leave and the baseline's do not. It is asked twice: libraries grow at first."""
    kept = [what for what, steps in _growth(call, contract, drawn).items() if min(steps) >= CALLS]
    if not kept:
        return []
    own, again = (_growth(one, contract, drawn) for one in (baseline, call))
    kept = [what for what in kept if min(again[what]) >= CALLS and min(again[what]) > TIMES * max(own[what])]
    return [what for what in kept if what != OBJECTS or _still_grows(call, contract, drawn)]


def _shared(call: Side, contract: Contract, drawn: list[tuple]) -> list[str]:
    """What the results of calls have in common, all of them kept: a ring of buffers comes round after some."""
    kept: list[Any] = []
    known: set[int] = set()
    ends = time.process_time() + SHARED_SECONDS
    for at in range(RESULTS):
        result = attempt(call, *contract.copied(drawn[at % len(drawn)]))
        if any(share_memory(one, result) for one in kept):
            later = "its next call" if at == 1 else "a later call"
            return [f"returns memory that {later} overwrites: copy a result before the next call"]
        own = {id(one) for one in mutable_containers(result)}
        if own & known and at < len(drawn):
            return ["returns lists or dicts that other results hold too: a change of one changes the others"]
        known |= own
        kept.append(result)
        if at and time.process_time() > ends:
            break
    return []


def _kind(what: str) -> str:
    return what.partition(" that ")[0]


def _growth(call: Side, contract: Contract, drawn: list[tuple]) -> dict[str, numpy.ndarray]:
    """What each round of calls leaves. The interpreter counts its own blocks of memory, so that is exact."""
    counts = numpy.zeros((ROUNDS, 2), dtype=numpy.int64)  # a list would count its own numbers
    for at in range(ROUNDS):
        counts[at] = _blocks_after(CALLS, call, contract, drawn), len(os.listdir("/proc/self/fd"))
    return dict(zip((OBJECTS, "open files"), numpy.diff(counts, axis=0).T, strict=True))


def _still_grows(call: Side, contract: Contract, drawn: list[tuple]) -> bool:
    """No long round, of as many as there is time for, leaves less than an object per call: no limit is in sight.

    Guards of compiled functions have their limit behind some hundred calls, so there all rounds are needed.
    """
    ends = time.process_time() + LONG_SECONDS
    before = _blocks_after(CALLS, call, contract, drawn)
    for _ in range(LONG_ROUNDS):
        after = _blocks_after(LONG_CALLS, call, contract, drawn)
        if after - before < LONG_CALLS:
            return False
        if time.process_time() > ends:
            return not compiled_graphs()
        before = after
    return True


def _blocks_after(calls: int, call: Side, contract: Contract, drawn: list[tuple]) -> int:
    for at in range(calls):
        attempt(call, *contract.copied(drawn[at % len(drawn)]))
    gc.collect()
    return sys.getallocatedblocks()
