"""How fast is the history with a million results, in SQLite and in PostgreSQL?

    python benchmarks/history_scale.py                      a million results, both databases, limits checked
    python benchmarks/history_scale.py --results 100000     fewer
    python benchmarks/history_scale.py --store sqlite       one of them
    python benchmarks/history_scale.py --save FILE          the page docs/evidence/history-scale.md

10,000 runs of 100 targets out of 500 are written as the index writes runs. Into the full index 200 run folders with 100
targets each are then reindexed from their documents, trends of single targets are read and analysed, and eight
processes write at once. PostgreSQL is the server of the package pgserver, in a temporary folder. Ends with 1 where a
trend takes 100 ms or more (median of 20), fewer than 5,000 targets a second are reindexed, or a write is lost.
"""

import argparse
import json
import math
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from perfproof import __version__
from perfproof.history.index.rebuilding import reindex
from perfproof.history.index.rows import Entry, entry_of
from perfproof.history.index.series import Wanted, read_series
from perfproof.history.index.store import Store, open_store
from perfproof.history.index.tables import results
from perfproof.history.index.trends import analyse
from perfproof.history.index.writing import write_entries
from perfproof.stats.student import two_sided

TARGETS, IN_A_RUN = 500, 100
FOLDERS, REINDEXED, TRENDS, WRITERS, WRITES = 200, 5, 20, 8, 25
TREND_SECONDS, REINDEX_RATE = 0.1, 5_000
WRITER = """
import json, sys
from perfproof.history.index.rows import entry_of
from perfproof.history.index.store import open_store
from perfproof.history.index.writing import write_entries
store, number, writes = open_store(sys.argv[1]), sys.argv[2], int(sys.argv[3])
raw = json.loads(sys.stdin.read())
for at in range(writes):
    write_entries(store, [entry_of(raw | {"run": f"writer-{number}-{at}"})])
"""

ROW = (
    "| {database} | {results:,} | {written:,.0f} | {reindexed:,.0f} | {a_cpu_second:,.0f} | {trend:.0f} ms | "
    "{slowest:.0f} ms | {lost} |"
)
PAGE = """# The history with a million results

Date: {date}. Machine: {machine}; others were using it.
Python {python}. Command: python benchmarks/history_scale.py --results {count} --save FILE

| database | results | written a second | reindexed a second | a CPU second | trend, median | slowest of 20 | lost |
|---|---:|---:|---:|---:|---:|---:|---:|
{rows}

- *written*: rows of results into the index, without making them.
- *reindexed*: targets of {folders} run folders with {in_a_run} targets each, {kilobytes:.1f} kB of document a target,
  read from their documents into the full index by one process; the best of {times}, because the machine was shared
  (load average {load:.1f} on {cpus} CPUs at the end). A CPU second is one of this process; those of a
  server are not in it.
- *trend*: the points of one target (about {points:,}) read and searched for change-points, in a process that has
  everything imported.
- *lost*: of {written:,} results that {writers} processes wrote at once, each run in a transaction of its own.
"""


def document(number: int, chance: random.Random, whole: bool = True) -> dict[str, Any]:
    """A run as perfproof writes it; where it is only to be indexed, without the fields that take the room."""
    started = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=15 * number)
    chosen = sorted(chance.sample(range(TARGETS), IN_A_RUN))
    return {
        "schema_version": 1,
        "perfproof_version": __version__,
        "run": f"{started:%Y%m%dT%H%M%SZ}-scale-{number:06x}",
        "state": "finished",
        "started": f"{started:%Y-%m-%dT%H:%M:%SZ}",
        "finished": None,
        "command": ["perfproof", "run"],
        "git": {"commit": f"{number:040x}", "branch": "main", "dirty": False},
        "machine": {
            "device": "cpu",
            "kind": "synthetic",
            "fingerprint": f"{number // 2500:016x}",
            "cpu": {"model": "a CPU", "cores_allowed": 2},
            "kernel": f"Linux 6.{number // 1000}",
            "software": {"python": "3.11", "torch": f"2.{number // 2000}", "numpy": "2.4"},
            "gpus": [],
        },
        "options": {"effort": "standard"},
        "planned": [],
        "targets": [_target(one, number, chance) | (_room(chance) if whole else {}) for one in chosen],
    }


def _target(one: int, number: int, chance: random.Random) -> dict[str, Any]:
    ratio = (1 + one % 7) * math.exp(chance.gauss(0, 0.01) + (0.05 if number > 20 * one else 0))
    return {
        "target": f"ch{one % 20:02d}:target_{one:03d}",
        "status": "ok",
        "reason": "",
        "verdict": "faster",
        "path": f"chapters/target_{one:03d}.py",
        "lesson": "One sentence that a stranger can act on, and long enough to be one of ours.",
        "tier": "idiomatic",
        "sizes": {"rows": 4096, "cols": 4096},
        "source_sha256": f"{one:064x}",
        "variants": {
            "baseline": {"times": {"call": 1e-3 * ratio}},
            "optimized": {"times": {"call": 1e-3}},
        },
        "ratios": {
            "optimized": {
                "verdict": "faster",
                "ratio": ratio,
                "low": ratio * 0.99,
                "high": ratio * 1.01,
                "level": 0.97,
                "launches": 8,
                "claim": "time",
                "clock": "call",
            }
        },
    }


def _room(chance: random.Random) -> dict[str, Any]:
    """What else stands in a document, and is read past."""
    return {
        "checks": [{"name": f"check {at} of the outputs", "result": "pass", "detail": "caught"} for at in range(18)],
        "also": {"noted": {"units": [chance.gauss(0, 0.01) for _ in range(15)]}},
        "telemetry": {f"median of counter {at}": chance.random() for at in range(60)},
        "warnings": [{"code": "W101", "text": "calls rotate over 64.5 MiB of arguments, not 256 MiB"}] * 2,
    }


def fill(store: Store, count: int) -> float:
    """Seconds that writing took; making the documents is not in it."""
    chance, seconds = random.Random(1), 0.0
    batch: list[Entry] = []
    for number in range(count // IN_A_RUN):
        batch.append(entry_of(document(number, chance, whole=False)))
        if len(batch) == 50 or number == count // IN_A_RUN - 1:
            began = time.perf_counter()
            write_entries(store, batch)
            seconds += time.perf_counter() - began
            batch = []
    return seconds


def folders(parent: Path, first: int) -> int:
    """Run folders to reindex; the bytes of their documents."""
    chance, total = random.Random(2), 0
    for number in range(first, first + FOLDERS):
        raw = document(number, chance)
        path = parent / raw["run"]
        path.mkdir(parents=True)
        text = json.dumps(raw, indent=1)
        (path / "run.json").write_text(text)
        total += len(text)
    return total


def measure(name: str, place: str, runs: Path, count: int) -> tuple[dict[str, Any], bool]:
    store = open_store(place)
    writing = fill(store, count)
    rates, cpu_rates = zip(*(_reindex_rates(store, runs) for _ in range(REINDEXED)), strict=True)
    times, points = [], []
    chance = random.Random(3)
    two_sided(0.97, 5)  # imports scipy
    for number in range(TRENDS + 1):
        one = chance.randrange(TARGETS)
        began = time.perf_counter()
        trend = analyse(store, read_series(store, Wanted(f"ch{one % 20:02d}:target_{one:03d}")))
        if number:  # the first opens a connection
            times.append(time.perf_counter() - began)
            points.append(len(trend.series.points))
    before = counted(store)
    lost = at_once(place) - (counted(store) - before)
    found = {
        "database": name,
        "results": before,
        "written": count / writing,
        "reindexed": max(rates),
        "a_cpu_second": max(cpu_rates),
        "trend": statistics.median(times),
        "slowest": max(times),
        "points": round(statistics.mean(points)),
        "lost": lost,
    }
    store.close()
    return found, found["trend"] < TREND_SECONDS and max(rates) >= REINDEX_RATE and lost == 0


def _reindex_rates(store: Store, runs: Path) -> tuple[float, float]:
    """Targets a second, by the clock and by what this process computed."""
    began, cpu = time.perf_counter(), time.process_time()
    done = reindex(store, runs, prune=False)
    return done.targets / (time.perf_counter() - began), done.targets / (time.process_time() - cpu)


def counted(store: Store) -> int:
    return store.read(lambda connection: connection.execute(select(func.count()).select_from(results)).scalar_one())


def at_once(place: str) -> int:
    """Results that the writers wrote, all at the same time."""
    text = json.dumps(document(10**5, random.Random(4)))
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, place, str(number), str(WRITES)], stdin=subprocess.PIPE, text=True
        )
        for number in range(WRITERS)
    ]
    for process in started:
        process.communicate(text)
        if process.returncode:
            raise SystemExit("a writer failed")
    return WRITERS * WRITES * IN_A_RUN


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    import pgserver

    server = pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def page(found: list[dict[str, Any]], count: int, size: float) -> str:
    from perfproof.machine.snapshot import snapshot

    seen = snapshot("cpu")
    return PAGE.format(
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        machine=f"{seen['kind']}, {seen['cpu']['model']}, {seen['kernel']}",
        python=platform.python_version(),
        count=count,
        rows="\n".join(
            ROW.format(**one | {"trend": one["trend"] * 1e3, "slowest": one["slowest"] * 1e3}) for one in found
        ),
        folders=FOLDERS,
        in_a_run=IN_A_RUN,
        kilobytes=size / FOLDERS / IN_A_RUN / 1000,
        times=REINDEXED,
        load=seen["cpu"]["load_average"][0],
        cpus=seen["cpu"]["cores_logical"],
        points=found[0]["points"],
        written=WRITERS * WRITES * IN_A_RUN,
        writers=WRITERS,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=int, default=1_000_000)
    parser.add_argument("--store", choices=("sqlite", "postgresql"))
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="perfproof-scale-"))
    folder.chmod(0o755)
    try:
        size = folders(folder / "runs", options.results // IN_A_RUN)
        found = []
        if options.store != "postgresql":
            found.append(measure("SQLite", str(folder / "history.db"), folder / "runs", options.results))
        if options.store != "sqlite":
            with postgres(folder / "pg") as place:
                found.append(measure("PostgreSQL", place, folder / "runs", options.results))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for one, _ in found:
        print(json.dumps(one))
    if options.save:
        options.save.write_text(page([one for one, _ in found], options.results, size))
    return int(not all(good for _, good in found))


if __name__ == "__main__":
    sys.exit(main())
