"""What a printed number may stand for, and whether two of them divide to a third."""

import re

SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
BYTES = {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}
UNITS = SECONDS | BYTES | {"J": 1.0, "": 1.0}
FIGURE = r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?: (?:[mµn]?s|[KMG]iB|B|J))?"
RATIO = r"\d+(?:\.\d+)?x"


def span(text):
    """Lowest and highest value that is printed like this: "3.21 ms" is 3.205 to 3.215 ms."""
    number, _, unit = text.replace(",", "").strip().partition(" ")
    mantissa, _, exponent = number.rstrip("x").partition("e")
    digits = len(mantissa.partition(".")[2])
    scale = UNITS[unit] * 10.0 ** int(exponent or 0)
    half = 0.5 * 10.0**-digits
    if "." not in mantissa and not unit:  # 12,300: of plain numbers, zeros at the end may be rounded ones
        half *= 10.0 ** (len(mantissa) - len(mantissa.rstrip("0")))
    return (float(mantissa) - half) * scale, (float(mantissa) + half) * scale


def divides(baseline, variant, ratio):
    """Can these three be figures and their ratio, before they were rounded?

    Plain numbers are metrics, and one that is better if it is higher has the ratio the other way round.
    """
    if not any(figure.partition(" ")[2] for figure in (baseline, variant)) and _divides(variant, baseline, ratio):
        return True
    return _divides(baseline, variant, ratio)


def _divides(baseline, variant, ratio):
    (low_b, high_b), (low_v, high_v), (low, high) = (span(text) for text in (baseline, variant, ratio))
    smallest, largest = low_b / high_v, high_b / max(low_v, 1e-300)
    return smallest <= high * (1 + 1e-9) and low <= largest * (1 + 1e-9)


def first_ratio(text):
    return re.search(RATIO, text)[0]
