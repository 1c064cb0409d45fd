"""The pool of argument sets that calls rotate over, and how their values change.

Rotation keeps caches honest; renewal keeps results honest. A set is renewed after it was used and comes back only after
a whole turn of the pool, so no side sees the same values twice and what it sees is cold. Renewal draws anew
through the pair's `inputs` where that is cheap next to the calls; elsewhere it changes the floating-point values in
place: every tensor scaled by a factor of its own and a few blocks swapped, so that neither a fingerprint of a few
elements nor a multiple of an old answer is right. Where even that takes longer than the calls (they are bound by
memory then), only some blocks are scaled and swapped: telling that an old answer still fits means reading everything.
"""

import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import torch

from perfproof.core.trees import clone, is_array, is_stateful, is_tensor, leaves, size_in_bytes

SCALES = (0.8, 1.25)
DRAWN, CHANGED, CHANGED_IN_PART = "drawn anew", "changed in place", "changed in part"
CHEAP = 0.5  # of a call: renewal that takes less is worth its price


class ArgumentPool:
    def __init__(
        self,
        draw: Callable[[int], tuple],
        names: Sequence[str],
        constant: Sequence[str],
        mutates: Sequence[str],
        rng: random.Random,
    ):
        """`draw(seed)` gives a full tuple of arguments."""
        self._draw_all, self._names, self._rng = draw, tuple(names), rng
        self._constant = [name in constant for name in names]
        self._mutated = [name in mutates for name in names]
        self._first = draw(rng.getrandbits(62))
        self._check_count(self._first)
        self.sets: list[tuple] = [self._with_constants(clone(self._without_constants()))]
        self._factors: dict[int, list[float]] = {}  # what the values of a place carry already
        self.renewal = DRAWN
        self._fresh: deque[int] = deque([0])
        self._used: deque[int] = deque()
        self.calls = 0
        self.repeated_calls = 0

    @property
    def set_bytes(self) -> int:
        """Bytes of what differs from set to set."""
        parts = zip(self._first, self._constant, strict=True)
        return sum(size_in_bytes(value) for value, constant in parts if not constant)

    @property
    def can_change_in_place(self) -> bool:
        return bool(self._floating_leaves(self._first))

    def grow(self, footprint: int, most: int, seconds: float) -> None:
        """Fill the pool to `footprint` bytes, `most` sets or `seconds`, whichever comes first; at least two sets."""
        wanted = max(2, min(most, -(-footprint // max(1, self.set_bytes))))
        deadline = time.perf_counter() + seconds
        while len(self.sets) < wanted and (len(self.sets) < 2 or time.perf_counter() < deadline):
            self._fresh.append(len(self.sets))
            self.sets.append(self._another())

    def draw(self) -> tuple:
        """A set of its own, outside the rotation, with the pool's constants."""
        return self._with_constants(self._draw_all(self._rng.getrandbits(62)))

    def throwaway(self) -> tuple:
        """The real constants and values for the rest that no call will see: what preparation may know."""
        return self.draw()

    def take(self, count: int) -> list[int]:
        """The next `count` places of the rotation, renewed ones first; only where those run out do values repeat."""
        places = []
        for _ in range(count):
            if not self._fresh:
                self._fresh, self._used = self._used, deque()
                self.repeated_calls += len(self._fresh)
            place = self._fresh.popleft()
            self._used.append(place)
            places.append(place)
        self.calls += count
        return places

    def renew(self, seconds: float) -> None:
        """Give used sets new values, the longest used first, for about `seconds`; they go to the end of the rotation."""
        deadline = time.perf_counter() + seconds
        while self._used and seconds > 0:
            place = self._used.popleft()
            self._renew_one(place)
            self._fresh.append(place)
            if time.perf_counter() > deadline:
                break

    def renew_all(self) -> None:
        self.renew(float("inf"))

    def _renew_one(self, place: int) -> None:
        if self.renewal == DRAWN:
            self._overwrite(place, self._draw_all(self._rng.getrandbits(62)))
            return
        if any(self._mutated):
            self._overwrite(place, clone(self._without_constants()))
        if self.renewal == CHANGED:
            self._factors[place] = self.change_in_place(self.sets[place], self._factors.get(place))
        else:
            self._change_blocks(self.sets[place])

    def change_in_place(self, arguments: tuple, carried: list[float] | None = None) -> list[float]:
        """Scale every floating-point tensor of what may change by a factor of its own, and swap a few blocks.

        Factors are of the original values, not of the last ones: many renewals must not drift to zero or infinity.
        """
        floating = self._floating_leaves(arguments)
        factors = [self._rng.uniform(*SCALES) for _ in floating]
        with torch.no_grad():
            for leaf, factor, before in zip(floating, factors, carried or [1.0] * len(floating), strict=True):
                _scale(leaf, factor / before)
                if (flat := _flat(leaf)) is not None and len(flat) >= 2:
                    _swap_blocks(flat, self._rng)
        return factors

    def choose_renewal(self, call_seconds: float) -> None:
        """The most thorough renewal that is cheap next to a call; values that can't be changed are always drawn."""
        for renewal in (DRAWN, CHANGED, CHANGED_IN_PART):
            self.renewal = renewal
            if not self.can_change_in_place or min(self._renewal_seconds() for _ in range(2)) <= CHEAP * call_seconds:
                return

    def _renewal_seconds(self) -> float:
        started = time.perf_counter()
        self._renew_one(0)
        return time.perf_counter() - started

    def _change_blocks(self, arguments: tuple) -> None:
        with torch.no_grad():
            for leaf in self._floating_leaves(arguments):
                flat = _flat(leaf)
                if flat is None or len(flat) < 2:
                    _scale(leaf, self._rng.choice(SCALES))
                    continue
                length = max(1, len(flat) // 32)
                for factor in SCALES:  # up here and down there: many renewals must not drift
                    at = self._rng.randrange(len(flat) - length + 1)
                    _scale(flat[at : at + length], factor)
                _swap_blocks(flat, self._rng)

    def _floating_leaves(self, arguments: tuple) -> list[Any]:
        changing = (value for value, constant in zip(arguments, self._constant, strict=True) if not constant)
        return [leaf for value in changing for _, leaf in leaves(value) if _is_floating(leaf)]

    def _another(self) -> tuple:
        if self.renewal == DRAWN:
            return self.draw()
        fresh = self._with_constants(clone(self._without_constants()))
        self.change_in_place(fresh)
        return fresh

    def _without_constants(self) -> tuple:
        return tuple(None if c else v for v, c in zip(self._first, self._constant, strict=True))

    def _with_constants(self, arguments: tuple) -> tuple:
        self._check_count(arguments)
        triples = zip(arguments, self._first, self._constant, strict=True)
        return tuple(first if constant else value for value, first, constant in triples)

    def _overwrite(self, place: int, fresh: tuple) -> None:
        """Write new values into the set's own storage, so that addresses keep rotating; replace what can't be written."""
        self._factors.pop(place, None)
        old = self.sets[place]
        self.sets[place] = tuple(
            o if constant else _written_over(o, f) for o, f, constant in zip(old, fresh, self._constant, strict=True)
        )

    def _check_count(self, arguments: tuple) -> None:
        if len(arguments) != len(self._names):
            raise ValueError(
                f"`inputs` returned {len(arguments)} values, the functions take {len(self._names)}: "
                f"return one for each of {', '.join(self._names)}"
            )


def seeded(
    inputs: Callable[..., Any], sizes: dict[str, Any], device: str, imports: Sequence[str]
) -> Callable[[int], tuple]:
    """`inputs` as a function of a seed, with the device set around the call.

    Every draw is seeded, whatever a side did to the generators before. Only those that the pair can use are: seeding
    NumPy's takes longer than many a call.
    """
    on_cpu = device == "cpu"
    uses_numpy, uses_random = "numpy" in imports, "random" in imports

    def draw(seed: int) -> tuple:
        torch.default_generator.manual_seed(seed)  # torch.manual_seed formats a stack trace: 0.7 ms
        if uses_numpy:
            numpy.random.seed(seed % 2**32)
        if uses_random:
            random.seed(seed)
        if on_cpu:
            result = inputs(**sizes)
        else:
            torch.cuda.manual_seed(seed)
            with torch.device(device):
                result = inputs(**sizes)
        return result if isinstance(result, tuple) else (result,)

    return draw


def _is_floating(leaf: Any) -> bool:
    if is_tensor(leaf):
        return leaf.is_floating_point() or leaf.is_complex()
    return is_array(leaf) and leaf.dtype.kind in "fc"


def _scale(leaf: Any, factor: float) -> None:
    if is_tensor(leaf):
        leaf.mul_(factor)
    elif leaf.flags.writeable:
        leaf *= leaf.dtype.type(factor)


def _flat(leaf: Any) -> Any:
    """A writable one-dimensional view, where there is one."""
    if is_tensor(leaf):
        return leaf.view(-1) if leaf.is_contiguous() else None
    return leaf.reshape(-1) if leaf.flags.c_contiguous and leaf.flags.writeable else None


def _swap_blocks(flat: Any, rng: random.Random) -> None:
    length = max(1, min(len(flat) // 8, 4096))
    for _ in range(3):
        first, second = rng.randrange(len(flat) - length + 1), rng.randrange(len(flat) - length + 1)
        if abs(first - second) < length:
            continue
        held = flat[first : first + length] + 0
        flat[first : first + length] = flat[second : second + length]
        flat[second : second + length] = held


def _written_over(old: Any, fresh: Any) -> Any:
    if is_tensor(old) and is_tensor(fresh) and old.shape == fresh.shape and old.dtype == fresh.dtype and old.is_leaf:
        with torch.no_grad():
            old.copy_(fresh)
        if old.grad is not None:
            old.grad = None
        return old
    if is_array(old) and is_array(fresh) and old.shape == fresh.shape and old.dtype == fresh.dtype:
        old[...] = fresh
        return old
    if isinstance(old, (tuple, list)) and type(old) is type(fresh) and len(old) == len(fresh) and not is_stateful(old):
        items = [_written_over(o, f) for o, f in zip(old, fresh, strict=True)]
        return type(old)(items) if not hasattr(old, "_fields") else type(old)(*items)
    return fresh
