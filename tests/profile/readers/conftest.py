"""Profiles to read: recorded by torch where it can be done here, else written after the tools' documentation."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

RECORDED = Path(__file__).parent / "recorded"

SINGLE = """
import sys, torch
from torch.profiler import ProfilerActivity, profile, record_function
with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True) as profiler:
    for _ in range(3):
        with record_function("step"):
            torch.randn(16, 16) @ torch.randn(16, 16)
profiler.export_chrome_trace(sys.argv[1])
"""
RANK = """
import sys, torch, torch.distributed as dist
from torch.profiler import ProfilerActivity, profile
rank, meeting, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
dist.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=2)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
    dist.all_reduce(torch.ones(64))
profiler.export_chrome_trace(path)
dist.destroy_process_group()
"""


@pytest.fixture(scope="session")
def torch_trace(tmp_path_factory):
    """A trace that torch.profiler of this machine wrote, packed."""
    path = tmp_path_factory.mktemp("trace") / "trace.json.gz"
    subprocess.run([sys.executable, "-c", SINGLE, str(path)], check=True, capture_output=True, timeout=120)
    return path


@pytest.fixture(scope="session")
def rank_traces(tmp_path_factory):
    """The traces of two ranks that reduced together."""
    folder = tmp_path_factory.mktemp("ranks")
    paths = [folder / f"rank{rank}.json" for rank in range(2)]
    commands = [[sys.executable, "-c", RANK, str(rank), str(folder / "meeting"), str(paths[rank])] for rank in range(2)]
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for command in commands]
    for process in started:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said.decode()[-500:]
    return paths


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
