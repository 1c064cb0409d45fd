"""Hold a target's times against what the machine can do: per cent of the ceilings, and times that cannot be true."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from perfproof.calc import light
from perfproof.calc.light import BEYOND_BEST, Rates
from perfproof.core.ceilings import Ceilings
from perfproof.core.documents import Check, Light, Run, TargetResult
from perfproof.core.ratio_figures import seconds_of
from perfproof.machine import ceilings as stored
from perfproof.machine import datasheet
from perfproof.machine.datasheet import Sheet
from perfproof.stats.quads import BASELINE

NAME = "speed of light"
COLD = 2  # times the last cache: of a little more than it, a part is found there again
MEMORY = ("memory/copy", "memory/read", "memory/write", "memory/triad")
# What may compute for a tensor of this type: float32 products may use the tensor cores where that is switched on.
TYPES = {
    "float64": ("fp64",),
    "float32": ("fp32", "tf32"),
    "float16": ("fp16",),
    "bfloat16": ("bf16",),
    "float8_e4m3fn": ("fp8",),
    "float8_e5m2": ("fp8",),
    "int8": ("int8",),
}


@dataclass(frozen=True)
class Limits:
    """What is known of the machine of this run."""

    ceilings: Ceilings | None
    sheet: Sheet | None = None
    highest_clock_hz: float | None = None
    cache_bytes: int | None = None  # of the last level

    def measured(self, dtype: str, lowered: str) -> Rates:
        """The highest of the measured rates: nothing honest is above it by more than noise."""
        memory = self._best(MEMORY, lambda one: one.value)
        every = tuple(one.name for one in (self.ceilings.ceilings if self.ceilings else []))
        kinds = (lowered,) if lowered else TYPES.get(dtype, ())[:1]
        wanted = tuple(f"gemm/{kind}/" for kind in kinds)
        compute = self._best(tuple(name for name in every if f"{name}/".startswith(wanted)), lambda one: one.value)
        return Rates(memory[0], compute[0], memory[1], compute[1])

    def possible(self, dtype: str, lowered: str) -> Rates:
        """What no time can beat: the data sheet at the highest clock, or a quarter above the best ever measured."""
        kinds = (lowered,) if lowered else TYPES.get(dtype, ())
        if self.sheet:
            every = kinds or tuple(self.sheet.flops)
            bounds = [bound for kind in every if (bound := self.sheet.bound(kind, self.highest_clock_hz))]
            name = f"data sheet of {self.sheet.name}"
            return Rates(self.sheet.memory_bytes_s, max(bounds, default=None), name, name)
        memory = self._best(MEMORY, lambda one: one.best)[0]
        compute = self._best_gemm()
        name = f"{BEYOND_BEST} times the best measured here"
        return Rates(memory and BEYOND_BEST * memory, compute and BEYOND_BEST * compute, name, name)

    def _best(self, names: tuple[str, ...], value: Any) -> tuple[float | None, str]:
        found = [one for name in names if self.ceilings and (one := self.ceilings.get(name))]
        best = max(found, key=value, default=None)
        return (value(best), best.name) if best else (None, "")

    def _best_gemm(self) -> float | None:
        rates = [one.best for one in (self.ceilings.ceilings if self.ceilings else []) if one.name.startswith("gemm/")]
        return max(rates, default=None)


def read_limits(machine: dict[str, Any]) -> Limits:
    """From the machine's snapshot: stored ceilings of its fingerprint, the data sheet of its GPU."""
    found = stored.load(machine["fingerprint"], machine["device"])
    if machine.get("gpu") is None:
        return Limits(found, cache_bytes=machine["cpu"].get("last_level_cache_bytes"))
    gpu = machine["gpus"][machine["gpu"]]
    clock, sheet = gpu.get("clock_sm_max_mhz"), datasheet.find(str(gpu["name"]))
    return Limits(found, sheet, clock * 1e6 if isinstance(clock, (int, float)) else None)


def with_shares(run: Run, computes_in: Mapping[str, Mapping[str, str]]) -> Run:
    """A saved run whose sides are held against ceilings that were measured on its machine since."""
    limits = read_limits(run.machine) if "fingerprint" in run.machine and "device" in run.machine else None
    known = limits.ceilings if limits else None
    for result in run.targets if known else ():
        shown = any(side.light and side.light.share for side in result.variants.values())
        if not shown or cast(Ceilings, known).measured > run.started:
            hold_against_light(result, cast(Limits, limits), computes_in.get(result.target, {}))
    return run


def hold_against_light(result: TargetResult, limits: Limits, computes_in: Mapping[str, str]) -> None:
    """Fill in the share of each side; a side that cannot be so fast gets the target rejected.

    What a worker knows is in the pool's description: the type of the arguments, and the bytes that caches may hold.
    A side that lowers the precision is held against the format that it declares to compute in.
    """
    seen = result.pool
    if result.status != "ok" or not ({"flops", "bytes"} & set(result.cost)) or "dtype" not in seen:
        return
    cache = seen.get("cache_bytes") or limits.cache_bytes or 0
    # Constants are the same in every call: if they are larger than the cache, no call finds them there.
    cold = max(result.pool.get("bytes", 0), seen["constant_bytes"]) > COLD * cache
    cached = sum(size for size in (seen["constant_bytes"], seen["output_bytes"]) if size <= cache)
    works = {side: light.work_of(result.cost, side, cached) for side in result.variants}
    problems = []
    for side, variant in result.variants.items():
        lowered = computes_in.get(side, "")
        measured, possible = (ask(seen["dtype"], lowered) for ask in (limits.measured, limits.possible))
        if not cold:  # the data of a call may come from the cache: memory says nothing about it
            possible = Rates(None, possible.compute, "", possible.compute_name)
            measured = Rates(None, measured.compute, "", measured.compute_name)
        seconds = seconds_of(result, side)
        if not seconds or not math.isfinite(seconds):
            continue
        problem = light.impossible(works[side], seconds, possible)
        problems += [f"{side}: {problem}"] if problem else []
        fastest = light.fastest(works[side].flops, works[side].bytes, measured)
        if fastest and _may_be_bound_by_unmeasured(works[side], fastest.seconds, measured, possible, cold):
            fastest = None
        if fastest and fastest.seconds > seconds:  # then a cache did hold what it may hold
            fastest = light.fastest(works[side].flops, works[side].least_bytes, measured)
        parts = light.split(works[BASELINE], works[side], seconds_of(result, BASELINE, side) or 0.0, seconds)
        variant.light = Light(
            fastest_seconds=fastest.seconds if fastest else None,
            share=fastest.seconds / seconds if fastest else None,
            bound=fastest.bound if fastest else "",
            ceiling=fastest.rate_name if fastest else "",
            bytes_per_second=_rate(works[side].bytes, seconds),
            flops_per_second=_rate(works[side].flops, seconds),
            traffic_ratio=parts[0] if parts and side != BASELINE else None,
            bandwidth_ratio=parts[1] if parts and side != BASELINE else None,
        )
    _note(result, problems, possible, cold)


def _may_be_bound_by_unmeasured(work: light.Work, seconds: float, measured: Rates, possible: Rates, cold: bool) -> bool:
    """Would arithmetic or memory take longer, if no rate of it was measured? Then a share of the other says nothing."""
    if not measured.compute and possible.compute and (work.flops or 0.0) / possible.compute > seconds:
        return True
    if not cold or measured.memory or not work.bytes:
        return False
    return not possible.memory or work.bytes / possible.memory > seconds


def _note(result: TargetResult, problems: list[str], possible: Rates, cold: bool) -> None:
    if problems:
        result.checks.append(Check(name=NAME, result="fail", detail=problems[0]))
        result.status, result.reason = "rejected", f"{NAME}: {problems[0]}"
        result.verdict, result.ratios = None, {}
        return
    pairs = ((possible.memory, possible.memory_name), (possible.compute, possible.compute_name))
    known = [name for rate, name in pairs if rate]
    if known:
        only = "" if cold else "; calls rotate inside the cache, so memory says nothing"
        detail = f"no side is faster than {' and '.join(dict.fromkeys(known))} allows{only}"
        result.checks.append(Check(name=NAME, result="pass", detail=detail))
    else:
        detail = "nothing is known of this machine's limits: run `perfproof peak` once"
        result.checks.append(Check(name=NAME, result="not-run", detail=detail))


def _rate(amount: float | None, seconds: float) -> float | None:
    return amount / seconds if amount else None
