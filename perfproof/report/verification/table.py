"""A verification for people: the worst first, what each gate can see, and what to do next."""

from perfproof.core.verification import Verification
from perfproof.report.rows import one_line
from perfproof.report.text import fitting, wrapped
from perfproof.report.verification.rows import counted, held_against, measured_commit, outcome_rows, remarks

WIDTH = 100


def render(found: Verification, width: int = WIDTH) -> str:
    titles = ("outcome", "today", "expected", "change", "can see", "target")
    rows = outcome_rows(found)
    cells = [(row.word, row.today, row.expected, row.change, row.sees, row.label) for row in rows]
    head, *table = fitting(titles, cells, width, name=5)
    lines = [*wrapped(f"{found.kind}, {measured_commit(found)}, {held_against(found)}", width), "", *head]
    for row, own in zip(rows, table, strict=True):
        lines += own
        for note in row.notes:
            lines += wrapped(one_line(note), width, indent="    ")
    lines.append("")
    for remark in remarks(found):
        lines += wrapped(one_line(remark), width)
    lines += [f"{counted(found)}; exit code {found.exit_code}", f"next: {next_step(found)}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def next_step(found: Verification) -> str:
    words = {one.outcome for one in found.outcomes}
    if "regression" in words:
        trial = next(trial for one in found.outcomes for trial in one.trials if trial.found == "slower")
        return f"perfproof report run {trial.run} --format html"
    if words & {"improvement", "environment", "new"} and found.run:
        return f"perfproof expectations update {found.run} -m 'WHY'   (on a clean commit)"
    if "inconclusive" in words:
        if found.base:
            return "the same on a quieter machine"
        names = " ".join(dict.fromkeys(one.target for one in found.outcomes if one.outcome == "inconclusive"))
        return f"the same on a quieter machine, or paired runs of two commits: perfproof verify {names} --base REV"
    return f"perfproof report run {found.run} --format html" if found.run else "nothing: both revisions perform alike"
