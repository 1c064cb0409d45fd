"""A run as JUnit XML, for the test page of a CI system: one test case for each target.

A wrong, refused or rejected target is a failure, and so is a loss in a run with a gate. One that crashed or ran out of
time is an error, and so is one that was planned and never finished: a missing result must not look like a passed one.
"""

import re
import xml.etree.ElementTree as ET

from perfproof.core.documents import Run, TargetResult
from perfproof.report.gate import gate_failure
from perfproof.report.rows import Row, one_line, target_rows

FAILURES = ("failed-verification", "rejected", "refused")
ERRORS = ("crashed", "timeout")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2


def render(run: Run) -> str:
    done = {target.target for target in run.targets}
    missing = [name for name in run.planned if name not in done]
    suite = ET.Element(
        "testsuite",
        name="perfproof",
        timestamp=run.started,
        tests=str(len(run.targets) + len(missing)),
        failures=str(sum(_kind(run, target) == "failure" for target in run.targets)),
        errors=str(sum(_kind(run, target) == "error" for target in run.targets) + len(missing)),
        skipped=str(sum(target.status == "skipped" for target in run.targets)),
        time=f"{sum(target.seconds for target in run.targets):.3f}",
    )
    for target in run.targets:
        _add_case(suite, run, target)
    for name in missing:
        case = ET.SubElement(suite, "testcase", classname="perfproof", name=clean(name))
        ET.SubElement(case, "error", message=f"not finished: the run is {run.state}")
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=False) + "\n"


def clean(text: str) -> str:
    """Characters that XML cannot hold, such as the colour codes of a terminal, become a replacement character."""
    return NOT_XML.sub("\ufffd", text)


def _add_case(suite: ET.Element, run: Run, target: TargetResult) -> None:
    chapter = target.target.rpartition(":")[0] or "perfproof"
    case = ET.SubElement(
        suite, "testcase", classname=clean(chapter), name=clean(target.target), time=f"{target.seconds:.3f}"
    )
    kind = _kind(run, target)
    if kind:
        reason = clean(target.reason or gate_failure(run, target) or target.status)
        ET.SubElement(case, kind, message=reason, type=target.verdict or target.status).text = reason
    warned = [f"{warning.code} {one_line(warning.text)}" for warning in target.warnings]
    lines = [line for row in target_rows(target) for line in _lines(row, "\n".join(warned))]
    ET.SubElement(case, "system-out").text = clean("\n".join([*lines, *warned, target.output_tail]))


def _lines(row: Row, warned: str) -> list[str]:
    """The result, then each note that no warning repeats."""
    figures = f"({row.baseline} to {row.measured})" if row.ratio else ""
    result = " ".join(part for part in (row.said, row.ratio, figures, row.label) if part)
    return [result, *(one_line(note) for note in row.notes if one_line(note).lower() not in warned.lower())]


def _kind(run: Run, target: TargetResult) -> str | None:
    if target.status in FAILURES or gate_failure(run, target):
        return "failure"
    if target.status in ERRORS:
        return "error"
    return "skipped" if target.status == "skipped" else None
