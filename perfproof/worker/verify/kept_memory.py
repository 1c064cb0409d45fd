"""What a call leaves in memory: a result that the next call overwrites, and objects that are never freed.

Both are lawful where the program copies results and ends soon, and both are gains that the baseline does not have.
"""

import gc
import sys
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from perfproof.worker.verify.case import Contract, attempt
from perfproof.worker.verify.outputs import share_memory

ROUNDS, CALLS = 4, 4
MANY_CALLS = 64  # libraries fill small caches for some ten calls, and then keep nothing more
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
            and _keeps(call, baseline, contract, drawn, CALLS)
            and _keeps(call, baseline, contract, drawn, MANY_CALLS)
        ):
            found.append(f"{name} keeps objects of every call: a program that runs on needs more and more memory")
    return found


def _overwrites(call: Side, contract: Contract, drawn: list[tuple]) -> bool:
    first, second = (attempt(call, *contract.copied(one)) for one in drawn[:2])
    return share_memory(first, second)


def _keeps(call: Side, baseline: Side, contract: Contract, drawn: list[tuple], first: int) -> bool:
    """After `first` calls, does each round leave a block per call, and more than twice what the baseline leaves?"""
    kept = min(_growth(call, contract, drawn, first))
    return kept >= CALLS and kept > TIMES * max(_growth(baseline, contract, drawn, first))


def _growth(call: Side, contract: Contract, drawn: list[tuple], first: int) -> list[int]:
    """Blocks of memory that each round of calls leaves behind. The interpreter counts its own, so that is exact."""
    left = [_blocks_after(call, contract, drawn, calls) for calls in (first, *[CALLS] * (ROUNDS - 1))]
    return [after - before for before, after in pairwise(left)]


def _blocks_after(call: Side, contract: Contract, drawn: list[tuple], calls: int) -> int:
    for at in range(calls):
        attempt(call, *contract.copied(drawn[at % len(drawn)]))
    gc.collect()
    return sys.getallocatedblocks()
