"""What `ab --gate` decided, in a line of a log and in JUnit XML."""

import xml.etree.ElementTree as ET

import pytest

from perfproof.core.documents import Warning
from perfproof.report.formats import junit, md, table
from perfproof.report.gate import decision, gate_line, strict_code
from tests.report.sample_runs import SAME, UNDECIDED, judged, run, target

SLOWER = judged("slower", 0.9, 0.8, 0.95)
SMALL = judged("slower", 0.99, 0.985, 0.995, size="small")
MOST_LIKELY = judged("slower", 0.97, 0.95, 0.99, size="unclear")
REACHES = judged("slower", 0.98, 0.96, 0.998, size="unclear")


@pytest.mark.parametrize(
    ("results", "said"),
    [
        (
            [target("a"), target("b", SAME)],
            "gate passed (time, delta 2.5 %): a faster 3.21x [3.18, 3.24], b same 1.002x [0.994, 1.008]",
        ),
        (
            [target("b", UNDECIDED)],
            "gate not decided (time, delta 2.5 %): b against a: inconclusive 1.020x [0.970, 1.070]; "
            "at most 3.1 % slower, so more than 2.5 % is not excluded",
        ),
        (
            [target("b", judged("inconclusive", 1.002, 0.985, 1.03))],
            "gate passed (time, delta 2.5 %): b against a: inconclusive 1.002x [0.985, 1.030]; at most 1.5 % slower",
        ),
        (
            [target("b", judged("unstable", 1.002, 0.985, 1.03))],
            "gate not decided (time, delta 2.5 %): b against a: unstable 1.002x [0.985, 1.030]; "
            "a slowdown was neither shown nor excluded",
        ),
        (
            [target("b", judged("unstable", 0.78, 0.76, 0.80))],
            "gate failed (time, delta 2.5 %): b is slower than a by more than 2.5 %: 0.78x [0.76, 0.80], "
            "though how much is unstable",
        ),
        (
            [target("b", judged("unstable", 0.99, 0.97, 0.996))],
            "gate not decided (time, delta 2.5 %): b against a: unstable 0.990x [0.970, 0.996]; "
            "a slowdown was neither shown nor excluded",
        ),
        ([target("b", status="crashed")], "gate not decided (delta 2.5 %): b against a: crashed"),
        (
            [target("b", status="failed-verification", reason="wrong answer: b: x")],
            "gate failed (delta 2.5 %): wrong answer: b: x",
        ),
        (
            [target("b", SLOWER)],
            "gate failed (time, delta 2.5 %): b is slower than a by more than 2.5 %: 0.90x [0.80, 0.95]",
        ),
        ([target("b", SMALL)], "gate passed (time, delta 2.5 %): b against a: slower 0.990x [0.985, 0.995]"),
        (
            [target("b", MOST_LIKELY)],
            "gate failed (time, delta 2.5 %): b is slower than a, most likely by more than 2.5 %: "
            "0.970x [0.950, 0.990]",
        ),
        (
            [target("b", REACHES)],
            "gate not decided (time, delta 2.5 %): b against a: slower 0.980x [0.960, 0.998]; "
            "at most 4.2 % slower, so more than 2.5 % is not excluded",
        ),
    ],
)
def test_a_gate_says_what_it_rests_on(results, said):
    assert gate_line(run(*results, options={"delta": 0.025})) == said


@pytest.mark.parametrize(
    ("result", "delta", "decided"),
    [
        (judged("slower", 0.940, 0.893, 0.990, size="unclear"), 0.10, "not decided"),  # 6 %, and 10 % are allowed
        (judged("slower", 0.880, 0.800, 0.990, size="unclear"), 0.10, "fail"),
        (judged("slower", 0.850, 0.820, 0.890, size="material"), 0.10, "fail"),
        (judged("slower", 0.960, 0.940, 0.980, size="small"), 0.10, "pass"),
        (judged("slower", 0.980, 0.965, 0.995, size="unclear"), 0.01, "fail"),  # slow drift: two per cent each time
        (judged("inconclusive", 0.900, 0.700, 1.200), 0.10, "not decided"),
        (judged("inconclusive", 0.990, 0.970, 1.010), 0.10, "pass"),
        (judged("same", 1.000, 0.993, 1.006), 0.01, "pass"),
        (judged("worse", 0.251, None, None, claim="memory", size="material"), 0.01, "fail"),
        (judged("worse", None, None, None, claim="memory", size="material", variant=None), 0.01, "fail"),
        (judged("inconclusive", None, None, None, claim="memory", variant=None), 0.01, "not decided"),
    ],
)
def test_certainly_slower_and_beyond_delta_fails_and_an_interval_that_only_reaches_beyond_it_does_not(
    result, delta, decided
):
    assert decision({"delta": delta}, target("b", result)) == decided


HEAVY = judged("worse", 0.251, 0.250, 0.252, claim="memory", clock="ru_maxrss", size="material", variant=2.0**27)


def test_memory_that_grows_is_named_and_a_guard_fails_on_it():
    grown = target("b", judged("same", 1.0, 0.995, 1.005, clock="cpu"), also={"memory": HEAVY})
    line = gate_line(run(grown, options={"delta": 0.05}))
    assert line == (
        "gate passed (CPU time, delta 5 %): b against a: same 1.000x [0.995, 1.005]; b needs 3.98x more memory "
        "(32.1 MiB to 128 MiB), which this gate does not judge: add --guard memory"
    )
    guarded = run(grown, options={"delta": 0.05, "gate": True, "ab": {"guards": ["memory"]}})
    assert gate_line(guarded).startswith(
        "gate failed (CPU time, guarding peak memory, delta 5 %): b is worse in memory (32.1 MiB to 128 MiB, 0.25"
    )
    assert 'type="gate"' in junit.render(guarded)
    little = judged("worse", 0.97, 0.96, 0.98, claim="memory", clock="ru_maxrss", size="small")
    quiet = target("b", judged("same", 1.0, 0.995, 1.005), also={"memory": little})
    assert gate_line(run(quiet, options={"delta": 0.05})).endswith("b against a: same 1.000x [0.995, 1.005]")
    assert decision({"delta": 0.05, "ab": {"guards": ["memory"]}}, quiet) == "pass"


def test_a_guard_that_cannot_be_told_leaves_the_gate_open():
    unknown = judged("inconclusive", None, None, None, claim="memory", variant=None, note="unknown: too small")
    open_one = target("b", judged("same", 1.0, 0.995, 1.005), also={"memory": unknown})
    line = gate_line(run(open_one, options={"ab": {"guards": ["memory"]}}))
    assert line.startswith("gate not decided") and "memory inconclusive unknown: too small" in line
    assert decision({}, open_one) == "pass"


ELSEWHERE = Warning(code="W147", text="b does not follow a for `x` with values of both signs; see the log")


def test_answers_that_differ_for_other_values_stand_in_the_line_and_a_strict_gate_is_not_decided():
    made = target("b", judged("faster", 2.53, 2.5, 2.6), warnings=[ELSEWHERE])
    said = "b does not follow a for `x` with values of both signs (W147)"
    assert gate_line(run(made)).endswith(f"faster 2.53x [2.50, 2.60]; but {said}")
    strict = run(made, options={"gate": True, "strict": True})
    assert gate_line(strict).startswith("gate not decided") and gate_line(strict).endswith(f"; {said}")
    assert said in junit.render(strict) and "skipped" in junit.render(strict)
    assert decision({"strict": True}, target("b", SAME)) == "pass"


def test_one_commit_on_both_sides_is_no_comparison_whatever_the_noise_says():
    text = "main and HEAD are both d5ba1fa9: nothing was compared; any difference is noise"
    for result in (SAME, SLOWER):
        made = target("b", result, warnings=[Warning(code="W165", text=text)])
        line = gate_line(run(made))
        assert line.startswith("gate not decided") and line.endswith("both d5ba1fa9: nothing was compared")
    uncommitted = Warning(code="W165", text="uncommitted changes are not measured: a.py; --rev worktree measures them")
    assert gate_line(run(target("b", SLOWER, warnings=[uncommitted]))).startswith("gate failed")


def with_metric(result, verdict, *figures, size=None):
    metric = judged(verdict, *figures, claim="metric", clock="accuracy", size=size)
    return target("b", result, also={"cpu": SLOWER, "accuracy": metric})


def test_a_metric_that_becomes_worse_fails_the_gate_though_the_judged_result_is_better():
    line = gate_line(run(with_metric(judged(), "worse", 0.981, 0.980, 0.982)))
    assert (
        line.startswith("gate failed (time, guarding accuracy, delta 1 %): b is worse in accuracy (")
        and "0.981x [0.980, 0.982])" in line
    )
    assert "faster 3.21x" in line
    made = run(with_metric(judged(), "worse", 0.981, 0.980, 0.982), options={"gate": True})
    assert 'type="gate"' in junit.render(made) and 'type="faster"' not in junit.render(made)


@pytest.mark.parametrize(
    "metric",
    [
        ("worse", 0.995, 0.993, 0.997, "small"),
        ("same", 1.0, 0.999, 1.001, None),
        ("inconclusive", 0.999, 0.995, 1.003, None),
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
        "gate failed (time, delta 1 %): bench/clean: HEAD (2) is slower than main (1) by more than 1 %"
    )


def at_revisions(name, ratio=None, **fields):
    labels = {"baseline": "main (1a2b3c4d)", "b": "HEAD (5e6f7a8b)"}
    return target(f"{name}: main against HEAD", ratio, labels=labels, **fields)


def test_several_targets_are_counted_and_those_that_fail_or_stay_open_are_named():
    wrong = at_revisions("bench/b", status="failed-verification", reason="wrong answer: b: x")
    noisy = at_revisions("bench/c", judged("unstable", 1.0, 0.9, 1.1))
    line = gate_line(run(at_revisions("bench/a", SLOWER), wrong, noisy, at_revisions("bench/d")))
    assert line == (
        "gate failed (time, delta 1 %): 2 of 4 targets: bench/a: HEAD (5e6f7a8b) is slower than main (1a2b3c4d) "
        "by more than 1 %: 0.90x [0.80, 0.95]; bench/b: wrong answer: b: x; not decided: "
        "bench/c unstable 1.000x [0.900, 1.100]"
    )
    open_line = gate_line(run(noisy, at_revisions("bench/d")))
    assert open_line.startswith("gate not decided (time, delta 1 %): bench/c unstable") and open_line.endswith(
        "; 1 passed"
    )
    many = [at_revisions(f"bench/{number}", SAME if number else None) for number in range(5)]
    assert gate_line(run(*many)) == "gate passed (time, delta 1 %): 5 targets, 1 faster, 4 same"


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


def test_a_loss_without_a_gate_and_an_open_question_behind_one_are_no_failures():
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
