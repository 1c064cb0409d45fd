"""What a probe is told, and which names an option takes."""

import pytest

from perfproof.core.units import GiB, MiB
from perfproof.peak.plan import Plan, from_json, make_plan, matches, may_match, thread_counts

SEEN = {
    "device": "cpu",
    "memory": {"available_bytes": 16 * GiB, "cgroup_limit_bytes": 8 * GiB},
    "cpu": {"cores_allowed": 8, "quota_cpus": 2.5, "last_level_cache_bytes": 32 * MiB},
}


def test_a_plan_survives_its_journey():
    plan = Plan(device="cuda:1", only=("gemm",), threads=(1, 2))
    assert from_json(plan.to_json()) == plan


def test_the_plan_stays_inside_what_the_machine_allows():
    plan = make_plan(SEEN, quick=False, only=(), folder="x", free_bytes=2 * GiB)
    assert plan.memory_bytes == 2 * GiB  # a quarter of the control group's limit
    assert plan.threads == (1, 2)  # a quota of 2.5 CPUs
    assert plan.file_bytes == 2 * GiB // 10


def test_memory_that_the_kernel_does_not_tell_gives_a_small_plan():
    unknown = {**SEEN, "memory": {"available_bytes": None, "cgroup_limit_bytes": None}}
    assert make_plan(unknown, quick=True, only=(), folder="x", free_bytes=GiB).memory_bytes == GiB // 4


def test_quick_is_shorter():
    quick, full = (make_plan(SEEN, one, (), "x", 100 * GiB) for one in (True, False))
    assert quick.repeats < full.repeats and quick.file_bytes < full.file_bytes
    assert quick.sustained_seconds < full.sustained_seconds


def test_work_that_is_called_sustained_lasts_two_seconds_on_a_gpu():
    assert make_plan({**SEEN, "device": "cuda:0"}, True, (), "x", GiB).sustained_seconds >= 2


def test_thread_counts_double_up_to_all_cores():
    assert thread_counts(6, quick=False) == (1, 2, 4, 6)
    assert thread_counts(6, quick=True) == (1, 6)
    assert thread_counts(1, quick=False) == (1,)


@pytest.mark.parametrize("only", ["gemm", "gemm/fp32", "gemm/*/burst", "gemm/fp32/burst"])
def test_a_name_its_beginning_and_a_glob_take_it(only):
    assert matches("gemm/fp32/burst", (only,)) and not matches("memory/copy", (only,))


def test_a_beginning_is_a_whole_word():
    assert not matches("memory/copy", ("mem",)) and matches("memory/copy", ())


def test_a_declared_glob_may_give_a_name():
    assert may_match("cache/*", ("cache/1MiB",)) and may_match("cache/*", ("cache",))
    assert not may_match("cache/*", ("latency",))
