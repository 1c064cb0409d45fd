"""Kernels wait for the L2 or the L1 cache, not for DRAM."""

from typing import Literal

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.speed_of_light import BINDS, CHEAPEST, L1, L2, NEEDS_DRAM, ROOF, speed_of_light
from perfproof.diagnose.wording import percent

HIT_RATES = {"L1": "l1tex__t_sector_hit_rate.pct", "L2": "lts__t_sector_hit_rate.pct"}


def find(evidence: Evidence) -> Finding | Abstained | None:
    return counted.find(
        evidence, "cache_bound", CHEAPEST, judge, (NEEDS_DRAM, (*reversed(L2), *L1)),
        title="kernels bound by a cache",
        advice="larger tiles, values kept in registers or shared memory: fewer trips to the cache",
        experiment="perfproof profile --metrics L2",
        refuted_by="with larger tiles the cache's throughput falls and the kernel takes as long",
    )  # fmt: skip


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    light = speed_of_light(kernel)
    caches = {"L2": light.l2, "L1": light.l1}
    known = {name: used for name, used in caches.items() if used is not None}
    if light.dram is None or not known:
        return "missing"
    name = max(known, key=lambda each: known[each])
    used = known[name]
    if used < BINDS or used <= light.dram or (light.arithmetic or 0.0) >= used:
        return None
    rates = {each: rate for each, metric in HIT_RATES.items() if (rate := kernel.value(metric)) is not None}
    text = f"{name} at {percent(used)} of its peak, DRAM at {percent(light.dram)}"
    text += "".join(f", hit rate of {each} {percent(rate)}" for each, rate in rates.items())
    saves = 1 - max(light.dram, light.arithmetic or 0.0)
    return Hit(kernel, saves, text, {"cache_used": used, "dram_used": light.dram}, at_roof=used >= ROOF)
