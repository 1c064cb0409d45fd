"""What `ab --gate` decided, in a line of a log and in JUnit XML."""

import xml.etree.ElementTree as ET

import pytest

from perfproof.core.documents import Warning
from perfproof.report.formats import junit, md, table
from perfproof.report.gate import gate_line, strict_code
from tests.report.sample_runs import SAME, UNDECIDED, judged, run, target

SLOWER = judged("slower", 0.9, 0.8, 0.95)
SMALL = judged("slower", 0.99, 0.985, 0.995, size="small")
PERHAPS = judged("slower", 0.97, 0.95, 0.99, size="unclear")


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([target(), target("b", SAME)], "gate passed: faster 3.21x [3.18, 3.24], same 1.002x [0.994, 1.008]"),
        (
            [target("b", UNDECIDED)],
            "gate passed: inconclusive 1.020x [0.970, 1.070]; at most 3.1 % slower, so more than 2.5 % is not excluded",
        ),
        (
            [target("b", judged("inconclusive", 1.002, 0.985, 1.03))],
            "gate passed: inconclusive 1.002x [0.985, 1.030]; at most 1.5 % slower",
        ),
        (
            [target("b", judged("unstable", 1.002, 0.985, 1.03))],
            "gate not decided: unstable 1.002x [0.985, 1.030]; a slowdown was neither shown nor excluded",
        ),
        (
            [target("b", judged("unstable", 0.78, 0.76, 0.80))],
            "gate failed: b is slower than a by more than 2.5 %: 0.78x [0.76, 0.80], though how much is unstable",
        ),
        (
            [target("b", judged("unstable", 0.99, 0.97, 0.996))],
            "gate not decided: unstable 0.990x [0.970, 0.996]; a slowdown was neither shown nor excluded",
        ),
        ([target("b", status="crashed")], "gate not decided: crashed"),
        ([target("b", status="failed-verification", reason="wrong answer: b: x")], "gate failed: wrong answer: b: x"),
        ([target("b", SLOWER)], "gate failed: b is slower than a by more than 2.5 %: 0.90x [0.80, 0.95]"),
        ([target("b", SMALL)], "gate passed: slower 0.990x [0.985, 0.995]"),
        ([target("b", PERHAPS)], "gate failed: b is slower than a by perhaps more than 2.5 %: 0.970x [0.950, 0.990]"),
    ],
)
def test_a_gate_says_what_it_rests_on(results, said):
    assert gate_line(run(*results, options={"delta": 0.025})) == said


def with_metric(result, verdict, *figures, size=None):
    metric = judged(verdict, *figures, claim="metric", clock="accuracy", size=size)
    return target("b", result, also={"cpu": SLOWER, "accuracy": metric})


def test_a_metric_that_becomes_worse_fails_the_gate_though_the_judged_result_is_better():
    line = gate_line(run(with_metric(judged(), "worse", 0.981, 0.980, 0.982)))
    assert line.startswith("gate failed: b is worse in accuracy (") and "0.981x [0.980, 0.982])" in line
    assert "faster 3.21x" in line
    made = run(with_metric(judged(), "worse", 0.981, 0.980, 0.982), options={"gate": True})
    assert 'type="gate"' in junit.render(made) and 'type="faster"' not in junit.render(made)


@pytest.mark.parametrize(
    "metric",
    [
        ("worse", 0.995, 0.993, 0.997, "small"),
        ("same", 1.0, 0.999, 1.001, None),
        ("inconclusive", 0.97, 0.93, 1.01, None),
    ],
)
def test_a_metric_that_is_not_shown_to_be_worse_by_more_than_delta_fails_nothing(metric):
    *figures, size = metric
    assert gate_line(run(with_metric(judged(), *figures, size=size))).startswith("gate passed")


def test_a_quick_run_excludes_what_its_interval_excludes_and_nothing_below_five_per_cent():
    quick = target("b", judged("indicative", 1.003, 0.991, 1.015))
    assert gate_line(run(quick, options={"delta": 0.05})).endswith("; at most 0.9 % slower")
    assert gate_line(run(quick, options={"delta": 0.01})).startswith("gate not decided")
    wide = target("b", judged("indicative", 1.0, 0.9, 1.1))
    assert gate_line(run(wide, options={"delta": 0.05})).startswith("gate not decided")


def test_a_pair_at_two_revisions_is_named():
    slow = target("bench/clean: main (1) against HEAD (2)", SLOWER, labels={"baseline": "main (1)", "b": "HEAD (2)"})
    assert gate_line(run(slow)).startswith(
        "gate failed: bench/clean: HEAD (2) is slower than main (1) by more than 1 %"
    )


def at_revisions(name, ratio=None, **fields):
    labels = {"baseline": "main (1a2b3c4d)", "b": "HEAD (5e6f7a8b)"}
    return target(f"{name}: main against HEAD", ratio, labels=labels, **fields)


def test_several_targets_are_counted_and_those_that_fail_or_stay_open_are_named():
    wrong = at_revisions("bench/b", status="failed-verification", reason="wrong answer: b: x")
    noisy = at_revisions("bench/c", judged("unstable", 1.0, 0.9, 1.1))
    line = gate_line(run(at_revisions("bench/a", SLOWER), wrong, noisy, at_revisions("bench/d")))
    assert line == (
        "gate failed: 2 of 4 targets: bench/a: HEAD (5e6f7a8b) is slower than main (1a2b3c4d) by more than 1 %: "
        "0.90x [0.80, 0.95]; bench/b: wrong answer: b: x; not decided: bench/c unstable 1.000x [0.900, 1.100]"
    )
    open_line = gate_line(run(noisy, at_revisions("bench/d")))
    assert open_line.startswith("gate not decided: bench/c unstable") and open_line.endswith("; 1 passed")
    many = [at_revisions(f"bench/{number}", SAME if number else None) for number in range(5)]
    assert gate_line(run(*many)) == "gate passed: 5 targets, 1 faster, 4 same"


def test_the_table_and_markdown_have_the_decision_about_each_target():
    results = [at_revisions("bench/a", SLOWER), at_revisions("bench/d")]
    text = table.render(run(*results, options={"gate": True}))
    head, first, second = [line for line in text.splitlines() if line.startswith(("gate", "fail", "pass"))]
    assert head.split()[:2] == ["gate", "verdict"] and first.endswith("bench/a") and second.endswith("bench/d")
    assert "bench/a: optimized is " in text  # which of them, as their sides are called alike
    narrow = table.render(run(*results, options={"gate": True}), width=60)
    assert narrow.count("gate: ") == 2
    assert "| gate | verdict |" in md.render(run(*results, options={"gate": True}))
    assert "gate" not in table.render(run(*results)) + md.render(run(*results))


def cases(*results, gate):
    suite = ET.fromstring(junit.render(run(*results, options={"gate": gate, "delta": 0.025}))).find("testsuite")
    return suite.get("failures"), [case.find("failure") for case in suite.findall("testcase")]


def test_a_loss_behind_a_gate_is_a_failed_test_case():
    number, (passed, failed) = cases(target(), target("b", SLOWER), gate=True)
    assert (number, passed) == ("1", None)
    assert failed.get("type") == "slower"
    assert failed.get("message") == "b is slower than a by more than 2.5 %: 0.90x [0.80, 0.95]"


def test_a_loss_without_a_gate_and_an_open_question_behind_one_are_passed_test_cases():
    assert cases(target("b", SLOWER), gate=False) == ("0", [None])
    assert cases(target("b", UNDECIDED), gate=True) == ("0", [None])


def test_what_a_gate_could_not_decide_is_a_skipped_test_case():
    text = junit.render(run(target("b", judged("unstable", 1.0, 0.98, 1.02)), options={"gate": True, "delta": 0.05}))
    case = ET.fromstring(text).find("testsuite/testcase")
    assert "not decided" in case.find("skipped").get("message")


def test_junit_says_nothing_twice():
    warned = [{"code": "W103", "text": "b: switching between the two sides shifts the times by up to 7.5 %"}]
    shifted = judged("slower", 0.9, 0.8, 0.95, note="Switching between the two sides shifts the times by up to 7.5 %")
    text = junit.render(run(target("b", shifted, warnings=warned)))
    assert text.lower().count("switching between") == 1


@pytest.mark.parametrize(
    ("gates", "code", "strict"),
    [(["pass"], 0, 0), (["pass", "not decided"], 0, 3), (["fail", "not decided"], 1, 1), (["not decided"], 4, 4)],
)
def test_a_strict_gate_ends_otherwise_if_it_cannot_be_decided(gates, code, strict):
    targets = [target("b", SAME).model_copy(update={"gate": gate}) for gate in gates]
    assert strict_code(run(*targets), code) == strict


def test_a_budget_that_can_never_decide_says_how_much_would():
    cut = target("b", judged("indicative", 0.71, None, None, launches=3), warnings=[Warning(code="W118", text="ended")])
    line = gate_line(run(cut, options={"delta": 0.05, "budget": 60.0}))
    assert line.startswith("gate not decided") and "--budget 60s is too short" in line and "would do" in line
    assert "--effort quick" not in gate_line(run(cut, options={"delta": 0.05, "budget": 60.0, "effort": "quick"}))
    assert "too short" not in gate_line(run(cut, options={"delta": 0.05})), "without a budget a timeout ended it"
