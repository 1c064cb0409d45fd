"""Collapsed stacks, a line for each: `outermost;inner;innermost 12`, as py-spy (`-f raw`) and torch write them."""

from collections import Counter
from pathlib import Path

from perfproof.core.errors import DocumentError
from perfproof.core.events import Events, Total
from perfproof.profile.text_lines import lines_of

LOOKED_AT = 20
LONGEST_COUNT = 15  # digits
NO_TIMES = "collapsed stacks have counts and no times"


def recognises(path: Path, head: bytes) -> bool:
    text = head.decode("utf-8", errors="replace")
    lines = [line.rstrip() for line in text.splitlines()[: LOOKED_AT + 1] if line.strip()]
    whole = lines[:-1] if len(lines) > LOOKED_AT else lines
    return bool(whole) and ";" in text and all(_stack(line) for line in whole) and "\0" not in text


def read(path: Path) -> Events:
    counts: Counter[tuple[str, ...]] = Counter()
    left_out = 0
    for line in lines_of(path):
        text = line.rstrip()
        found = _stack(text)
        if found is not None:
            counts[found[0]] += found[1]
        left_out += bool(text) and found is None
    if not counts:
        raise DocumentError(f"{path}: has no line of the form `outer;inner 12`")
    events = Events("stacks")
    events.unknown["timeline"] = NO_TIMES
    events.totals = [Total(stack, {"samples": float(count)}) for stack, count in counts.items()]
    if left_out:
        events.warnings.append(f"{left_out} lines are no stacks and were left out")
    return events


def _stack(line: str) -> tuple[tuple[str, ...], int] | None:
    frames, _, count = line.rpartition(" ")
    if not frames.strip() or not count.isascii() or not count.isdigit() or len(count) > LONGEST_COUNT:
        return None
    return tuple(frames.split(";")), int(count)
