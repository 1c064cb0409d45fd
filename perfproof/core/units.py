"""One place for units: seconds, bytes, ratios and counts as people read them.

Bytes are decimal (GB = 1e9) unless the name says binary (GiB = 2**30): mixing the two is how bandwidths go wrong.
"""

import math

KiB, MiB, GiB = 2**10, 2**20, 2**30
PREFIXES = ((1e24, "Y"), (1e21, "Z"), (1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def seconds(value: float | None) -> str:
    """Three significant digits with the unit that keeps them readable: 1.23 ms."""
    if value is None or math.isnan(value):
        return "–"
    if value < 0:
        return "-" + seconds(-value)
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= factor * 0.9995:
            return f"{_three_digits(value / factor)} {unit}"
    return f"{_three_digits(value * 1e9)} ns"


def binary_bytes(value: float | None) -> str:
    """Memory sizes: 1.50 MiB."""
    if value is None:
        return "–"
    for factor, unit in ((GiB, "GiB"), (MiB, "MiB"), (KiB, "KiB")):
        if abs(value) >= factor:
            return f"{_three_digits(value / factor)} {unit}"
    return f"{value:.0f} B"


def amount(value: float | None, unit: str, digits: int = 3) -> str:
    """Decimal prefixes: 3.13 GB/s, 790 TFLOP/s."""
    if value is None:
        return "–"
    factor, prefix = next((one for one in PREFIXES if abs(value) >= one[0] * 0.9995), (1.0, ""))
    return f"{value / factor:.{digits}g} {prefix}{unit}"


def both_bytes(value: float | None) -> str:
    """A size in decimal and in binary units, because people compare it with numbers in either: 42.9 GB (40.0 GiB)."""
    if value is None:
        return "–"
    if abs(value) < KiB:
        return f"{value:.0f} B"
    factor, unit = next((one for one in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")) if abs(value) >= one[0]), (1.0, "B"))
    decimal = f"{value:,.0f} B" if unit == "B" else f"{_three_digits(value / factor)} {unit}"
    return f"{decimal} ({binary_bytes(value)})"


def ratio(value: float | None) -> str:
    """A speed-up: 3.21x, 0.0072x; below ten per cent of change three decimals, so that 1.004x is not shown as 1x."""
    if value is None or math.isnan(value):
        return "–"
    if abs(math.log(value)) < 0.1:
        return f"{value:.3f}x"
    return f"{value:.2g}x" if 1e-4 <= value < 0.1 else f"{_three_digits(value)}x"


def percent(value: float | None, digits: int = 1) -> str:
    if value is None or math.isnan(value):
        return "–"
    return f"{100 * value:.{digits}f} %"


def count(number: int, word: str) -> str:
    """1 launch, 2 launches, 3,000 runs."""
    ending = "" if number == 1 else "es" if word.endswith(("ch", "sh", "s", "x")) else "s"
    return f"{number:,} {word}{ending}"


def all_digits(value: float) -> str:
    """A number as it was read: 2.4542856979, 12,288 as 12288."""
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)


def _three_digits(value: float) -> str:
    if value == 0:
        return "0"
    before_point = math.floor(math.log10(abs(value))) + 1
    return f"{value:.{max(0, 3 - max(before_point, 1))}f}"
