"""What is said while a comparison is measured: how far it is, the ratio so far, and how long it may take."""

import math
import time
from collections.abc import Callable

from perfproof.bench.comparison.comparison import Comparison
from perfproof.core.units import ratio
from perfproof.stats.stopping import launches_needed
from perfproof.stats.units import LEAST_UNITS
from perfproof.stats.verdicts import systematic_band

Notify = Callable[..., None]  # phase, share done, seconds left, and a line to print once


def tell(found: Comparison, notify: Notify) -> None:
    effort = found.job.effort
    done = found.launches if effort.couples == 1 else len(found.records) // 2
    wanted = effort.launches * effort.couples
    if effort.couples == 1 and effort.launches < effort.most_launches and done >= LEAST_UNITS:
        needed = [
            launches_needed(_sd(found, kind), found.band + found.moved, found.job.delta, found.level)
            for kind in found.job.variants
        ]
        wanted = min(effort.most_launches, max(wanted, *(need or effort.most_launches for need in needed)))
    left, so_far = max(0.0, (wanted - done) * found.couple_seconds), _ratio_so_far(found)
    said = f", {ratio(so_far)} so far" if so_far else ""
    notify(f"measuring {done} of {wanted}{said}", min(1.0, done / wanted), left, ratio=so_far)


def _ratio_so_far(found: Comparison) -> float | None:
    """The interim ratio of the first variant, or None until two processes have been measured."""
    units = found.units(next(iter(found.job.variants)))
    return math.exp(math.fsum(units) / len(units)) if units else None


def plan(found: Comparison) -> str:
    """How long it takes, from the first couple and the noise inside it: launches may differ by more than that."""
    effort, couple = found.job.effort, found.couple_seconds
    errors = [value.standard_error for kind in found.job.variants for value in found.values(kind)]
    sd = max((error for error in errors if not math.isnan(error)), default=0.0) / math.sqrt(2)
    needed = launches_needed(sd, systematic_band(found.job.device, effort.launches), found.job.delta, found.level)
    launches = min(effort.most_launches, max(effort.launches, needed or effort.most_launches))
    least = effort.launches * effort.couples * couple
    seconds = max(least, min(launches * effort.couples * couple, effort.patience))
    seconds = min(seconds, max(couple, found.job.budget_end - time.monotonic() + found.seconds))
    about = f"about {seconds:.0f} s" if seconds < 120 else f"about {seconds / 60:.0f} min"
    return f"each side in processes of its own, {about}" if found.rung.isolated else f"{effort.name} effort, {about}"


def _sd(found: Comparison, kind: str) -> float:
    estimate = found.interval(kind)
    return (estimate.sd or 0.0) if estimate else 0.0
