"""Run the user's command as it is, a few times, with no profiler: how long, how much CPU and memory, at what power.

What the command itself does wrong is the bundle's news: an exit code, a hang, children that it leaves behind.
"""

import math
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean

from perfproof.bench.programs.metrics import MetricMissing
from perfproof.core.errors import DocumentError
from perfproof.core.triage import Status, TriageCommand, TriageRun, TriageTiming
from perfproof.machine.sampler import Sampler, read, summary
from perfproof.machine.telemetry.recording import Series
from perfproof.triage.failure import ending, last_words
from perfproof.triage.runner import Ran, Runner
from perfproof.triage.session import Session, recorded

NAME, PURPOSE = "timing", "Run the command unprofiled, with telemetry"
HZ = 10
START_SECONDS = 10.0
FAILURES = 2  # runs that fail, from the first on: then no more are made
BUSY = ".busy_ratio"
TELEMETRY = "raw/timing/telemetry.jsonl"


def take_timing(session: Session) -> TriageTiming:
    """All repeats, or as many as the time allows; what was measured is saved after each."""
    options = session.options
    more = options.tool not in ("none", "dmon") or options.compile_diagnostics
    share = session.seconds_for(math.inf, 0.5 if more else 1.0)  # the other half is for the profile
    deadline = max(share, session.seconds_for(options.timeout or 0.0))  # one run as long as was asked for fits in
    began = time.monotonic()
    better = {metric.name: metric.better for metric in options.metrics}
    timing = TriageTiming(command=list(options.command), better=better, telemetry=TELEMETRY)
    ran: list[Ran] = []
    commands: list[TriageCommand] = []
    with ExitStack() as stack:  # at the end, however it comes: the command ends, then the sampler, then all is saved
        stack.callback(lambda: _finish(session, timing, commands, ran, deadline, time.monotonic() - began))
        sampler = stack.enter_context(_sampler(session.folder / TELEMETRY))
        sampler.wait_ready(min(START_SECONDS, deadline / 4))  # a short command would be over before the first reading
        runner = stack.enter_context(Runner())
        for number in range(1, options.repeats + 1):
            left = deadline - (time.monotonic() - began)
            if left <= 0 or (number > 1 and ran[-1].seconds > left):
                break
            session.tell(f"{NAME}: run {number} of {options.repeats}")
            ran.append(_run_once(session, runner, number, min(left, options.run_seconds), timing, commands))
            if ran[-1].late or ran[-1].refused or _fails_always(ran):
                break
    return timing


def _fails_always(ran: list[Ran]) -> bool:
    """A second run shows whether a failure comes and goes; more of a command that fails are of no use."""
    return len(ran) == FAILURES and all(one.code for one in ran)


def _sampler(path: Path) -> Sampler:
    path.parent.mkdir(parents=True, exist_ok=True)
    return Sampler(path, hz=HZ)


def _run_once(
    session: Session, runner: Runner, number: int, seconds: float, timing: TriageTiming, commands: list[TriageCommand]
) -> Ran:
    options, cwd = session.options, Path.cwd()
    before = [metric.mark(cwd) for metric in options.metrics]
    try:
        ran = runner.run(options.command, seconds, options.max_bytes)
    except KeyboardInterrupt:
        commands.append(TriageCommand(arguments=list(options.command), status="failed", why="interrupted"))
        raise
    out = session.write(f"raw/{NAME}/run-{number}.out", ran.out)
    session.write(f"raw/{NAME}/run-{number}.err", ran.err)
    commands.append(recorded(ran, out))
    if ran.refused:
        return ran
    found: dict[str, float] = {}
    missing: dict[str, str] = {}
    for metric, mark in zip(options.metrics, before, strict=True):
        try:
            found[metric.name] = metric.read(session.folder / out, cwd, mark)
        except (MetricMissing, OSError) as error:
            missing[metric.name] = str(error)
    timing.runs.append(
        TriageRun(
            seconds=ran.seconds,
            cpu_seconds=ran.cpu_seconds,
            peak_bytes=ran.peak_bytes,
            exit_code=None if ran.late else ran.code,
            late=ran.late,
            left_behind=ran.left,
            output_bytes=len(ran.out) + len(ran.err),
            output_left_out_bytes=ran.left_out,
            metrics=found,
            metrics_missing=missing,
            last_lines=last_words(ran.err, ran.out) if ran.code or ran.late else [],
        )
    )
    return ran


def _finish(
    session: Session,
    timing: TriageTiming,
    commands: list[TriageCommand],
    ran: list[Ran],
    deadline: float,
    seconds: float,
) -> None:
    _add_telemetry(session, timing, ran)
    status, why = _status(session, timing, commands)
    session.add(
        NAME,
        PURPOSE,
        status,
        why,
        deadline_seconds=round(deadline, 3),
        seconds=round(seconds, 3),
        parsed=session.save(NAME, timing),
        commands=commands,
    )


def _add_telemetry(session: Session, timing: TriageTiming, ran: list[Ran]) -> None:
    """What the machine did during each run; what could not be read is named with its reason."""
    try:
        telemetry = read(session.folder / TELEMETRY)
    except DocumentError as error:
        timing.telemetry = f"unknown: {error}".replace(f"{session.folder}/", "")
        return
    timing.unknown = telemetry.header.unknown
    for run, one in zip(timing.runs, ran, strict=False):
        found = summary(telemetry, one.start_ns, one.end_ns)
        gauges = telemetry.gauges(one.start_ns, one.end_ns)
        run.readings = {name: fmean(series.values) for name, series in gauges.items() if ".core" not in name}
        run.startup_seconds = startup_seconds(gauges, one.start_ns)
        run.energy_joules = {source: energy.joules for source, energy in found.energy.items()}
        timing.throttled += len(found.throttled)


def startup_seconds(gauges: Mapping[str, Series], start_ns: int) -> float | None:
    """Until any GPU was busy for the first time. None if none ever was, or if no GPU was read."""
    busy = [series for name, series in gauges.items() if name.endswith(BUSY)]
    first = [at for series in busy for at, value in zip(series.times_ns, series.values, strict=True) if value > 0]
    return max(0.0, (min(first) - start_ns) * 1e-9) if first else None


def _status(session: Session, timing: TriageTiming, commands: list[TriageCommand]) -> tuple[Status, str]:
    runs = timing.runs
    if not runs:
        return "failed", commands[-1].why if commands else "no time was left for a run"
    said = []
    if runs[-1].late:
        ended = f"the command did not end within {runs[-1].seconds:.0f} s; it was ended with all it started"
        return "timed out", f"{ended}: for a longer job raise --timeout, and --budget with it"
    failed = [run for run in runs if run.exit_code]
    codes = sorted({run.exit_code for run in failed if run.exit_code})
    if codes:
        own = next((run.last_lines[0] for run in failed if run.last_lines), "")
        said.append(f"the command {', '.join(map(ending, codes))}{f': {own}' if own else ''}")
    if len(failed) == len(runs) == FAILURES < session.options.repeats:
        said.append(f"{FAILURES} of {session.options.repeats} runs: both failed, so no more were made")
    elif len(runs) < session.options.repeats:
        said.append(f"{len(runs)} of {session.options.repeats} runs: there was no time for more")
    if left := sum(run.left_behind for run in runs):
        said.append(f"it left {left} process(es) behind; they were ended")
    if dropped := sum(run.output_left_out_bytes for run in runs):
        said.append(f"{dropped} bytes of its output are beyond --max-size and left out")
    return "ok", "; ".join(said)
