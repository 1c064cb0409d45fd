"""Sweep a user's command: each point against the first one, as `perfproof ab` compares two programs."""

import hashlib
import os
import shlex
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from perfproof.app.ab.asked import Asked, parse_variables
from perfproof.app.ab.chosen import Chosen
from perfproof.app.ab.form import choose_form
from perfproof.app.ab.targets import is_command, names_a_pair
from perfproof.app.session import Measured, Session
from perfproof.app.sweep.pair import taken_over
from perfproof.app.telemetry import Watch
from perfproof.bench.forms.command_grid import CommandSweep, filled, plan_command
from perfproof.core.documents import Run, TargetResult
from perfproof.core.errors import DocumentError, UsageError
from perfproof.core.options import RunOptions
from perfproof.history.folders import RunFolder, find_run
from perfproof.report.sweep.points import point_words

MOST_HASHED = 64 << 20  # bytes of a file that the command names


def are_command(words: Sequence[str]) -> bool:
    """Several words, words with spaces between them, or a program that can be started; a pair stays a pair."""
    if len(words) != 1:
        return len(words) > 1 and not all(names_a_pair(word) for word in words)
    return is_command(words[0])


def plan_command_sweep(words: Sequence[str], items: Sequence[str], asked: Asked) -> CommandSweep:
    """The grid over a command as it was written; `asked` has its folder, metrics and variables."""
    from perfproof.bench.programs.program import split_command

    command = words if len(words) > 1 else split_command(words[0], "the command")
    grid = plan_command(command, parse_variables(asked.variables_b, "--env"), items)
    return replace(
        grid,
        cwd=asked.cwd,
        prepare=asked.prepare,
        metrics=asked.metrics,
        judged=asked.judged,
        warmup=asked.warmup,
        ignore_exit=asked.ignore_exit,
    )


def execute_command_sweep(sweep: CommandSweep, session: Session, *, earlier: Run | None = None) -> Measured:
    """Measure every point, each saved when it is done; points that `earlier` has are taken over."""
    options, points = session.options, {sweep.name_of(point): point for point in sweep.points}
    sweep = replace(sweep, files=sweep.files or hashes_of(sweep))
    places = {name: f"outputs/point-{number}" for number, name in enumerate(points, 1)}
    taken = _reusable(earlier, sweep, session.machine) if earlier else {}
    with ExitStack() as stack:
        for point in points.values():
            choose_form(asked_for(sweep, point), options, session.facts, stack)  # refuse before anything is measured

        def take(run: Run, folder: RunFolder) -> None:
            for name, result in taken.items():
                run.targets.append(taken_over(result, earlier, options, folder))
                _copy_outputs(earlier, options, folder, places[name])

        def results(seed: str, watch: Watch) -> Iterator[Any]:
            left = {name: point for name, point in points.items() if name not in taken}
            end = time.monotonic() + options.budget if options.budget else None
            for number, (name, point) in enumerate(left.items()):
                own = options
                if end is not None:
                    own = replace(options, budget=max(1.0, (end - time.monotonic()) / (len(left) - number)))
                asked = asked_for(sweep, point)
                chosen = choose_form(asked, own, session.facts, stack)
                yield from _named(chosen, name, places[name], point, seed, session)

        written = shlex.join(sweep.command)
        stored = asdict(options) | {"sweep": asdict(sweep) | {"written": written}}
        measured = session.measure(list(points), "sweep-command", stored, results, take=take)
    measured.run.targets.sort(key=lambda result: measured.run.planned.index(result.target))
    measured.folder.save(measured.run)
    return measured


def asked_for(sweep: CommandSweep, point: dict[str, str]) -> Asked:
    """The A/B of the base and one point."""
    commands, variables = [], []
    for one in (sweep.base, point):
        commands.append(shlex.join(filled(word, one) for word in sweep.command))
        variables.append(tuple(f"{name}={filled(value, one)}" for name, value in sweep.variables.items()))
    return Asked(
        a=commands[0],
        b=commands[1],
        variables_a=variables[0],
        variables_b=variables[1],
        label_a=point_words(sweep.base),
        label_b=point_words(point),
        cwd=sweep.cwd,
        prepare=sweep.prepare,
        metrics=tuple(sweep.metrics),
        judged=sweep.judged,
        warmup=sweep.warmup,
        ignore_exit=sweep.ignore_exit,
    )


def is_command_sweep(saved: Run) -> bool:
    return "command" in (saved.options.get("sweep") or {})


def saved_command_sweep(saved: Run) -> tuple[CommandSweep, RunOptions]:
    """The grid and the options of a saved sweep of a command, its seed included."""
    options: dict[str, Any] = dict(saved.options)
    grid = dict(options.pop("sweep"))
    known = {field.name for field in fields(CommandSweep)}
    try:
        sweep = CommandSweep(**{name: value for name, value in grid.items() if name in known})
    except TypeError as error:
        raise DocumentError(f"{saved.run}: its sweep cannot be read: {error}; start a new one") from None
    for name in ("targets", "variants", "allow"):  # JSON has lists only
        options[name] = tuple(options.get(name, ()))
    return replace(sweep, metrics=tuple(sweep.metrics)), RunOptions(**options | {"seed": saved.seed})


def hashes_of(sweep: CommandSweep) -> dict[str, str]:
    """SHA-256 of the files that the command names at its base: the program and its scripts."""
    folder = Path(os.path.abspath(sweep.cwd or "."))
    found = {}
    for word in (filled(word, sweep.base) for word in sweep.command):
        path = folder / word
        if not path.is_file() and word == sweep.command[0] and os.sep not in word:
            path = Path(shutil.which(word) or path)
        if path.is_file() and path.stat().st_size <= MOST_HASHED:
            found[word] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _named(chosen: Chosen, name: str, place: str, point: dict[str, str], seed: str, session: Session) -> Iterator[Any]:
    """The result of one point under its name, with what it printed in a folder of its own."""
    with closing(chosen.measure(seed, session.news.notify)) as results:  # type: ignore[type-var]
        for done in results:
            done.result.target, done.result.sizes = name, dict(point)
            moved = {file.replace("outputs", place, 1): text for file, text in done.files.items()}
            done.files.clear()
            done.files.update(moved)
            for warning in done.result.warnings:
                warning.text = warning.text.replace("outputs/", f"{place}/")
            yield done


def _copy_outputs(earlier: Run | None, options: RunOptions, folder: RunFolder, place: str) -> None:
    assert earlier is not None
    source = find_run(options.artifacts_dir, earlier.run) / place
    if source.is_dir():
        shutil.copytree(source, folder.path / place)


def _reusable(earlier: Run, sweep: CommandSweep, machine: dict[str, Any]) -> dict[str, TargetResult]:
    """The points that were judged, if they are of these files and this machine."""
    if earlier.machine.get("fingerprint") != machine.get("fingerprint"):
        raise UsageError(f"{earlier.run} was measured on another machine; start a new sweep here")
    for name, digest in hashes_of(sweep).items():
        if sweep.files.get(name) != digest:
            raise UsageError(f"{name} has changed since {earlier.run}; start a new sweep")
    return {target.target: target for target in earlier.targets if target.status == "ok"}
