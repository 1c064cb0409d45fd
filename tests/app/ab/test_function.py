"""What the results of one function at two revisions say."""

from perfproof.app.ab.call import FunctionCall
from perfproof.app.ab.function import REMEDY, measured
from perfproof.bench.forms.fixed_values import FIXED
from perfproof.bench.run import Finished
from perfproof.core.documents import Check, RatioResult, TargetResult


def results(*found):
    yield from found


def finished(result, detail=""):
    checks = [Check(name="values change", result=result), Check(name="other", result="pass", detail=detail)]
    ratios = {"b": RatioResult(verdict="faster", ratio=2.0, low=1.9, high=2.1, note="W1; 100 % of the calls saw it")}
    target = TargetResult(target="f", status="ok", verdict="faster", ratios=ratios, checks=checks, path="/tmp/x.py")
    return Finished(target, [], "")


def test_equal_values_have_no_verdict_and_drawn_ones_have_theirs():
    fixed, drawn = measured(FunctionCall("a", "f"), results(finished("not-run"), finished("pass")))
    assert fixed.result.verdict == fixed.result.ratios["b"].verdict == "indicative"
    assert fixed.result.ratios["b"].note == f"W1; {FIXED}: {REMEDY}"
    assert drawn.result.verdict == "faster" and drawn.result.path == ""


def test_places_in_the_temporary_file_are_said_as_the_options_they_come_from():
    folder = "(/tmp/perfproof-function-a_b1/function.py"
    for name, words in (
        ("optimized", "(in a:f(x))"),
        ("inputs", "(in --setup or --args)"),
        ("<module>", "(in --setup"),
    ):
        (one,) = measured(FunctionCall("a", "f", "x"), results(finished("pass", f"no {folder}:12, in {name})")))
        assert f"no {words}" in one.result.checks[1].detail
    (one,) = measured(FunctionCall("a", "f"), results(finished("pass", "work on a copy, or name it in `mutates`")))
    assert one.result.checks[1].detail.startswith("write a pair that names it")
