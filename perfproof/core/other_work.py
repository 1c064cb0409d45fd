"""Points of a sweep over a command that print something else than its base: they did other work.

Their times stand beside the base's and are not judged by it. A rate that the command prints is: it is made for that.
"""

from collections.abc import Mapping
from typing import Any

from perfproof.core.documents import TargetResult

WORD = "other work"  # in the place of a verdict
PRINTS = "print different things"  # of W140


def is_other_work(target: TargetResult) -> bool:
    """Only a point of a sweep has sizes and is a program."""
    if target.status != "ok" or not target.program or not target.sizes:
        return False
    differs = any(one.code == "W140" and PRINTS in one.text for one in target.warnings)
    return differs and all(one.claim in ("time", "memory") for one in target.ratios.values())


def does_other_work(raw: Mapping[str, Any]) -> bool:
    """The same of a target as plain JSON."""
    if raw.get("status") != "ok" or not raw.get("program") or not raw.get("sizes"):
        return False
    differs = any(one.get("code") == "W140" and PRINTS in str(one.get("text")) for one in raw.get("warnings") or ())
    return differs and all(one.get("claim", "time") in ("time", "memory") for one in (raw.get("ratios") or {}).values())
