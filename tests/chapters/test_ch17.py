"""Chapter 17, routing: every side gives the plain decoder's tokens, and less work is found."""

import time

import pytest

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job
from perfproof.bench.target import run_target
from perfproof.core.documents import TargetResult
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair

FOLDER = CHAPTERS / "ch17_routing"
PAIRS = sorted(path.stem for path in FOLDER.glob("*.py"))
SECONDS = 120.0
LESS_WORK = {  # of the optimised side a part of its source, and what leaves something out in its place
    "batched_handoff": ("attended(query, received)\n\n\ndef cost", "attended(query, packed)\n\n\ndef cost"),
    "kv_aware_routing": (
        'served(workers, "kv-aware", prompts, answer)',
        'served(workers, "kv-aware", prompts[:, 1:], answer)',
    ),
}


def predicted(name: str, **sizes: int) -> float:
    pair = LoadedPair(f"ch17_routing/{name}").module
    return pair.cost(**{**pair.workload, **sizes})["predicted_optimized"]


@pytest.fixture
def verified(launches: Launches):
    """Every side at smoke sizes, no time measured."""

    def verify(path) -> TargetResult:
        pair, options = read_pair(path, path.stem, "tests"), RunOptions(timeout=SECONDS, fast=True)
        job = make_job(pair, {}, options, read_facts("cpu"), "5eed", time.monotonic() + SECONDS)
        return run_target(job, launches, lambda *_, **__: None, timed=False)[0]

    return verify


@pytest.mark.parametrize("name", PAIRS)
def test_every_side_is_right(verified, name):
    result = verified(FOLDER / f"{name}.py")
    assert result.status == "skipped", result.reason  # verified only
    assert {check.result for check in result.checks} == {"pass"}


@pytest.mark.parametrize("name", LESS_WORK)
def test_a_side_that_leaves_something_out_is_found(verified, tmp_path, name):
    source, (work, less) = (FOLDER / f"{name}.py").read_text(), LESS_WORK[name]
    assert source.count(work) == 1
    lazy = tmp_path / "lazy.py"
    lazy.write_text(source.replace(work, less))
    result = verified(lazy)
    assert result.status == "failed-verification" and "optimized" in result.reason


def test_a_shared_prefix_is_computed_once_instead_of_nearly_twice():
    assert predicted("kv_aware_routing", tail=0, answer=0) == pytest.approx(1.875)
    assert predicted("kv_aware_routing", each=1) == 1  # nothing is shared
    assert predicted("kv_aware_routing", prefix=0) == 1


def test_equal_requests_leave_nothing_to_balance():
    assert predicted("least_loaded_routing", short=320) == 1
    assert predicted("least_loaded_routing") > 1.1
    assert predicted("least_loaded_routing", requests=1_000) < 1.05


def test_rejection_gains_nothing_if_all_requests_fit():
    assert predicted("early_rejection") == 2
    assert predicted("early_rejection", requests=8) == 1


def test_pools_lose_if_prompts_are_most_of_the_work():
    assert 1 < predicted("prefill_decode_pools") < 1.5
    assert predicted("prefill_decode_pools", documents=100) < 1


def test_a_handoff_hides_the_shorter_part_and_a_packed_one_saves_latencies():
    assert 1 < predicted("overlapped_handoff") < 2
    assert predicted("overlapped_handoff", layers=1) == 1
    assert predicted("batched_handoff", block=2_048) > 2 > predicted("batched_handoff") > 1.3
    assert predicted("batched_handoff", layers=1, blocks=1, block=10**9) < 1.2
