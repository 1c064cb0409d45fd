"""Whether a model computes a sequence again that has only become longer: every new token with all before it.

Sampled frames show it on any thread, also where torch's profiler records no operators. A line of the program calls
something with a tensor of integers; at the next look that tensor begins with the same values and is longer. Beneath the
call a tensor has a row of numbers for each of the integers. With a cache only the new token has one.
"""

import ctypes
import os
from types import CodeType, FrameType
from typing import Any

LONGER = "[longer] "
FEWEST_LOOKS = 5  # at which the same sequence was longer
INTEGERS = ("torch.int64", "torch.int32")
BEGINNING = 4  # elements


class LongerTokens:
    """Remembers how sequences began, and how long they were."""

    def __init__(self) -> None:
        self._seen: dict[tuple[CodeType, str], tuple[bytes, int, int, int]] = {}  # beginning, length, rises, others

    def mark(self, frames: list[FrameType]) -> list[str]:
        """For the program's frames, from the outermost: the line that calls with a sequence that became longer."""
        for place, frame in enumerate(frames[:-1]):
            for name in frame.f_code.co_varnames:
                value: Any = frame.f_locals.get(name)
                if type(value).__name__ != "Tensor" or not self._grows(frame.f_code, name, value):
                    continue
                if any(_has_rows_for(each, tuple(value.shape)) for each in frames[place + 1 :]):
                    code = frame.f_code
                    return [f"{LONGER}{code.co_name} ({os.path.basename(code.co_filename)}:{frame.f_lineno}) {name}"]
        return []

    def _grows(self, code: CodeType, name: str, tensor: Any) -> bool:
        length = int(tensor.shape[-1]) if len(tensor.shape) in (1, 2) else 0
        if length < BEGINNING or str(tensor.dtype) not in INTEGERS or tensor.device.type != "cpu":
            return False
        if not tensor.is_contiguous():
            return False
        begins = ctypes.string_at(tensor.data_ptr(), BEGINNING * tensor.element_size())
        before, was, rises, others = self._seen.get((code, name), (begins, length, 0, 0))
        rises, others = rises + (begins == before and length > was), others + (begins != before or length < was)
        self._seen[code, name] = (begins, length, rises, others)
        return rises >= FEWEST_LOOKS and rises > others


def _has_rows_for(frame: FrameType, shape: tuple[int, ...]) -> bool:
    """Whether a variable has a row of floating-point numbers for each element of that shape."""
    tensors = [value for value in frame.f_locals.values() if type(value).__name__ == "Tensor"]
    return any(one.is_floating_point() and tuple(one.shape[:-1]) == shape for one in tensors)
