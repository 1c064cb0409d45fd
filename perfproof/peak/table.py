"""Ceilings as people read them: a table of name, value, spread, share of the data sheet and what is to be noted."""

from perfproof.core import units
from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.report.text import beside, hung, widths_of, wrapped

WIDTH = 100
SYMBOLS = {"bytes/s": "B/s", "flop/s": "FLOP/s", "op/s": "OP/s"}
TITLES = ("ceiling", "value", "spread", "of sheet")


def quantity(value: float, unit: str) -> str:
    """A value with the unit that keeps it readable, decimal prefixes: 4.27 TB/s, 668 TFLOP/s, 5.31 µs."""
    if unit == "s":
        return units.seconds(value)
    factor, prefix = next((one for one in units.PREFIXES if value >= one[0] * 0.9995), (1.0, ""))
    digits = value / factor
    return f"{digits:.{2 if digits < 9.995 else 1 if digits < 99.95 else 0}f} {prefix}{SYMBOLS[unit]}"


def spread(ceiling: Ceiling) -> str:
    """From the lowest to the highest repeat, in per cent of the median."""
    low, high = ceiling.low / ceiling.value - 1, ceiling.high / ceiling.value - 1
    return f"{100 * low:+.1f} {100 * high:+.1f} %"


def note(ceiling: Ceiling) -> str:
    """A finding first; then what explains the value."""
    context, said = ceiling.context, [ceiling.finding] if ceiling.finding else []
    if "sm_mhz" in context:
        said.append(f"{context['sm_mhz']:.0f} MHz, {context['watts']:.0f} W")
    said += [f"held back by {name}" for name, share in context.get("held_back_by", {}).items() if share >= 0.5]
    said += [str(context[key]) for key in ("by", "backend", "file_system") if key in context]
    if "threads" in context:
        said.append(f"{context['threads']} thread" + ("s" if context["threads"] != 1 else ""))
    if "n" in ceiling.sizes:
        said.append(f"n = {ceiling.sizes['n']}")
    return ", ".join(said)


def render(found: Ceilings, width: int = WIDTH) -> str:
    how = ", quick" if found.quick else ""
    lines = [f"{found.kind}, {found.device}{how}; median of the repeats, spread from lowest to highest", ""]
    rows = [(*cells(one), note(one)) for one in found.ceilings]
    table = [(*TITLES, "note"), *rows]
    widths = widths_of([row[:4] for row in table])
    for row in table if rows else []:
        lines += hung(beside(row[:4], widths, right=(1, 2, 3)), row[4], width, least=20)
    if found.not_measured:
        lines += ["", "not measured"]
        for name, why in found.not_measured.items():
            lines += wrapped(f"{name}: {why}", width, indent="  ", hanging="  ")
    return "\n".join(lines) + "\n"


def cells(ceiling: Ceiling) -> tuple[str, str, str, str]:
    share = "–" if ceiling.sheet is None else units.percent(ceiling.value / ceiling.sheet)
    return ceiling.name, quantity(ceiling.value, ceiling.unit), spread(ceiling), share
