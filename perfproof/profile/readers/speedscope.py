"""Profiles in speedscope's JSON, as py-spy (`-f speedscope`) and others write them.

A sampled profile gives stacks with their weight. An evented one gives rows: each frame from its opening to its closing.
"""

from collections import Counter
from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError
from perfproof.core.events import LARGEST, Events, Kind, Total
from perfproof.profile.finite import finite
from perfproof.profile.opening import read_json

NANOSECONDS = {"nanoseconds": 1.0, "microseconds": 1e3, "milliseconds": 1e6, "seconds": 1e9}
NO_FRAMES = "(no frames)"  # a thread that was idle or could not be unwound: its samples count
NO_TIMES = "the profile is sampled: weights of stacks, no times"


def recognises(path: Path, head: bytes) -> bool:
    named = b"speedscope.app/file-format-schema" in head or (b'"shared"' in head and b'"frames"' in head)
    return head.lstrip().startswith(b"{") and named and b'"traceEvents"' not in head


def read(path: Path) -> Events:
    content = read_json(path)
    shared = content.get("shared") if isinstance(content, dict) else None
    frames = shared.get("frames") if isinstance(shared, dict) else None
    profiles = content.get("profiles") if isinstance(content, dict) else None
    if not isinstance(frames, list) or not isinstance(profiles, list):
        raise DocumentError(f"{path}: JSON, but no speedscope profile: it needs shared.frames and profiles")
    profile = _Profile([_frame(frame) for frame in frames])
    for number, one in enumerate(profiles):
        if isinstance(one, dict) and one.get("type") == "sampled":
            profile.sampled(one)
        elif isinstance(one, dict) and one.get("type") == "evented":
            profile.evented(one, number)
        else:
            profile.left_out += 1
    return profile.finished()


class _Profile:
    """Several profiles (threads, as a rule) of one file."""

    def __init__(self, frames: list[str]) -> None:
        self.frames = frames
        self.events = Events("speedscope")
        self.weights: Counter[tuple[tuple[str, ...], str]] = Counter()
        self.left_out = 0

    def sampled(self, profile: dict[str, Any]) -> None:
        samples, weights = profile.get("samples"), profile.get("weights")
        if not isinstance(samples, list) or not isinstance(weights, list) or len(samples) != len(weights):
            self.left_out += 1
            return
        scale = NANOSECONDS.get(str(profile.get("unit")))
        for sample, weight in zip(samples, weights, strict=True):
            stack = self._stack(sample)
            if stack is None or finite(weight) is None:
                self.left_out += 1
                continue
            self.weights[stack, "samples"] += 1
            self.weights[stack, "weight" if scale is None else "time_ns"] += weight * (scale or 1)  # type: ignore

    def evented(self, profile: dict[str, Any], thread: int) -> None:
        scale = NANOSECONDS.get(str(profile.get("unit")))
        steps = profile.get("events")
        if scale is None or not isinstance(steps, list):
            self.left_out += 1
            return
        begun: list[tuple[int, int]] = []
        for step in steps:
            place, time = _step(step, scale, len(self.frames))
            if place is None or time is None:
                self.left_out += 1
            elif step.get("type") == "O":
                begun.append((place, time))
            elif begun and begun[-1][0] == place and begun[-1][1] <= time:
                self.events.add(Kind.PYTHON, self.frames[place], begun.pop()[1], time, thread=thread)
            else:
                self.left_out += 1
        self.left_out += len(begun)

    def finished(self) -> Events:
        sums: dict[tuple[str, ...], dict[str, float]] = {}
        for (stack, what), weight in self.weights.items():
            sums.setdefault(stack, {})[what] = float(weight)
        self.events.totals = [Total(stack, values) for stack, values in sums.items()]
        if not len(self.events):
            self.events.unknown["timeline"] = NO_TIMES
        if self.left_out:
            self.events.warnings.append(f"{self.left_out} samples or steps could not be read and were left out")
        return self.events

    def _stack(self, sample: Any) -> tuple[str, ...] | None:
        if not isinstance(sample, list) or not all(type(place) is int for place in sample):
            return None
        if not all(0 <= place < len(self.frames) for place in sample):
            return None
        return tuple(self.frames[place] for place in sample) or (NO_FRAMES,)


def _step(step: Any, scale: float, frames: int) -> tuple[int | None, int | None]:
    if not isinstance(step, dict):
        return None, None
    place, time = step.get("frame"), step.get("at")
    if type(place) is not int or not 0 <= place < frames or not isinstance(time, int | float):
        return None, None
    return (place, round(time * scale)) if abs(time) * scale < LARGEST / 2 else (None, None)


def _frame(frame: Any) -> str:
    """A frame's name, with its file and line where they are told."""
    if not isinstance(frame, dict):
        return "unnamed"
    where = f" ({frame['file']}:{frame.get('line', '?')})" if frame.get("file") else ""
    return f"{frame.get('name', 'unnamed')}{where}"
