"""Training state, part by part: how closely each part of it can be compared after a step.

Parts differ in scale: second moments are small where weights are not. A step may move a part by less than the pair's
tolerance, which then could not tell a step from none. And in some parts all terms of the gradient cancel, as for a bias
before a batch norm: what is left is rounding, and an optimizer that divides gradients by their size makes steps of it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import torch

from perfproof.core.training import Settings, parameters_of
from perfproof.core.trees import Path, is_stateful, leaves, whole
from perfproof.worker.verify.facing import Facing
from perfproof.worker.verify.many_alike import alike, kinds_of
from perfproof.worker.verify.numbers import (
    honest_rounding,
    is_floating_or_complex,
    pieces,
    plain,
    rounding,
    size,
    wide_tensor,
)

_abs, _sub, _min, _sort, _norm = torch.abs, torch.sub, torch.min, torch.sort, torch.linalg.vector_norm
_stack, _where, _count, _gather = torch.stack, torch.where, torch.count_nonzero, torch.gather
_tensor = torch.tensor

SAMPLE, BLOCK = 1 << 16, 1 << 12  # elements of a part whose steps are looked at, in blocks
TERMS = 1 << 14  # of the sums that gradients are: samples, times places in a picture or a text
STEP_LOWERED = 32.0  # spacings of a lower precision, beside a step: gradients lose more than products
LOWERED = 2.0  # spacings of a lower precision, beside the sizes of terms that cancel
VISIBLE = 0.25  # of a step: no more may be wrong about it, if the tolerance alone allows as much as the step
SIGNED = ("prev", "grad")  # the last gradient, where an optimizer goes by its sign, or keeps nothing that is known here
MAGNITUDES = ("exp_inf",)  # never negative, and yet no squares
LONGEST = 8.0  # typical steps: the longest one that an optimizer makes of rounding


class Step(NamedTuple):
    """How far a call has moved the elements of a part that it moved: the median, and the root mean square."""

    median: float = 0.0
    rms: float = 0.0


class Changed(dict[str, Any]):
    """Arguments that the reference has changed, by name, and what they were `before`."""

    before: dict[str, Any]

    @cached_property
    def steps(self) -> dict[Path, Step]:
        """How far the call has moved each part of what it changes."""
        paths, pairs = [], []
        for name, after in self.items():
            if not isinstance(after, Settings) and name in self.before:
                old = dict(leaves(self.before[name], (name,)))
                for path, new in leaves(after, (name,)):
                    if is_floating_or_complex(new) and is_floating_or_complex(old.get(path)):
                        paths.append(path)
                        pairs.append((plain(old[path]), plain(new)))
        return dict(zip(paths, _steps(pairs), strict=True))


def changed_by_reference(changed: dict[str, Any], before: dict[str, Any]) -> Changed:
    found = Changed(changed)
    found.before = before
    return found


def steps_of(answer: Any) -> dict[Path, Step]:
    """By path in the answer: see `Changed.steps`."""
    changed = answer[1] if isinstance(answer, tuple) and len(answer) == 2 else None
    return {("1", *path): step for path, step in changed.steps.items()} if isinstance(changed, Changed) else {}


def _steps(pairs: list[tuple[Any, Any]]) -> list[Step]:
    """Of each tensor, before and after; many of one shape are looked at together."""
    found = [Step()] * len(pairs)
    samples = [tuple(map(_sample, pair)) if pair[0].shape == pair[1].shape else None for pair in pairs]
    for places in alike(samples, kinds_of, least=1):
        old, new = (_stack([samples[at][side] for at in places]) for side in (0, 1))  # type: ignore[index]
        moved = _abs(_sub(wide_tensor(new), wide_tensor(old).to(new.device))).flatten(1)
        far = moved > 0  # NaN is no step
        counts = _count(far, 1).tolist()
        order = _sort(_where(far, moved, math.inf), 1).values  # torch's medians of rows are not deterministic on a GPU
        middles = _tensor([[max(0, count - 1) // 2] for count in counts]).to(order.device)
        table = _stack([_gather(order, 1, middles)[:, 0], _norm(_where(far, moved, 0.0), dim=1)], 1)
        for at, count, (median, norm) in zip(places, counts, table.tolist(), strict=True):
            found[at] = Step(median, norm / math.sqrt(count)) if count else Step()
    return found


def _sample(tensor: Any) -> Any:
    flat, blocks = tensor.reshape(-1), SAMPLE // BLOCK
    if len(flat) <= SAMPLE:
        return flat
    some = flat.unfold(0, BLOCK, (len(flat) - BLOCK) // (blocks - 1))[:blocks]
    return some if tensor.is_contiguous() else some.clone()  # of other memory `flat` is a copy, which ends here


def at_their_scale(facing: list[Facing], steps: dict[Path, Step], lowered: float = 0.0) -> list[Facing]:
    """Parts of one module or optimizer, with `atol` times the RMS of each, and small beside the step.

    `lowered` is the spacing of the format that a variant says it computes in.

    In some parts all terms cancel, as in the gradient of a bias before a softmax: what is left is the rounding of terms
    as large as those of other parts of that kind. Where no value of a kind is below zero, they are squares or may be:
    terms cancel before they are squared.
    """
    norms = {at: _norm_of(pair.theirs) for at, pair in enumerate(facing) if is_floating_or_complex(pair.theirs)}
    kinds: dict[str, list[int]] = {}
    for at in norms:
        kinds.setdefault(facing[at].path[-1].rpartition(".")[2], []).append(at)
    for places in kinds.values():
        number = sum(size(facing[at].theirs) for at in places)
        squares = all(_is_never_negative(facing[at].theirs) for at in places)
        kin = math.hypot(*(norms[at] for at in places)) / math.sqrt(max(1, number))
        for at in places:
            pair, own = facing[at], norms[at] / math.sqrt(max(1, size(facing[at].theirs)))
            lost, rounded = (honest_rounding(rounding(pair.ours), terms) for terms in (TERMS, 1))
            lost = max(lost, LOWERED * lowered)
            floor = 2 * lost * math.sqrt(own * kin) + lost**2 * kin if squares else lost * kin
            atol = min(pair.atol, max(pair.atol * own, floor))
            pair = pair._replace(atol=atol, kin=kin, cancelled=0 < own <= floor, never_negative=squares)
            facing[at] = beside_the_step(pair, own, rounded * own, steps.get(pair.path, Step()), lowered)
    return [pair._replace(of_state=True) for pair in facing]


def beside_the_step(pair: Facing, own: float, rounded: float, step: Step, lowered: float) -> Facing:
    """With a tolerance that no part passes which has made no step, or another one."""
    if pair.cancelled or not step.median or pair.rtol * own + pair.atol < VISIBLE * step.median:
        return pair
    atol = max(VISIBLE * step.median, rounded, STEP_LOWERED * lowered * step.rms)
    hidden = atol >= step.median
    return pair._replace(hidden=True) if rounded >= step.median else pair._replace(rtol=0.0, atol=atol, hidden=hidden)


@dataclass
class Family:
    """The paths of a parameter, of its gradient, and of what optimizers keep for it."""

    own: list[Path] = field(default_factory=list)
    gradients: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    is_optimized: bool = False


def follow_rounding(
    facing: list[Facing], owners: Iterable[tuple[Path, Any]], steps: dict[Path, Step], lowered: float = 0.0
) -> list[Facing]:
    """Let elements of a parameter, and all that an optimizer keeps for them, differ by steps if no gradient is there.

    Gradients that a step has used up are no result: some optimizers write into them.
    """
    places = {pair.path: at for at, pair in enumerate(facing) if pair.of_state}
    families = _families(owners)
    longest = max((steps.get(path, Step()).median for family in families for path in family.own), default=0.0)
    for family in families:
        for at in [places[path] for path in _used_up(family, steps) if path in places]:
            facing[at] = facing[at]._replace(used_up=True)
        evidence = [facing[places[path]] for path in family.kept or family.gradients if path in places]
        mask = _all_rounding(evidence, lowered)
        if mask is None or not longest:
            continue
        for path in [*family.own, *family.kept, *family.gradients]:
            pair = facing[places[path]] if path in places else None
            if pair and is_floating_or_complex(pair.theirs) and pair.theirs.shape == mask.shape:
                most = LONGEST * (longest if path in family.own else pair.kin)
                facing[places[path]] = pair._replace(loose=mask, loose_by=max(most, pair.atol))
    return facing


def used_up_gradients(example: Any, expected: Any) -> set[Path]:
    """Paths of gradients that a step of an optimizer has used, in the baseline's answer and in the reference's."""
    owners, steps = [(path, one) for path, one in whole(example) if is_stateful(one)], steps_of(expected)
    return {path for family in _families(owners) for path in _used_up(family, steps)}


def _used_up(family: Family, steps: dict[Path, Step]) -> list[Path]:
    stepped = family.is_optimized and any(steps.get(path, Step()).median for path in family.own)
    return family.gradients if stepped else []


def _all_rounding(evidence: list[Facing], lowered: float) -> Any:
    """Elements whose gradients have been nothing but rounding: small beside those of its kind, and yet not zero."""
    found = None
    for pair in evidence:
        kind = pair.path[-1].rpartition(".")[2]
        if not pair.kin or not (pair.never_negative or kind in SIGNED):
            continue
        lost = max(4 * honest_rounding(rounding(pair.ours), TERMS), LOWERED * lowered)
        floor = pair.kin * (lost**2 if pair.never_negative and kind not in MAGNITUDES else lost)
        size_of = _abs(wide_tensor(plain(pair.theirs)))
        mask = (size_of > 0) & (size_of <= floor)
        if bool(mask.any()):
            found = mask if found is None or found.shape != mask.shape else found | mask
    return found


def _families(owners: Iterable[tuple[Path, Any]]) -> list[Family]:
    found: dict[int, Family] = {}
    for path, owner in owners:
        if isinstance(owner, torch.nn.Module):
            for name, parameter in owner.named_parameters():
                family = found.setdefault(id(parameter), Family())
                family.own.append((*path, name))
                family.gradients.append((*path, f"{name}.grad"))
        elif isinstance(owner, torch.optim.Optimizer):
            for at, parameter in enumerate(parameters_of(owner)):
                family = found.setdefault(id(parameter), Family())
                family.is_optimized = True
                family.kept += [(*path, f"state.{at}", name) for name in owner.state.get(parameter, {})]
    return list(found.values())


def _is_never_negative(leaf: Any) -> bool:
    values = plain(leaf)
    return not values.is_complex() and all(float(_min(wide_tensor(piece))) >= 0 for piece in pieces(values))


def _norm_of(leaf: Any) -> float:
    return math.hypot(*(float(_norm(wide_tensor(piece))) for piece in pieces(plain(leaf))))
