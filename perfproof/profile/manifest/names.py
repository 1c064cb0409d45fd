"""Check a metric's name, without a GPU: does the chip have it, are its suffixes right, which name was meant."""

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from perfproof.core.errors import UsageError
from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.counters import Counter, counters
from perfproof.profile.manifest.roles import metrics_of, roles_of

FOLDER = Path(__file__).parent
ROLLUPS = ("sum", "avg", "min", "max")
SPANS = ("active", "elapsed", "frame", "region")
SHARES = tuple(f"pct_of_peak_sustained_{span}" for span in SPANS)
PEAKS = tuple(f"peak_sustained_{span}{rate}" for span in SPANS for rate in ("", ".per_second"))
RATES = ("per_cycle_active", "per_cycle_elapsed", "per_cycle_in_frame", "per_cycle_in_region", "per_second")
ENDINGS = {  # after the roll-up of a counter or throughput; a ratio has no roll-up
    "counter": ("", "peak_sustained", *PEAKS, *RATES, *SHARES),
    "throughput": SHARES,
    "ratio": ("pct", "ratio", "max_rate"),
}


@dataclass(frozen=True)
class Resolved:
    """What a name that somebody wrote stands for."""

    metrics: tuple[str, ...]
    note: str = ""  # what it was taken for, if it was not taken literally


def resolve(name: str, chip: str) -> Resolved:
    """The metrics of a name on a chip: itself, what an alias is taken for, or UsageError with the nearest names."""
    alias = _aliases().get(name) or _aliases().get(split(name)[0])
    if alias is not None:
        metrics = tuple(metrics_of(alias["roles"], chip))
        return Resolved(metrics, f"{name} does not exist ({alias['why']}); taken for {', '.join(metrics)}")
    problem = check(name, chip)
    if problem:
        raise UsageError(problem)
    return Resolved((name,))


def check(name: str, chip: str) -> str:
    """An empty text, or one line: what is wrong with this name on this chip, and which was meant."""
    if name in ncu_own():
        return ""
    base, suffix = split(name)
    if base in ncu_own():
        return f"{name}: {base} is ncu's own and takes no suffix; write {base}"
    found = counters().get(base)
    if found is None:
        return f"{name}: no chip has a counter of this name{_nearest(base, chip, suffix)}"
    wrong = _suffix_problem(name, suffix, found.kind)
    if wrong:
        return wrong
    return "" if chip in found.chips else _elsewhere(name, base, suffix, found, chip)


def split(name: str) -> tuple[str, str]:
    """Base name and suffix. The unit before the double underscore may have dots of its own: `CTC.Triage.ctc__bytes`."""
    unit, mark, rest = name.partition("__")
    base, _, suffix = rest.partition(".")
    if mark:
        return f"{unit}__{base}", suffix
    base, _, suffix = name.partition(".")
    return base, suffix


def known_aliases() -> tuple[str, ...]:
    return tuple(_aliases())


@cache
def ncu_own() -> frozenset[str]:
    lines = (FOLDER / "ncu_own.txt").read_text().splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


@cache
def _aliases() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "aliases.toml").read_text())


def _suffix_problem(name: str, suffix: str, kind: str) -> str:
    rollup, _, ending = suffix.partition(".")
    if kind == "ratio":
        return "" if suffix in ENDINGS[kind] else f"{name}: a ratio ends in .pct, .ratio or .max_rate"
    if rollup not in ROLLUPS:
        example = ".avg.pct_of_peak_sustained_elapsed" if kind == "throughput" else ".sum"
        return f"{name}: a {kind} needs .sum, .avg, .min or .max after its name, such as {example}"
    if ending in ENDINGS[kind]:
        return ""
    if kind == "throughput":
        return f"{name}: a throughput ends in {' or '.join(f'.{share}' for share in SHARES[:2])}"
    near = get_close_matches(ending, ENDINGS[kind], n=1, cutoff=0.0)[0]
    return f"{name}: .{ending} is no suffix of a counter; the nearest is .{near}"


def _elsewhere(name: str, base: str, suffix: str, found: Counter, chip: str) -> str:
    where = f"{name}: it exists on {' and '.join(found.chips)}, not on {chip}"
    roles = roles_of(name)
    here = metrics_of(roles, chip)
    if here:
        return f"{where}; the same role ({roles[0]}) is {' + '.join(here)} there"
    if roles:
        return f"{where}, nor anything for this role ({roles[0]})"
    return where + _nearest(base, chip, suffix)


def _nearest(base: str, chip: str, suffix: str) -> str:
    here = [name for name, one in counters().items() if chip in one.chips] + sorted(ncu_own())
    unit = base.partition("__")[0]
    family = [name for name in here if name.partition("__")[0] == unit]
    near = get_close_matches(base, family, n=3, cutoff=0.7) or get_close_matches(base, here, n=3, cutoff=0.6)
    whole = [_with_suffix(name, suffix) for name in near]
    return f"; the nearest on {chip}: {', '.join(whole)}" if near else f"; nothing near it on {chip} either"


def _with_suffix(base: str, suffix: str) -> str:
    """The wanted suffix where the other counter takes it, else one that it takes."""
    if base in ncu_own():
        return base
    kind = counters()[base].kind
    usual = {"counter": "sum", "ratio": "ratio", "throughput": "avg.pct_of_peak_sustained_elapsed"}[kind]
    return f"{base}.{usual if _suffix_problem(base, suffix, kind) else suffix}"


def check_everywhere(name: str) -> str:
    """Like `check` where the chip is not known: right if it is right on any."""
    found = counters().get(split(name)[0])
    return check(name, found.chips[0] if found else next(iter(chips())))
