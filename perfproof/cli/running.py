"""From chosen pairs to a saved and printed run: what `run` and `rerun` share, and `ab` in part."""

import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from perfproof import __version__
from perfproof.cli.indexing import index_run
from perfproof.cli.printing import Show, print_run
from perfproof.cli.progress import ProgressLine
from perfproof.cli.watching import watching
from perfproof.core.documents import Run, TargetResult
from perfproof.core.errors import NothingMatched
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.history.folders import RunFolder, open_run
from perfproof.pairs.pair import Broken, Pair
from perfproof.pairs.source import shown

EXIT_CODES = {"ok": 0, "skipped": 0, "refused": 1, "failed-verification": 1, "rejected": 1, "crashed": 4, "timeout": 4}
BROKEN_CONTRACT, INTERRUPTED = 2, 130


def choose(targets: Sequence[str], keyword: str | None, facts: Facts) -> list[Pair | Broken]:
    """The pairs that are named; with no name at all the tour, one pair a chapter."""
    from perfproof.pairs.availability import availability
    from perfproof.pairs.targets import select, tour

    pairs = select(targets, keyword)
    if targets or keyword:
        return pairs
    return list(tour(pairs, lambda pair: availability(pair, facts)))


def with_variants(pairs: Sequence[Pair | Broken], wanted: Sequence[str]) -> tuple[list[Pair | Broken], tuple[str, ...]]:
    """The pairs that have one of the wanted variants, and the variants' full names: `tiled` is `optimized_tiled`."""
    if not wanted:
        return list(pairs), ()
    known = {variant for pair in pairs if isinstance(pair, Pair) for variant in pair.variants}
    full = []
    for name in wanted:
        match = next((one for one in (name, f"optimized_{name}") if one in known), None)
        if match is None:
            raise NothingMatched(f"no selected target has the variant {name!r}; there are {', '.join(sorted(known))}")
        full.append(match)
    kept = [pair for pair in pairs if isinstance(pair, Broken) or set(pair.variants) & set(full)]
    return kept, tuple(full)


def execute(pairs: Sequence[Pair | Broken], options: RunOptions, facts: Facts, show: Show, shared: bool) -> int:
    """Look at the machine, measure, save after every target, print; the exit code."""
    from perfproof.bench.ceilings import read_limits
    from perfproof.bench.run import Planned, run_targets

    shared = shared or "W122" in options.allow
    machine = look_at_machine(facts, shared)
    if options.effort == "final":
        refuse_unfit(machine, (*options.allow, "W122") if shared else options.allow)
    run, folder = begin(pairs, options, machine)
    planned = [Planned(pair, options.sizes.get(pair.name, {})) for pair in pairs if isinstance(pair, Pair)]
    with ProgressLine(len(pairs), quiet=show.json) as line, watching(run, folder, options.telemetry) as watch:
        for pair in pairs:
            if isinstance(pair, Broken):
                _keep(run, folder, refusal(pair), line)
        finished = run_targets(planned, options, facts, run.seed, line.notify, read_limits(machine), watch.mark)
        interrupted = save_each(run, folder, watch.described(finished), line)
    print_run(run, show)
    if interrupted:
        return INTERRUPTED
    broken = any(isinstance(pair, Broken) for pair in pairs)
    return max([BROKEN_CONTRACT if broken else 0, *(EXIT_CODES[target.status] for target in run.targets)])


def look_at_machine(facts: Facts, shared: bool) -> dict[str, Any]:
    from perfproof.machine.preflight import preflight
    from perfproof.machine.snapshot import snapshot

    seen = snapshot(facts.device)
    return seen | {"warnings": [warning.model_dump() for warning in preflight(seen, shared)]}


def refuse_unfit(machine: dict[str, Any], allowed: Sequence[str]) -> None:
    """Final effort is for claims: a warning about the machine refuses it, unless the person allows that reason."""
    from perfproof.core.documents import Warning
    from perfproof.machine.preflight import refuse_claim

    refuse_claim([Warning(**warning) for warning in machine["warnings"]], allowed)


def begin(pairs: Sequence[Pair | Broken], options: RunOptions, machine: dict[str, Any]) -> tuple[Run, RunFolder]:
    return begin_run([pair.name for pair in pairs], _slug(pairs, options), asdict(options), machine)


def begin_run(planned: list[str], slug: str, options: dict[str, Any], machine: dict[str, Any]) -> tuple[Run, RunFolder]:
    """The document with everything planned, saved before anything is measured."""
    from perfproof.machine.git import read_git

    folder = open_run(options["artifacts_dir"], slug)
    run = Run(
        perfproof_version=__version__,
        run=folder.name,
        started=now(),
        command=["perfproof", *sys.argv[1:]],
        git=read_git(),
        machine=machine,
        options=options,
        seed=options["seed"] or secrets.token_hex(16),
        planned=planned,
    )
    folder.save(run)
    return run, folder


def refusal(pair: Broken) -> TargetResult:
    return TargetResult(target=pair.name, status="refused", reason=pair.error, path=shown(pair.path), started=now())


def now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def save_each(run: Run, folder: RunFolder, finished: Iterator[Any], line: ProgressLine) -> bool:
    """Save every target as it comes; whether the person stopped it. A second Ctrl-C ends at once: all is saved."""
    stopped = False
    with terminated_like_interrupted(), line.published_in(folder.path), closing(finished):  # type: ignore[type-var]
        try:
            for done in finished:
                result = done.result
                if done.samples:
                    result.samples = folder.add_samples(result.target, done.samples)
                if done.log:
                    result.log = folder.add_log(result.target, done.log)
                for name, text in done.files.items():
                    folder.write(name, text)
                _keep(run, folder, result, line)
            run.state = "finished"
        except KeyboardInterrupt:
            stopped = True
        finally:
            run.state = "finished" if run.state == "finished" else "interrupted"
            run.finished = now()
            folder.save(run)
    index_run(folder.path)
    return stopped


def _keep(run: Run, folder: RunFolder, result: TargetResult, line: ProgressLine) -> None:
    run.targets.append(result)
    folder.save(run)
    line.finished(result)


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM, as a CI system sends it, ends a run as Ctrl-C does: with everything saved and no worker left behind."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: Callable[..., Any] | int | None = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _slug(pairs: Sequence[Pair | Broken], options: RunOptions) -> str:
    if not options.targets and options.keyword is None:
        return "tour"
    if len(pairs) == 1:
        return pairs[0].name
    chapters = {pair.chapter for pair in pairs}
    return f"{chapters.pop() if len(chapters) == 1 else len(pairs)}-targets"
