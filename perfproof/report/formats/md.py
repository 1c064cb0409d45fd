"""A run as GitHub Markdown, for a pull request or an issue."""

from perfproof.core.documents import Run
from perfproof.core.warning_kinds import kind_of
from perfproof.report.heading import machine_name
from perfproof.report.rows import level_text, machine_warnings, one_line, rows_of
from perfproof.report.sentences import sentences_of


def render(run: Run) -> str:
    """Sentences, the table, what matters; routine notes are folded away."""
    software = run.machine.get("software", {})
    commit = str(run.git.get("commit") or "no commit")[:12] + (" (changed)" if run.git.get("dirty") else "")
    effort = run.options.get("effort", "standard")
    lines = [
        f"**{escaped(machine_name(run.machine))}**, {effort} effort, torch {software.get('torch')}, {commit}, "
        f"{run.started}",
        "",
        *(f"- {escaped(said)}" for said in sentences_of(run)),
    ]
    lines += [
        *([""] if lines[-1] else []),
        f"| verdict | ratio [{level_text(run)} % interval] | baseline | variant | target |",
        "|---|---|---:|---:|---|",
    ]
    beside = []
    for row in rows_of(run):
        cells = (row.said, row.ratio, row.baseline, row.measured, row.label)
        lines.append(f"| {' | '.join(escaped(cell) for cell in cells)} |")
        beside += [f"- {escaped(row.label)}: {escaped(note)}" for note in row.notes]
    coded = [(kind_of(one["code"]), f"- {one['code']}: {escaped(one['text'])}") for one in machine_warnings(run)]
    for target in run.targets:
        name = escaped(target.target)
        coded += [(said.kind, f"- {said.code} {name}: {escaped(said.text)}") for said in target.warnings]
    beside += [text for kind, text in coded if kind == "warning"]
    if beside:
        lines += ["", *beside]
    if notes := [text for kind, text in coded if kind == "note"]:
        many = f"{len(notes)} note{'' if len(notes) == 1 else 's'}"
        lines += ["", f"<details><summary>{many}</summary>", "", *notes, "", "</details>"]
    if run.state != "finished":
        lines += ["", f"Not finished: {len(run.targets)} of {len(run.planned)} targets ({run.state})."]
    return "\n".join([*lines, "", f"Evidence: run `{run.run}`, seed `{run.seed}`.", ""])


def escaped(text: str) -> str:
    """One line that a Markdown table shows as it is."""
    plain = one_line(text).replace("\\", "\\\\").replace("|", "\\|")
    for character in "*_`<>":
        plain = plain.replace(character, f"\\{character}")
    return plain
