"""Numbers with units, as people write them: "200 ms" is 0.2 seconds, "1.5 GB/s" 1.5e9 bytes per second, "0.5 %" 0.005.

Bytes are decimal unless the unit says binary (GiB); bits are a byte's eighth. Thousands may be parted by _ or a
comma; a comma that parts anything else ("0,5 s") makes the text no number: it is never read as another one.
"""

import re

TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
NUMBER = re.compile(r"\s*((?:[1-9]\d{0,2}(?:,\d{3})+|\d[\d_]*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\d,.])\s*(.*?)\s*")


def is_number(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None


def seconds(text: str) -> float | None:
    value, unit = _split(text)
    return None if value is None or unit not in TIMES else value * TIMES[unit]


def size(text: str) -> float | None:
    """Bytes; of a bandwidth written without its /s as well."""
    value, unit = _split(text)
    found = re.fullmatch(r"([kKMGT]?)(i?)(B|bit)", unit)
    if value is None or found is None:
        return None
    base = 1024 if found[2] else 1000
    return value * base ** POWERS[found[1]] / (8 if found[3] == "bit" else 1)


def bandwidth(text: str) -> float | None:
    """Bytes a second."""
    head, slash, tail = text.strip().rpartition("/")
    return size(head) if slash and tail.strip() == "s" else None


def throughput(text: str) -> tuple[float, str] | None:
    """How many a second, and of what: (3000.0, "tokens")."""
    value, unit = _split(text)
    found = re.fullmatch(r"([a-z]+?)s?/s", unit)
    return None if value is None or found is None else (value, f"{found[1]}s")


def share(text: str) -> float | None:
    """A percentage as a number: "0.5 %" is 0.005; None if the text is none."""
    value, unit = _split(text)
    return None if value is None or unit != "%" else value / 100


def price(text: str, per: str) -> float | None:
    """Money per hour ("h") or per kWh, whatever the currency."""
    value, unit = _split(text)
    return None if value is None or not re.fullmatch(rf"(\$|USD|€|EUR)/{per}", unit) else value


def watts(text: str) -> float | None:
    value, unit = _split(text)
    return None if value is None or unit not in ("W", "kW") else value * (1000 if unit == "kW" else 1)


def _split(text: str) -> tuple[float | None, str]:
    found = NUMBER.fullmatch(text)
    if found is None:
        return None, ""
    return float(found[1].replace("_", "").replace(",", "")), found[2]
