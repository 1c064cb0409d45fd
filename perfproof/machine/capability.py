"""What a GPU can do by its compute capability: capability.csv, where each row says where that is written.

A capability that is not in the table is unknown, not "no": a newer chip may have everything, or lack one thing.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from perfproof.core.hardware import Capability

ARCHITECTURES = {
    7.0: "Volta",
    7.5: "Turing",
    8.0: "Ampere",
    8.6: "Ampere",
    8.7: "Ampere",
    8.9: "Ada",
    9.0: "Hopper",
    10.0: "Blackwell",
    10.3: "Blackwell Ultra",
    11.0: "Blackwell (Thor)",
    12.0: "Blackwell (RTX)",
    12.1: "Blackwell (GB10)",
}
KNOWN = tuple(ARCHITECTURES)


@dataclass(frozen=True)
class Feature:
    name: str
    on: tuple[float, ...]
    source: str
    note: str = ""  # what to know where it is supported


def _chips(text: str) -> tuple[float, ...]:
    """ "9.0+" is 9.0 and all that follow it; otherwise each stands there."""
    if text.endswith("+"):
        return tuple(one for one in KNOWN if one >= float(text[:-1]))
    return tuple(map(float, text.split()))


with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
    FEATURES = [Feature(row["feature"], _chips(row["on"]), row["source"], row["note"]) for row in csv.DictReader(file)]


def capabilities(capability: float) -> list[Capability]:
    if capability not in KNOWN:
        why = f"unknown: compute capability {capability} is not in the table"
        return [Capability(feature=one.name, supported=why, source=one.source) for one in FEATURES]
    return [
        Capability(
            feature=one.name,
            supported=capability in one.on,
            note=one.note if capability in one.on or (one.name == "TMA multicast" and capability > 9) else "",
            source=one.source,
        )
        for one in FEATURES
    ]


def architecture(capability: float | None) -> str:
    if capability is None:
        return "unknown: the driver tells no compute capability"
    return ARCHITECTURES.get(capability, f"unknown: compute capability {capability} is not in the table")
