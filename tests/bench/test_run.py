"""Many targets: what is skipped, what sizes are taken, how a budget is shared."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from perfproof.bench import run as bench
from perfproof.bench.ceilings import Limits
from perfproof.bench.launches import Launches
from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.errors import UsageError
from perfproof.core.options import EFFORTS, RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair
from tests.bench.test_target import HONEST
from tests.conftest import BRIEF


@pytest.fixture
def pair(tmp_path):
    def make(source=HONEST, name="pair"):
        import textwrap

        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(source))
        return read_pair(path, name, "tests")

    return make


@pytest.fixture
def facts():
    return read_facts("cpu")


def job(pair, facts, overrides=None, **options):
    return bench.make_job(pair, overrides or {}, RunOptions(**options), facts, "5eed", time.monotonic() + 60)


def run_all(planned, facts, **options):
    lines = []
    finished = list(bench.run_targets(planned, RunOptions(**options), facts, "5eed", lines.append))
    return finished, lines


def test_cpu_sizes_are_taken_on_a_cpu_and_smoke_sizes_when_fast(pair, facts):
    sized = pair(HONEST.replace("workload = dict(n=4000)", "workload = dict(n=9)"))
    assert job(sized, facts).sizes == {"n": 4000}
    assert job(sized, facts, fast=True).sizes == {"n": 77}
    assert job(sized, facts, fast=True).effort.name == "quick"
    assert job(sized, replace(facts, cuda=9.0, device="cuda:0")).sizes == {"n": 9}


def test_an_overridden_size_is_used_and_said(pair, facts):
    one = job(pair(), facts, {"n": 5})
    assert one.sizes == {"n": 5}
    assert ("W120", "n=5") in one.warnings


def test_a_naive_baseline_is_no_headline(pair, facts):
    naive = pair(HONEST.replace('"idiomatic"', '"naive"'))
    assert "W106" in dict(job(naive, facts).warnings)


def test_variants_are_chosen_by_their_short_name(pair, facts):
    two = pair(HONEST.replace("    def cost(n)", "    def optimized_b(x, y):\n        return x\n\n    def cost(n)"))
    assert job(two, facts, variants=("b",)).variants == ("optimized_b",)
    with pytest.raises(UsageError, match="no variant c: it has optimized, optimized_b"):
        job(two, facts, variants=("c",))


def test_seeds_differ_by_purpose_and_repeat_in_a_rerun(pair, facts):
    one, again = job(pair(), facts), job(pair(), facts)
    assert one.rng("verify").random() == again.rng("verify").random()
    assert one.rng("verify").random() != one.rng("memory", 0).random()


def test_a_target_that_cannot_run_here_is_skipped_with_its_reason_and_starts_nothing(pair, facts, monkeypatch):
    monkeypatch.setattr(Launches, "begin", lambda *_: pytest.fail("started an interpreter"))
    gpu_only = pair(HONEST.replace('tier = "idiomatic"', 'tier = "idiomatic"\n    needs = dict(cuda=9.0)'))
    finished, _ = run_all([bench.Planned(gpu_only, {})], facts)
    assert finished[0].result.status == "skipped" and "needs a GPU" in finished[0].result.reason


def test_a_pair_without_cpu_sizes_is_verified_and_not_timed(pair, facts, warm_bench):
    untimed = pair(HONEST.replace("    workload_cpu = dict(n=4000)\n", ""))
    finished, _ = run_all([bench.Planned(untimed, {})], facts)
    result = finished[0].result
    assert (result.status, result.verdict, finished[0].samples) == ("skipped", None, [])
    assert {check.result for check in result.checks} == {"pass"}
    wrong = pair(HONEST.replace("    workload_cpu = dict(n=4000)\n", "").replace("alpha=4", "alpha=5"), "wrong")
    assert run_all([bench.Planned(wrong, {})], facts)[0][0].result.status == "failed-verification"


def test_one_bad_target_does_not_stop_the_next(pair, facts, brief_runs):
    bad = pair(HONEST.replace("return torch.add", "import os; os._exit(1); return torch.add"), "bad")
    finished, lines = run_all([bench.Planned(bad, {}), bench.Planned(pair(name="good"), {})], facts, fast=True)
    assert [one.result.status for one in finished] == ["crashed", "ok"]
    assert {line.target for line in lines} == {"bad", "good"}


def test_a_budget_ends_measuring_and_is_said(pair, facts):
    finished, _ = run_all([bench.Planned(pair(), {})], facts, effort="quick", budget=1.0)
    result = finished[0].result
    assert result.status == "ok" and result.verdict == "indicative"
    assert "W118" in {warning.code for warning in result.warnings}


def test_closing_the_generator_ends_every_process(pair, facts, monkeypatch):
    import psutil

    monkeypatch.setitem(EFFORTS, "quick", BRIEF)
    before = set(psutil.Process().children(recursive=True))
    planned = [bench.Planned(pair(), {}), bench.Planned(pair(name="b"), {})]
    running = bench.run_targets(planned, RunOptions(fast=True), facts, "5eed", lambda _: None)
    next(running)
    started = set(psutil.Process().children(recursive=True)) - before
    assert started
    running.close()
    _, alive = psutil.wait_procs(started, timeout=10)
    assert not alive


def test_the_path_in_a_result_is_relative_where_it_can_be(pair, facts, monkeypatch):
    one = pair()
    monkeypatch.chdir(one.path.parent)
    assert bench._shown_path(one) == "pair.py"
    monkeypatch.chdir(Path("/"))
    assert not bench._shown_path(one).startswith("/")


KERNELS = HONEST.replace("import torch\n", "import torch\n    from perfproof import cuda\n", 1)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("__global__ void twice(float *x) { x[0] *= 2; }", "its source compiles for sm_90a and sm_100a"),
        ("__global__ void twice(float *x) {\n  x[0] = nowhere;\n}", 'kernels.cu:2: identifier "nowhere" is undefined'),
    ],
)
def test_kernels_that_cannot_run_here_are_compiled_and_the_reason_says_so(
    pair, facts, tmp_path, monkeypatch, source, said
):
    pytest.importorskip("cuda.bindings", reason="needs perfproof[cuda]")
    monkeypatch.setenv("PERFPROOF_CACHE", str(tmp_path / "cache"))
    (tmp_path / "kernels.cu").write_text(source)
    finished, _ = run_all([bench.Planned(pair(KERNELS, "kernels"), {})], facts)
    (result,) = [one.result for one in finished]
    assert result.status == "skipped" and said in result.reason and "\n" not in result.reason


def test_a_time_beyond_the_machine_s_limits_is_rejected(pair, facts, brief_runs):
    slow = Ceiling(name="gemm/fp32", value=1.0, unit="flop/s", low=1.0, high=1.0, repeats=3)
    stored = Ceilings(perfproof_version="0", fingerprint="f", kind="k", device="cpu", measured="now", ceilings=[slow])
    planned = [bench.Planned(pair(), {})]
    options = RunOptions(fast=True)
    (finished,) = bench.run_targets(planned, options, facts, "5eed", lambda _: None, Limits(stored))
    assert finished.result.status == "rejected" and finished.result.ratios == {}
    assert (
        "speed of light: baseline:" in finished.result.reason
        and "1.25 times the best measured" in finished.result.reason
    )
