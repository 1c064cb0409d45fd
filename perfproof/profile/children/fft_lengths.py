"""Whether a Fourier transform has a length with a large prime factor: libraries then need several times as long.

The lengths are those of NumPy's and SciPy's own frames, and of torch those that the line gives. What such a length
costs, and one a little larger, are the estimates by which pocketfft, the library of NumPy and SciPy, chooses its way.
"""

import math
from functools import lru_cache
from types import FrameType
from typing import Any

SLOW_LENGTH = "[operands] slow length"
SHORTEST, TIMES = 1_000, 3.0  # a transform; what a little longer one would save
FILES = ("fft/_pocketfft.py", "fft/_pocketfft/basic.py")  # of NumPy and of SciPy
OF_ONE_AXIS = frozenset({"fft", "ifft", "rfft", "irfft", "hfft", "ihfft"})
LARGE_FACTOR, BLUESTEIN = 1.1, 1.5  # as pocketfft guesses: per factor that has no code of its own; per transform
PRIMES = (2, 3, 5, 7, 11)


def mark(library_frames: list[FrameType], calls: list[Any]) -> list[str]:
    """For the frames beneath the program's innermost one, and the calls that its line makes."""
    lengths = [one for frame in library_frames for one in _in_frame(frame)]
    lengths += [one for call in calls for one in _of_torch(call)] if not lengths else []
    return [SLOW_LENGTH] if any(is_slow(one) for one in lengths) else []


def _in_frame(frame: FrameType) -> list[int]:
    file = frame.f_code.co_filename.replace("\\", "/")
    if not file.endswith(FILES):
        return []
    known = frame.f_locals
    if isinstance(length := known.get("n"), int):
        return [length]
    shape = getattr(known.get("tmp"), "shape", ())
    axes = known.get("axes", [known.get("axis")])
    last = known.get("lastsize")  # of real values that come out
    return [shape[one] for one in axes or () if type(one) is int and -len(shape) <= one < len(shape)] + (
        [last] if isinstance(last, int) else []
    )


def _of_torch(call: Any) -> list[int]:
    given = call.arguments[0] if call.arguments else None
    if call.name not in OF_ONE_AXIS or getattr(call.receiver, "__name__", "") != "torch.fft":
        return []
    length = call.keywords.get("n", call.arguments[1] if len(call.arguments) > 1 else None)
    if type(length) is int:
        return [length]
    shape = tuple(given.shape) if type(given).__name__ == "Tensor" else ()  # type: ignore[union-attr]
    is_known = length is None and shape and "dim" not in call.keywords and call.name in ("fft", "ifft", "rfft")
    return [int(shape[-1])] if is_known else []


@lru_cache(maxsize=1000)
def is_slow(length: int) -> bool:
    if length < SHORTEST or _cost(length) < TIMES * length * PRIMES[0] * math.log2(length):
        return False  # no other length is cheaper than a power of two
    bluestein = 2 * BLUESTEIN * _cost(_good_length(2 * length - 1))
    return min(_cost(length), bluestein) >= TIMES * _cost(_good_length(length))


def _cost(length: int) -> float:
    rest, total, factor = length, 0.0, 2
    while factor * factor <= rest:
        while rest % factor == 0:
            total += factor if factor <= 5 else LARGE_FACTOR * factor
            rest //= factor
        factor += 1
    if rest > 1:
        total += rest if rest <= 5 else LARGE_FACTOR * rest
    return total * length


@lru_cache(maxsize=1000)
def _good_length(least: int) -> int:
    """The next product of small primes, as scipy.fft.next_fast_len has it."""
    products = [1]
    for prime in PRIMES:
        for one in products:
            if one * prime < prime * least:
                products.append(one * prime)
    return min(one for one in products if one >= least)
