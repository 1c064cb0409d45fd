"""What share of all samples the frames of two recordings have: innermost, and functions with all that they call.

Shares can be compared if the recordings are of different length. With the length of a step they become times per step.
"""

import re
from collections import Counter

from perfproof.core.profile_record import Portion
from perfproof.profile.sampled_stacks import THREAD
from perfproof.profile.weighed_stacks import Stacks

LINE = re.compile(r"(?P<function>.+) \((?P<file>.+):\d+\)")  # as perfproof and py-spy write a frame
TORCH_LINE = re.compile(r"(?P<file>.+)\(\d+\): (?P<function>.+)")
MARKS = ("[", THREAD)  # how frames begin that are no functions


def innermost(stacks: Stacks, step_seconds: float | None = None) -> list[Portion]:
    weights: Counter[str] = Counter()
    for path, weight in stacks.weights.items():
        weights[path[-1]] += weight  # type: ignore[assignment]
    return _portions("frame", weights, stacks, step_seconds)


def functions(stacks: Stacks, step_seconds: float | None = None) -> list[Portion]:
    """By name and file: lines of one function are added up. A function that calls itself counts once in a sample."""
    weights: Counter[str] = Counter()
    for path, weight in stacks.weights.items():
        for name in {function_of(frame) for frame in path} - {""}:
            weights[name] += weight  # type: ignore[assignment]
    return _portions("function", weights, stacks, step_seconds)


def function_of(frame: str) -> str:
    """The frame without its line; empty for a mark, which is no function."""
    if frame.startswith(MARKS):
        return ""
    found = LINE.fullmatch(frame) or TORCH_LINE.fullmatch(frame)
    return f"{found['function']} ({found['file']})" if found else frame


def longest_thread(stacks: Stacks) -> float:
    """Samples of the thread that has most, which is there all the time; of all if the stacks name no threads."""
    threads: Counter[str] = Counter()
    for path, weight in stacks.weights.items():
        threads[path[0] if path[0].startswith(THREAD) else ""] += weight  # type: ignore[assignment]
    return float(max(threads.values(), default=0.0))


def _portions(kind: str, weights: Counter[str], stacks: Stacks, step_seconds: float | None) -> list[Portion]:
    whole, in_step = stacks.total, longest_thread(stacks)
    unit = 1e-6 if stacks.unit == "time_ns" else 1.0  # as milliseconds, which samples of perfproof are too
    return [
        Portion(
            kind=kind,  # type: ignore[arg-type]
            name=name,
            launches=weight * unit,
            seconds=None if step_seconds is None else step_seconds * weight / in_step,
            share=weight / whole,
        )
        for name, weight in weights.most_common()
    ]
