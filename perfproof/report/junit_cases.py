"""JUnit XML from test cases: what the page of a CI system reads."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2


@dataclass(frozen=True)
class Case:
    target: str  # its chapter is the class of the test
    name: str
    kind: str  # failure, error or skipped; empty if it passed
    reason: str
    word: str  # the verdict, outcome or status
    output: str
    seconds: float | None = None


def junit_text(name: str, started: str, cases: Sequence[Case]) -> str:
    kinds = [case.kind for case in cases]
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    numbers = {title: str(kinds.count(kind)) for title, kind in counts.items()}
    times = [case.seconds for case in cases if case.seconds is not None]
    suites = ET.Element("testsuites")
    suite = ET.SubElement(suites, "testsuite", name=name, timestamp=started, tests=str(len(cases)))
    suite.attrib.update(numbers)
    if times:
        suite.set("time", f"{sum(times):.3f}")
    for one in cases:
        chapter = one.target.rpartition(":")[0] or "perfproof"
        case = ET.SubElement(suite, "testcase", classname=_clean(chapter), name=_clean(one.name))
        if one.seconds is not None:
            case.set("time", f"{one.seconds:.3f}")
        if one.kind:
            reason = _clean(one.reason or one.word)
            ET.SubElement(case, one.kind, message=reason, type=one.word).text = reason
        if one.output:
            ET.SubElement(case, "system-out").text = _clean(one.output)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=False) + "\n"


def _clean(text: str) -> str:
    """Characters that XML cannot hold, such as the colour codes of a terminal, become a replacement character."""
    return NOT_XML.sub("\ufffd", text)
