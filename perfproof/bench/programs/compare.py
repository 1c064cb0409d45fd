"""A/B of two whole programs: run them in quads until the interval is narrow enough, judge, and keep what they printed.

A program without another is run in the same blocks, and has an interval of its own times.

Every run is a fresh process, timed by the run's own clock from its start to its end. One quantity is judged; all that
the runs measured (wall time, CPU time, peak memory, what the programs report) is shown.
"""

import datetime
import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from textwrap import shorten
from typing import Any

from perfproof.bench.programs.alone import mean_of
from perfproof.bench.programs.done_work import listing, written_between
from perfproof.bench.programs.metrics import MetricMissing
from perfproof.bench.programs.plan import ProgramPlan, Session
from perfproof.bench.programs.program import Outcome, Program, Spawner, kept_text
from perfproof.bench.programs.trials import B, Trial, Trials
from perfproof.bench.programs.verdict import describe
from perfproof.bench.run import Finished, Progress
from perfproof.core.documents import TargetResult
from perfproof.core.errors import PerfproofError
from perfproof.core.options import PROGRAM_EFFORTS
from perfproof.core.units import count
from perfproof.core.units import ratio as as_ratio
from perfproof.core.units import seconds as as_time
from perfproof.machine import layout
from perfproof.stats.quads import BASELINE, TWIN, draw_orders
from perfproof.stats.stopping import enough
from perfproof.stats.units import LEAST_UNITS
from perfproof.stats.verdicts import CPU_BAND

BUDGET_ROOM = 1.5  # warm-up and twins take time too
ENOUGH_ROOM = 1.2  # of a budget that is proposed: blocks do not all take the same time
LOOK_EVERY = 4  # blocks: all four orders have had their turn
FLOOR_RUNS = 5
RUNS_A_QUAD = 4
TAIL_LINES = 20
LAST_LINE = 160  # characters of what a program said last


class ProgramFailed(PerfproofError):
    """A run that ended badly; `status` is the word for the document."""

    def __init__(self, status: str, reason: str, tail: str):
        self.status, self.tail = status, tail
        super().__init__(reason)


def run_programs(plan: ProgramPlan, notify: Callable[[Progress], None]) -> Iterator[Finished]:
    """Yield the one result. Closing the generator ends whatever still runs."""
    began, started = datetime.datetime.now(datetime.UTC), time.monotonic()
    result = TargetResult(target=plan.name, status="ok", program=_facts(plan))
    rng = random.Random(f"{plan.seed}/{plan.name}")
    metrics = frozenset(metric.name for metric in plan.metrics if metric.better == "higher")
    for program in filter(None, (plan.a, plan.b, plan.prepare)):
        program.executable()  # refuse before anything is started
    with Spawner() as spawner:
        session = Session(plan, spawner, Trials(higher=metrics), _orders(rng), rng)
        try:
            _measure_until_stopped(session, started, notify)
            describe(result, session)
        except ProgramFailed as error:
            result.status, result.reason, result.output_tail = error.status, str(error), error.tail  # type: ignore[assignment]
        except MetricMissing as error:
            result.status, result.reason = "refused", str(error)
        result.started, result.seconds = began.isoformat(timespec="seconds"), round(time.monotonic() - started, 3)
        yield Finished(result, [trial.row for trial in session.trials.done], _log(session), session.files)
        if session.interrupted:
            raise KeyboardInterrupt


def _measure_until_stopped(session: Session, started: float, notify: Callable[[Progress], None]) -> None:
    """An interruption after whole blocks keeps these: minutes of measuring are not thrown away."""
    try:
        _measure(session, started, notify)
    except KeyboardInterrupt:
        whole = [trial for trial in session.trials.done if trial.block < session.whole_blocks]
        if not whole:
            raise
        session.trials.done[:] = whole
        session.interrupted = True


def _measure(session: Session, started: float, notify: Callable[[Progress], None]) -> None:
    """Warm up, then blocks until the width is reached, the cap, or the budget."""
    plan, effort = session.plan, PROGRAM_EFFORTS[session.plan.effort]
    end = started + plan.budget if plan.budget else float("inf")
    notify(Progress(plan.name, "warming up", None, None))
    _measure_floor(session)
    for _ in range(plan.warmup):
        for side in plan.sides:
            _run(session, side)
    first = time.monotonic()
    line = _too_short(session, started, 0, _first_estimate(session, first - started)) if plan.warmup else ""
    if line:
        notify(Progress(plan.name, "warming up", None, None, line=f"{plan.name}: {line}"))
    size = 1
    for block in range(effort.most):
        begun = time.monotonic()
        for quad in range(_most_quads(session)):
            _take_quad(session, block)
            if block == quad == 0:
                size = _quads_a_block(session, time.monotonic() - first)
            if quad + 1 >= size:
                break
        a_block = time.monotonic() - begun
        if block == 0:
            a_block *= _later_runs(session, size) / len(session.trials.done)
            notify(Progress(plan.name, "planned", None, None, line=f"{plan.name}: {_plan_line(session, a_block)}"))
        wanted = effort.least if block < effort.least else effort.most
        session.whole_blocks = done = block + 1
        usual = (time.monotonic() - first) / done if block else a_block
        if not line and (line := _too_short(session, started, done, max(usual, a_block))):
            notify(Progress(plan.name, "planned", None, None, line=f"{plan.name}: {line}"))
        ratio = _ratio_so_far(session)
        said = f", {as_ratio(ratio)} so far" if ratio else ""
        left = (wanted - done) * usual
        notify(Progress(plan.name, f"block {done} of {wanted}{said}", done / wanted, left, ratio=ratio))
        if _enough(session, done):
            return
        if time.monotonic() + a_block > end:
            session.out_of_budget = True
            return


def _later_runs(session: Session, quads: int) -> float:
    """Runs of a usual block: the baseline against itself after every second quad is in half of the small ones."""
    return quads * (RUNS_A_QUAD + 1) if session.plan.b is not None else len(session.trials.done)


def _ratio_so_far(session: Session) -> float | None:
    judged = session.plan.judged
    units = session.trials.units(judged) if session.plan.b is not None and judged != "memory" else []
    return math.exp(math.fsum(units) / len(units)) if units else None


def _quads_a_block(session: Session, a_quad: float) -> int:
    """As many as fit into a block's time; fewer where the budget would otherwise end before the least blocks do."""
    plan, effort = session.plan, PROGRAM_EFFORTS[session.plan.effort]
    seconds = effort.block_seconds
    if plan.budget:
        seconds = min(seconds, plan.budget / (BUDGET_ROOM * effort.least))
    return min(_most_quads(session), max(1, round(seconds / a_quad)))


def _most_quads(session: Session) -> int:
    """In a block; of a program alone each run counts as one."""
    most = PROGRAM_EFFORTS[session.plan.effort].most_quads
    return most if session.plan.b is not None else RUNS_A_QUAD * most


def _take_quad(session: Session, block: int) -> None:
    """Four runs in the next order; after every second quad the baseline's command against itself."""
    session.groups += 1
    if session.plan.b is None:
        _keep(session, BASELINE, block)
        return
    for letter in next(session.orders):
        _keep(session, BASELINE if letter == "A" else B, block)
    session.quads += 1
    if session.quads % 2 == 0:
        session.groups += 1
        for side in session.rng.sample([BASELINE, TWIN], 2):
            _keep(session, side, block)


def _keep(session: Session, side: str, block: int) -> None:
    done, metrics = _run(session, side)
    row = {"order": len(session.trials.done), "block": block, "group": session.groups, "side": side}
    row |= {"seconds": done.seconds, "metrics": metrics, **asdict(done)}
    session.trials.done.append(Trial(side, block, session.groups, row))


def _run(session: Session, side: str) -> tuple[Outcome, dict[str, float]]:
    """Prepare, run once, and read the metrics; a failure ends the comparison with what the program said."""
    plan, name = session.plan, "b" if side == B else "a"
    program = plan.b if side == B and plan.b is not None else plan.a
    if plan.prepare is not None:
        prepared = session.spawner.run(plan.prepare, "prepare", plan.timeout)
        if prepared.failure:
            raise _failed(session, "prepare", plan.prepare, prepared)
    marks = [metric.mark(program.cwd) for metric in plan.metrics]
    before = listing(program.cwd)
    done = session.spawner.run(program, name, plan.timeout)
    if done.late or (done.failure and not plan.ignore_exit):
        raise _failed(session, name, program, done)
    if f"{plan.outputs}/{name}.stdout" not in session.files:
        _save_output(session, name, name)
    session.exits.setdefault(name, set()).add(done.status)
    session.outputs.setdefault(name, set()).add(done.stdout_sha256)
    written = written_between(before, listing(program.cwd))
    printed = kept_text(session.spawner.stdout_of(name))
    for metric in plan.metrics:
        printed = metric.masked(printed)
    session.work[name].add(printed, written, done.cpu_seconds)
    session.left[name] = max(session.left.get(name, 0), done.left)
    session.floor_bytes = max(session.floor_bytes, done.floor_bytes)
    stdout = session.spawner.stdout_of(name)
    try:
        return done, {
            metric.name: metric.read(stdout, program.cwd, mark)
            for metric, mark in zip(plan.metrics, marks, strict=True)
        }
    except MetricMissing as error:
        _save_output(session, name, f"{name}-failed")
        raise MetricMissing(f"{program.label}: {error}") from None


def _failed(session: Session, name: str, program: Program, done: Outcome) -> ProgramFailed:
    _save_output(session, name, f"{name}-failed")
    text = kept_text(session.spawner.stderr_of(name)) or kept_text(session.spawner.stdout_of(name))
    number = len(session.trials.done)
    when = f"in run {number + 1}" if number else "in its first run"
    advice = "--timeout gives it longer" if done.late else "--ignore-exit measures it all the same"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = f": {shorten(lines[-1], LAST_LINE, placeholder=' …')}" if lines and not done.late else ""
    reason = f"{program.label} {done.failure} {when}{said}; {advice if name != 'prepare' else 'correct --prepare'}"
    tail = "\n".join(text.splitlines()[-TAIL_LINES:])
    return ProgramFailed("timeout" if done.late else "crashed", reason, tail)


def _save_output(session: Session, name: str, saved: str) -> None:
    session.files[f"{session.plan.outputs}/{saved}.stdout"] = kept_text(session.spawner.stdout_of(name))
    session.files[f"{session.plan.outputs}/{saved}.stderr"] = kept_text(session.spawner.stderr_of(name))


def _measure_floor(session: Session) -> None:
    """What starting and ending the smallest program takes: part of every time shown."""
    try:
        empty = Program("true", ("true",), Path("/"))
        runs = [session.spawner.run(empty, "floor", 5.0) for _ in range(FLOOR_RUNS)]
    except PerfproofError:
        return  # a machine without `true`
    session.floor_seconds = sorted(run.seconds for run in runs)[FLOOR_RUNS // 2]


def _enough(session: Session, blocks: int) -> bool:
    effort, judged = PROGRAM_EFFORTS[session.plan.effort], session.plan.judged
    if blocks < effort.least or (blocks - effort.least) % LOOK_EVERY:
        return False
    if judged == "memory":
        return True  # one value a process, and mostly exact: more blocks would not make it narrower
    if session.plan.b is None:
        found = mean_of(session.trials, judged, session.plan.level)
        return found is None or (found.half_width or 0.0) <= session.plan.delta
    units = session.trials.units(judged)
    return enough(units, CPU_BAND, session.plan.delta, session.plan.level, effort.least, effort.most)


def _first_estimate(session: Session, seconds: float) -> float:
    """Seconds of the smallest block, from those of the warm-up, which has run each side equally often."""
    sides = len(session.plan.sides)
    a_run = seconds / (session.plan.warmup * sides)
    return a_run * (_later_runs(session, 1) if sides > 1 else 1)


def _too_short(session: Session, started: float, done: int, a_block: float) -> str:
    """Say that the budget ends before the fewest blocks do, and which budget would not; `done` blocks are measured."""
    fewest, budget = PROGRAM_EFFORTS[session.plan.effort].least, session.plan.budget
    spent = time.monotonic() - started
    if not budget or done >= fewest or spent + (fewest - done) * a_block <= budget:
        return ""
    fits = done + max(0, int((budget - spent) // a_block))
    blocks = max(1, min(fits, fewest - 1))  # the first is measured whatever the budget is
    whole = math.ceil((spent + (fewest - done) * a_block) * ENOUGH_ROOM / 10) * 10
    what = "an interval" if fewest <= LEAST_UNITS else f"a verdict of --effort {session.plan.effort}"
    return (
        f"{as_time(budget)} is enough for about {count(blocks, 'block')}, {what} needs {fewest}: "
        f"use --budget {whole}s or commands that do less"
    )


def _plan_line(session: Session, a_block: float) -> str:
    """How many runs there will be, and how long they take if all are like those of the first block."""
    effort, runs = PROGRAM_EFFORTS[session.plan.effort], len(session.trials.done)
    blocks = dict.fromkeys((effort.least, effort.most))  # one number if the effort is fixed
    times = " to ".join(dict.fromkeys(_roughly(number * a_block) for number in blocks))
    return f"{' to '.join(map(str, blocks))} blocks of {count(runs, 'run')}, about {times}"


def _roughly(seconds: float) -> str:
    """No more digits than a guess from one block has."""
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    return f"{5 * round(seconds / 5)} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _orders(rng: random.Random) -> Iterator[str]:
    while True:
        yield from draw_orders(4, rng)


def _facts(plan: ProgramPlan) -> dict[str, Any]:
    sides = {
        name: {
            "label": program.label,
            "command": list(program.arguments),
            "cwd": str(program.cwd),
            "variables": dict(program.variables),
        }
        for name, program in (("a", plan.a), ("b", plan.b))
        if program is not None
    }
    prepare = list(plan.prepare.arguments) if plan.prepare else None
    facts = {"prepare": prepare, "warmup": plan.warmup, "cpus": sorted(layout.allowed_cpus())}
    return {**sides, **facts, "kept_in": plan.outputs}


def _log(session: Session) -> str:
    return "".join(f"==> {name} <==\n{text}\n" for name, text in session.files.items() if text)
