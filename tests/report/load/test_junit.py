"""A load test as JUnit XML: what a CI system shows as passed was shown by the test."""

import xml.etree.ElementTree as ET

import pytest

from perfproof.core.documents import Check
from perfproof.core.load import Comparison, SloResult, SloTerm
from perfproof.report.load.junit import render
from tests.history import test_load_tests

TERM = SloTerm(metric="ttft", quantile=0.99, limit=0.5, text="ttft_p99<500ms")


def result(outcomes=None, **fields):
    bare = {"figures": [], "outcomes": outcomes or {"ok": 150}}
    return test_load_tests.result(whole=test_load_tests.window().model_copy(update=bare), **fields)


def cases(document, judged=(), gate=None):
    suite = ET.fromstring(render(document, judged, gate)).find("testsuite")
    assert suite.get("tests") == str(len(suite.findall("testcase")))
    return {case.get("name"): [child.tag for child in case if child.tag != "system-out"] for case in suite}


def against(verdict, metric="mean TPOT"):
    return Comparison(metric=metric, verdict=verdict, ratio=0.5, low=0.4, high=0.6, blocks=8, a=0.01, b=0.02)


def test_a_check_is_a_case_that_passes_fails_or_is_skipped():
    checks = [Check(name=word, result=word, detail="because") for word in ("pass", "fail", "not-run")]
    assert cases(result(checks=checks)) == {"the test": [], "pass": [], "fail": ["failure"], "not-run": ["skipped"]}


def test_a_search_fails_if_no_rate_is_within_its_limits():
    found = SloResult(terms=[TERM], sentence="no rate meets it", steps=[])
    assert cases(result(slo=found))["a rate within ttft_p99<500ms"] == ["failure"]
    found = SloResult(terms=[TERM], rate=12.0, low=11.0, high=13.0, sentence="12 req/s", steps=[])
    assert cases(result(slo=found))["a rate within ttft_p99<500ms"] == []


@pytest.mark.parametrize(
    ("verdict", "kinds"), [("worse", ["failure"]), ("unstable", ["skipped"]), ("same", []), ("better", [])]
)
def test_a_metric_that_the_gate_goes_by_fails_if_it_is_worse_and_is_skipped_if_that_is_open(verdict, kinds):
    found = result(against=[against(verdict), against(verdict, "mean TTFT")])
    assert cases(found, judged=["mean TPOT"])["mean TPOT of B against A"] == kinds
    assert cases(found, judged=["mean TPOT"])["mean TTFT of B against A"] == []
    assert cases(found)["mean TPOT of B against A"] == []


@pytest.mark.parametrize(("word", "kinds"), [("fail", ["failure"]), ("not decided", ["skipped"]), ("pass", [])])
def test_the_gate_is_a_case_because_lost_requests_fail_it_too(word, kinds):
    found = result(against=[against("same")])
    assert cases(found, judged=["mean TPOT"], gate=(word, "5 % of the requests to B failed"))["the gate"] == kinds


def test_what_was_interrupted_or_answered_nothing_is_an_error():
    assert cases(result(interrupted=True))["the test"] == ["error"]
    assert cases(result(outcomes={"error": 3}))["the test"] == ["error"]


def test_the_text_of_the_test_is_in_its_case():
    suite = ET.fromstring(render(result(headline="5 req/s <&>"))).find("testsuite")
    assert "5 req/s <&>" in suite.find("testcase").find("system-out").text
    assert suite.find("testcase").get("classname") == "load" and suite.get("name") == "perfproof load"
