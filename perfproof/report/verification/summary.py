"""A verification as GitHub Markdown, for the summary page of a CI job or a comment on a pull request."""

from collections.abc import Sequence

from perfproof.core.verification import Verification
from perfproof.report.formats.md import escaped
from perfproof.report.verification.rows import (
    FAILED,
    OutcomeRow,
    counted,
    held_against,
    measured_commit,
    outcome_rows,
    remarks,
)


def render(found: Verification) -> str:
    rows = outcome_rows(found)
    failed = [row for row in rows if row.word in FAILED]
    lines = [
        f"### perfproof verify: {_title(rows, failed)}",
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


def _title(rows: Sequence[OutcomeRow], failed: Sequence[OutcomeRow]) -> str:
    """What the reader of a pull request has to know; a row that decided nothing is no all-clear."""
    if failed:
        return f"{len(failed)} of {len(rows)} failed: {', '.join(escaped(row.label) for row in failed)}"
    undecided = sum(row.word == "inconclusive" for row in rows)
    unknown = sum(row.word == "new" for row in rows)
    if undecided:
        return f"{undecided} of {len(rows)} not decided, no regression shown"
    return "nothing to compare with yet" if rows and unknown == len(rows) else "no regression"
