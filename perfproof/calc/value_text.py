"""A value of an answer with its unit, for people."""

from perfproof.calc.answer import Cell
from perfproof.core import units


def text(value: Cell, unit: str = "") -> str:
    """A value with its unit, GB against GiB said."""
    if value is None:
        return "unknown" if unit != "tok" else "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if unit == "B":
        return units.both_bytes(value)
    if unit == "s":
        return units.seconds(value)
    if unit == "share":
        return units.percent(value)
    if unit.startswith("$"):
        return f"{_dollars(value)}{unit[1:]}"
    if unit == "FLOP":
        return units.amount(value, unit)
    return f"{number(value)} {unit}".rstrip() if unit != "x" else f"{number(value)}x"


def _dollars(value: float) -> str:
    """To a tenth of a cent; less than a cent in three digits, so that a small price is never shown as zero."""
    if value and abs(value) < 0.01:
        return f"${value:.3g}" if abs(value) >= 1e-4 else f"${value:.2e}"
    return f"${value:,.3f}"


def number(value: float | int) -> str:
    if isinstance(value, int) or (value == round(value) and abs(value) < 1e15):
        return f"{value:,.0f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
