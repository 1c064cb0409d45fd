"""A session: the machine looked at, then measurements, each a saved run with telemetry, news and a place in the index.

It prints nothing: the command line, a notebook, the dashboard or a scheduler calls it and shows what it returns.
"""

import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perfproof import __version__
from perfproof.app.index import index_run
from perfproof.app.news import News
from perfproof.app.telemetry import Watch, watching
from perfproof.core.documents import Run, TargetResult
from perfproof.core.facts import Facts
from perfproof.core.options import SHARED, RunOptions
from perfproof.history.folders import RunFolder, open_run

EXIT_CODES = {"ok": 0, "skipped": 0, "refused": 1, "failed-verification": 1, "rejected": 1, "crashed": 4, "timeout": 4}
BROKEN_CONTRACT, INTERRUPTED = 2, 130
MOST_NAMED = 3  # changed files in a message

Results = Callable[[str, Watch], Iterator[Any]]  # (seed, telemetry) -> what is finished, one after the other


@dataclass(frozen=True)
class Measured:
    run: Run
    folder: RunFolder
    stopped: bool  # by the person

    @property
    def exit_code(self) -> int:
        return INTERRUPTED if self.stopped else max((EXIT_CODES[one.status] for one in self.run.targets), default=0)


@dataclass
class Session:
    options: RunOptions
    facts: Facts
    news: News = field(default_factory=News)
    shared: bool = False  # others may compute on the GPU
    machine: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look at the machine; final effort is for claims, and refuses one that is not fit."""
        if self.shared:
            self.options = replace(self.options, allow=(*self.options.allow, SHARED))
        self.machine = self.machine or look_at_machine(self.facts, SHARED in self.options.allow)
        if self.options.effort == "final":
            refuse_unfit(self.machine, self.options.allow)

    def measure(
        self,
        planned: list[str],
        slug: str,
        stored: dict[str, Any],
        results: Results,
        *,
        known: Sequence[TargetResult] = (),
        take: Callable[[Run, RunFolder], None] = lambda run, folder: None,
    ) -> Measured:
        """Save every result as it comes. `known` ones come first; `take` may take over results of another run."""
        run, folder = begin_run(planned, slug, stored, self.machine)
        if why := _no_expectation(run):
            self.news.warn(why)
        take(run, folder)
        self.news.total = self.news.total or len(planned) - len(run.targets)
        with watching(run, folder, self.options.telemetry) as watch:
            for result in known:
                _keep(run, folder, result, self.news)
            stopped = save_each(run, folder, watch.described(results(run.seed, watch)), self.news)
        return Measured(run, folder, stopped)


def look_at_machine(facts: Facts, shared: bool) -> dict[str, Any]:
    from perfproof.machine.preflight import preflight
    from perfproof.machine.snapshot import snapshot

    seen = snapshot(facts.device)
    return seen | {"warnings": [warning.model_dump() for warning in preflight(seen, shared)]}


def refuse_unfit(machine: dict[str, Any], allowed: Sequence[str]) -> None:
    """A warning about the machine refuses a claim, unless the person allows that reason."""
    from perfproof.core.documents import Warning
    from perfproof.machine.preflight import refuse_claim

    refuse_claim([Warning(**warning) for warning in machine["warnings"]], allowed)


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


def _no_expectation(run: Run) -> str:
    """Said before minutes are measured, where expectations are kept: this run can be none of them."""
    kept = Path("expectations", f"{run.machine.get('kind')}.json").is_file()
    names = run.git.get("changed") or []
    if not kept or not names or any(name in run.options for name in ("ab", "sweep", "functions")):
        return ""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return (
        f"perfproof: changed since the commit: {', '.join(names[:MOST_NAMED])}{more}; commit first to record this run"
    )


def now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def save_each(run: Run, folder: RunFolder, finished: Iterator[Any], news: News) -> bool:
    """Save every target as it comes; whether the person stopped it. A second Ctrl-C ends at once: all is saved."""
    stopped = False
    with terminated_like_interrupted(), news.published_in(folder.path), closing(finished):  # type: ignore[type-var]
        try:
            for done in finished:
                result = done.result
                if done.samples:
                    result.samples = folder.add_samples(result.target, done.samples)
                if done.log:
                    result.log = folder.add_log(result.target, done.log)
                for name, text in done.files.items():
                    folder.write(name, text)
                _keep(run, folder, result, news)
            run.state = "finished"
        except KeyboardInterrupt:
            stopped = True
        finally:
            run.state = "finished" if run.state == "finished" else "interrupted"
            run.finished = now()
            folder.save(run)
    if not all_refused(run) and (problem := index_run(folder.path)):
        news.warn(f"perfproof: the run is saved, but not in the history: {problem}")
    return stopped


def all_refused(run: Run) -> bool:
    """Nothing was measured: no target got further than the contract."""
    return bool(run.targets) and run.state == "finished" and all(one.status == "refused" for one in run.targets)


def _keep(run: Run, folder: RunFolder, result: TargetResult, news: News) -> None:
    run.targets.append(result)
    folder.save(run)
    news.finished(result)


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
