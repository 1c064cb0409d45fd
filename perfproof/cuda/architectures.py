"""Which GPU a cubin is for: sm_90a runs on capability 9.0 and nowhere else, sm_80 on every 8.x."""

import re
from typing import Any

from perfproof.cuda.errors import CudaError

USUAL = ("sm_90a", "sm_100a")  # what a source is compiled for where nothing narrower is asked: Hopper and Blackwell


def parse(text: str) -> str:
    """`90a`, `sm_90a` as the compiler writes it: `sm_90a`."""
    match = re.fullmatch(r"(?:sm_)?(\d{2,3}[af]?)", text)
    if match is None:
        raise CudaError(f"no architecture {text!r}; write one like '90a' or '100a'")
    return f"sm_{match[1]}"


def of_capability(capability: tuple[int, int]) -> str:
    """The architecture with everything that the device can do: from 9.0 on that is the `a` variant."""
    major, minor = capability
    return f"sm_{major}{minor}{'a' if major >= 9 else ''}"


def runs_on(architecture: str, capability: tuple[int, int]) -> bool:
    number, kind = _parts(architecture)
    major, minor = divmod(number, 10)
    if kind == "a":
        return (major, minor) == capability
    return major == capability[0] and minor <= capability[1]


def admitted(needs: dict[str, Any]) -> tuple[str, ...]:
    """The architectures that a pair's `needs` admit: exactly `sm`, or those of the usual ones from `cuda` on."""
    if "sm" in needs:
        return (parse(needs["sm"]),)
    least = round(float(needs.get("cuda", 0)) * 10)
    fitting = tuple(usual for usual in USUAL if _parts(usual)[0] >= least)
    return fitting or (of_capability(divmod(least, 10)),)


def _parts(architecture: str) -> tuple[int, str]:
    digits = architecture.removeprefix("sm_").rstrip("af")
    return int(digits), architecture.removeprefix("sm_")[len(digits) :]
