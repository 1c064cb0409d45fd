"""Profiles to read: recorded by torch where it can be done here, else written after the tools' documentation."""

import json
import sys
from pathlib import Path

import pytest

RECORDED = Path(__file__).parent / "recorded"

RECORD = """
import multiprocessing, sys, torch, torch.distributed as dist
import torch._inductor  # the profiler imports it when it starts: once here, and not in each of three processes
from torch.profiler import ProfilerActivity, profile, record_function
folder = sys.argv[1]

def rank(number):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=number, world_size=2)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        dist.all_reduce(torch.ones(64))
    profiler.export_chrome_trace(f"{folder}/rank{number}.json")
    dist.destroy_process_group()

ranks = [multiprocessing.get_context("fork").Process(target=rank, args=(number,)) for number in range(2)]
for one in ranks:
    one.start()
for one in ranks:
    one.join()
with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True) as profiler:
    for _ in range(3):
        with record_function("step"):
            torch.randn(16, 16) @ torch.randn(16, 16)
profiler.export_chrome_trace(f"{folder}/trace.json.gz")
sys.exit(max(one.exitcode for one in ranks))
"""


@pytest.fixture(scope="session")
def recorded(one_warm_python, tmp_path_factory):
    """The folder of what torch.profiler of this machine wrote, in one process."""
    folder = tmp_path_factory.mktemp("recorded")
    command = [sys.executable, "-c", RECORD, str(folder)]
    done = one_warm_python.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-1000:]
    return folder


@pytest.fixture(scope="session")
def torch_trace(recorded):
    """Of one process, packed."""
    return recorded / "trace.json.gz"


@pytest.fixture(scope="session")
def rank_traces(recorded):
    """Of two ranks that reduced together."""
    return [recorded / f"rank{rank}.json" for rank in range(2)]


@pytest.fixture
def write(tmp_path):
    """Write a file: text, bytes, or anything else as JSON."""

    def written(content, name="profile"):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return written
