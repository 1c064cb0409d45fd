"""A run as GitHub Markdown, for a pull request or an issue."""

import shlex
from collections.abc import Sequence

from perfproof.core.documents import Run, Warning
from perfproof.core.explanations import CODES
from perfproof.core.units import count
from perfproof.core.warning_kinds import kind_of
from perfproof.report.gate import gate_parts, gates
from perfproof.report.heading import machine_name, torch_text
from perfproof.report.labels import heads
from perfproof.report.remarks import warnings_of
from perfproof.report.rows import Row, level_text, machine_warnings, one_line, target_rows
from perfproof.report.sentences import sentences_of

NAMED_NOTES = 3  # codes whose titles stand in the folded line


def render(run: Run) -> str:
    """What a gate decided, sentences, the table, what matters; routine notes are folded away."""
    commit = str(run.git.get("commit") or "no commit")[:12] + (" (changed)" if run.git.get("dirty") else "")
    effort, sentences = run.options.get("effort", "standard"), sentences_of(run)
    machine = f"**{escaped(machine_name(run.machine))}**"
    lines = [
        *_gate_lines(run),
        ", ".join(filter(None, (machine, f"{effort} effort", torch_text(run), commit, run.started))),
        "",
        *(f"- {escaped(said)}" for said in sentences),
    ]
    alone = bool(run.targets) and all(target.is_alone for target in run.targets)  # the sentences say it
    if not alone:
        lines += _head(run, after=lines[-1])
    beside, many, decided = [], len(run.targets) > 1, gates(run)
    of_machine = [_of_machine(one, bool(run.options.get("gate"))) for one in machine_warnings(run)]
    noted = [one for one in of_machine if one.kind == "note"]
    notes = [_coded(one, "") for one in noted]
    for target, row in [(one, row) for one in run.targets for row in target_rows(one)]:
        cells = (*_gate(decided, row), row.said, row.ratio, row.baseline, row.measured, row.label)
        lines += [] if alone else [f"| {' | '.join(escaped(cell) for cell in cells)} |"]
        name = f"{escaped(row.label)}: " if many else f"{escaped(row.variant)}: " if len(target.ratios) > 1 else ""
        beside += [f"- {name}{escaped(note)}" for note in row.notes if one_line(note) not in str(sentences)]
        own = warnings_of(target, row)
        noted += [one for one in own if one.kind == "note"]
        coded = [(one.kind, _coded(one, target.target if many else "")) for one in own]
        beside += [text for kind, text in coded if kind == "warning"]
        notes += [text for kind, text in coded if kind == "note"]
    beside += [_coded(one, "") for one in of_machine if one.kind == "warning"]
    if beside:
        lines += ["", *beside]
    if notes:
        lines += ["", f"<details><summary>{_summary(noted)}</summary>", "", *notes, "", "</details>"]
    if run.state != "finished":
        lines += ["", f"Not finished: {len(run.targets)} of {len(run.planned)} targets ({run.state})."]
    meaning = "" if alone else " A ratio above 1 means that the second side is faster or better."
    return "\n".join([*lines, "", f"Evidence: run `{run.run}`, seed `{run.seed}`.{meaning}", *_repeat(run), ""])


def _gate_lines(run: Run) -> list[str]:
    """What the gate decided as a heading, and below it why."""
    if not run.options.get("gate"):
        return []
    word, about, why = gate_parts(run)
    return [f"### perfproof: {word} ({escaped(about)})", "", escaped(why), ""]


def _of_machine(one: dict[str, str], gated: bool) -> Warning:
    """Behind a gate the machine's state is a note: runners of CI are often busy, and the interval includes that."""
    return Warning(code=one["code"], text=one["text"], kind="note" if gated else kind_of(one["code"]))


def _summary(notes: Sequence[Warning]) -> str:
    """`3 notes: the machine is busy (W107), virtual machine (W108), ...`"""
    codes = list(dict.fromkeys(one.code for one in notes))
    titles = [f"{CODES[code].title} ({code})" if code in CODES else code for code in codes[:NAMED_NOTES]]
    more = ", ..." if len(codes) > NAMED_NOTES else ""
    return escaped(f"{count(len(notes), 'note')}: {', '.join(titles)}{more}")


def _coded(said: Warning, target: str) -> str:
    return f"- {said.code}{f' {escaped(target)}' if target else ''}: {escaped(said.text)}"


def _repeat(run: Run) -> list[str]:
    """The command, for a reader who does not have the run; of functions it starts the program that compared them."""
    if len(run.command) < 2:
        return []
    return ["", "Repeat it with:", "", "```", shlex.join(run.command), "```"]


def _head(run: Run, after: str) -> list[str]:
    ratio = f"ratio [{level_text(run)} % interval]"
    gate = bool(gates(run))
    return [
        *([""] if after else []),
        f"| {'gate | ' if gate else ''}verdict | {ratio} | {' | '.join(map(escaped, heads(run.targets)))} | target |",
        f"|{'---|' if gate else ''}---|---|---:|---:|---|",
    ]


def _gate(decided: dict[str, str], row: Row) -> tuple[str, ...]:
    return (decided[row.target],) if decided else ()


def escaped(text: str) -> str:
    """One line that a Markdown table shows as it is."""
    plain = one_line(text).replace("\\", "\\\\").replace("|", "\\|")
    for character in "*_`<>":
        plain = plain.replace(character, f"\\{character}")
    return plain
