"""One field of a form, and the value of what a person wrote into it."""

import inspect
import math
from dataclasses import dataclass
from typing import Any

from perfproof.core.errors import UsageError

UNITS = {"_gb_s": "GB/s", "_gb": "GB", "_us": "µs", "_ms": "ms", "_hours": "hours"}  # how a name may end
LONGEST = 4_000  # characters


@dataclass(frozen=True)
class Field:
    name: str
    help: str
    kind: type  # int, float, str or bool
    value: str = ""
    needed: bool = False
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """`bandwidth_gb_s` is "bandwidth, GB/s"."""
        unit = next((unit for unit in UNITS if self.name.endswith(unit)), "")
        return self.name.removesuffix(unit).replace("_", " ") + (f", {UNITS[unit]}" if unit else "")


def parse(field: Field, text: str, default: Any) -> Any:
    text = text.strip()
    if len(text) > LONGEST:
        raise UsageError(f"{field.label}: {len(text):,} characters are too many")
    if not text:
        if field.needed:
            raise UsageError(f"{field.label} is needed: {field.help}")
        return False if field.kind is bool else None if default is inspect.Parameter.empty else default
    if field.kind is bool:
        return text == "yes"
    if field.kind not in (int, float):
        return text
    value = _number(field, text)
    if field.most is not None and value > field.most:
        raise UsageError(f"{field.label} {value:g}: must be at most {field.most:g}")
    return value


def _number(field: Field, text: str) -> float:
    try:
        value = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise UsageError(f"{field.label} {text[:40]!r} is no number") from None
    if not math.isfinite(value):
        raise UsageError(f"{field.label} {text[:40]!r}: write a finite number")
    if field.kind is int and value != int(value):
        raise UsageError(f"{field.label} {text[:40]!r}: write a whole number")
    return field.kind(value)
