"""Telemetry beside a run, with a bench that measures nothing."""

import gzip
import time
from types import SimpleNamespace

import pytest

from perfproof.bench import run as bench
from perfproof.history.folders import list_runs, load_run
from perfproof.machine.sampler import read


@pytest.fixture
def long_samples(fake_bench, monkeypatch):
    """Targets whose samples last about a third of a second each; they are in `.rows`."""
    plain, long_samples = bench.run_targets, SimpleNamespace(rows=[])

    def run_targets(*arguments):
        for done in plain(*arguments):
            rows = long_samples.rows
            for side in ("baseline", "optimized", "baseline"):
                start = time.perf_counter_ns()
                time.sleep(0.3)
                rows.append({"side": side, "start_ns": start, "end_ns": time.perf_counter_ns(), "valid": True})
            yield bench.Finished(done.result, rows, "")

    monkeypatch.setattr(bench, "run_targets", run_targets)
    return long_samples


def latest():
    folder = list_runs("artifacts")[-1]
    return folder, load_run(folder)


def test_a_run_keeps_its_telemetry_and_each_target_its_summary(perfproof, pair_files, long_samples):
    assert perfproof("run", *pair_files("a")).code == 0
    folder, run = latest()
    assert run.telemetry == "telemetry.jsonl.gz"
    assert read(folder / run.telemetry).series["host.cpu_seconds"].values
    assert not (folder / "telemetry.jsonl").exists()
    (target,) = run.targets
    assert target.telemetry["throttled_samples"] == 0
    slept = sum(row["end_ns"] - row["start_ns"] for row in long_samples.rows) / 1e9
    assert target.telemetry["seconds"] == pytest.approx(slept, rel=0.5)
    assert target.telemetry["median"]["host.cpus_in_use"] >= 0
    assert set(target.telemetry["sides"]) == {"baseline", "optimized"}


def test_a_run_without_telemetry_has_none(perfproof, pair_files, fake_bench):
    assert perfproof("run", *pair_files("a"), "--no-telemetry").code == 0
    folder, run = latest()
    assert run.telemetry is None and run.targets[0].telemetry is None
    assert run.options["telemetry"] is False
    assert not list(folder.glob("telemetry*"))


def test_an_interrupted_run_keeps_it_too(perfproof, pair_files, fake_bench):
    fake_bench.outcomes = {"b": KeyboardInterrupt()}
    assert perfproof("run", *pair_files("a", "b")).code == 130
    folder, run = latest()
    assert run.state == "interrupted"
    assert gzip.decompress((folder / run.telemetry).read_bytes())


def test_a_sampler_that_does_not_start_stops_nothing(perfproof, pair_files, long_samples, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.executable", str(tmp_path / "absent"))
    done = perfproof("run", *pair_files("a"), "--device", "cpu")
    assert done.code == 0
    run = latest()[1]
    assert run.telemetry == "unknown: the sampler did not start: No such file or directory"
    assert "cannot be read" in run.targets[0].telemetry["unknown"]
