"""Times as people write them (90, 90s, 3m, 1.5h, 7d), and moments as documents do."""

import re
from datetime import datetime

from perfproof.core.errors import UsageError

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)"


def parse_duration(text: str, option: str) -> float:
    """Seconds; parts are added, as in 2m30s, each with its unit."""
    if not re.fullmatch(rf"{NUMBER}\s*[smhdw]?|({NUMBER}[smhdw]){{2,}}", text.strip()):
        raise UsageError(f"{option} {text!r} is no time: write 90, 90s, 3m, 2m30s, 2h or 7d")
    parts = re.findall(rf"({NUMBER})\s*([smhdw]?)", text.strip())
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def parse_positive_duration(text: str, option: str) -> float:
    seconds = parse_duration(text, option)
    if seconds <= 0:
        raise UsageError(f"{option} {text!r} leaves no time: write more than 0 seconds")
    return seconds


def moment(started: str) -> float | None:
    """Seconds since 1970; None if the text is no moment."""
    try:
        return datetime.fromisoformat(started).timestamp()
    except ValueError:
        return None
