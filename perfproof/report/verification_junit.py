"""A verification as JUnit XML: one test case for each target and variant.

A regression and an expected target without a result are failures. An inconclusive one is an error: a question without
an answer must not look like a passed test. A target that cannot run here and was never expected is skipped.
"""

import xml.etree.ElementTree as ET

from perfproof.core.verification import Outcome, Verification
from perfproof.report.formats.junit import ERRORS, clean
from perfproof.report.formats.junit import FAILURES as FAILED_STATUSES
from perfproof.report.verification_rows import FAILED, trial_text


def render(found: Verification) -> str:
    kinds = [_kind(one) for one in found.outcomes]
    suite = ET.Element(
        "testsuite",
        name="perfproof verify",
        timestamp=found.started,
        tests=str(len(kinds)),
        failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")),
        skipped=str(kinds.count("skipped")),
    )
    for one, kind in zip(found.outcomes, kinds, strict=True):
        chapter = one.target.rpartition(":")[0] or "perfproof"
        name = f"{one.target} {one.variant}".rstrip()
        case = ET.SubElement(suite, "testcase", classname=clean(chapter), name=clean(name))
        if kind is not None:
            reason = clean(one.reason or one.outcome)
            ET.SubElement(case, kind, message=reason, type=one.outcome).text = reason
        lines = [one.outcome, one.reason, *(trial_text(trial) for trial in one.trials), *one.changed]
        ET.SubElement(case, "system-out").text = clean("\n".join(line for line in lines if line))
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=False) + "\n"


def _kind(one: Outcome) -> str | None:
    if one.outcome in FAILED or one.status in FAILED_STATUSES:
        return "failure"
    if one.outcome == "inconclusive" or one.status in ERRORS:
        return "error"
    return "skipped" if one.status == "skipped" else None
