"""Every counter of every chip: reading and writing counters.txt.

One line a name, sorted. To stay small a line leaves out what it shares with the name before: `fc1 12 _op_ld` is the
first 12 characters of the name before and `_op_ld`. `f` is the sum of the marks of the chips that have it (1, 2, 4, 8
in the order of chips.toml), `c` its kind (counter, ratio, throughput), `1` the passes it takes alone on the chip where
it takes most.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from perfproof.profile.manifest.chips import chips

FILE = Path(__file__).parent / "counters.txt"
KINDS = {"c": "counter", "r": "ratio", "t": "throughput"}


@dataclass(frozen=True)
class Counter:
    kind: str
    chips: tuple[str, ...]
    passes: int


@cache
def counters() -> Mapping[str, Counter]:
    """Base name -> what it is."""
    return decode(FILE.read_text())


def decode(text: str) -> dict[str, Counter]:
    found: dict[str, Counter] = {}
    before = ""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        mark, shared, rest = line.split(" ", 2)
        before = before[: int(shared)] + rest
        owners = int(mark[0], 16)
        has = tuple(name for bit, name in enumerate(chips()) if owners >> bit & 1)
        found[before] = Counter(KINDS[mark[1]], has, int(mark[2:]))
    return found


def encode(listed: Mapping[str, Counter], heading: str) -> str:
    lines, before = [f"# {line}" for line in heading.splitlines()], ""
    for name in sorted(listed):
        one = listed[name]
        owners = sum(1 << bit for bit, chip in enumerate(chips()) if chip in one.chips)
        shared = next((at for at, (a, b) in enumerate(zip(before, name, strict=False)) if a != b), len(before))
        lines.append(f"{owners:x}{one.kind[0]}{one.passes} {shared} {name[shared:]}")
        before = name
    return "\n".join(lines) + "\n"
