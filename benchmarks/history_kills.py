"""Does kill -9 lose anything that was finished, or leave an index that cannot be built again?

    python benchmarks/history_kills.py               50 kills each during save, index, reindex and report
    python benchmarks/history_kills.py --kills 5     fewer

A forked child saves runs, puts them into the index, rebuilds the index, or writes reports, and says what it has
finished; it is killed at a random moment. Then: every document that was reported parses and is whole; every run that
was reported as indexed is in the index with all of its results; no run is there in part; a rebuild ends with the
content that an index built from nothing has; and every page is a whole one. Ends with 1 at the first thing that is not
so.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from perfproof.cli.app import main as report_command
from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.history.folders import list_runs, load_run, open_run
from perfproof.history.index import tables
from perfproof.history.index.rebuilding import index_folder, reindex
from perfproof.history.index.store import Store, open_store

TARGETS, RUNS = 12, 6
Say = Callable[[str], None]


def a_run(name: str, number: int) -> Run:
    judged = {"optimized": RatioResult(verdict="faster", ratio=2.0 + number / 100, low=1.9, high=2.1)}
    targets = [TargetResult(target=f"t{at}", status="ok", verdict="faster", ratios=judged) for at in range(TARGETS)]
    started = f"2026-01-01T00:{number % 60:02d}:00Z"
    machine = {"kind": "synthetic", "fingerprint": "f", "cpu": {"model": "a CPU"}, "software": {"torch": "2"}}
    return Run(perfproof_version="0", run=name, state="finished", started=started, machine=machine, targets=targets)


def save_for_ever(artifacts: Path, say: Say) -> None:
    for number in range(10**9):
        folder = open_run(artifacts, "kill")
        folder.save(a_run(folder.name, number))
        say(folder.name)


def index_for_ever(artifacts: Path, say: Say) -> None:
    store = open_store(artifacts / "history.db")
    for path in list_runs(artifacts) * 10**6:
        index_folder(store, path)
        say(path.name)


def reindex_for_ever(artifacts: Path, say: Say) -> None:
    store = open_store(artifacts / "history.db")
    while True:
        reindex(store, artifacts, prune=True)
        say("whole")


def report_for_ever(artifacts: Path, say: Say) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    for path in list_runs(artifacts) * 10**6:
        report_command(["report", "run", str(path), "--format", "html"])
        say(path.name)


def killed(work: Callable[[Path, Say], None], artifacts: Path, chance: random.Random) -> list[str]:
    """What the child said that it had finished."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            work(artifacts, lambda text: os.write(writer, f"{text}\n".encode()) and None)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader) as lines:
        said = [lines.readline() for _ in range(chance.randrange(3))]
        time.sleep(chance.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        said += lines.readlines()
    os.waitpid(child, 0)
    return [line.strip() for line in said if line.endswith("\n")]


def content(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    kept = (tables.runs, tables.results, tables.environment)
    return {table.name: store.read(lambda c, t=table: sorted(map(repr, c.execute(select(t)).all()))) for table in kept}


def partial(store: Store) -> list[str]:
    """Runs in the index without all of their results."""
    count = select(func.count()).where(tables.results.c.run == tables.runs.c.run).scalar_subquery()
    return store.read(lambda c: list(c.execute(select(tables.runs.c.run).where(count != TARGETS)).scalars()))


def check_saved(artifacts: Path, said: list[str]) -> None:
    for name in said:
        expect(len(load_run(artifacts / name).targets) == TARGETS, f"{name} was saved, and is not whole")
    for path in list_runs(artifacts):
        load_run(path)


def check_indexed(artifacts: Path, said: list[str]) -> None:
    store = open_store(artifacts / "history.db")
    known = set(store.read(lambda c: c.execute(select(tables.runs.c.run)).scalars().all()))
    lost = {name for name in said if name != "whole"} - known
    expect(not lost, f"indexed, and not in the index: {sorted(lost)}")
    expect(not partial(store), f"in the index in part: {partial(store)}")
    reindex(store, artifacts, prune=True)
    fresh = open_store(artifacts / "fresh.db")
    reindex(fresh, artifacts, prune=True)
    expect(content(store) == content(fresh), "a rebuild differs from an index built from nothing")
    expect(len(content(fresh)["runs"]) == len(list_runs(artifacts)), "a rebuild has not every run")
    for one in (store, fresh):
        one.close()


def check_reported(artifacts: Path, said: list[str]) -> None:
    for name in said:
        expect((artifacts / name / "report.html").is_file(), f"{name} was reported, and there is no page")
    for page in artifacts.glob("*/report.html"):
        text = page.read_text()
        expect(text.endswith("</html>\n") and page.parent.name in text, f"{page} is not whole")


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(f"history_kills: {otherwise}")


def prepared(parent: Path) -> Path:
    """An artifacts folder with runs in it."""
    folder = Path(tempfile.mkdtemp(dir=parent))
    for number in range(RUNS):
        made = open_run(folder, "ready")
        made.save(a_run(made.name, number))
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    parent = Path(tempfile.mkdtemp(prefix="perfproof-kills-"))
    parts = (
        ("save", save_for_ever, check_saved),
        ("index", index_for_ever, check_indexed),
        ("reindex", reindex_for_ever, check_indexed),
        ("report", report_for_ever, check_reported),
    )
    try:
        for name, work, check in parts:
            finished = 0
            for _ in range(options.kills):
                folder = prepared(parent)
                said = killed(work, folder, chance)
                check(folder, said)
                finished += len(said)
                shutil.rmtree(folder)
            print(f"{name}: {options.kills} kills, {finished} finished before them, nothing lost")
    finally:
        shutil.rmtree(parent, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
