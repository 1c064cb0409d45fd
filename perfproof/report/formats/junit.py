"""A run as JUnit XML, for the test page of a CI system: one test case for each target.

A wrong, refused or rejected target is a failure; one that crashed or ran out of time an error; skipped is skipped. A
target that was planned and never finished is an error too: a missing result must not look like a passed one.
"""

import re
import xml.etree.ElementTree as ET

from perfproof.core.documents import Run, TargetResult
from perfproof.report.rows import Row, target_rows

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
        failures=str(sum(target.status in FAILURES for target in run.targets)),
        errors=str(sum(target.status in ERRORS for target in run.targets) + len(missing)),
        skipped=str(sum(target.status == "skipped" for target in run.targets)),
        time=f"{sum(target.seconds for target in run.targets):.3f}",
    )
    for target in run.targets:
        _add_case(suite, target)
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


def _add_case(suite: ET.Element, target: TargetResult) -> None:
    chapter = target.target.rpartition(":")[0] or "perfproof"
    case = ET.SubElement(
        suite, "testcase", classname=clean(chapter), name=clean(target.target), time=f"{target.seconds:.3f}"
    )
    kind = _kind(target.status)
    if kind:
        reason = clean(target.reason or target.status)
        ET.SubElement(case, kind, message=reason, type=target.status).text = reason
    lines = [_line(row) for row in target_rows(target)]
    lines += [f"{warning.code} {warning.text}" for warning in target.warnings]
    ET.SubElement(case, "system-out").text = clean("\n".join([*lines, target.output_tail]))


def _line(row: Row) -> str:
    figures = f"({row.baseline} to {row.measured})" if row.ratio else ""
    return " ".join(part for part in (row.said, row.ratio, figures, row.label, *row.notes) if part)


def _kind(status: str) -> str | None:
    if status in FAILURES:
        return "failure"
    if status in ERRORS:
        return "error"
    return "skipped" if status == "skipped" else None
