"""Measure the points of a sweep, each saved when it is done, or go on with one that was interrupted."""

import shutil
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from perfproof.app.session import Measured, Session
from perfproof.app.telemetry import Watch
from perfproof.bench.forms.grid import Sweep, point_pairs
from perfproof.core.documents import Run, TargetResult
from perfproof.core.errors import ContractError, DocumentError, UsageError
from perfproof.core.options import RunOptions
from perfproof.history.folders import RunFolder, find_run
from perfproof.pairs.pair import Broken, Pair
from perfproof.pairs.source import shown

PICTURE = "sweep.svg"


def choose_one(target: str) -> Pair:
    """The one pair that is meant; a sweep is about a single target."""
    from perfproof.pairs.targets import select

    pairs = select([target])
    if len(pairs) != 1:
        raise UsageError(f"{target!r} names {len(pairs)} targets; a sweep takes one, such as {pairs[0].name}")
    (pair,) = pairs
    if isinstance(pair, Broken):
        raise ContractError(shown(pair.path), pair.error.removeprefix(f"{shown(pair.path)}: "))
    return pair


def execute_sweep(pair: Pair, sweep: Sweep, session: Session, *, written: str, earlier: Run | None = None) -> Measured:
    """Points that `earlier` has are taken over, not measured."""
    from perfproof.bench.ceilings import read_limits
    from perfproof.bench.run import Planned, run_targets

    options, points = session.options, point_pairs(pair, sweep)
    taken = _reusable(earlier, pair, session.machine) if earlier else {}
    planned = [Planned(point, sizes) for name, (point, sizes) in points.items() if name not in taken]

    def take(run: Run, folder: RunFolder) -> None:
        run.targets += [taken_over(taken[name], earlier, options, folder) for name in points if name in taken]

    def results(seed: str, watch: Watch) -> Iterator[Any]:
        limits = read_limits(session.machine)
        return run_targets(planned, options, session.facts, seed, session.news.notify, limits, watch.mark)

    stored = asdict(options) | {"sweep": asdict(sweep) | {"written": written}}
    measured = session.measure(list(points), f"sweep-{pair.name}", stored, results, take=take)
    measured.run.targets.sort(key=lambda result: measured.run.planned.index(result.target))
    measured.folder.save(measured.run)
    return measured


def saved_sweep(saved: Run) -> tuple[str, Sweep, RunOptions]:
    """The target as it was written, the grid and the options of a saved sweep, its seed included."""
    if "sweep" not in saved.options:
        raise DocumentError(f"{saved.run} is no sweep: resume one that `perfproof sweep` has made")
    options: dict[str, Any] = dict(saved.options)
    grid = dict(options.pop("sweep"))
    written = grid.pop("written")
    for name in ("targets", "variants", "allow"):  # JSON has lists only
        options[name] = tuple(options.get(name, ()))
    return written, Sweep(**grid), RunOptions(**options | {"seed": saved.seed})


def _reusable(earlier: Run, pair: Pair, machine: dict[str, Any]) -> dict[str, TargetResult]:
    """The points that were judged, if they are of this file and this machine."""
    if earlier.machine.get("fingerprint") != machine.get("fingerprint"):
        raise UsageError(f"{earlier.run} was measured on another machine; start a new sweep here")
    judged = [target for target in earlier.targets if target.status in ("ok", "skipped")]
    if any(target.source_sha256 != pair.source_sha256 for target in judged):
        raise UsageError(f"{shown(pair.path)} has changed since {earlier.run}; start a new sweep")
    return {target.target: target for target in judged}


def taken_over(result: TargetResult, earlier: Run | None, options: RunOptions, folder: RunFolder) -> TargetResult:
    """A point of the earlier run with its samples and its log."""
    assert earlier is not None
    source = find_run(options.artifacts_dir, earlier.run)
    for relative in filter(None, (result.samples, result.log)):
        (folder.path / relative).parent.mkdir(exist_ok=True)
        shutil.copyfile(source / relative, folder.path / relative)
        folder.files[relative] = result.target
    return result
