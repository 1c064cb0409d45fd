"""The child that makes steady calls for a profiler: told by a file, answers in one."""

import json
import subprocess
import sys
import time

from perfproof.bench.forms.profiled_settings import settings_of
from perfproof.bench.run import make_job
from perfproof.core.events import Kind
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair
from perfproof.profile.reading import read

PAIR = '''"""Add to it in place.

Nothing to see.
"""
import torch
workload = dict(n=100)
workload_cpu = dict(n=100)
tolerance = dict(rtol=1e-6, atol=1e-6)  # one rounding
tier = "naive"
mutates = ("x",)
def inputs(n):
    return torch.rand(n)
def reference(x):
    x += 1
def baseline(x):
    assert float(x.max()) < 2, "this set was used before"
    x.add_(1)
def prepare_optimized(x):
    return torch.tensor(1.0)
def optimized(one, x):
    x.copy_(x + one)
def cost(n):
    return dict(flops=n, bytes=8 * n)
'''


def child(tmp_path, side, calls):
    path = tmp_path / "pair.py"
    path.write_text(PAIR)
    job = make_job(read_pair(path, "pair", "tests"), {}, RunOptions(), read_facts("cpu"), "5eed", time.monotonic())
    file, scratch = tmp_path / "settings.json", tmp_path / "scratch"
    scratch.mkdir()
    file.write_text(json.dumps(settings_of(job, side, calls, None, scratch)))
    return [sys.executable, "-P", "-m", "perfproof.bench.forms.profiled_calls", str(file)], file


def test_the_calls_of_a_side_and_nothing_else_are_in_the_trace(warm_python, tmp_path, monkeypatch):
    command, file = child(tmp_path, "optimized", 3)
    monkeypatch.setenv("PERFPROOF_CAPTURE", json.dumps({"kind": "torch", "output": str(tmp_path / "it")}))
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
    answer = json.loads(file.with_suffix(".answer.json").read_text())
    assert answer["calls"] == 3 and answer["call_seconds"] > 0 and answer["profiled_call_seconds"] > 0
    counted = [event.name for event in read(tmp_path / "it.trace.json.gz").rows(Kind.OPERATOR)]
    assert counted.count("aten::add") == counted.count("aten::copy_") == 3
    assert "aten::rand" not in counted  # inputs were drawn before
    assert "warm-up is over" in done.stderr
