"""The pool of argument sets that calls rotate over, and how their values change.

Rotation keeps caches honest; renewal keeps results honest. A set is renewed after it was used and comes back only after
a whole turn of the pool, so no side sees the same values twice and what it sees is cold. Renewal draws anew through
the pair's `inputs` where that is cheap next to the calls. Elsewhere it changes the floating-point values in place, all
of them, or, where calls are bound by memory so that even this takes longer than they do, a part of every tensor: to
tell that an old answer does not fit any more, a cheat would have to read everything.
"""

import functools
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import torch

from perfproof.core.trees import clone, is_tensor, leaves, size_in_bytes
from perfproof.core.units import MiB
from perfproof.measure.slabs import SCALES, Slab, fits_a_slab
from perfproof.measure.values import is_changeable, rows_of, scale, strip, swap_blocks, written_over

# Bound here, before any pair is loaded: a pair that replaces them draws what it does not know all the same.
_seed_torch, _seed_numpy, _seed_random = torch.default_generator.manual_seed, numpy.random.seed, random.seed

DRAWN, CHANGED, CHANGED_IN_PART = "drawn anew", "changed in place", "changed in part"
CHEAP = 0.5  # of a call: renewal that takes less is worth its price
TRIAL_SETS = 4  # that renewal is timed on
RUN = 64  # sets that are changed at once
WITNESS_SETS, WITNESS_BYTES = 16, 64 * MiB  # one set in so many is copied when it is renewed, up to so many bytes


class ArgumentPool:
    def __init__(
        self,
        draw: Callable[[int], tuple],
        names: Sequence[str],
        constant: Sequence[str],
        mutates: Sequence[str],
        rng: random.Random,
        agree: Callable[[float], float] = float,
    ):
        """`draw(seed)` gives a full tuple of arguments; of several ranks `agree` gives each the largest value."""
        self._agree = agree
        self._draw_all, self._names, self._rng = draw, tuple(names), rng
        self._constant = [name in constant for name in names]
        self._mutated = [name in mutates for name in names]
        self._first = draw(rng.getrandbits(62))  # never handed out: what mutated arguments are restored from
        self._check_count(self._first)
        self.renewal = DRAWN
        self.structured = False  # sorted keys or a definite matrix are so only as `inputs` draws them: never changed
        self.sets: list[tuple] = [self.draw()]
        self._slabs: dict[int, Slab] = {}  # by position among the arguments
        self._factors: dict[int, list[float]] = {}  # by place: what values in no slab are scaled by
        self._next, self._fresh = 0, 1  # the place that is handed out next, and how many from there on are renewed
        self._set_seconds = 0.001  # to lay out one set; measured before the pool is laid out
        self.calls = self.repeated_calls = 0
        self._witnesses: dict[int, tuple] = {}  # by place: what its set was after it was renewed
        self.inspect: Callable[[tuple, tuple], None] = lambda before, now: None  # told what a witness has seen

    @functools.cached_property
    def set_bytes(self) -> int:
        """Bytes of what differs from set to set."""
        parts = zip(self._first, self._constant, strict=True)
        return sum(size_in_bytes(value) for value, constant in parts if not constant)

    @property
    def can_change_in_place(self) -> bool:
        return not self.structured and bool(self._floating_leaves(self._first))

    def draw(self) -> tuple:
        """A set of its own, outside the rotation, with the pool's constants."""
        return self._with_constants(self._draw_all(self._rng.getrandbits(62)))

    def grow(self, sets: int, seconds: float, least: int = 2) -> None:
        """Make the pool `sets` large, or as `seconds` allow, never below `least`. Every set is then a renewed one."""
        wanted = max(least, sets)
        if self.renewal == DRAWN:
            deadline = time.perf_counter() + seconds
            while len(self.sets) < wanted and (len(self.sets) < least or time.perf_counter() < deadline):
                self.sets.append(self.draw())
            del self.sets[-int(self._agree(-len(self.sets))) :]
            self._renew_run(0, len(self.sets) if self.calls else 0)
        else:
            room = max(least, min(wanted, int(seconds / self._set_seconds)))
            self._lay_out(-int(self._agree(-room)))
        self._next, self._fresh = 0, len(self.sets)

    def take(self, count: int) -> list[int]:
        """The next `count` places of the rotation; where renewed ones run out, values repeat and are counted."""
        size = len(self.sets)
        places = [(self._next + step) % size for step in range(count)]
        self._next = (self._next + count) % size
        self.calls += count
        self.repeated_calls += max(0, count - self._fresh)
        self._fresh = max(0, self._fresh - count)
        return places

    def renew(self, seconds: float) -> None:
        """Give used sets new values, the longest used first, for about `seconds`."""
        deadline = time.perf_counter() + seconds
        size = len(self.sets)
        at_once = 1 if self.renewal == DRAWN else RUN
        while self._fresh < size and seconds > 0:
            start = (self._next + self._fresh) % size
            run = min(at_once, size - self._fresh, size - start)
            self._renew_run(start, start + run)
            self._fresh += run
            if time.perf_counter() > deadline:
                break

    def renew_at(self, place: int) -> None:
        """New values for one set, at once."""
        self._renew_run(place, place + 1)

    def question_witnesses(self, start: int = 0, stop: int | None = None) -> None:
        """Hand `inspect` the sets that were copied when they were renewed, as they were and as they are.

        Only a side can have changed them since: one that keeps arguments and works on them in a later call.
        """
        for place in [
            place for place in self._witnesses if start <= place < (len(self.sets) if stop is None else stop)
        ]:
            self.inspect(self._witnesses.pop(place), self._untouched(place))

    def choose_renewal(self, call_seconds: float) -> None:
        """The most thorough renewal that is cheap next to a call; values that can't be changed are always drawn."""
        for renewal in (DRAWN, CHANGED, CHANGED_IN_PART):
            self.renewal = renewal
            seconds = min(self._renewal_seconds() for _ in range(2)) if self.can_change_in_place else 0.0
            if self._agree(seconds) <= CHEAP * call_seconds:
                return

    def change_in_place(self, arguments: tuple, whole: bool = True, carried: list[float] | None = None) -> list[float]:
        """Scale every floating-point tensor of what may change by a factor of its own, and swap blocks.

        Factors are of the original values, which carry those given already: many changes must not drift away.
        """
        floating = self._floating_leaves(arguments)
        factors = list(carried or [1.0] * len(floating))
        with torch.no_grad():
            for at, leaf in enumerate(floating):
                rows = rows_of(leaf)
                if whole or len(rows) < 2:
                    before, factors[at] = factors[at], self._rng.uniform(*SCALES)
                    scale(leaf, factors[at] / before)
                if len(rows) > 1:
                    swap_blocks(rows, self._rng)
        return factors

    def touch(self, arguments: tuple) -> None:
        """Halve a small block of every floating-point tensor of what may change: a look at a few elements misses it."""
        with torch.no_grad():
            for leaf in self._floating_leaves(arguments):
                rows = rows_of(leaf)
                length = -(-len(rows) // 64)
                at = self._rng.randrange(len(rows) - length + 1)
                scale(rows[at : at + length], 0.5)

    def _renewal_seconds(self) -> float:
        """How long it takes to renew a set, on sets of its own: the pool is not laid out yet."""
        if self.renewal == DRAWN:
            _wait(self._first)
            started = time.perf_counter()
            self._with_constants(self._draw_all(self._rng.getrandbits(62)))
            _wait(self._first)
            return time.perf_counter() - started
        trial = ArgumentPool.__new__(ArgumentPool)
        trial.__dict__.update(self.__dict__)
        began = time.perf_counter()
        trial._lay_out(TRIAL_SETS)
        _wait(self._first)
        laid_out = time.perf_counter()
        trial._renew_run(0, TRIAL_SETS)
        _wait(self._first)
        self._set_seconds = (laid_out - began) / TRIAL_SETS
        return (time.perf_counter() - laid_out) / TRIAL_SETS

    def _lay_out(self, sets: int) -> None:
        """All sets as rows of slabs; what does not fit one is copied for each set."""
        self._witnesses, self._factors = {}, {}
        parts = list(zip(self._first, self._constant, strict=True))
        self._slabs = {
            at: Slab(value, sets) for at, (value, const) in enumerate(parts) if not const and fits_a_slab(value)
        }
        rest = tuple(None if const or at in self._slabs else value for at, (value, const) in enumerate(parts))
        self.sets = []
        for place in range(sets):
            own = clone(rest)
            self.sets.append(
                tuple(
                    value if const else self._slabs[at].view(place) if at in self._slabs else own[at]
                    for at, (value, const) in enumerate(parts)
                )
            )
        self._renew_run(0, sets)

    def _renew_run(self, start: int, stop: int) -> None:
        """New values for the sets from `start` to `stop`."""
        self.question_witnesses(start, stop)
        if self.renewal == DRAWN:
            for place in range(start, stop):
                self._overwrite(place, self._draw_all(self._rng.getrandbits(62)))
        else:
            self._change_run(start, stop)
        room = not self._witnesses or (len(self._witnesses) + 1) * self.set_bytes < WITNESS_BYTES
        if room and self._rng.random() < (stop - start) / WITNESS_SETS:
            place = self._rng.randrange(start, stop)
            self._witnesses[place] = clone(self._untouched(place))

    def _change_run(self, start: int, stop: int) -> None:
        with torch.no_grad():
            for at, slab in self._slabs.items():
                if self._mutated[at]:
                    slab.restore(start, stop)
                slab.change(start, stop, self._rng, whole=self.renewal == CHANGED)
        loose = [at for at, const in enumerate(self._constant) if not const and at not in self._slabs]
        for place in range(start, stop) if loose else ():
            self._renew_loose(place, loose)

    def _renew_loose(self, place: int, loose: list[int]) -> None:
        """What lies in no slab: restored where it is mutated, then changed leaf by leaf."""
        fresh = list(self.sets[place])
        if any(self._mutated[at] for at in loose):
            copied = clone(tuple(self._first[at] if at in loose else None for at in range(len(fresh))))
            for at in loose:
                fresh[at] = copied[at]
            self.sets[place] = tuple(fresh)
            self._factors.pop(place, None)
        changing = tuple(fresh[at] if at in loose else None for at in range(len(fresh)))
        self._factors[place] = self.change_in_place(changing, self.renewal == CHANGED, self._factors.get(place))

    def _untouched(self, place: int) -> tuple:
        """What no side may change of a set; nothing in the places of constants and mutated arguments."""
        triples = zip(self.sets[place], self._constant, self._mutated, strict=True)
        return tuple(None if constant or mutated else value for value, constant, mutated in triples)

    def _floating_leaves(self, arguments: tuple) -> list[Any]:
        changing = (value for value, constant in zip(arguments, self._constant, strict=True) if not constant)
        return [leaf for value in changing for _, leaf in leaves(value) if is_changeable(leaf)]

    def _with_constants(self, arguments: tuple) -> tuple:
        self._check_count(arguments)
        triples = zip(arguments, self._first, self._constant, strict=True)
        return tuple(first if constant else value for value, first, constant in triples)

    def _overwrite(self, place: int, fresh: tuple) -> None:
        """Write new values into the set's own storage, so that addresses keep rotating; replace what cannot be."""
        self._check_count(fresh)
        triples = zip(self.sets[place], fresh, self._constant, strict=True)
        self.sets[place] = tuple(old if constant else written_over(old, new) for old, new, constant in triples)

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
        _seed_torch(seed)  # torch.manual_seed formats a stack trace: 0.7 ms
        if uses_numpy:
            _seed_numpy(seed % 2**32)
        if uses_random:
            _seed_random(seed)
        if on_cpu:
            result = inputs(**sizes)
        else:
            torch.cuda.manual_seed(seed)
            with torch.device(device):
                result = inputs(**sizes)
        strip(result)
        return result if isinstance(result, tuple) else (result,)

    return draw


def _wait(arguments: tuple) -> None:
    if any(is_tensor(leaf) and leaf.is_cuda for _, leaf in leaves(arguments)):
        torch.cuda.synchronize()
