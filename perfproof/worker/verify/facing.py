"""One part of a result beside the reference's."""

from typing import Any, NamedTuple

import torch

from perfproof.core.trees import Path
from perfproof.worker.verify.numbers import plain, wide_tensor

_abs, _sub, _to, _count = torch.abs, torch.sub, torch._C.TensorBase.to, torch.count_nonzero
Sways = dict[Path, tuple[float, float]]  # share of the elements that a rounding turns, and how far one goes at most
TIMES = 4.0  # as many elements as rounding turned, and twice as far: each try turns others
FARTHER = 2.0


class Facing(NamedTuple):
    """One part of a result beside the reference's, and what they may differ by."""

    path: Path
    ours: Any
    theirs: Any
    rtol: float
    atol: float
    of_python: bool = False  # many numbers of Python, whose type does not say how precisely they were computed
    paths: tuple[Path, ...] = ()  # of each of them
    of_state: bool = False  # of a module, an optimizer, ...
    quantised: Any = None  # the tensor of such a type that `ours` is the value of
    kin: float = 0.0  # of a part of training state: the RMS of the parts of its kind
    cancelled: bool = False  # it is all rounding
    never_negative: bool = False  # all parts of its kind
    loose: Any = None  # elements that follow what is all rounding, see `training_state`: a mask
    loose_by: float = 0.0  # what these may differ by
    used_up: bool = False  # a gradient that a step has used
    hidden: bool = False  # rounding is as large as the step that has changed it

    @property
    def name(self) -> str:
        return ".".join(self.path)


def beyond(pair: Facing) -> Any:
    """Elements that differ by more than they may: a mask. Those that are held against a step are left out."""
    ours, theirs = wide_tensor(plain(pair.ours)), wide_tensor(plain(pair.theirs))
    theirs = _to(theirs, ours.device)
    found = _abs(_sub(ours, theirs)) > pair.atol + pair.rtol * _abs(theirs)
    return found if pair.loose is None else found & ~_to(pair.loose, ours.device)


def is_as_few(wrong: float, turned: float) -> bool:
    """Two shares of the elements: are those that are wrong as few as those that rounding turns?"""
    return wrong <= TIMES * turned


def excused(pair: Facing, sways: Sways) -> Facing:
    """Elements that rounding decides are held against how far it moves them, if they are as few as rounding turns."""
    share, reach = sways.get(pair.path, (0.0, 0.0))
    if not share or getattr(pair.ours, "shape", None) != getattr(pair.theirs, "shape", ()):
        return pair
    turned = beyond(pair)
    if not is_as_few(int(_count(turned)) / turned.numel(), share):
        return pair
    mask = turned if pair.loose is None else turned | _to(pair.loose, turned.device)
    return pair._replace(loose=mask, loose_by=max(pair.loose_by, FARTHER * reach))
