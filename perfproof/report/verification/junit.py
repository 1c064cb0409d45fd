"""A verification as JUnit XML: one test case for each target and variant.

A regression and an expected target without a result are failures. An inconclusive one is an error: a question without
an answer must not look like a passed test. A target that cannot run here and was never expected is skipped.
"""

from perfproof.core.verification import Outcome, Verification
from perfproof.report.formats.junit import ERRORS
from perfproof.report.formats.junit import FAILURES as FAILED_STATUSES
from perfproof.report.junit_cases import Case, junit_text
from perfproof.report.verification.rows import FAILED, trial_text


def render(found: Verification) -> str:
    return junit_text("perfproof verify", found.started, [_case(one) for one in found.outcomes])


def _case(one: Outcome) -> Case:
    lines = [one.outcome, one.reason, *(trial_text(trial) for trial in one.trials), *one.changed]
    output = "\n".join(line for line in lines if line)
    return Case(one.target, f"{one.target} {one.variant}".rstrip(), _kind(one), one.reason, one.outcome, output)


def _kind(one: Outcome) -> str:
    if one.outcome in FAILED or one.status in FAILED_STATUSES:
        return "failure"
    if one.outcome == "inconclusive" or one.status in ERRORS:
        return "error"
    return "skipped" if one.status == "skipped" else ""
