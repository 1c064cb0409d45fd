"""Training state that rounding decides: what the baseline makes of arguments that differ by a rounding.

An optimizer that goes by the sign of a gradient (Rprop), or divides it by its size, makes whole steps of a gradient
that is next to zero, and buffers follow the parameters. No side can be held closer to the reference there than the
baseline is to itself. This is asked only after a part of training state was found to differ.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from perfproof.core.trees import is_array, is_stateful, is_tensor, leaves
from perfproof.worker.verify.case import Answer, Contract, attempt
from perfproof.worker.verify.compare import Difference, answer_difference
from perfproof.worker.verify.equal_choices import with_right_places
from perfproof.worker.verify.facing import Facing, Sways, beyond
from perfproof.worker.verify.numbers import is_dense, is_floating, plain, rounding, size, wide_tensor
from perfproof.worker.verify.side_by_side import side_by_side
from perfproof.worker.verify.training_state import changed_by_reference

_abs, _sub, _max, _count, _rand = torch.abs, torch.sub, torch.max, torch.count_nonzero, torch.rand_like
TRIES, ROUNDINGS = 6, 2.0  # answers to nudged arguments, and how far these are moved at most
CHAOTIC = 0.1  # share of all elements of the state: if rounding decides more of them, nothing is excused


def apart_from(
    answer: Answer, expected: Answer, contract: Contract, arguments: tuple, baseline: Callable[[tuple], Answer]
) -> Difference:
    """How far an answer is from the reference, apart from state that rounding decides for the baseline too, and from
    another choice among equal values.
    """
    apart = answer_difference(answer, expected, contract.tolerance, arguments)
    chosen = with_right_places(answer, expected, contract, arguments, baseline) if apart.problem else answer
    if chosen is not answer:
        return replace(answer_difference(chosen, expected, contract.tolerance, arguments), other_places=True)
    sways = _sways(nudged_answers(baseline, contract, arguments), contract) if apart.problem else {}
    return answer_difference(answer, expected, contract.tolerance, arguments, sways) if sways else apart


def nudged_answers(baseline: Callable[[tuple], Answer], contract: Contract, arguments: tuple) -> list[Answer]:
    """The baseline's answer, and those to arguments that are moved by a rounding.

    None if there is no training state, or if the baseline does not answer alike twice.
    """
    before = dict(zip(contract.names, arguments, strict=True))
    if not contract.alone or not any(is_stateful(before[name]) for name in contract.mutates):
        return []
    first, again, *near = [
        attempt(baseline, _nudged(contract, arguments, ROUNDINGS * (turn > 1))) for turn in range(2 + TRIES)
    ]
    if any(isinstance(answer, Exception) for answer in (first, again, *near)):
        return []
    right = first[0], changed_by_reference(first[1], before)
    return [] if answer_difference(again, right, contract.tolerance, arguments).problem else [right, *near]


def _sways(answers: list[Answer], contract: Contract) -> Sways:
    """Per part of the state: the share of its elements that a rounding turns, and how far one goes at most.

    Nothing, if rounding decides too much of the state.
    """
    found: Sways = {}
    for answer in answers[1:]:
        parts = [pair for pair in side_by_side(answer, answers[0], contract.tolerance)[0] if _is_compared(pair)]
        if sum(_turned(pair) for pair in parts) > CHAOTIC * sum(size(pair.theirs) for pair in parts):
            return {}
        for pair in parts:
            share, reach = found.get(pair.path, (0.0, 0.0))
            turned = _turned(pair._replace(loose=None)) / size(pair.theirs)
            way = float(_max(_abs(_sub(wide_tensor(plain(pair.ours)), wide_tensor(plain(pair.theirs))))))
            found[pair.path] = max(share, turned), max(reach, way)
    return found


def _turned(pair: Facing) -> int:
    return int(_count(beyond(pair)))


def _is_compared(pair: Facing) -> bool:
    return pair.of_state and not pair.used_up and is_dense(pair.ours) and is_floating(pair.ours) and size(pair.ours) > 0


def _nudged(contract: Contract, arguments: tuple, roundings: float) -> tuple:
    """Copies with every number of tensors and arrays moved by so many roundings at most; a step count stays."""
    own = contract.copied(arguments)
    given = [value for name, value in zip(contract.names, own, strict=True) if name not in contract.lent]
    for _, leaf in leaves(given) if roundings else ():
        if (is_tensor(leaf) or is_array(leaf)) and is_dense(leaf) and is_floating(leaf) and size(leaf) > 1:
            _nudge(leaf, roundings * rounding(leaf))
    return own


def _nudge(leaf: Any, by: float) -> None:
    values = wide_tensor(plain(leaf))
    moved = values * (1 + by * (2 * _rand(values) - 1))
    if is_tensor(leaf):
        leaf.detach().copy_(moved)
    elif leaf.flags.writeable:
        leaf[...] = moved.numpy()
