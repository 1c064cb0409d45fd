"""A run as GitHub Markdown, for a pull request or an issue."""

import shlex

from perfproof.core.documents import Run
from perfproof.core.units import count
from perfproof.core.warning_kinds import kind_of
from perfproof.report.gate import gate_line, gates
from perfproof.report.heading import machine_name, torch_text
from perfproof.report.labels import heads
from perfproof.report.rows import Row, level_text, machine_warnings, one_line, rows_of
from perfproof.report.sentences import sentences_of


def render(run: Run) -> str:
    """What a gate decided, sentences, the table, what matters; routine notes are folded away."""
    commit = str(run.git.get("commit") or "no commit")[:12] + (" (changed)" if run.git.get("dirty") else "")
    effort, sentences = run.options.get("effort", "standard"), sentences_of(run)
    gate = [f"### perfproof: {escaped(gate_line(run))}", ""] if run.options.get("gate") else []
    machine = f"**{escaped(machine_name(run.machine))}**"
    lines = [
        *gate,
        ", ".join(filter(None, (machine, f"{effort} effort", torch_text(run), commit, run.started))),
        "",
        *(f"- {escaped(said)}" for said in sentences),
    ]
    alone = bool(run.targets) and all(target.is_alone for target in run.targets)  # the sentences say it
    if not alone:
        lines += _head(run, after=lines[-1])
    beside, many, decided = [], len(run.targets) > 1, gates(run)
    for row in rows_of(run):
        cells = (*_gate(decided, row), row.said, row.ratio, row.baseline, row.measured, row.label)
        lines += [] if alone else [f"| {' | '.join(escaped(cell) for cell in cells)} |"]
        name = f"{escaped(row.label)}: " if many else ""
        beside += [f"- {name}{escaped(note)}" for note in row.notes if one_line(note) not in str(sentences)]
    coded = [(kind_of(one["code"]), f"- {one['code']}: {escaped(one['text'])}") for one in machine_warnings(run)]
    for target in run.targets:
        name = f" {escaped(target.target)}" if many else ""
        coded += [(one.kind, f"- {one.code}{name}: {escaped(one.text)}") for one in target.warnings]
    beside += [text for kind, text in coded if kind == "warning"]
    if beside:
        lines += ["", *beside]
    if notes := [text for kind, text in coded if kind == "note"]:
        lines += ["", f"<details><summary>{count(len(notes), 'note')}</summary>", "", *notes, "", "</details>"]
    if run.state != "finished":
        lines += ["", f"Not finished: {len(run.targets)} of {len(run.planned)} targets ({run.state})."]
    meaning = "" if alone else " A ratio above 1 means that the second side is faster or better."
    return "\n".join([*lines, "", f"Evidence: run `{run.run}`, seed `{run.seed}`.{meaning}", *_repeat(run), ""])


def _repeat(run: Run) -> list[str]:
    """The command, for a reader who does not have the run; functions are repeated by the program that compared them."""
    if run.options.get("functions") or len(run.command) < 2:
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
