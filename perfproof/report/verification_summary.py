"""A verification as GitHub Markdown, for the summary page of a CI job or a comment on a pull request."""

from perfproof.core.verification import Verification
from perfproof.report.formats.md import escaped
from perfproof.report.verification_rows import FAILED, counted, held_against, measured_commit, outcome_rows, remarks


def render(found: Verification) -> str:
    rows = outcome_rows(found)
    failed = [row for row in rows if row.word in FAILED]
    title = (
        "no regression"
        if not failed
        else f"{len(failed)} of {len(rows)} failed: " + ", ".join(escaped(row.label) for row in failed)
    )
    lines = [
        f"### perfproof verify: {title}",
        "",
        f"**{escaped(found.kind)}**, {measured_commit(found)}, {escaped(held_against(found))}: {counted(found)}.",
        "",
    ]
    for remark in remarks(found):
        lines += [escaped(remark), ""]
    lines += ["| outcome | target | today | expected | change | can see |", "|---|---|---:|---:|---:|---:|"]
    notes = []
    for row in rows:
        mark = f"**{row.word}**" if row.word in FAILED else row.word
        cells = (row.label, row.today, row.expected, row.change, row.sees)
        lines.append(f"| {mark} | {' | '.join(escaped(cell) for cell in cells)} |")
        if row.word != "same":
            notes += [f"- {escaped(row.label)}: {escaped(note)}" for note in row.notes]
    if notes:
        lines += ["", *notes]
    return "\n".join([*lines, ""])
