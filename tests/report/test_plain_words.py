"""A ratio as a sentence: the direction, the two figures, and the bounds turned the same way."""

import pytest

from perfproof.core.documents import Check, RatioResult, TargetResult, Warning
from perfproof.report.plain_words import checked, heads, sentence


def judged(verdict, ratio, low=None, high=None, **more):
    fields = {"baseline": 142e-6, "variant": 142e-6 / ratio if ratio else None} | more
    found = RatioResult(verdict=verdict, ratio=ratio, low=low, high=high, **fields)
    labels = {"baseline": "f", "optimized": "g"}
    return TargetResult(target="f against g", status="ok", verdict=verdict, labels=labels, ratios={"optimized": found})


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (
            judged("faster", 1.94, 1.92, 1.96),
            "g is 1.94x faster than f (142 µs → 73.2 µs), 97 % sure it is between 1.92x and 1.96x.",
        ),
        (
            judged("slower", 0.5, 0.4, 0.625),
            "g is 2.00x slower than f (142 µs → 284 µs), 97 % sure it is between 1.60x and 2.50x.",
        ),
        (judged("faster", 1.04, 1.03, 1.05), "g is 1.040x faster"),
        (judged("same", 1.001, 0.999, 1.003, bound=0.012), "g is as fast as f (142 µs → 142 µs): any difference"),
        (
            judged("inconclusive", 1.01, 0.97, 1.04),
            "not decided whether g is faster than f (142 µs → 141 µs): the ratio is between 0.970x and 1.040x",
        ),
        (judged("unstable", 1.4, 1.1, 1.8), "g against f is unstable"),
        (judged("indicative", 1.4), "g seems to be 1.40x faster than f (142 µs → 101 µs). This is an indication only."),
        (judged("inconclusive", None), "g against f: inconclusive."),
        (
            judged("better", 1.5, claim="metric", clock="tps", baseline=100.0, variant=150.0),
            "1.50x better in tps than f (100 → 150)",
        ),
        (
            judged("worse", 0.5, claim="memory", baseline=2.0**20, variant=2.0**21),
            "g needs 2.00x more memory than f (1.00 MiB → 2.00 MiB).",
        ),
        (judged("better", 2.0, 1.9, 2.1, claim="startup"), "g is ready 2.00x sooner than f"),
    ],
)
def test_a_verdict_is_a_sentence(target, said):
    assert said in sentence(target)


def test_without_labels_a_side_has_its_own_name():
    target = judged("faster", 1.94, 1.92, 1.96).model_copy(update={"labels": {}})
    assert sentence(target).startswith("optimized is 1.94x faster than baseline")


def test_what_went_wrong_is_said_instead():
    target = TargetResult(target="f against g", status="crashed", reason="ValueError: no")
    assert sentence(target) == "No result (crashed): ValueError: no"


def test_what_answers_were_held_against_is_said_with_what_did_not_run():
    target = judged("faster", 1.94, 1.92, 1.96)
    assert checked(target) == "", "nothing was checked"
    target.checks = [Check(name="matches the reference at timed sizes", result="pass")]
    assert checked(target) == "Answers checked against the reference."
    target.checks.append(Check(name="isolation", result="not-run"))
    target.warnings = [Warning(code="W114", text="no reference")]
    assert checked(target) == "Answers checked against those of f. Not run: isolation."


def test_labels_are_the_heads_of_columns_unless_they_are_long_or_differ():
    named = judged("faster", 1.94)
    assert heads([named, named]) == ("f", "g")
    long = named.model_copy(update={"labels": {"baseline": "f", "b": "python train.py --workers 8"}})
    assert heads([long]) == ("a", "b")
    assert (
        heads([named, long]) == heads([]) == heads([named.model_copy(update={"labels": {}})]) == ("baseline", "variant")
    )
