"""JUnit XML that a CI system can always read."""

import xml.etree.ElementTree as ET

import pytest

from perfproof.report.formats import junit
from tests.report.sample_runs import everything, run, target


def suite(document):
    return ET.fromstring(junit.render(document)).find("testsuite")


@pytest.mark.parametrize(
    ("status", "element"),
    [
        ("failed-verification", "failure"),
        ("rejected", "failure"),
        ("refused", "failure"),
        ("crashed", "error"),
        ("timeout", "error"),
        ("skipped", "skipped"),
    ],
)
def test_each_status_is_the_element_a_ci_system_knows(status, element):
    case = suite(run(target(status=status, reason="because"))).find("testcase")
    assert case.find(element).get("message") == "because"


@pytest.mark.parametrize("verdict", ["faster", "slower", "same", "inconclusive"])
def test_any_verdict_is_a_passed_test(verdict):
    from ..sample_runs import judged

    case = suite(run(target(ratio=judged(verdict)))).find("testcase")
    assert [child.tag for child in case] == ["system-out"]


def test_two_quantities_of_one_target_are_two_tests_and_plain_time_needs_no_name():
    from ..sample_runs import judged

    names = [
        suite(run(target("a", judged(clock=clock, claim=claim)))).find("testcase").get("name")
        for clock, claim in (("call", "time"), ("wall", "time"), ("cpu", "time"), ("x", "memory"), ("tps", "metric"))
    ]
    assert names == ["a", "a", "a (CPU time)", "a (peak memory)", "a (tps)"]


def test_the_counts_agree_with_the_cases():
    found = suite(everything())
    assert {name: found.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "12",
        "failures": "3",
        "errors": "2",
        "skipped": "1",
    }
    assert len(found.findall("testcase")) == 12


def test_control_characters_and_markup_in_output_stay_valid_xml():
    output = "".join(map(chr, range(256))) + "\ud800\ufffe]]> <a&b>"
    case = suite(run(target("a<b", status="crashed", reason=output, output_tail=output))).find("testcase")
    assert case.get("name") == "a<b"
    assert "]]> <a&b>" in case.find("system-out").text


def test_a_planned_target_without_a_result_is_an_error():
    found = suite(run(target("a"), state="interrupted", planned=["a", "b"]))
    assert (found.get("tests"), found.get("errors")) == ("2", "1")
    assert found.findall("testcase")[1].find("error").get("message") == "not finished: the run is interrupted"
