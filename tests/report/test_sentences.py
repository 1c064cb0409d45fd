"""Results as plain sentences."""

import pytest

from perfproof.core.documents import Check, RatioResult, Warning
from perfproof.report.sentences import conclusion, outcomes_of, sentences_of
from tests.report.sample_runs import EXACT, HALF, MEMORY, MODES, SAME, UNDECIDED, everything, judged, run, side, target


def said(ratio, **fields):
    (one,) = sentences_of(run(target("x", ratio, **fields)))
    return one


def test_a_gain_has_its_factor_both_times_and_its_interval_with_the_real_level():
    gain = judged(ratio=1.94, low=1.92, high=1.96, variant=73.5e-6, level=0.985)
    assert said(gain) == (
        "x: optimized is 1.94x faster than baseline (143 µs → 73.5 µs), 98.5 % interval 1.92x to 1.96x."
    )


def test_a_loss_is_said_as_how_many_times_slower():
    text = said(judged("slower", 0.704, 0.70, 0.71, variant=3.4e-3))
    assert "is 1.42x slower than baseline" in text and "interval 1.41x to 1.43x" in text
    assert "0.70" not in text


def test_no_difference_says_how_large_one_could_be():
    assert "no difference" in said(SAME) and "any difference is below 0.8 %" in said(SAME)


def test_what_is_undecided_says_the_range_in_words():
    text = said(UNDECIDED)
    assert "unclear whether optimized is faster" in text and "interval 1.031x slower to 1.070x faster" in text


def test_what_is_undecided_within_a_few_per_cent_is_no_clear_difference():
    text = said(judged("inconclusive", 1.002, 0.985, 1.019))
    assert "no clear difference between optimized and baseline" in text and "unclear" not in text
    assert "interval 1.5 % slower to 1.9 % faster" in text
    assert "more than 1.9 % is excluded: --delta 2% would call it the same" in text


@pytest.mark.parametrize(
    ("cpu", "words"),
    [
        (judged("faster", 1.16, 1.15, 1.17, clock="cpu"), "By CPU time it is 1.16x faster (--judge cpu)."),
        (judged("same", 1.001, 0.999, 1.003, clock="cpu"), "By CPU time it is the same (--judge cpu)."),
        (judged("inconclusive", 1.0, 0.9, 1.1, clock="cpu"), ""),
    ],
)
def test_where_the_clock_decides_nothing_cpu_time_may(cpu, words):
    text = said(judged("unstable", 1.1, None, None), also={"cpu": cpu})
    assert text.endswith(words) if words else "By CPU time" not in text
    assert "By CPU time" not in said(judged(), also={"cpu": cpu})


def test_two_programs_that_print_the_same_are_said_to():
    assert said(judged(), program={"outputs": "equal"}).endswith("Both print the same.")
    other = [Warning(code="W140", text="the two print different things (1 against 2): see a")]
    assert said(judged(), program={"outputs": "different"}, warnings=other).endswith("print different things.")
    assert "print" not in said(judged(), program={"outputs": "vary from run to run"})
    assert "print" not in said(judged(), program={"outputs": "equal", "prints": False})


def test_a_hint_is_called_one_with_its_reason():
    text = said(judged("indicative", 1.034, None, None, note="2 of the 8 launches were measured"))
    assert "seems 1.034x faster" in text and "no interval" in text
    assert "a hint only (2 of the 8 launches were measured)" in text


def test_a_hint_of_nothing_has_no_direction():
    text = said(judged("indicative", 1.0001, None, None))
    assert "seems no different from baseline" in text and "faster" not in text


def test_a_hint_that_may_go_either_way_names_no_direction():
    text = said(judged("indicative", 0.99, 0.93, 1.05, note="one launch says nothing below 5 %"))
    assert "unclear whether optimized is faster" in text and "1.075x slower to 1.050x faster" in text
    assert "(one launch says nothing below 5 %)" in text and "seems" not in text


def test_an_unstable_ratio_says_why():
    assert "no stable ratio" in said(MODES) and "12 of 14 launches at 1.90x" in said(MODES)
    assert "clocks differ" in said(judged("unstable", 1.1, 0.9, 1.2, note="clocks differ"))


@pytest.mark.parametrize(
    ("claim", "gain", "loss"),
    [
        ("memory", "needs 2.00x less memory", "needs 2.00x more memory"),
        ("energy", "uses 2.00x less energy", "uses 2.00x more energy"),
        ("startup", "starts 2.00x faster", "starts 2.00x slower"),
        ("metric", "is 2.00x better in call", "is 2.00x worse in call"),
    ],
)
def test_a_claim_has_its_own_words(claim, gain, loss):
    assert gain in said(judged("better", 2.0, 1.9, 2.1, claim=claim))
    assert loss in said(judged("worse", 0.5, 0.45, 0.55, claim=claim))


@pytest.mark.parametrize(
    ("clock", "gain", "loss", "same"),
    [
        ("cpu", "needs 2.00x less CPU time", "needs 2.00x more CPU time", "no difference in CPU time"),
        ("latency", "is 2.00x faster in latency", "is 2.00x slower in latency", "no difference in latency"),
        ("call", "is 2.00x faster than", "is 2.00x slower than", "no difference between"),
        ("wall", "is 2.00x faster than", "is 2.00x slower than", "no difference between"),
    ],
)
def test_a_time_that_is_not_the_wall_clock_s_is_named(clock, gain, loss, same):
    assert gain in said(judged("faster", 2.0, 1.9, 2.1, clock=clock))
    assert loss in said(judged("slower", 0.5, 0.45, 0.55, clock=clock))
    assert same in said(SAME.model_copy(update={"clock": clock}))


def test_memory_that_every_process_agreed_on_has_no_interval_and_needs_none():
    sides = {"baseline": side(memory=EXACT), "optimized": side(memory=HALF)}
    assert "the same in every process" in said(MEMORY, variants=sides)


def test_answers_are_called_checked_only_if_they_were():
    passed = Check(name="matches the reference at timed sizes", result="pass")
    assert said(judged(), checks=[passed]).endswith("Answers checked.")
    elsewhere = Warning(code="W147", text="b does not follow a for `x` with values of both signs")
    assert "for others they differ: see W147" in said(judged(), checks=[passed], warnings=[elsewhere])
    for result in ("fail", "not-run"):
        assert "checked" not in said(judged(), checks=[passed.model_copy(update={"result": result})])
    assert "checked" not in said(judged(), checks=[Check(name="isolation", result="pass")])
    alone = said(judged(), checks=[passed], warnings=[Warning(code="W114", text="x")])
    assert "checked against the baseline" in alone


def test_a_result_without_a_ratio_says_why():
    nothing = RatioResult(verdict="indicative", note="no complete couple")
    assert "has no ratio" in said(nothing) and "no complete couple" in said(nothing)


def test_an_end_of_an_interval_at_zero_is_no_error():
    assert "slower" in said(judged("slower", 0.5, 0.0, 0.6)) and "unclear" in said(
        judged("inconclusive", 1.0, 0.0, 2.0)
    )


def test_every_variant_has_a_sentence_and_a_target_without_a_result_an_outcome():
    assert len(sentences_of(everything())) == 7 and len(outcomes_of(everything())) == 13
    assert "ch05:e: crashed: the worker died of signal 11" in outcomes_of(everything())


@pytest.mark.parametrize(
    ("verdict", "ratio", "words"),
    [
        ("slower", 0.885, "needs 1.13x more CPU time than"),
        ("faster", 2.0, "needs 2.00x less CPU time than"),
        ("same", 1.0, "no difference in CPU time between"),
        ("unstable", 1.0, "no stable ratio of CPU time"),
        ("inconclusive", 1.0, "no clear difference in CPU time between"),
    ],
)
def test_cpu_time_is_named_if_it_is_judged(verdict, ratio, words):
    made = target("a", judged(verdict, ratio, ratio * 0.99, ratio * 1.01, clock="cpu"))
    assert words in conclusion(made, "optimized")


def test_the_interval_of_a_quick_run_is_within_one_launch():
    assert "within one launch" in conclusion(target("a", judged(launches=1)), "optimized")
    assert "within one launch" not in conclusion(target("a", judged()), "optimized")


def test_answers_that_may_differ_are_said_not_to_have_been_compared():
    across = Check(name="matches the other side", result="not-run", detail="--output-may-differ: on purpose")
    own = Check(name="matches the reference at timed sizes", result="pass")
    alone = Warning(code="W114", text="no `reference`")
    both = said(judged(), checks=[own, across])
    assert "each side was checked against its own reference, and the two were not compared." in both
    assert said(judged(), checks=[own, across], warnings=[alone]).endswith(
        "Answers may differ (--output-may-differ): the two were not compared."
    )


def test_a_wrong_variant_takes_nothing_from_the_sentences_of_the_others():
    passed = Check(name="matches the reference at timed sizes", result="pass")
    elsewhere = Warning(code="W147", text="b does not follow the baseline for `x` with values of both signs")
    several = target(checks=[passed], warnings=[elsewhere])
    several.ratios = {"a": judged(), "b": judged()}
    assert conclusion(several, "a").endswith("Answers checked.")
    assert conclusion(several, "b").endswith("for others they differ: see W147.")
