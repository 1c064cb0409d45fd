"""What the results of one function at two revisions say."""

from contextlib import ExitStack

from perfproof.app.ab.asked import Asked
from perfproof.app.ab.call import FunctionCall
from perfproof.app.ab.chosen import labelled
from perfproof.app.ab.function import REMEDY, measured, plan_two_functions, two_functions_of
from perfproof.bench.forms.fixed_values import FIXED
from perfproof.bench.run import Finished
from perfproof.core.documents import Check, RatioResult, TargetResult, Warning
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts


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


def test_what_never_changes_is_said_with_the_option_that_draws_it():
    done = finished("pass")
    same = "nothing proves that `x` is read: every call gets the same value: let `inputs` draw different ones"
    done.result.warnings = [Warning(code="W126", text=same)]
    done.result.ratios["b"].note = "100 % were seen before: let `inputs` draw from more values"
    (one,) = measured(FunctionCall("a", "f"), results(done))
    assert one.result.warnings[0].text.endswith(f": {REMEDY}") and one.result.ratios["b"].note.endswith(f": {REMEDY}")


def test_sides_are_called_by_their_labels():
    done = finished("pass", "b has 0.1 relative error, the baseline 0.01")
    done.result.warnings = [
        Warning(code="W147", text="b does not follow the baseline for `x` with spaces around"),
        Warning(code="W126", text="nothing proves that `b` is read: sub b, b"),
    ]
    (one,) = labelled("f against g", ("f", "g"), lambda seed, notify: results(done)).measure("1", None)
    assert one.result.warnings[0].text == "g does not follow f for `x` with spaces around"
    assert one.result.warnings[1].text == "nothing proves that `b` is read: sub b, b"
    assert one.result.checks[1].detail == "g has 0.1 relative error, f 0.01"


def test_other_arguments_are_other_work(project):
    options, facts = RunOptions(), read_facts("cpu")
    names = []
    for arguments in (None, "[1]", "[1, 2]"):
        asked = Asked(targets=("mypkg.work:total", "mypkg.work:again"), arguments=arguments)
        (project / "mypkg" / "work.py").write_text("def total(x=()): return x\n\n\ndef again(x=()): return x\n")
        with ExitStack() as stack:
            names += plan_two_functions(two_functions_of(asked), asked, options, facts, stack).names
    assert names == ["total against again", "total against again ([1])", "total against again ([1, 2])"]
