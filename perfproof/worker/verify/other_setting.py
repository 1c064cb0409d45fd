"""Two revisions or environments of one function, without a reference: the second has to answer what the first does.

Each is verified in interpreters of its own, where it would only be held against itself. So the first one keeps its
answers in a file, and the second one is held against them on the same arguments. The run hands over what the file's
bytes add up to: a side cannot replace the answers that it is held against.
"""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from perfproof.core.documents import Check
from perfproof.core.trees import size_in_bytes
from perfproof.core.units import MiB
from perfproof.worker import shelf
from perfproof.worker.measure.arguments import ArgumentPool
from perfproof.worker.measure.digest import digest
from perfproof.worker.verify.case import Answer, Contract
from perfproof.worker.verify.precision_meant import meant
from perfproof.worker.verify.sway import apart_from
from perfproof.worker.verify.training_state import changed_by_reference

DRAWS, ENOUGH_SECONDS, ENOUGH_BYTES = 3, 5.0, 256 * MiB  # if calls are long or answers large, one draw has to do
NAME = "matches the other side"
REPLACED = "the answers of the other side were replaced while this one was verified"

Call = Callable[[tuple], Answer]


def keep_answers(call: Call, pool: ArgumentPool, contract: Contract, file: Path) -> str:
    """Keep a few answers, and return what the file's bytes add up to; nothing if they cannot be kept."""
    kept: list[tuple[Any, Answer]] = []
    started = time.perf_counter()
    while len(kept) < DRAWS and time.perf_counter() - started < ENOUGH_SECONDS and size_in_bytes(kept) < ENOUGH_BYTES:
        arguments = pool.draw()
        kept.append((digest(arguments), call(contract.copied(arguments))))
    shelf.keep(kept, file)
    return _sum_of(file) if file.exists() else ""


def hold_against(call: Call, pool: ArgumentPool, contract: Contract, file: Path, kept_sum: str) -> Check:
    """Hold this side's answers against those that were kept."""
    if not kept_sum:
        return _not_run("the answers of the other side cannot be handed to another process")
    if not file.exists() or _sum_of(file) != kept_sum:
        return Check(name=NAME, result="fail", detail=REPLACED)
    kept = shelf.read(file, contract.device)
    if kept is None:
        return _not_run("the answers of the other side cannot be read here")
    for told_by, (result, changed) in kept:
        arguments = pool.draw()
        expected = result, changed_by_reference(changed, dict(zip(contract.names, arguments, strict=True)))
        answer = call(contract.copied(arguments))
        apart = apart_from(answer, expected, contract, arguments, call)
        if apart.problem and digest(arguments) != told_by:
            return _not_run("`inputs` drew other values for the two sides: the ratio is that of different work")
        if apart.problem:
            said = f"b at the same inputs as the baseline: {apart.problem}"
            lower = "" if contract.lowers_precision else meant(apart, (answer, arguments))
            return Check(name=NAME, result="fail", detail=said + lower)
    return Check(name=NAME, result="pass")


def _sum_of(file: Path) -> str:
    return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()


def _not_run(why: str) -> Check:
    return Check(name=NAME, result="not-run", detail=why)
