"""Every counter of every chip: reading and writing counters.gz.

Unpacked, it has one line per name, sorted: `0f c1 dram__bytes`. `0f` is the sum of the marks of the chips that have it
(1, 2, 4, 8 ... in the order of chips.toml, in hexadecimal), `c` its kind (counter, ratio, throughput), `1` the passes
it takes alone on the chip where it takes most.
"""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from perfproof.profile.manifest.chips import chips

FILE = Path(__file__).parent / "counters.gz"
KINDS = {"c": "counter", "r": "ratio", "t": "throughput"}


@dataclass(frozen=True)
class Counter:
    kind: str
    chips: tuple[str, ...]
    passes: int


@cache
def counters() -> Mapping[str, Counter]:
    """Base name -> what it is."""
    return decode(FILE.read_bytes())


def decode(packed: bytes) -> dict[str, Counter]:
    found: dict[str, Counter] = {}
    for line in gzip.decompress(packed).decode().splitlines():
        if line.startswith("#"):
            continue
        owners, mark, name = line.split(" ", 2)
        has = tuple(chip for bit, chip in enumerate(chips()) if int(owners, 16) >> bit & 1)
        found[name] = Counter(KINDS[mark[0]], has, int(mark[1:]))
    return found


def encode(listed: Mapping[str, Counter], heading: str) -> bytes:
    lines = [f"# {line}" for line in heading.splitlines()]
    for name, one in sorted(listed.items()):
        owners = sum(1 << bit for bit, chip in enumerate(chips()) if chip in one.chips)
        lines.append(f"{owners:02x} {one.kind[0]}{one.passes} {name}")
    return gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)
