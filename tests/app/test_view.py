"""Damaged files: whatever happens to the bytes of a profile, it is shown or refused in one line, and nothing else."""

import gzip
import json
import pickle
import random
from pathlib import Path

import pytest

from perfproof.app.view import facts, summary, view_file
from perfproof.cli.commands.view import _page
from perfproof.core.errors import PerfproofError
from tests.report.page_reader import Page
from tests.report.sample_profiles import gpu_trace

RECORDED = Path(__file__).parents[1] / "profile" / "recorded_torch"
ENTRY = {"action": "alloc", "addr": 1, "size": 64, "stream": 0, "time_us": 5, "frames": [{"name": "f", "line": 1}]}
SNAPSHOT = {"segments": [{"device": 0, "total_size": 64, "blocks": []}], "device_traces": [[ENTRY] * 3]}
CONTENTS = {
    "trace.json": json.dumps(gpu_trace(2)).encode(),
    "memory.json": gzip.decompress((RECORDED / "memory_trace.json.gz").read_bytes())[:60_000],
    "stacks.txt": (RECORDED / "py_spy.txt").read_bytes(),
    "compile.log": (RECORDED / "torch_trace.log").read_bytes(),
    "logs.txt": (RECORDED / "torch_logs.txt").read_bytes(),
    "memory.pickle": pickle.dumps(SNAPSHOT),
}


def damaged(content: bytes, random: random.Random) -> bytes:
    """Cut off, with bytes replaced, or with a piece doubled."""
    way = random.randrange(3)
    if way == 0:
        return content[: random.randrange(len(content))]
    if way == 1:
        changed = bytearray(content)
        for _ in range(random.randint(1, 12)):
            changed[random.randrange(len(changed))] = random.choice(b'0{}[]",;:-\x00\xffe9 ')
        return bytes(changed)
    at = random.randrange(len(content))
    return content[:at] + content[at : at + 200] * 2 + content[at + 200 :]


@pytest.mark.parametrize("name", CONTENTS)
def test_a_damaged_file_is_shown_or_refused(tmp_path, name):
    chance = random.Random(name)
    path = tmp_path / name
    for _ in range(12):
        path.write_bytes(damaged(CONTENTS[name], chance))
        try:
            viewed = view_file(path)
            Page(_page(viewed))
            json.dumps(summary(viewed), allow_nan=False)
        except PerfproofError as error:
            assert str(path) in str(error) and "\n" not in str(error)


def test_the_facts_name_the_file_and_what_it_is(tmp_path):
    path = tmp_path / "trace.json"
    path.write_bytes(CONTENTS["trace.json"])
    assert facts(view_file(path)) == [
        ("file", "trace.json"),
        ("kind", "kineto"),
        ("events", "28 over 5.90 ms"),
        ("kernels", "6"),
    ]


def test_the_json_of_readings_and_counters_has_what_the_page_shows(tmp_path):
    smi = tmp_path / "gpu.csv"
    smi.write_text(
        "timestamp, index, power.draw [W]\n2025/03/21 02:06:50.642, 0, 38 W\n2025/03/21 02:06:51.642, 0, 40 W\n"
    )
    found = summary(view_file(smi))
    assert found["series"]["gpu0.power.draw"] == {"unit": "W", "readings": 2, "lowest": 38, "median": 39, "highest": 40}
    stat = tmp_path / "stat.txt"
    stat.write_text(" Performance counter stats for 'true':\n\n   1,234      page-faults\n")
    assert summary(view_file(stat))["counters"] == {"page-faults": 1234.0}


def test_the_json_of_a_trace_has_its_device_work_by_time(tmp_path):
    roc = tmp_path / "kernels.csv"
    roc.write_text('"Kernel_Name","Start_Timestamp","End_Timestamp"\n"add",0,4000\n"mul",4000,5000\n"add",5000,7000\n')
    assert summary(view_file(roc))["device_work"] == [
        {"name": "add", "count": 2, "seconds": 6e-6},
        {"name": "mul", "count": 1, "seconds": 1e-6},
    ]
