"""Finite numbers out of profiles. JSON may hold numbers with more digits than a float can, and text anything."""

import math
from typing import Any


def finite(value: Any) -> float | None:
    """A number of JSON; None if it is none, or not finite."""
    try:
        return float(value) if type(value) in (int, float) and math.isfinite(value) else None
    except OverflowError:
        return None


def parsed(text: str | None) -> float | None:
    """A number that stands in text."""
    try:
        return finite(float(text or ""))
    except ValueError:
        return None
