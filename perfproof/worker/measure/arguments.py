"""The argument sets of a process: every timed call sees values that `inputs` drew, and no side sees a value twice.

Sets are drawn between samples, as many at once as a batch of samples needs and memory allows, and used once by each
side. The sides go through the same sets half a batch apart, so that neither finds in a cache what the other has just
read. Calls that are not timed (warm-up, audits, profiles) go round a few sets of their own.
"""

import contextlib
import functools
import itertools
import math
import os
import pickle
import random
import secrets
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

import numpy
import torch

from perfproof.core.foreign import is_exact, is_known_tensor, is_nested
from perfproof.core.generators import is_generator
from perfproof.core.objects import is_object, strip_object
from perfproof.core.trees import (
    as_bytes,
    canonical,
    clone,
    gradients,
    is_array,
    is_plain,
    is_tensor,
    items_of,
    parts_of,
    put_gradients,
    size_in_bytes,
    special,
    special_leaves,
    texts_in,
)
from perfproof.worker.measure import own_seeds

# Bound here, before any pair is loaded: a pair that replaces them draws what it does not know all the same.
_seed_torch, _seed_numpy, _seed_random = torch.default_generator.manual_seed, numpy.random.seed, random.seed

Draw = Callable[[int, int], Iterable[tuple]]  # seed, how many sets: one after the other, as large ones are
WARM_SETS, WARM_BYTES, WARM_SECONDS = 8, 8 * 2**20, 0.1  # of drawing; two sets in any case
LONG_DRAW_SECONDS = 0.005
READ_BYTES = 1 << 15  # of a value that is compared with earlier ones: so much of its beginning and of its end
READ_TYPES = {torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool}
READ_PATHS = 8  # draws and texts per draw that are looked at as paths
MANY = 4  # tensors in a list that are read together
READ_FROM_DEVICE, READ_LEAVES = 32, 512  # sets per process whose values are copied from a device, and tensors in them


class ArgumentPool:
    def __init__(
        self,
        draw: Draw,
        names: Sequence[str],
        constant: Sequence[str],
        mutates: Sequence[str],
        rng: random.Random,
        redraw: Callable[[int], tuple] | None = None,
        seed: int | None = None,
        agree: Callable[[float], float] = float,
    ):
        """The constants are those of the set that `seed` gives: equal in all processes that have the same one.

        `redraw` gives a set with other constants where `draw` always has the same ones. Of several ranks `agree` gives
        the same time to all: they draw equally often.
        """
        self._agree = agree
        self._draw, self._names, self._rng, self._redraw = draw, tuple(names), rng, redraw
        self._constant = [name in constant for name in names]
        (self._first,) = draw(rng.getrandbits(62) if seed is None else seed, 1)
        self._check_count(self._first)
        others = [leaf for _, leaf in special(self._first)]
        # Drawing from a generator changes it, and an object may keep what a cached property has found.
        self._mutates = bool(mutates) or any(is_generator(leaf) or is_object(leaf) for leaf in others)
        on_device = sum(is_tensor(leaf) and leaf.is_cuda for _, leaf in special_leaves(others))
        self._on_device = on_device > 0
        self._read = min(READ_FROM_DEVICE, max(2, READ_LEAVES // on_device)) if on_device else math.inf
        self._queues: dict[str, deque[tuple]] = {}
        self._planned: dict[str, int] = {}
        self._most_sets = 1
        self._seen: set[int] = set()
        self._paths: set[str] = set()
        self._seconds = 0.0  # to draw a set for the warm-up
        self.drawn = self.repeated = 0  # sets for timed calls, and how many of them held values that came before
        self.most_held = 0  # sets at once

    @property
    def constants(self) -> tuple:
        return tuple(value for value, constant in zip(self._first, self._constant, strict=True) if constant)

    @property
    def example(self) -> tuple:
        """A set that no call sees."""
        return self._first

    def forget_example(self) -> None:
        """Give its memory back, but for the constants, which all sets share."""
        self._first = tuple(
            value if constant else None for value, constant in zip(self._first, self._constant, strict=True)
        )

    @functools.cached_property
    def set_bytes(self) -> int:
        """Bytes of what differs from set to set."""
        return max(1, size_in_bytes(self._varying(self._first)))

    def draw(self) -> tuple:
        """A set of its own, with the pool's constants."""
        (arguments,) = self._draw(self._rng.getrandbits(62), 1)
        self._check_count(arguments)
        return self._with_constants(arguments)

    def draw_everything(self) -> tuple:
        """A set of its own, constants drawn anew too."""
        seed = self._rng.getrandbits(62)
        (arguments,) = [self._redraw(seed)] if self._redraw else self._draw(seed, 1)
        self._check_count(arguments)
        return arguments

    def keep_constants(self) -> None:
        """Never draw other ones: there is no room for them."""
        self._redraw = None

    def plan(self, calls: Mapping[str, int], most_sets: int) -> None:
        """How many calls of each side come next: sets for them are drawn together, now, as far as memory allows."""
        self._planned = dict(calls)
        self._most_sets = most_sets
        for side, count in calls.items():
            if len(self._queues.get(side, ())) < min(count, self._most_sets):
                self._fill(side, count)

    def take(self, side: str, count: int) -> list[tuple]:
        """Sets that this side has never seen."""
        queue = self._queues.setdefault(side, deque())
        while len(queue) < count:
            self._fill(side, count)
        self._planned[side] = max(0, self._planned.get(side, 0) - count)
        return [queue.popleft() for _ in range(count)]

    def take_warm(self, count: int) -> list[tuple]:
        """Sets for calls that are not timed; the same few come again and again."""
        sets = [next(self._warm) for _ in range(count)]
        return [clone(one) for one in sets] if self._mutates else sets

    def packed(self, count: int) -> list[bytes]:
        """So many sets for another process, without their constants; none if they cannot travel."""
        sets = list(map(self._without_constants, self._draw(self._rng.getrandbits(62), count)))
        if any(map(_is_near, texts_in(sets[0]))):
            return []
        try:
            packed = [pickle.dumps((one, gradients(one)), pickle.HIGHEST_PROTOCOL) for one in sets]
            pickle.loads(packed[0])  # float8 can be packed, and not unpacked
            return packed
        except Exception:
            return []

    def unpacked(self, data: bytes) -> tuple:
        """A set that another process packed, with this one's constants."""
        one, kept = pickle.loads(data)  # which leaves the gradients of parameters out
        put_gradients(one, kept)
        return self._with_constants(one)

    @property
    def warm_sets(self) -> int:
        return max(2, min(WARM_SETS, WARM_BYTES // self.set_bytes))

    @functools.cached_property
    def _warm(self) -> Iterator[tuple]:
        sets = [self.draw()]
        started = time.perf_counter()
        while len(sets) < 2 or (
            len(sets) < self.warm_sets and self._agree(time.perf_counter() - started) < WARM_SECONDS
        ):
            sets.append(self.draw())
        for one in sets[1:] if self._mutates else ():
            clone(one)  # every other side gets a copy
        self._wait()
        self._seconds = self._agree((time.perf_counter() - started) / (len(sets) - 1))
        return itertools.cycle(sets)

    def draw_seconds(self) -> float:
        """How long it takes to draw a set and to copy it, once that has been done; of short ones many at once."""
        sets = self.warm_sets
        if self._warm and self._seconds > LONG_DRAW_SECONDS:
            return self._seconds
        self._wait()
        started = time.perf_counter()
        for one in self._draw(self._rng.getrandbits(62), sets):
            _ = clone(one) if self._mutates else None
        self._wait()
        return (time.perf_counter() - started) / sets

    def _fill(self, side: str, count: int) -> None:
        """Draw for all sides that lack sets; each gets the same ones, turned so that they do not meet.

        No side holds more than memory allows: one whose calls are long does not collect what the other uses.
        """
        self._planned[side] = max(count, self._planned.get(side, 0))
        wanted = {name: min(calls, self._most_sets) for name, calls in self._planned.items()}
        wanted[side] = max(count, wanted[side])
        lacks = {name: number - len(self._queues.get(name, ())) for name, number in wanted.items()}
        sides = [name for name, number in lacks.items() if number > 0]
        number = min(max(lacks.values()), self._most_sets)
        sets = list(map(self._with_constants, self._draw(self._rng.getrandbits(62), number)))
        for arguments in sets:
            self._look_for_repeats(arguments)
        for place, name in enumerate(sides):
            own = deque([clone(one) for one in sets] if self._mutates and place else sets)
            own.rotate(len(own) * place // len(sides))
            self._queues.setdefault(name, deque()).extend(itertools.islice(own, lacks[name]))
        self._wait()
        self.most_held = max(self.most_held, len(sets))

    def _look_for_repeats(self, arguments: tuple) -> None:
        self.drawn += 1
        varying = self._varying(arguments)
        if self.drawn <= READ_PATHS:
            self._look_for_paths(varying)
        if self.drawn > self._read:
            return
        mark = fingerprint(varying)
        self.repeated += mark in self._seen
        self._seen.add(mark)

    def _look_for_paths(self, varying: tuple) -> None:
        """A file that is written again by the next draw is not what the set before it was drawn with."""
        texts = {*texts_in(varying)}  # one draw may give a path twice
        for text in itertools.islice(texts, READ_PATHS):
            if os.path.isfile(text) and text in self._paths:
                raise ValueError(
                    f"`inputs` gave the path {os.path.basename(text)!r} twice: write every draw to a file of its own "
                    "(tempfile.mkstemp(dir='.')), or name the argument in `constant`"
                )
            self._paths.add(text)

    def _wait(self) -> None:
        if self._on_device:
            torch.cuda.synchronize()

    def _varying(self, arguments: tuple) -> tuple:
        return tuple(value for value, constant in zip(arguments, self._constant, strict=True) if not constant)

    def _without_constants(self, arguments: tuple) -> tuple:
        return tuple(None if constant else value for value, constant in zip(arguments, self._constant, strict=True))

    def _with_constants(self, arguments: tuple) -> tuple:
        triples = zip(arguments, self._first, self._constant, strict=True)
        return tuple(first if constant else value for value, first, constant in triples)

    def _check_count(self, arguments: tuple) -> None:
        if len(arguments) != len(self._names):
            raise ValueError(
                f"`inputs` returned {len(arguments)} values, the functions take {len(self._names)}: "
                f"return one for each of {', '.join(self._names)}"
            )


def seeded(
    inputs: Callable[..., Any],
    sizes: dict[str, Any],
    device: str,
    imports: Sequence[str],
    names: Sequence[str] = (),
) -> Draw:
    """`inputs` as a function of a seed and a number of sets, with the device set around the calls.

    It returns a tuple, one value, or a dict with the `names` of the arguments.

    Whatever a side did to the generators before, they are seeded. Only those that the pair can use are: seeding NumPy's
    takes longer than many a call.
    """
    on_cpu = device == "cpu"

    def draw(seed: int, sets: int) -> Iterator[tuple]:
        seed_generators(seed, device, imports)
        for number in range(sets):
            with contextlib.nullcontext() if on_cpu else torch.device(device), own_seeds.combined(seed, number):
                result = inputs(**sizes)
            strip(result)
            yield _in_order(result, names)
            del result

    return draw


def _in_order(result: Any, names: Sequence[str]) -> tuple:
    if type(result) is dict and names and result.keys() == set(names):
        return tuple(result[name] for name in names)
    return result if isinstance(result, tuple) else (result,)


def seed_generators(seed: int, device: str, imports: Sequence[str]) -> None:
    _seed_torch(seed)  # torch.manual_seed formats a stack trace: 0.7 ms
    if "numpy" in imports:
        _seed_numpy(seed % 2**32)
    if "random" in imports:
        _seed_random(seed)
    if device != "cpu":
        torch.cuda.manual_seed(seed)


def _is_near(text: str) -> bool:
    """A path that only this process's folder makes sense of."""
    return not os.path.isabs(text) and "\0" not in text and os.path.exists(text)


def strip(value: Any) -> None:
    """A tensor carries its values and nothing else: no attribute with the answer in it. Nor has an object one ready."""
    if is_tensor(value):
        if is_known_tensor(value) and not is_nested(value):  # a subclass keeps its values there
            value.__dict__.clear()
    elif is_plain(value):
        return
    elif is_object(value):
        strip_object(value, items_of, strip)
    else:
        for _, item in items_of(value) or ():
            strip(item)


def is_dense(value: torch.Tensor) -> bool:
    return value.layout is torch.strided and not value.is_nested and value.is_contiguous()


def fingerprint(value: Any) -> int:
    """Equal for equal values; of large ones the beginning and the end are read."""
    if is_plain(value):
        return zlib.crc32(as_bytes(value))
    if type(value) is torch.Tensor and value.dtype in READ_TYPES and value.is_cpu and is_dense(value):
        value = value.detach().numpy()
    if type(value) is numpy.ndarray and value.nbytes <= READ_BYTES and value.dtype.kind in "fiub":
        return zlib.crc32(numpy.ascontiguousarray(value).data) ^ value.nbytes  # most values: what follows is slower
    if is_array(value) and not value.dtype.hasobject:
        return _ends(numpy.ascontiguousarray(value).reshape(-1).view(numpy.uint8))
    if _are_on_one_device(value):
        return _ends_together(value)
    items = items_of(value)
    parts = parts_of(value) if items is None else items
    if parts is not None:
        return hash((type(value), *((name, fingerprint(part)) for name, part in parts)))
    if is_tensor(value) and is_known_tensor(value):
        return _ends(value.detach().contiguous().reshape(-1).view(torch.uint8)) if value.numel() else 0
    if is_array(value):
        return hash(tuple(value.ravel().tolist()))
    if is_exact(value) or isinstance(value, (set, frozenset, Enum)):
        return hash(canonical(value))
    return secrets.randbits(62)  # not known to be equal; an address comes again when its value has gone


def _are_on_one_device(value: Any) -> bool:
    if type(value) not in (list, tuple) or len(value) < MANY:
        return False
    if any(not is_tensor(one) or one.is_cpu or one.is_quantized or not is_dense(one) for one in value):
        return False
    return len({one.device for one in value}) == 1


def _ends_together(tensors: Sequence[torch.Tensor]) -> int:
    """Of many tensors on a device: one wait for all of them."""
    flat = [one.detach().reshape(-1).view(torch.uint8) for one in tensors]
    ends = [part for one in flat for part in (one[:READ_BYTES], one[max(READ_BYTES, len(one) - READ_BYTES) :])]
    return zlib.crc32(torch.cat(ends).cpu().numpy().data) ^ hash((*map(len, flat),))


def _ends(data: Any) -> int:
    if len(data) <= READ_BYTES:
        return zlib.crc32((data.cpu().numpy() if is_tensor(data) else data).data) ^ len(data)
    ends = (data[:READ_BYTES], data[-READ_BYTES:])
    first, last = (end.cpu().numpy() if is_tensor(end) else end for end in ends)
    return zlib.crc32(last.data, zlib.crc32(first.data)) ^ len(data)
