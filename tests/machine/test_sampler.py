"""The sampler for real, on whatever machine this is."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from perfproof.machine.sampler import Sampler, read, summary


def wait_until(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_ten_lines_are_sampled_and_read_back(tmp_path):
    path = tmp_path / "telemetry.jsonl"
    before = time.perf_counter_ns()
    with Sampler(path, hz=50, gpus=[]) as sampler:
        assert sampler.wait_ready(120)
        wait_until(lambda: lines(path) > 10)
    after = time.perf_counter_ns()
    telemetry = read(path)
    assert sampler.why == ""
    assert before < telemetry.span_ns[0] < telemetry.span_ns[1] < after, "one clock for samples and telemetry"
    assert len(telemetry.series["host.cpu_seconds"].values) >= 3
    found = summary(telemetry)
    assert found.readings["host.memory_used_bytes"].median > 0
    assert found.readings["host.cpus_in_use"].high <= telemetry.header.cpus * 1.5


def test_the_end_is_in_the_file_however_short_it_was(tmp_path):
    path = tmp_path / "telemetry.jsonl"
    with Sampler(path, gpus=[]):
        pass
    assert len(read(path).series["host.cpu_seconds"].values) >= 1


def test_an_older_file_is_not_taken_for_the_first_rows(tmp_path):
    path = tmp_path / "telemetry.jsonl"
    path.write_text("old\nold\nold\n")
    with Sampler(path, gpus=[]) as sampler:
        assert sampler.wait_ready(120)
    assert "old" not in path.read_text()


def test_it_stands_back_on_the_first_core_at_low_priority(tmp_path):
    from perfproof.machine import layout

    with Sampler(tmp_path / "t.jsonl", gpus=[]) as sampler:
        assert sampler.wait_ready(120)
        process = psutil.Process(sampler.pid)
        assert set(process.cpu_affinity()) == layout.cores()[0]
        assert process.nice() > 0


def test_a_killed_sampler_leaves_a_readable_file_and_is_reported(tmp_path):
    path = tmp_path / "telemetry.jsonl"
    with Sampler(path, gpus=[]) as sampler:
        wait_until(lambda: lines(path) > 5)
        os.kill(sampler.pid, signal.SIGKILL)
    assert sampler.why == "the sampler ended early: code -9"
    assert len(read(path).series["host.cpu_seconds"].values) >= 2


def test_a_file_that_cannot_be_written_is_a_reason_not_an_error(tmp_path):
    with Sampler(tmp_path / "absent" / "t.jsonl", gpus=[]) as sampler:
        assert not sampler.wait_ready(120)
    assert "No such file or directory" in sampler.why


def test_an_interpreter_that_does_not_start_is_a_reason_not_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "absent"))
    with Sampler(tmp_path / "t.jsonl") as sampler:
        assert not sampler.wait_ready(1)
    assert sampler.why == "the sampler did not start: No such file or directory"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_parent_that_dies_takes_the_sampler_with_it(tmp_path, number):
    path = tmp_path / "telemetry.jsonl"
    code = (
        "import sys, time; from perfproof.machine.sampler import Sampler\n"
        "with Sampler(sys.argv[1], gpus=[]) as sampler:\n"
        "    sampler.wait_ready(120); print(sampler.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    assert psutil.pid_exists(pid)
    parent.send_signal(number)
    parent.wait(120)
    wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    assert read(path).series["host.cpu_seconds"].values
