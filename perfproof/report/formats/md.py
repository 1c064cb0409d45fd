"""A run as GitHub Markdown, for a pull request or an issue."""

from perfproof.core.documents import Run
from perfproof.report.plain_words import heads
from perfproof.report.rows import machine_warnings, one_line, rows_of


def render(run: Run) -> str:
    software = run.machine.get("software", {})
    commit = str(run.git.get("commit") or "no commit")[:12] + (" (changed)" if run.git.get("dirty") else "")
    lines = [
        f"**{run.machine.get('kind', 'unknown machine')}**, {run.options.get('effort', 'standard')} effort, "
        f"torch {software.get('torch')}, {commit}, {run.started}",
        "",
        f"| verdict | ratio [97 % interval] | {' | '.join(map(escaped, heads(run.targets)))} | target |",
        "|---|---|---:|---:|---|",
    ]
    notes = []
    for row in rows_of(run):
        cells = (row.said, row.ratio, row.baseline, row.measured, row.label)
        lines.append(f"| {' | '.join(escaped(cell) for cell in cells)} |")
        notes += [f"- {escaped(row.label)}: {escaped(note)}" for note in row.notes]
    for warning in machine_warnings(run):
        notes.append(f"- {warning['code']}: {escaped(warning['text'])}")
    for target in run.targets:
        notes += [f"- {said.code} {escaped(target.target)}: {escaped(said.text)}" for said in target.warnings]
    if notes:
        lines += ["", *notes]
    if run.state != "finished":
        lines += ["", f"Not finished: {len(run.targets)} of {len(run.planned)} targets ({run.state})."]
    return "\n".join([*lines, "", f"Evidence: run `{run.run}`, seed `{run.seed}`.", ""])


def escaped(text: str) -> str:
    """One line that a Markdown table shows as it is."""
    plain = one_line(text).replace("\\", "\\\\").replace("|", "\\|")
    for character in "*_`<>":
        plain = plain.replace(character, f"\\{character}")
    return plain
