"""An artifacts folder with what every page of the dashboard can show: rich runs, one of every verdict, a history."""

import json
import math
import os
import random
from pathlib import Path

from perfproof.app.load.imports import result_of
from perfproof.core.documents import Run
from perfproof.history.folders import RunFolder
from perfproof.load.foreign import read_foreign
from tests.report.sample_pages import rich_target, sample_rows, write_samples
from tests.report.sample_runs import everything, judged, run, target

POINTS, STEP = 16, 9  # of the history, and where its ratio falls


def name_of(day: int, slug: str) -> str:
    return f"202501{day:02d}T120000Z-{slug}-{day:06x}"


def save(artifacts: Path, document: Run, name: str) -> str:
    folder = artifacts / name
    folder.mkdir(parents=True)
    started = f"{name[:4]}-{name[4:6]}-{name[6:8]}T12:00:00Z"
    RunFolder(folder).save(document.model_copy(update={"run": name, "started": started}))
    return name


def make_site(artifacts: Path, samples: bool = True) -> dict[str, str]:
    """The folder's runs by what they are for."""
    chance = random.Random(3)
    for day in range(1, POINTS + 1):
        ratio = (3.2 if day < STEP else 2.6) * math.exp(chance.gauss(0, 0.004))
        result = target("ch01:batched_gemm", judged("faster", ratio, ratio * 0.99, ratio * 1.01))
        save(artifacts, run(result, git={"commit": f"{day:040x}", "branch": "main"}), name_of(day, "nightly"))
    names = {
        "all": save(artifacts, everything(), name_of(20, "tour")),
        "a": save(artifacts, run(rich_target()), name_of(21, "everything")),
        "b": save(artifacts, run(rich_target(), target("ch02:cache_blocking")), name_of(22, "everything")),
    }
    if samples:
        write_samples(artifacts / names["a"], sample_rows())
        write_samples(artifacts / names["b"], sample_rows(seed=2))
    return names


def make_running(artifacts: Path) -> str:
    """A run that is in progress."""
    name = save(artifacts, run(target(), state="running", planned=["ch01:batched_gemm", "b"]), name_of(28, "tour"))
    news = [
        {"done": 0, "total": 2, "target": "ch01:batched_gemm", "phase": "measuring", "share": 0.5, "left": 12.0},
        {"done": 1, "total": 2, "target": "ch01:batched_gemm", "phase": "done", "share": 1.0, "line": "[1/2] faster"},
        {"done": 1, "total": 2, "target": "b", "phase": "plain: 1 of 5", "share": 0.2, "left": 7.5, "ratio": 1.66},
    ]
    (artifacts / name / "progress.jsonl").write_text("".join(json.dumps(one) + "\n" for one in news))
    return name


RECORD = {"outcome": "ok", "output_tokens": 3}


def make_load(artifacts: Path, day: int = 27, requests: int = 3, slug: str = "load", **about: object) -> str:
    """What a load test has written so far: each request gets its first token after 20 ms and two more 5 ms apart."""
    name = name_of(day, slug)
    (artifacts / name).mkdir(parents=True)
    lines = [{"perfproof": "1", "model": "m", "url": "host:8000", "seconds": 10, "planned": 10} | about]
    for index in range(requests):
        at = index * 1_000_000
        times = [at + 20_000, at + 25_000, at + 30_000]
        stamps = {"intended": at, "sent": at, "first_token": times[0], "last_token": times[-1], "end": times[-1]}
        lines.append({"index": index, "times": times} | stamps | RECORD)
    (artifacts / name / "requests.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return name


def kill_load(artifacts: Path, name: str) -> str:
    """It has written nothing for long."""
    os.utime(artifacts / name / "requests.jsonl", (0, 0))
    return name


def finish_load(artifacts: Path, name: str, **fields: object) -> str:
    """Its result is there."""
    records = artifacts / name / "requests.jsonl"
    result = result_of(records, read_foreign(records))
    (artifacts / name / "load.json").write_text(result.model_copy(update=fields).model_dump_json())
    (artifacts / name / "load.html").write_text("<p>the report")
    return name
