"""Parts of one argument that nothing proves to be read: parameters of a module, fields of a record, items of a dict.

An argument as a whole matters if one part of it does. A part that can be exchanged without a trace may go unread (a
branch with a factor of 1e-6), or hold the answer (a norm that `inputs` has worked out).
"""

import copy
import dataclasses
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from perfproof.core.trees import clone, is_record
from perfproof.worker.verify.case import Answer, Contract, attempt
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.outputs import same_bits
from perfproof.worker.verify.relevance import APART

MOST_SECONDS = 1.0  # of CPU time
MOST_NAMED = 3


def check(contract: Contract, baseline: Callable[[tuple], Answer], drawn: list[tuple]) -> list[str]:
    """A line for each argument with such parts: with those of two other draws the baseline's answer is the same."""
    started, found = time.process_time(), []
    usual = attempt(baseline, contract.copied(drawn[0]))
    for at, name in enumerate(contract.names):
        unread = []
        for part in _parts(drawn[0][at]) if name not in {*contract.mutates, *contract.lent} else ():
            if time.process_time() - started > MOST_SECONDS or isinstance(usual, Exception):
                break
            others = [_exchanged(drawn[0], other, at, part) for other in drawn[1:]]
            if all(one is not None and _is_same(attempt(baseline, one), usual, contract) for one in others):
                unread.append(f"{name}.{part}")
        if unread:
            more = f" and {len(unread) - MOST_NAMED} more parts" if len(unread) > MOST_NAMED else ""
            shown = ", ".join(f"`{one}`" for one in unread[:MOST_NAMED])
            found.append(f"nothing proves that {shown}{more} are read: other draws of them leave the answer as it is")
    return found


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, torch.nn.Module):
        yield from dict(value.named_parameters())
    elif type(value) is dict:
        yield from (key for key in value if type(key) is str)
    elif is_record(value):
        yield from (field.name for field in dataclasses.fields(value))


def _exchanged(mine: tuple, other: tuple, at: int, part: str) -> tuple | None:
    """A copy with that part of another draw; None if the two draws have it alike, or of another shape."""
    values = clone(mine)
    value, given = values[at], other[at]
    if isinstance(value, torch.nn.Module):
        old, new = value.get_parameter(part), dict(given.named_parameters()).get(part)
        if new is None or new.shape != old.shape or same_bits(old, new):
            return None
        with torch.no_grad():
            old.copy_(new)
        return values
    old, new = (_read(one, part) for one in (value, given))
    if same_bits(old, new) or getattr(old, "shape", ()) != getattr(new, "shape", ()):
        return None
    if type(value) is dict:
        value[part] = clone(new)
        return values
    changed = copy.copy(value)
    object.__setattr__(changed, part, clone(new))  # fields may be frozen
    return (*values[:at], changed, *values[at + 1 :])


def _read(value: Any, part: str) -> Any:
    return value.get(part) if type(value) is dict else getattr(value, part)


def _is_same(found: Any, usual: Answer, contract: Contract) -> bool:
    return not isinstance(found, Exception) and difference(found, usual, contract.tolerance).of_tolerance <= APART
