"""NVIDIA's evaluator agrees with what is shipped. It comes with Triton's wheel; without it there is nothing to ask."""

import random
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.ncu_evaluator import Evaluator
from perfproof.core.errors import PerfproofError
from perfproof.profile.manifest.counters import Counter, counters
from perfproof.profile.manifest.names import ENDINGS, ROLLUPS, ncu_own
from perfproof.profile.manifest.roles import groups, metrics_of
from perfproof.profile.manifest.selection import evaluated, made, select
from perfproof.profile.roofline_counters import ARCHITECTURES

NOWHERE = Counter("", (), 0)


def counted(references, chip):
    return [metric for metric in metrics_of(references, chip) if metric not in ncu_own()]


def library():
    triton = find_spec("triton")
    folders = [Path(folder) for folder in (triton.submodule_search_locations or [])] if triton else []
    found = [path for folder in folders for path in folder.glob("backends/nvidia/lib/cupti/libnvperf_host.so")]
    return found[0] if found else None


pytestmark = pytest.mark.skipif(library() is None, reason="no libnvperf_host.so in Triton's wheel")


@pytest.fixture(scope="module", params=["GH100", "GB100", "GA100"])
def evaluator(request):
    return Evaluator(library(), request.param)


def test_it_and_the_list_agree_on_what_a_name_is(evaluator):
    """Triton's copy may be older than the list: a few names came and went between them."""
    chip, found = evaluator.chip.decode(), evaluator.names()
    both = [name for name in found if chip in counters().get(name, NOWHERE).chips]
    assert len(both) > 0.95 * len(found)
    assert [name for name in both if counters()[name].kind != found[name]] == []


def test_the_shipped_costs_are_its_own(evaluator):
    chip = evaluator.chip.decode()
    there = [name for name in groups() if all(map(evaluator.accepts, counted([name], chip)))]
    assert len(there) >= len(groups()) - 2
    for name in there:
        metrics = counted([name], chip)
        assert (evaluator.passes(metrics) if metrics else 0) == evaluated()[chip][name], name


def test_the_command_of_a_roofline_costs_what_it_says(evaluator):
    architecture = next(one for one in ARCHITECTURES.values() if one.chip == evaluator.chip.decode())
    passes = evaluator.passes(architecture.metrics())
    assert architecture.passes == made(passes, passes, architecture.chip)[1]


@pytest.mark.parametrize(
    ("kind", "base"),
    [("counter", "dram__bytes"), ("throughput", "sm__throughput"), ("ratio", "lts__t_sector_hit_rate")],
)
def test_it_takes_exactly_the_suffixes_we_take(evaluator, kind, base):
    everything = {ending for endings in ENDINGS.values() for ending in endings if ending}
    tried = {f"{rollup}.{ending}" for rollup in ROLLUPS for ending in everything} | everything | set(ROLLUPS)
    taken = {suffix for suffix in tried if evaluator.accepts(f"{base}.{suffix}")}
    ours = {f"{rollup}.{ending}".rstrip(".") for rollup in ROLLUPS for ending in ENDINGS[kind]}
    assert taken == (set(ENDINGS[kind]) if kind == "ratio" else ours)


def test_the_bounds_of_a_mixture_hold(evaluator):
    chip, rng = evaluator.chip.decode(), random.Random(7)
    added = ["COAL", "SMEM", "STALL", "L2", "BYTES", "TC.fp16", "TC.busy", "BASE.sm_peak_share", "LAUNCH"]
    for _ in range(10):
        selection = select("quick", chip, add=rng.sample(added, 3), drop=["TC.busy"])
        passes = evaluator.passes([metric for metric in selection.metrics if metric not in ncu_own()])
        least, most = made(passes, passes, chip)
        assert selection.least_passes <= least and most <= selection.most_passes


def test_a_chip_it_has_not_is_an_error():
    with pytest.raises(PerfproofError, match=r"libnvperf_host: .* answered with status"):
        Evaluator(library(), "XX100")
