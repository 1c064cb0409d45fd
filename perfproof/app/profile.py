"""From what the user wrote to a saved profile: choose the tool, capture every variant, compare them, write it down."""

import json
import math
import os
import re
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from perfproof import __version__
from perfproof.app.session import now, terminated_like_interrupted
from perfproof.core.atomic import write_atomic
from perfproof.core.errors import NothingMatched, UnfitError, UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.core.profile_record import OTHERS_RAN, Capture, ProfileRecord, VariantDifference
from perfproof.history.folders import open_run
from perfproof.machine.cpu import busy_share
from perfproof.machine.preflight import BUSY_SHARE
from perfproof.pairs.pair import Pair
from perfproof.profile.choosing import AUTO, Choice, adapter, choose
from perfproof.profile.plans import Plan, Work
from perfproof.profile.python_program import is_python, take_apart

DOCUMENT = "profile.json"
SAMPLED_SECONDS = 2.0  # of steady calls under a sampler, which looks a hundred times a second
WINDOWED = ("torch", "ncu", "memory", "proton")  # tools that can record a part of a command
COUNTERS = "counters"  # of a command's kernels, beside its timeline
CLOSER, CLOSER_LAUNCHES = "ch07", 3  # metrics and launches, of a kernel that takes most of the time
COUNTED_CALLS = 2  # under ncu, which runs every kernel of them many times
ATTACHING = ("perf", "gil", "syscalls")  # tools that can look at a process that runs already
EXIT_CODES = {"ok": 0, "absent": 3, "denied": 3, "timeout": 4, "failed": 4}

Tell = Callable[[str, Plan], None]


@dataclass(frozen=True)
class Wishes:
    """What the user asked for."""

    tool: str = "auto"
    preset: str = "minimal"
    variants: tuple[str, ...] = ()
    calls: int | None = None
    timeout: float = 300.0
    most_bytes: int = 10**9
    fast: bool = False
    device: str | None = None
    threads: int | None = None
    artifacts_dir: str = "artifacts"
    metrics: str | None = None
    chip: str | None = None
    tags: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    steps: int | None = None  # of a command, under torch's profiler; 0: the whole program
    wait: int | float | None = None  # steps (int) or seconds (float) before
    warmup: int | None = None
    duration: float | None = None
    sizes: dict[str, Any] = field(default_factory=dict)  # of a pair, instead of its own
    run: str = ""  # that measured the pair
    pid: int | None = None  # of a process that runs already
    kernel: str = ""  # a regular expression of the kernels that ncu counts
    skip: int = 0  # launches of them before
    count: int | None = None  # launches that are counted

    @property
    def asks_kernels(self) -> bool:
        return bool(self.kernel or self.skip or self.count)

    @property
    def asks_window(self) -> bool:
        return any(one is not None for one in (self.steps, self.wait, self.warmup, self.duration))

    @property
    def window(self) -> dict[str, Any] | None:
        """For perfproof/profile/children/window.py; None for the whole program."""
        if self.steps == 0:
            return None
        return {
            "steps": self.steps,
            "warmup": 1 if self.warmup is None else self.warmup,
            "wait_steps": self.wait if isinstance(self.wait, int) else None,
            "wait_seconds": self.wait if isinstance(self.wait, float) else None,
            "duration": self.duration,
        }

    def __post_init__(self) -> None:
        if self.calls is not None and self.calls < 1:
            raise UsageError(f"--calls {self.calls}: write at least one")
        if self.preset == "none" and self.tool not in (AUTO, "telemetry"):
            raise UsageError(f"--profile none uses no profiler: leave it out, or --tool {self.tool}")
        if self.steps is not None and self.steps > 0 and self.duration is not None:
            raise UsageError("--steps and --duration: choose one")
        if self.tool != AUTO:
            adapter(self.tool)  # an unknown one is refused before a folder is made


def profile_command(command: Sequence[str], wishes: Wishes, tell: Tell) -> tuple[ProfileRecord, Path]:
    """A program of the user's, as a list of arguments; no shell is started."""
    from perfproof.machine.facts import read_facts

    if shutil.which(command[0]) is None:
        raise UsageError(f"there is no program {command[0]!r} to run; check the name and PATH")
    script = next(iter(take_apart(command)[1]), "")
    if script not in ("", "-m", "-c") and not Path(script).exists():
        raise UsageError(f"there is no file {script!r} to run; check the name and the folder")
    facts = read_facts(wishes.device)
    folder = open_run(Path(wishes.artifacts_dir) / "profiles", _called(command)).path.absolute()
    work = Work(
        tuple(command),
        folder,
        wishes.preset,
        on_gpu=facts.cuda is not None,
        window=wishes.window,
        kernels=wishes.kernel,
        skip=wishes.skip,
        count=wishes.count,
    )
    work = _with_counters(work, wishes, facts)
    chosen = choose(wishes.tool, work)
    if wishes.asks_window and chosen.tool not in WINDOWED:
        raise UsageError(
            f"--steps, --wait, --warmup and --duration need --tool {', '.join(WINDOWED)}; {chosen.tool} was chosen"
        )
    if wishes.asks_kernels and chosen.tool != "ncu":
        raise UsageError(f"--kernel, --skip and --count need --tool ncu; {chosen.tool} was chosen")
    record = _begun(wishes, facts, chosen)
    record.program = list(command)
    busy = busy_share() or 0.0  # before the program starts
    if chosen.tool == "ncu" and _chooses_kernels(work):
        return _counted(record, work, wishes, tell), folder
    record = _captured(record, {"": work}, wishes, tell)
    if wishes.tool == AUTO and record.captures[0].tool == "torch":
        record = _looked_closer(record, work, wishes, tell)
    if busy > BUSY_SHARE and chosen.tool != "ncu":
        record.captures[0].notes.append(
            f"{OTHERS_RAN} {100 * busy:.0f} % of the CPU time before this one began: its times are longer than "
            "on a quiet machine, and work of the CPU may have too large a share"
        )
        save(record, folder)
    return record, folder


def _chooses_kernels(work: Work) -> bool:
    """Whether a timeline can say first which kernels take the time."""
    inside = work.window is not None and not work.kernels and is_python(work.command)
    return inside and work.on_gpu and adapter("torch").works(work).state == "works"


def _counted(record: ProfileRecord, work: Work, wishes: Wishes, tell: Tell) -> ProfileRecord:
    """A timeline of the steady state first; then the counters of the kernels that take most of it."""
    from perfproof.profile.own_kernels import launches_of, longest, pattern
    from perfproof.profile.presets import MOST_LAUNCHES
    from perfproof.profile.profiling import capture

    with terminated_like_interrupted():
        timeline = capture("torch", work, wishes.timeout, tell, most_bytes=wishes.most_bytes)
        steps, most = _recorded_steps(work), MOST_LAUNCHES[work.preset]
        chosen = longest(timeline.portions, steps * most / 2) if timeline.status == "ok" else []
        record.captures = [timeline] if chosen else []
        if chosen:
            a_step = math.ceil(launches_of(timeline.portions, chosen) / steps)
            work = replace(work, kernels=pattern(chosen), count=wishes.count or min(most, max(1, a_step)))
        work = replace(work, name=COUNTERS)
        counters = capture("ncu", work, wishes.timeout, tell, most_bytes=wishes.most_bytes)
        if not chosen:
            why = timeline.why or "no kernel was seen"
            counters.notes.append(f"all kernels are counted, as the timeline does not say which take the time: {why}")
        record.captures.append(counters.model_copy(update={"variant": COUNTERS if chosen else ""}))
    save(record, work.folder)
    return record


def _recorded_steps(work: Work) -> int:
    """That the timeline has, as the recording wrote it down; 1 if it has none."""
    try:
        told = json.loads(work.file(".window.json").read_text())["recorded"]
    except (OSError, ValueError, KeyError, TypeError):
        return 1
    found = re.match(r"(\d+) steps", str(told))
    return max(1, int(found[1])) if found else 1


def _looked_closer(record: ProfileRecord, work: Work, wishes: Wishes, tell: Tell) -> ProfileRecord:
    """If a kernel of the program's own takes most of the device's time, only its counters can say why: the program is
    run once more for them. That they cannot be had here is a note."""
    from perfproof.machine.facts import read_facts
    from perfproof.profile.own_kernels import dominant_own, pattern
    from perfproof.profile.profiling import capture

    timeline = record.captures[0]
    name = dominant_own(timeline.portions) if timeline.status == "ok" and work.window is not None else ""
    if not name or wishes.preset != "minimal":
        return record
    closer = _with_counters(work, replace(wishes, metrics=wishes.metrics or CLOSER), read_facts(wishes.device))
    closer = replace(closer, name=COUNTERS, kernels=pattern([name]), count=CLOSER_LAUNCHES)
    with terminated_like_interrupted():
        counters = capture("ncu", closer, wishes.timeout, tell, most_bytes=wishes.most_bytes)
    if counters.status == "ok":
        record.captures.append(counters.model_copy(update={"variant": COUNTERS}))
    else:
        timeline.notes.append(f"{name} takes most of the time; its counters were not read: {counters.why}")
    save(record, work.folder)
    return record


def profile_process(wishes: Wishes, tell: Tell) -> tuple[ProfileRecord, Path]:
    """A process that runs already, for --duration (10 s), with a tool that can attach; it goes on afterwards."""
    import psutil

    from perfproof.machine.facts import read_facts

    tool = "perf" if wishes.tool == AUTO else wishes.tool
    if tool not in ATTACHING:
        raise UsageError(f"--pid: {tool} cannot attach to a process; choose --tool {' or '.join(ATTACHING)}")
    try:
        command = psutil.Process(wishes.pid).cmdline() or [str(wishes.pid)]
    except (psutil.Error, ValueError) as error:
        raise UsageError(f"--pid {wishes.pid}: there is no such process, or it is not yours ({error})") from None
    facts = read_facts(wishes.device)
    folder = open_run(Path(wishes.artifacts_dir) / "profiles", _called(command)).path.absolute()
    work = Work(tuple(command), folder, wishes.preset, pid=wishes.pid, seconds=wishes.duration or 10.0)
    record = _begun(wishes, facts, Choice(tool))
    record.program = list(command)
    return _captured(record, {"": work}, wishes, tell), folder


def profile_pair(target: str, wishes: Wishes, tell: Tell) -> tuple[ProfileRecord, Path]:
    """The baseline and every variant (or those that are named), each in a process of its own; then what differs."""
    from perfproof.machine.facts import read_facts

    if wishes.asks_window:
        raise UsageError(
            "a pair is profiled by its calls: use --calls; --steps, --wait, --warmup and --duration are for commands"
        )
    facts = read_facts(wishes.device)
    return profile_chosen(_one_pair(target), facts, wishes, tell)


def profile_chosen(pair: Pair, facts: Facts, wishes: Wishes, tell: Tell) -> tuple[ProfileRecord, Path]:
    """The same for a pair that was looked up already."""
    _refuse_unfit(pair, facts)
    sides = _sides(pair, wishes.variants)
    folder = open_run(Path(wishes.artifacts_dir) / "profiles", pair.name).path.absolute()
    first = Work((), folder, wishes.preset, marked=True, on_gpu=facts.cuda is not None)
    with tempfile.TemporaryDirectory(prefix="perfproof-profile-") as scratch:
        first = _with_counters(first, wishes, facts, pair)
        chosen = choose(wishes.tool, first)
        job, first = _job(pair, wishes, facts, first)
        works = {side: _work(first, job, side, chosen.tool, wishes, Path(scratch)) for side in sides}
        record = _begun(wishes, facts, chosen)
        record.target, record.sizes, record.run = pair.name, dict(job.sizes), wishes.run
        return _captured(record, works, wishes, tell), folder


def _called(command: Sequence[str]) -> str:
    """A short name: the script's, where there is one."""
    return next((Path(word).stem for word in command if word.endswith(".py")), Path(command[0]).name)


def _begun(wishes: Wishes, facts: Facts, chosen: Any) -> ProfileRecord:
    return ProfileRecord(
        perfproof_version=__version__,
        started=now(),
        device=facts.device,
        asked_tool=wishes.tool,
        tool=chosen.tool,
        stands_in_for=chosen.stands_in_for,
        preset=wishes.preset,
    )


def _captured(record: ProfileRecord, works: dict[str, Work], wishes: Wishes, tell: Tell) -> ProfileRecord:
    """One after the other, saved after each; a Ctrl-C loses nothing that was finished."""
    from perfproof.profile.portions import a_call
    from perfproof.profile.profiling import capture

    with terminated_like_interrupted():
        for variant, work in works.items():
            found = capture(record.tool, work, wishes.timeout, tell, most_bytes=wishes.most_bytes)
            if work.marked:
                found = _with_calls(found, work)
                found.portions = a_call(found.portions, found.calls or 1)
            found.variant = variant
            record.captures.append(found)
            save(record, work.folder)
    record.differences = differences(record.captures)
    save(record, next(iter(works.values())).folder)
    return record


def save(record: ProfileRecord, folder: Path) -> None:
    write_atomic(folder / DOCUMENT, record.model_dump_json(indent=1) + "\n")


def saved_profiles(artifacts_dir: Path | str) -> list[ProfileRecord]:
    """All that are kept there and can be read."""
    found = []
    for path in sorted((Path(artifacts_dir) / "profiles").glob(f"*/{DOCUMENT}")):
        with suppress(OSError, ValueError):  # of an older version, or cut
            found.append(ProfileRecord.model_validate_json(path.read_bytes()))
    return found


def exit_code(record: ProfileRecord) -> int:
    return max(EXIT_CODES[one.status] for one in record.captures)


def differences(captures: Sequence[Capture]) -> list[VariantDifference]:
    """Every variant against the baseline; two captures of which one went wrong are not compared."""
    from perfproof.profile.diff import diff

    before = next((one for one in captures if one.variant == "baseline"), None)
    if before is None:
        return []
    found = []
    for after in captures:
        if after is before:
            continue
        bad = next((one for one in (before, after) if one.status != "ok"), None)
        row = VariantDifference(before=before.variant, after=after.variant)
        if bad is not None:
            row.refused = f"{bad.variant} is {bad.status}: {bad.why}"
        else:
            row.rows = diff(before.portions, after.portions)
        found.append(row)
    return found


def _one_pair(target: str) -> Pair:
    """The pair that is named."""
    from perfproof.pairs.targets import select

    pairs = select([target])
    if len(pairs) > 1:
        names = ", ".join(pair.name for pair in pairs[:5])
        raise UsageError(f"{target!r} names {len(pairs)} targets ({names}): profile one at a time")
    pair = pairs[0]
    if not isinstance(pair, Pair):
        raise UsageError(pair.error)
    return pair


def _refuse_unfit(pair: Pair, facts: Facts) -> None:
    from perfproof.pairs.availability import availability

    if pair.ranks > 1:
        why = "its calls run on several ranks; profile a script of yours with `--tool trace-ranks -- torchrun ...`"
        raise UsageError(f"{pair.name} cannot be profiled by its name: {why}")
    can = availability(pair, facts)
    if not can.timed:
        raise UnfitError(f"{pair.name} cannot be profiled here: {can.reason}")


def _sides(pair: Pair, wanted: Sequence[str]) -> list[str]:
    if not wanted:
        return list(pair.sides)
    found = []
    for name in wanted:
        match = next((one for one in (name, f"optimized_{name}") if one in pair.sides), None)
        if match is None:
            raise NothingMatched(f"{pair.name} has no variant {name!r}: it has {', '.join(pair.sides)}")
        found.append(match)
    return list(dict.fromkeys(found))


def _job(pair: Pair, wishes: Wishes, facts: Facts, work: Work) -> tuple[Any, Work]:
    """The sizes, cores and threads of a run, and the work with a run's variables."""
    from perfproof.bench.run import make_job, worker_environment

    options = RunOptions(fast=wishes.fast, device=wishes.device, threads=wishes.threads, timeout=wishes.timeout)
    end = time.monotonic() + wishes.timeout
    job = make_job(pair, wishes.sizes, options, facts, secrets.token_hex(16), end)
    variables = worker_environment(options, facts)
    changed = {name: value for name, value in variables.items() if os.environ.get(name) != value}
    return job, replace(work, environment=changed)


def _work(work: Work, job: Any, side: str, tool: str, wishes: Wishes, scratch: Path) -> Work:
    """The child that calls this side, with its settings written where it finds them."""
    from perfproof.bench.forms.profiled_settings import settings_of

    calls = wishes.calls or (COUNTED_CALLS if tool == "ncu" else None)
    own = scratch / side
    own.mkdir()
    settings = work.folder / f"{side}.settings.json"
    settings.write_text(json.dumps(settings_of(job, side, calls, SAMPLED_SECONDS if tool == "perf" else None, own)))
    command = (sys.executable, "-P", "-m", "perfproof.bench.forms.profiled_calls", str(settings))
    return replace(work, command=command, name=side)


def _with_calls(found: Capture, work: Work) -> Capture:
    """What the child learnt; without its answer it came to no end, and nothing of it can be told a call."""
    answer = work.folder / f"{work.name}.settings.answer.json"
    if answer.is_file():
        return found.model_copy(update=json.loads(answer.read_text()))
    if found.status == "ok":
        why = f"the calls came to no end; see {work.name}.stderr"
        return found.model_copy(update={"status": "failed", "why": why, "portions": []})
    return found.model_copy(update={"portions": []})


def _with_counters(work: Work, wishes: Wishes, facts: Facts, pair: Pair | None = None) -> Work:
    """What ncu counts, from the manifest, and what nsys traces for it: of --metrics, or of the preset with what the
    pair and its chapter ask for."""
    from perfproof.profile.manifest.chips import find_chip
    from perfproof.profile.manifest.roles import wishes as listed
    from perfproof.profile.manifest.selection import select

    if wishes.preset == "none":
        return work
    try:
        chip = find_chip(wishes.chip or (f"{facts.cuda:.1f}" if facts.cuda else "gh100"))
    except UsageError:
        if wishes.chip:
            raise
        return work  # other tools than ncu need no list of counters
    tags, add = wishes.tags, wishes.add
    chapter = None
    if pair is not None and not wishes.metrics:
        chapter = listed("chapters").get(pair.chapter.partition("_")[0])
        tags = (*(chapter.tags if chapter else ()), *tags)
        add = (*pair.counters, *(chapter.metrics if chapter else ()), *add)
    chosen = select(wishes.metrics or wishes.preset, chip, tags, add, wishes.drop)
    tracing = chosen.nsys if wishes.metrics else chapter.nsys if chapter else ()
    return replace(work, metrics=chosen.metrics, passes=chosen.passes if chosen.most_passes else "", tracing=tracing)
