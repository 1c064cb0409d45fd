"""The oracle of a pair without a `reference`: its baseline on arguments in double precision, or the baseline as it is.

In double precision the rounding of both sides is seen. That fails if the baseline cannot run so, if it returns the
types that it returned before, or if its own answer is then beyond the tolerance (whole numbers may turn on a rounding).
Then the baseline itself is the oracle, and the precision of the sides is not judged.
"""

from dataclasses import dataclass
from typing import Any

import numpy
import torch

from perfproof.core.training import tensor_to_double, to_double
from perfproof.core.trees import (
    clone,
    is_array,
    is_plain,
    is_stateful,
    is_tensor,
    leaves,
    map_leaves,
    settings,
    size_in_bytes,
    special,
)
from perfproof.machine.cgroup import memory_left
from perfproof.worker.load import Side
from perfproof.worker.measure.device_clocks import wait_for
from perfproof.worker.measure.memory import fits
from perfproof.worker.verify.case import Answer, Contract, attempt, changed_arguments
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.numbers import dtype_name, is_floating, is_floating_or_complex, rounding

DOUBLE = "no `reference`: answers were compared with the baseline's in double precision"
ITSELF = "no `reference`: answers were compared with the baseline's own, and precision was not judged"
FINEST = 2.0**-52  # spacing of float64
TIMES = 4  # bytes of the arguments: copies in double precision, and as much for the answer


@dataclass
class Oracle:
    """The baseline in an instance of its own."""

    side: Side
    in_double: bool = True  # until it is found that this baseline has no such answer
    _types: frozenset[str] = frozenset()  # of drawn numbers

    @property
    def said(self) -> str:
        return DOUBLE if self.in_double else ITSELF

    def answer(self, arguments: tuple, contract: Contract, device: str, drawn: bool) -> Answer:
        """The right answer. Only values that `inputs` has `drawn` decide how it is computed, not those made of them."""
        if not drawn:
            how = self._double if self.in_double else self._as_drawn
            return how(arguments, contract, device)
        self._types = frozenset(dtype_name(leaf) for _, leaf in special(arguments) if _is_row(leaf))
        own = self.call(contract.copied(arguments), contract, device)
        if self.in_double:
            found = attempt(self._double, arguments, contract, device)
            right = isinstance(found, tuple) and _is_finer(found, own)
            if right and not difference(own, found, contract.tolerance, arguments).problem:
                return found
            self.in_double = False
        return own

    def _double(self, arguments: tuple, contract: Contract, device: str) -> Answer:
        if not fits(TIMES * size_in_bytes(arguments), device, memory_left()):
            raise MemoryError("there is no room for the arguments in double precision")
        return self.call(_doubled(clone(arguments)), contract, device)

    def _as_drawn(self, arguments: tuple, contract: Contract, device: str) -> Answer:
        """On values that were made in double precision; in the type of the drawn ones if the baseline needs that."""
        found = attempt(self.call, contract.copied(arguments), contract, device)
        if isinstance(found, Exception) and len(self._types) == 1:
            (kind,) = self._types
            return self.call(map_leaves(clone(arguments), lambda leaf: _in_type(leaf, kind)), contract, device)
        if isinstance(found, Exception):
            raise found
        return found

    def call(self, own: tuple, contract: Contract, device: str) -> Answer:
        """The baseline's own answer, on copies that it may change."""
        before = settings(own)
        with torch.device(device):
            state = (self.side.prepare(*clone(own)),) if self.side.prepare else ()
            result = self.side.function(*state, *own)
        wait_for(device)
        copied = attempt(clone, result)  # it may lie in memory that the next call writes to
        return result if isinstance(copied, Exception) else copied, changed_arguments(own, contract, before)


def _is_row(leaf: Any) -> bool:
    return (is_tensor(leaf) or is_array(leaf)) and is_floating(leaf)


def _in_type(leaf: Any, kind: str) -> Any:
    if not _is_row(leaf):
        return leaf
    return leaf.to(getattr(torch, kind)) if is_tensor(leaf) else leaf.astype(kind)


def _doubled(arguments: tuple) -> tuple:
    """Floating-point arguments in double precision; tensors in place, so that what is joined stays joined."""
    for _, leaf in special(arguments):
        if is_stateful(leaf):
            to_double(leaf)
        elif is_tensor(leaf) and leaf.is_floating_point() and not leaf.is_quantized:
            tensor_to_double(leaf)
        elif is_tensor(leaf) and leaf.is_complex():
            leaf.data = leaf.data.to(torch.complex128)
    return tuple(one if is_plain(one) else map_leaves(one, _doubled_array) for one in arguments)


def _doubled_array(leaf: Any) -> Any:
    if not (is_array(leaf) or isinstance(leaf, numpy.generic)) or not is_floating_or_complex(leaf):
        return leaf
    return leaf.astype("complex128" if leaf.dtype.kind == "c" else "float64")


def _is_finer(found: Answer, own: Answer) -> bool:
    """Is every number that was rounded to a coarser type there in a finer one?

    A number of Python does not say how it was computed: it was computed more finely if it has another value.
    """
    parts = [[leaf for _, leaf in leaves(answer)] for answer in (found, own)]
    if len(parts[0]) != len(parts[1]):
        return False
    pairs = list(zip(*parts, strict=True))
    rounded = [(one, two) for one, two in pairs if is_floating_or_complex(two) and rounding(two) > FINEST]
    numbers = [(one, two) for one, two in pairs if type(two) in (float, complex)]
    finer = all(is_floating_or_complex(one) and rounding(one) < rounding(two) for one, two in rounded)
    return finer and bool(rounded or numbers) and (not numbers or any(one != two for one, two in numbers))
