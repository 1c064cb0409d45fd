"""What a call leaves in memory: a result that the next call overwrites, and objects that are never freed.

Both are lawful where the program copies results and ends soon, and both are gains that the baseline does not have.
"""

import gc
import sys
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from perfproof.worker.verify.case import Contract, attempt
from perfproof.worker.verify.outputs import share_memory

ROUNDS, CALLS = 4, 4  # a small cache is full after the first round
LONG_ROUNDS, LONG_CALLS, LONG_SECONDS = 8, 64, 2.0  # the guards of a compiled module remember some hundred objects
TIMES = 2  # what the baseline leaves: libraries leave a block or two per call

Side = Callable[..., Any]  # returns its result as it is, not a copy


def check(contract: Contract, sides: Mapping[str, Side], drawn: list[tuple], is_short: bool) -> list[str]:
    """Lines about variants that do what the baseline does not; it is the first of the sides. Growth takes calls."""
    found: list[str] = []
    (_, baseline), *variants = sides.items()
    for name, call in variants:
        if _overwrites(call, contract, drawn) and not _overwrites(baseline, contract, drawn):
            found.append(f"{name} returns memory that its next call overwrites: copy a result before the next call")
        if (
            is_short
            and min(kept := _growth(call, contract, drawn)) >= CALLS
            and min(kept) > TIMES * max(_growth(baseline, contract, drawn))
            and _still_grows(call, contract, drawn)
        ):
            found.append(f"{name} keeps objects of every call: a program that runs on needs more and more memory")
    return found


def _overwrites(call: Side, contract: Contract, drawn: list[tuple]) -> bool:
    first, second = (attempt(call, *contract.copied(one)) for one in drawn[:2])
    return share_memory(first, second)


def _growth(call: Side, contract: Contract, drawn: list[tuple]) -> list[int]:
    """Blocks of memory that each round of calls leaves behind. The interpreter counts its own, so that is exact."""
    left = [_blocks_after(CALLS, call, contract, drawn) for _ in range(ROUNDS)]
    return [after - before for before, after in pairwise(left)]


def _still_grows(call: Side, contract: Contract, drawn: list[tuple]) -> bool:
    """No long round, of as many as there is time for, leaves less than an object per call: no limit is in sight."""
    ends = time.process_time() + LONG_SECONDS
    before = _blocks_after(CALLS, call, contract, drawn)
    for _ in range(LONG_ROUNDS):
        after = _blocks_after(LONG_CALLS, call, contract, drawn)
        if after - before < LONG_CALLS:
            return False
        if time.process_time() > ends:
            break
        before = after
    return True


def _blocks_after(calls: int, call: Side, contract: Contract, drawn: list[tuple]) -> int:
    for at in range(calls):
        attempt(call, *contract.copied(drawn[at % len(drawn)]))
    gc.collect()
    return sys.getallocatedblocks()
