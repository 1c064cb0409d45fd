"""One target in two environments, or at two revisions: the sides cannot share an interpreter, so each has launches of
its own, and their workers are driven in turn.

What the rest of the bench knows as a launch is here one interpreter for each side; what it knows as a worker is forked
from the interpreter of the side that it is to hold.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from perfproof.bench.job import Job, source_of
from perfproof.bench.launches import Launch, Launches, Worker, start_launch
from perfproof.bench.programs.trials import B
from perfproof.bench.ranks.ranks import fork_ranks
from perfproof.bench.ranks.torchrun import start_torchrun
from perfproof.bench.run import Finished, Progress, make_job, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.errors import UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.pairs.availability import availability
from perfproof.pairs.pair import Pair
from perfproof.pairs.rank_count import with_ranks

FIXED = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED", "PERFPROOF_PADDING")


@dataclass(frozen=True)
class Setting:
    """Where one side lives: its own files, and the variables its interpreters start with."""

    pair: Pair  # joined with itself: baseline and b are both this side's function
    variables: dict[str, str]


def refuse_fixed(variables: dict[str, str]) -> None:
    """What the harness sets itself would be overridden in silence."""
    for name in variables:
        if name in FIXED:
            remedy = "use --threads" if name.endswith("_THREADS") else "leave it out"
            raise UsageError(f"{name} is set by perfproof for every worker: {remedy}, or compare programs with --a")


def run_apart(
    a: Setting,
    b: Setting,
    options: RunOptions,
    facts: Facts,
    seed: str,
    notify: Callable[[Progress], None],
    warnings: tuple[tuple[str, str], ...] = (),
    answered: Callable[[Sequence[float], float], bool] | None = None,
    sizes: dict[str, Any] | None = None,
    comparisons: int = 1,
    answers_may_differ: bool = False,
    values_may_repeat: bool = False,
) -> Iterator[Finished]:
    """Yield the one result: verified in both settings, measured in turn, judged like any pair.

    `answered` is asked after every launch whether its units (and the systematic band) say enough to stop. The interval
    holds together with those of all `comparisons`. If `answers_may_differ`, each setting is only held against itself.
    If `values_may_repeat`, equal draws are no error: they are said, and there is no verdict.
    """
    sizes = sizes or {}
    a, b = (replace(one, pair=with_ranks(one.pair, sizes)) for one in (a, b))
    can = availability(a.pair, facts)
    if not can.timed:
        raise UsageError(f"{a.pair.name} cannot be timed here: {can.reason}")
    end = time.monotonic() + options.budget if options.budget else float("inf")
    job = make_job(a.pair, sizes, options, facts, seed, end)
    job = replace(job, has_cost=False, warnings=[*job.warnings, *warnings], answered=answered)
    job = replace(job, comparisons=comparisons, answers_may_differ=answers_may_differ)
    job = replace(job, values_may_repeat=values_may_repeat)
    usual = worker_environment(options, facts)
    launches = LaunchesApart([Launches({**usual, **one.variables}) for one in (a, b)], [a.pair, b.pair], job)

    def tell(
        phase: str, share: float | None, left: float | None, line: str | None = None, ratio: float | None = None
    ) -> None:
        notify(Progress(job.target, phase, share, left, line, ratio))

    try:
        result, samples, log = run_target(job, cast(Launches, launches), tell, timed=True)
    finally:
        launches.close()
    yield Finished(result.model_copy(update={"lesson": a.pair.lesson, "path": str(a.pair.path)}), samples, log)


class LaunchesApart:
    """A pool whose launches are two interpreters each; with ranks at final effort, two runs of torchrun."""

    apart = True

    def __init__(self, pools: list[Launches], pairs: list[Pair], job: Job):
        self._pools, self._job = pools, job
        self._sources = [source_of(pair) for pair in pairs]
        self.scratch = pools[0].scratch

    def get(self, number: int) -> "LaunchApart":
        return LaunchApart([pool.get(number) for pool in self._pools], self._sources, self._job)

    def new(self) -> "LaunchApart":
        """Both start at once: importing torch is what takes the time."""
        if self._job.ranks > 1:
            return self._by_torchrun()
        starting = [start_launch(pool.environment, pool.scratch) for pool in self._pools]
        found = LaunchApart(starting, self._sources, self._job)
        try:
            for launch in found.launches:
                launch.wait_ready()
        except BaseException:
            found.close()
            raise
        return found

    def _by_torchrun(self) -> "LaunchApart":
        found = LaunchApart([], self._sources, self._job)
        try:
            for pool in self._pools:
                found.launches.append(start_torchrun(pool, self._job.ranks))
        except BaseException:
            found.close()
            raise
        found.scratch = found.launches[0].scratch
        return found

    def fork_ahead(self, number: int) -> None:
        """Never: which of the two settings the next worker is of is not known."""

    def begin(self, count: int) -> None:
        for pool in self._pools:
            pool.begin(count)

    def import_libraries(self, names: list[str]) -> None:
        for pool in self._pools:
            pool.import_libraries(names)

    no_room = False

    def forget_libraries(self) -> None:
        for pool in self._pools:
            pool.forget_libraries()

    def take_log(self) -> str:
        return "".join(pool.take_log() for pool in self._pools)

    def close(self) -> None:
        for pool in self._pools:
            pool.close()


class LaunchApart:
    """The interpreter of A and the interpreter of B."""

    apart = True

    def __init__(self, launches: list[Launch], sources: list[dict[str, Any]], job: Job | None = None):
        self.launches, self.sources, self._job = launches, sources, job
        self.scratch: Path = launches[0].scratch if launches else Path()

    def fork(self) -> "WorkerApart":
        return WorkerApart(self)

    def begin(self, setting: int) -> Worker:
        """A worker of one setting, or one for each of its ranks."""
        launch = self.launches[setting]
        if self._job is None or self._job.ranks == 1:
            return launch.fork()
        return cast(Worker, fork_ranks(self._job, launch))

    def close(self) -> None:
        for launch in self.launches:
            launch.close()


class WorkerApart:
    """A worker that is forked when it is told its sides; with sides of both settings it is two, one for each."""

    def __init__(self, launch: LaunchApart):
        self._launch = launch
        self._workers: dict[int, Worker] = {}  # setting -> worker
        self._opening: dict[str, Any] = {}  # kept until the first side is named
        self.repeated, self.held_sets = 0.0, 0
        self._told: list[dict[str, Any]] = []

    def tell(self, command: str, **fields: Any) -> None:
        """Asked when its reply is wanted."""
        self._told.append(fields)

    def hear(self, command: str, deadline: float) -> dict[str, Any]:
        return self.ask(command, deadline, **self._told.pop(0))

    def ask(self, command: str, deadline: float, **fields: Any) -> dict[str, Any]:
        if command == "open":
            self._opening = fields
            opened = [self._open(setting, sides, deadline) for setting, sides in _by_setting(fields["sides"])]
            return opened[0] if opened else {}
        if not self._workers and "side" in fields:  # start-up: loading the side is part of what is timed
            self._open(_setting_of(fields["side"]), [], deadline)
        if command == "try_others":  # it holds sides against each other that are in one process
            return {"never_drawn": [], "notes": [], "load_seconds": 0.0}
        replies: list[dict[str, Any]] = []
        for _, worker in sorted(self._workers.items()):
            before = {"kept_sum": replies[0]["kept_sum"]} if replies and "kept_sum" in replies[0] else {}
            replies.append(worker.ask(command, deadline, **fields, **before))
        return replies[0] if len(replies) == 1 else merged(replies)

    def _open(self, setting: int, sides: list[str], deadline: float) -> dict[str, Any]:
        worker = self._workers[setting] = self._launch.begin(setting)
        spec = {**self._opening["spec"], **self._launch.sources[setting]}
        return worker.ask("open", deadline, **{**self._opening, "sides": sides, "spec": spec})

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()

    def kill(self) -> None:
        for worker in self._workers.values():
            worker.kill()

    def __enter__(self) -> "WorkerApart":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def merged(replies: list[dict[str, Any]]) -> dict[str, Any]:
    """What both settings found when each verified its own function: every check of both, the errors of each side.

    In B's setting the baseline is B's function too, so A's figures are taken from A.
    """
    first, second = replies
    checks = {check["name"]: check for check in first["checks"]}
    for check in second["checks"]:
        if check["name"] not in checks or check["result"] == "fail":
            checks[check["name"]] = check
    return {
        **first,
        "checks": list(checks.values()),
        "errors": {**second["errors"], **first["errors"]},
        "calls": {**second["calls"], **first["calls"]},
        "notes": list(dict.fromkeys([*first.get("notes", ()), *second.get("notes", ())])),
    }


def _by_setting(sides: list[str]) -> list[tuple[int, list[str]]]:
    found: dict[int, list[str]] = {}
    for side in sides:
        found.setdefault(_setting_of(side), []).append(side)
    return list(found.items())


def _setting_of(side: str) -> int:
    return 1 if side == B else 0
