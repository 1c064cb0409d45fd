"""Chapter 4, networking: the sides are right on every rank, who does less is found, the models say what they say."""

import time

import pytest

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job
from perfproof.bench.target import run_target
from perfproof.core.documents import TargetResult
from perfproof.core.options import Effort, RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair

FOLDER = CHAPTERS / "ch04_networking"
PAIRS = sorted(path.stem for path in FOLDER.glob("*.py"))
TINY = Effort("quick", 1, 1, couples=1, quads=5, most_quads=5, seconds=0.01, new_interpreters=False)
SECONDS = 60.0
LESS_WORK = {  # of the optimised side a part of its source, and what leaves something out in its place
    "bucketed_allreduce": ("zip(gradients, parts, strict=True)", "zip(gradients[:-1], parts)"),
    "ddp_overlap": ("for leaf in leaves:\n        leaf.register", "for leaf in leaves[1:]:\n        leaf.register"),
    "fp16_allreduce": ("dist.all_reduce(half)", "dist.all_reduce(half[:-100])"),
    "all_to_all_single": ("dist.all_to_all_single(arrived, packed)", "arrived.copy_(packed)"),
    "sharded_optimizer": ("            dist.all_gather_into_tensor(layer, share)\n", ""),
    "preallocated_gather": ("dist.all_gather_into_tensor(whole, shard)", "whole.view(2, -1).copy_(shard)"),
    "straggler": ("bisect_right(ends, ends[-1] * part", "bisect_right(ends[:-1], ends[-1] * part"),
}


def module(name: str):
    return LoadedPair(f"ch04_networking/{name}").module


def predicted(name: str, **sizes: int) -> float:
    pair = module(name)
    return pair.cost(**{**pair.workload, **sizes})["predicted_optimized"]


@pytest.fixture
def verified(launches: Launches):
    """Every side on two ranks at smoke sizes, no time measured."""

    def verify(path) -> TargetResult:
        pair, options = read_pair(path, path.stem, "tests"), RunOptions(timeout=SECONDS, fast=True)
        job = make_job(pair, {}, options, read_facts("cpu"), "5eed", time.monotonic() + SECONDS)
        return run_target(job, launches, lambda *_, **__: None, timed=False)[0]

    return verify


@pytest.mark.parametrize("name", PAIRS)
def test_every_side_is_right_on_two_ranks(verified, name):
    result = verified(FOLDER / f"{name}.py")
    assert result.status == "skipped", result.reason  # verified only
    assert {check.result for check in result.checks} == {"pass"}
    assert all(side.error.of_tolerance < 0.6 for side in result.variants.values())


@pytest.mark.parametrize("name", PAIRS)
def test_a_side_that_leaves_something_out_is_found(verified, tmp_path, name):
    source, (work, less) = (FOLDER / f"{name}.py").read_text(), LESS_WORK[name]
    assert source.count(work) == 1
    lazy = tmp_path / "lazy.py"
    lazy.write_text(source.replace(work, less))
    result = verified(lazy)
    assert result.status == "failed-verification" and "optimized" in result.reason


def test_a_pair_is_measured_on_two_ranks(run_pair):
    result = run_pair(FOLDER / "bucketed_allreduce.py", effort=TINY, fast=True)
    assert result.status == "ok", result.reason
    assert (result.ranks.count, result.ranks.backend) == (2, "gloo")


def test_float16_is_less_precise_than_float32_and_within_the_stated_bound(verified):
    assert module("fp16_allreduce").lowers_precision
    errors = {side: one.error for side, one in verified(FOLDER / "fp16_allreduce.py").variants.items()}
    assert errors["baseline"].rms_relative < 1e-6 < 1e-4 < errors["optimized"].rms_relative < 2**-10
    assert errors["optimized"].max_absolute <= 2**-11 * (10 / 2 + 5)  # |a| + |b| below 10, their mean below 5


@pytest.mark.parametrize(("side", "largest"), [("baseline", 155), ("optimized", 105)])
def test_the_largest_share_of_the_documents_is_what_the_model_says(monkeypatch, side, largest):
    pair = module("straggler")
    lengths, shares = range(1, 21), []
    monkeypatch.setattr(pair.dist, "get_world_size", lambda: 2)
    monkeypatch.setattr(pair, "scored", lambda queries, documents, begin, end: documents[begin:end])
    for rank in range(2):
        monkeypatch.setattr(pair.dist, "get_rank", lambda rank=rank: rank)
        shares.append([len(document) for document in getattr(pair, side)(None, [[0] * n for n in lengths])])
    assert shares[0] + shares[1] == list(lengths)  # every document once
    assert max(map(sum, shares)) == largest
    assert predicted("straggler") == pytest.approx(155 / 105)


def test_the_model_of_a_bucket_counts_latencies():
    assert predicted("bucketed_allreduce") == pytest.approx(28.5, abs=0.1)
    assert predicted("bucketed_allreduce", tensors=4, elements=32) == pytest.approx(4, abs=0.01)
    assert predicted("bucketed_allreduce", tensors=1, elements=10**9) == 1
    assert predicted("all_to_all_single") == pytest.approx(3.9, abs=0.1)
    assert predicted("all_to_all_single", experts=1) == 1


def test_overlap_hides_the_shorter_of_computing_and_sending_and_never_both():
    assert predicted("ddp_overlap", batch=100) == pytest.approx(80 / 52)
    assert 1 < predicted("ddp_overlap", batch=10_000) < 1.01  # little is sent for so much work
    assert predicted("ddp_overlap", layers=1) == 1  # nothing is left to hide behind


def test_the_other_models_are_those_of_their_docstrings():
    assert predicted("fp16_allreduce") == pytest.approx(1.2)
    assert predicted("sharded_optimizer") == 1.5
    assert predicted("preallocated_gather") == pytest.approx(1.8)
