"""Pairs that cheat on a GPU, and honest ones that look like them. Without a GPU only their contract is read."""

from pathlib import Path

import pytest
import torch

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair

HERE = Path(__file__).parent
GAIN = 1.05

# What stops each: status, and words of the reason. An empty status: it may run, and gains nothing.
STOPPED = {
    "cached_by_pointer": ("failed-verification", "wrong answer"),
    "cached_by_version": ("", ""),
    "event_patched": ("rejected", "Event.elapsed_time replaced"),
    "graph_frozen_inputs": ("failed-verification", "wrong answer"),
    "half_precision": ("failed-verification", "wrong answer"),
    "side_stream": ("rejected", "one stream"),
    "side_stream_ahead": ("", ""),
    "synchronize_patched": ("rejected", "torch.cuda.synchronize replaced"),
    "tf32_inside": ("failed-verification", "wrong answer"),
    "uninitialised_memory": ("failed-verification", "wrong answer"),
    "work_after_return": ("failed-verification", "wrong answer"),
}
HONEST = sorted(path.stem for path in (HERE / "honest").glob("*.py"))
with_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.fixture(scope="module")
def run():
    options, facts = RunOptions(effort="quick", timeout=120.0), read_facts("cuda")
    launches = Launches(worker_environment(options, facts), facts.device)

    def once(path):
        job = make_job(read_pair(path, path.stem, "attacks"), {}, options, facts, "5eed" * 8, float("inf"))
        return run_target(job, launches, lambda *_, **__: None, timed=True)[0]

    yield once
    launches.close()


@with_gpu
@pytest.mark.parametrize("name", STOPPED)
def test_is_stopped_or_gains_nothing(run, name):
    status, reason = STOPPED[name]
    result = run(HERE / f"{name}.py")
    if status or result.status != "ok":
        assert result.status == (status or result.status) and result.ratios == {}
        assert reason in result.reason
    else:
        assert result.ratios["optimized"].ratio < GAIN


@with_gpu
@pytest.mark.parametrize("name", HONEST)
def test_honest_pairs_are_not_stopped(run, name):
    result = run(HERE / "honest" / f"{name}.py")
    assert result.status == "ok", result.reason


def test_every_attack_is_in_the_table():
    files = [path.stem for path in HERE.glob("*.py") if not path.stem.startswith(("test_", "__"))]
    assert sorted(STOPPED) == sorted(files)


@pytest.mark.parametrize("path", sorted(HERE.rglob("[a-z]*.py")), ids=lambda path: path.stem)
def test_a_file_obeys_the_contract_and_says_how_it_cheats(path):
    if path.stem.startswith("test_"):
        return
    pair = read_pair(path, path.stem, "attacks")
    assert pair.needs == {"cuda": 7.0} and pair.variants == ("optimized",)
    assert ("lawfully" in path.read_text()) if path.parent.name == "honest" else ("Cheats:" in pair.explanation)
