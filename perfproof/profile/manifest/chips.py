"""The chip families whose counters are known, by any of the names people use for them."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from perfproof.core.errors import UsageError

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Chip:
    name: str  # GH100
    says: str
    also: tuple[str, ...]


@cache
def chips() -> dict[str, Chip]:
    """In the order of the marks in counters.gz."""
    listed = tomllib.loads((FOLDER / "chips.toml").read_text())
    return {name: Chip(name, one["says"], tuple(one["also"])) for name, one in listed.items()}


def find_chip(text: str) -> str:
    """GH100 for gh100, H200, "NVIDIA H200", sm_90 or 9.0."""
    wanted = text.lower().replace("nvidia", "").replace("geforce", "").replace(" ", "")
    for name, chip in chips().items():
        if wanted == name.lower() or wanted in chip.also:
            return name
    known = ", ".join(f"{name} ({chip.says})" for name, chip in chips().items())
    raise UsageError(f"--chip {text!r} has no list of counters here: choose {known}")
