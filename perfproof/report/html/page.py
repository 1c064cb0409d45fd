"""A whole run as the HTML report shows it: counts, targets, machine, how to repeat it, and what the words mean."""

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfproof.core import units
from perfproof.core.documents import Run
from perfproof.core.explanations import CODES, STATUSES, VERDICTS, Explanation
from perfproof.core.warning_kinds import kind_of
from perfproof.history.finding import LATEST, PREVIOUS
from perfproof.report.figures.bars import axis_ticks
from perfproof.report.gate import gate_parts, gates
from perfproof.report.heading import torch_text
from perfproof.report.html.changes import Changes, changes
from perfproof.report.html.figures import Detail, Figure
from perfproof.report.html.headline import headline_of, title_of
from perfproof.report.html.pictures import run_figures, telemetry_figure
from perfproof.report.html.secrets import HIDDEN, names_a_secret
from perfproof.report.html.tables import mapping
from perfproof.report.html.target import Line, TargetView, ratio_axis, target_view
from perfproof.report.html.tones import TONES, tone_of
from perfproof.report.judged_quantity import common_name
from perfproof.report.labels import heads
from perfproof.report.rows import machine_warnings

MANY = 20  # targets: beyond, each is drawn with less, which keeps a page of 50 below a megabyte
FULL, BRIEF = Detail(points=300, boxes=24), Detail(points=10, boxes=8)
MOST_FACTS = 400


@dataclass(frozen=True)
class Count:
    word: str
    number: int
    tone: str
    sign: str


@dataclass(frozen=True)
class PageView:
    run: Run
    title: str  # what was measured, and the day
    headline: str  # the result in one sentence
    gate: tuple[str, str, str] | None  # what the gate decided, why, and its tone
    gates: dict[str, str]  # of several targets: the decision about each
    subtitle: str  # machine, software, effort, commit, time
    rerun: str  # the command that measures the same once more; empty if there is none
    heads: tuple[str, str]  # what the two sides are called above their columns
    quantity: str  # "CPU time" if every ratio is of that; empty for plain time, or if they differ
    a_loss: Line | None  # one whose ratio is below 1x
    axis: str  # SVG: the ticks of the summary's axis
    pictures: list[Figure]  # of the whole run: sweep, roofline
    telemetry: Figure | None
    no_telemetry: str  # why there is no picture of it
    counts: list[Count]
    naive: int  # verdicts against a naive baseline, which are no headline
    targets: list[TargetView]
    missing: list[str]  # planned and not finished
    machine: list[tuple[str, str]]
    warnings: list[tuple[str, str, str]]  # about the machine: code, its title, text
    notes: list[tuple[str, str, str]]  # the same of what only describes it
    changes: Changes | None  # between two revisions
    commands: list[tuple[str, str]]  # what it does, the command
    recorded: list[tuple[str, str]]  # everything that the document says of the machine and the options
    glossary: list[tuple[str, Explanation]]


def page_view(run: Run, folder: Path | None, sources: bool = True) -> PageView:
    axis = ratio_axis(run.targets)
    detail = FULL if len(run.targets) <= MANY else BRIEF
    targets = [target_view(f"t{at + 1}", one, folder, axis, detail, sources) for at, one in enumerate(run.targets)]
    done = {target.target for target in run.targets}
    missing = [name for name in run.planned if name not in done]
    warnings = [(said["code"], _title(said["code"]), said["text"]) for said in machine_warnings(run)]
    counts = counts_of([line.row.word for view in targets for line in view.lines] + ["not finished"] * len(missing))
    codes = [said.code for target in run.targets for said in target.warnings] + [code for code, _, _ in warnings]
    telemetry, no_telemetry = telemetry_figure(run, folder)
    recorded = [*_flat("machine", run.machine), *_flat("options", run.options), *_flat("git", run.git)]
    return PageView(
        run=run,
        title=title_of(run),
        headline=headline_of(run),
        gate=_gate(run),
        gates=gates(run),
        subtitle=_subtitle(run),
        rerun=_rerun(run),
        heads=heads(run.targets),
        quantity=common_name(one for target in run.targets for one in target.ratios.values()),
        a_loss=next((line for view in targets for line in view.lines if line.loss), None),
        axis=axis_ticks(axis) if any(one.ratios for one in run.targets) else "",
        pictures=run_figures(run, folder),
        telemetry=telemetry,
        no_telemetry=no_telemetry,
        counts=counts,
        naive=sum(view.result.tier == "naive" and bool(view.result.ratios) for view in targets),
        targets=targets,
        missing=missing,
        machine=_machine(run),
        warnings=[one for one in warnings if kind_of(one[0]) == "warning"],
        notes=[one for one in warnings if kind_of(one[0]) == "note"],
        changes=changes(folder),
        commands=_commands(run),
        recorded=recorded[:MOST_FACTS],
        glossary=_glossary([count.word for count in counts], codes),
    )


def _gate(run: Run) -> tuple[str, str, str] | None:
    if not run.options.get("gate"):
        return None
    word, about, why = gate_parts(run)
    return word, f"{why} ({about})", {"gate failed": "bad", "gate passed": "good"}.get(word, "unsure")


def _subtitle(run: Run) -> str:
    """Machine, torch, effort, commit, time and the folder's name, as far as they are known."""
    sizes = ", smoke sizes" if run.options.get("fast") else ""
    commit = str(run.git.get("commit") or "")[:8]
    parts = [
        str(run.machine.get("kind", "unknown machine")),
        torch_text(run),
        f"{run.options.get('effort', 'standard')} effort{sizes}",
        f"commit {commit}{' with changes' if run.git.get('dirty') else ''}" if commit else "",
        f"started {run.started}",
        run.run,
    ]
    return " · ".join(part for part in parts if part)


def counts_of(words: Sequence[str]) -> list[Count]:
    """How many got each word, in the order of TONES: losses and null results stand beside the gains."""
    order = {word: at for at, word in enumerate(TONES)}
    found = sorted(Counter(words).items(), key=lambda one: order.get(one[0], len(order)))
    return [Count(word, number, *tone_of(word)) for word, number in found]


def _machine(run: Run) -> list[tuple[str, str]]:
    """The lines of the machine that a reader looks for first; the rest is in `recorded`."""
    machine, software = run.machine, mapping(run.machine.get("software"))
    cpu, memory = mapping(machine.get("cpu")), mapping(machine.get("memory"))
    rows = [
        ("machine", f"{machine.get('kind', 'unknown')}, fingerprint {machine.get('fingerprint', 'unknown')}"),
        ("processor", f"{cpu['model']}, {cpu.get('cores_allowed', '?')} cores allowed" if cpu.get("model") else ""),
        ("memory", units.binary_bytes(memory["total_bytes"]) if memory.get("total_bytes") else ""),
        *((f"GPU {gpu.get('index', at)}", _gpu(gpu)) for at, gpu in enumerate(machine.get("gpus") or [])),
        ("no GPU", "" if machine.get("gpus") else str(machine.get("why_no_gpu") or "")),
        ("driver", f"{machine['driver']}, CUDA {machine.get('driver_cuda')}" if machine.get("driver") else ""),
        ("kernel", str(machine.get("kernel") or "")),
        ("surroundings", ", ".join(word for word, key in _SURROUNDINGS if machine.get(key) or cpu.get(key))),
        ("software", ", ".join(f"{name} {version}" for name, version in software.items() if version)),
        ("source", _commit(run.git)),
        ("telemetry", run.telemetry or ""),
        ("perfproof", f"{run.perfproof_version}, {run.options.get('effort', 'standard')} effort, seed {run.seed}"),
        ("time", f"{run.started} to {run.finished or 'not finished'}"),
    ]
    return [(name, text) for name, text in rows if text]


_SURROUNDINGS = (("virtual machine", "virtual_machine"), ("container", "container"))


def _gpu(gpu: Mapping[str, Any]) -> str:
    parts = [str(gpu.get("name", "unknown"))]
    if isinstance(gpu.get("memory_bytes"), int):
        parts.append(units.binary_bytes(gpu["memory_bytes"]))
    for label, key, unit in (("SM clock up to", "clock_sm_max_mhz", "MHz"), ("power limit", "power_limit_watts", "W")):
        if gpu.get(key) is not None:
            parts.append(f"{label} {gpu[key]} {unit}")
    return ", ".join(parts)


def _commit(git: Mapping[str, Any]) -> str:
    if not git.get("commit"):
        return "no commit"
    changed = ", with uncommitted changes" if git.get("dirty") else ""
    return f"{git['commit']} ({git.get('branch') or 'no branch'}){changed}"


def _commands(run: Run) -> list[tuple[str, str]]:
    moves = {LATEST, PREVIOUS} & set(run.command)  # by now these name another run
    commands = [("the command of this run", shlex.join(run.command))] if run.command and not moves else []
    if _rerun(run) and _rerun(run) != shlex.join(run.command):
        commands.append(("the same targets, options and seed once more", _rerun(run)))
    return [
        *commands,
        ("this page from the run's folder", f"perfproof report run {shlex.quote(run.run)} --format html"),
    ]


def _rerun(run: Run) -> str:
    """`perfproof rerun` refuses a sweep and what a program compared: these are repeated as they were started."""
    if "functions" in run.options or "sweep" in run.options:
        return shlex.join(run.command)
    return f"perfproof rerun {shlex.quote(run.run)}" if run.planned else ""


def _glossary(words: list[str], codes: list[str]) -> list[tuple[str, Explanation]]:
    """Only what this page uses."""
    known = VERDICTS | STATUSES
    said = [(word, known[word]) for word in words if word in known]
    return said + [(code, CODES[code]) for code in sorted(set(codes)) if code in CODES]


def _title(code: str) -> str:
    return CODES[code].title if code in CODES else ""


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """A nested value as lines: machine.cpu.model."""
    if isinstance(value, Mapping) and value:
        for key, one in value.items():
            yield from _flat(f"{name}.{key}", one)
    elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
        for at, one in enumerate(value):
            yield from _flat(f"{name}.{at}", one)
    elif names_a_secret(name):
        yield name, HIDDEN
    else:
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
