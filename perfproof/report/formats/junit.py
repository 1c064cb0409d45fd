"""A run as JUnit XML, for the test page of a CI system: one test case for each target.

A wrong, refused or rejected target is a failure, and so is a loss in a run with a gate; what a gate could not decide is
skipped. One that crashed or ran out of time is an error, and so is one that was planned and never finished: a missing
result must not look like a passed one.
"""

from perfproof.core.documents import Run, TargetResult
from perfproof.report.gate import WORSE, gate_doubt, gate_failure
from perfproof.report.judged_quantity import common_name
from perfproof.report.junit_cases import Case, junit_text
from perfproof.report.rows import Row, one_line, target_rows

FAILURES = ("failed-verification", "rejected", "refused")
ERRORS = ("crashed", "timeout")


def render(run: Run) -> str:
    done = {target.target for target in run.targets}
    missing = f"not finished: the run is {run.state}"
    cases = [_case(run, target) for target in run.targets]
    cases += [Case(name, name, "error", missing, run.state, "") for name in run.planned if name not in done]
    return junit_text("perfproof", run.started, cases)


def _case(run: Run, target: TargetResult) -> Case:
    warned = [f"{warning.code} {one_line(warning.text)}" for warning in target.warnings]
    lines = [line for row in target_rows(target) for line in _lines(row, "\n".join(warned))]
    output = "\n".join([*lines, *warned, target.output_tail])
    undecided = gate_doubt(run, target)
    failed = gate_failure(run, target)
    reason: str = target.reason or failed or undecided
    word: str = target.verdict or target.status
    if failed and word not in WORSE:
        word = "gate"  # another quantity became worse, or the two print different things
    return Case(target.target, _name(target), _kind(run, target), reason, word, output, target.seconds)


def _lines(row: Row, warned: str) -> list[str]:
    """The result, then each note that no warning repeats."""
    figures = f"({row.baseline} to {row.measured})" if row.ratio else ""
    result = " ".join(part for part in (row.said, row.ratio, figures, row.label) if part)
    return [result, *(one_line(note) for note in row.notes if one_line(note).lower() not in warned.lower())]


def _kind(run: Run, target: TargetResult) -> str:
    if target.status in FAILURES or gate_failure(run, target):
        return "failure"
    if target.status in ERRORS:
        return "error"
    return "skipped" if target.status == "skipped" or gate_doubt(run, target) else ""


def _name(target: TargetResult) -> str:
    """With what was judged, unless that is plain time: two gates on one target are two tests."""
    judged = common_name(target.ratios.values())
    return f"{target.target} ({judged})" if judged else target.target
