"""What `ab --gate` decided: the last line of a log of CI, and the failure of a test case."""

from perfproof.core.documents import Run, TargetResult
from perfproof.report.rows import one_line, target_rows

WORSE = ("slower", "worse")
WRONG = ("failed-verification", "rejected")


def gate_line(run: Run) -> str:
    """The decision, and the verdict that it follows from."""
    verdicts = [_said(target) for target in run.targets]
    if worse := next((target for target in run.targets if target.verdict in WORSE), None):
        return f"gate failed: {_loss(run, worse)}"
    if wrong := next((target for target in run.targets if target.status in WRONG), None):
        return f"gate failed: {one_line(wrong.reason) or wrong.status}"
    if any(target.status != "ok" for target in run.targets) or run.state != "finished":
        return f"gate not decided: {', '.join(verdicts) or run.state}"
    known = all(target.verdict in ("faster", "better", "same") for target in run.targets)
    return f"gate passed: {', '.join(verdicts)}{'' if known else '; a slowdown was neither shown nor excluded'}"


def gate_failure(run: Run, target: TargetResult) -> str:
    """Why a target fails the gate of its run; empty if it passes, or if the run has no gate."""
    return _loss(run, target) if run.options.get("gate") and target.verdict in WORSE else ""


def _loss(run: Run, target: TargetResult) -> str:
    a, b = target.labels.get("baseline", "a"), target.labels.get("b", "b")
    more = f"by more than {100 * run.options.get('delta', 0.01):g} %"
    return f"{b} is {target.verdict} than {a} {more}{f': {_ratio(target)}' if _ratio(target) else ''}"


def _said(target: TargetResult) -> str:
    return f"{target.verdict or target.status} {_ratio(target)}".strip()


def _ratio(target: TargetResult) -> str:
    return next((row.ratio for row in target_rows(target)), "")
