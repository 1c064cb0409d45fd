"""What differs between two bundles, two machines or two days, with what matters most first.

Every fact of the parsed documents has an importance, by its name. Readings of a moment (a temperature, a load) differ
always: they come last, and only where they differ by a fifth.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from perfproof.triage.opening import Bundle

Weight = Literal["decides", "matters", "may matter", "moment"]
WEIGHTS: tuple[Weight, ...] = ("decides", "matters", "may matter", "moment")

RULES: tuple[tuple[Weight, str], ...] = (  # the first that matches counts
    (
        "moment",
        r"(temperature|power_watts|clock_(sm|memory)_mhz$|used_bytes|available|free|utilisation|energy|load|uptime|busy"
        r"|compute_processes|event_reasons|seconds|pid|errors\.|\.fit$|^use\.|throttle|swap_free)",
    ),
    ("decides", r"^timing\."),
    ("decides", r"^gpu\.(driver|gpus\..*(\.name|memory_bytes|pcie_|nvlink|mig|ecc|power_limit|_max_mhz|health))"),
    ("decides", r"^host\.(cpu_quota|memory_limit|virtual_machine|container)"),
    ("decides", r"^cpu\.cpu\.(model|cores|quota|caches)|^cpu\.memory\.total"),
    ("decides", r"^software\.versions\.(torch|torch_cuda|triton)$"),
    ("matters", r"^software\.(variables|libraries|versions|torch_build)"),
    ("matters", r"^cpu\.|^host\.(kernel|clock_source|git)|^gpu\."),
    ("matters", r"^io\.(folder|nics|infiniband|shared_memory)|^ceilings\."),
    ("may matter", r""),
)
LEFT_OUT = (  # results; and `hardware`, whose facts stand in the other documents
    "checklist",
    "diagnosis",
    "profile",
    "compile",
    "health",
    "hardware",
)
SAME, SAME_MOMENT = 0.01, 0.2
NAMES = ("name", "resource", "index", "device", "number")


@dataclass(frozen=True)
class Difference:
    weight: Weight
    what: str
    a: str
    b: str
    size: float  # by how much, for the order within a weight


def diff(a: Bundle, b: Bundle) -> list[Difference]:
    both = {"timing", *(a.parsed.keys() & b.parsed.keys())}
    first, second = facts(a, both), facts(b, both)
    found = []
    for name in sorted(first.keys() | second.keys()):
        weight = weight_of(name)
        one, other = first.get(name, "–"), second.get(name, "–")
        size = distance(one, other)
        if size > (SAME_MOMENT if weight == "moment" else SAME):
            found.append(Difference(weight, name, _shown(one), _shown(other), size))
    return sorted(found, key=lambda one: (WEIGHTS.index(one.weight), -one.size, one.what))


def facts(bundle: Bundle, documents: set[str]) -> dict[str, Any]:
    """Every leaf by its path; of the command's runs the median of each quantity; of other documents that they exist."""
    found: dict[str, Any] = {}
    for name, document in bundle.parsed.items():
        if name in LEFT_OUT:
            continue
        if name == "timing":
            found |= dict(_timing(document))
        elif name not in documents:
            found[f"{name}.json"] = "recorded"
        else:
            found |= dict(_leaves(document, name))
    return found


def weight_of(name: str) -> Weight:
    return next(weight for weight, pattern in RULES if re.search(pattern, name))


def distance(a: Any, b: Any) -> float:
    """0 for the same; of two numbers the relative difference; 1 and more where there is no telling."""
    numbers = [value for value in (a, b) if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(numbers) == 2:
        most = max(abs(numbers[0]), abs(numbers[1]))
        return abs(numbers[0] - numbers[1]) / most if most else 0.0
    return 0.0 if a == b else 1.0


def _timing(document: Any) -> Iterator[tuple[str, Any]]:
    runs = [run for run in document.get("runs", []) if not run.get("late")]
    for key in ("cpu_seconds", "peak_bytes", "seconds"):
        values = [run[key] for run in runs if run.get(key) is not None]
        if values:
            yield f"timing.{ {'seconds': 'wall', 'cpu_seconds': 'cpu'}.get(key, key) }", median(values)
    yield "timing.command", " ".join(document.get("command", []))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}")
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for at, inner in enumerate(value):
            yield from _leaves(inner, f"{path}.{_label(inner, at)}")
    else:
        yield path, value


def _label(value: Any, at: int) -> str:
    """GPUs of a kind share a name: their number tells them apart."""
    if isinstance(value, dict):
        for key in ("index", *NAMES):
            if isinstance(value.get(key), (str, int)):
                return str(value[key])
    return str(at)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
