"""One function at two revisions: how its call is read, the pair that is written for it, and what is refused."""

import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from perfproof.app.ab_function import (
    REMEDY,
    FunctionCall,
    function_call,
    measured,
    pair_of,
    pair_text,
    write_pair,
)
from perfproof.bench.forms.fixed_values import FIXED
from perfproof.bench.run import Finished
from perfproof.core.documents import Check, RatioResult, TargetResult
from perfproof.core.errors import UsageError
from perfproof.machine.worktrees import Tree

MODULE = """
from json import loads as read

try:
    import numpy
except ImportError:
    numpy = None


def total(x, scale=1):
    return sum(x) * scale


class Scale:
    @staticmethod
    def twice(x):
        return 2 * x


LATER = total
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository with `mypkg.work`, and `side` in its src folder; the current folder is below its top."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for folder in ("mypkg", "src", "below"):
        (tmp_path / folder).mkdir()
    (tmp_path / "mypkg" / "work.py").write_text(MODULE)
    (tmp_path / "src" / "side.py").write_text("def f(x): return x\n")
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path


def tree_of(folder):
    return Tree("HEAD", "0" * 40, folder, False)


def pair(project, call):
    with ExitStack() as stack:
        return pair_of(call, write_pair(call, stack), tree_of(project), Path("below"))


@pytest.mark.parametrize("target", ["mypkg.work:total", "mypkg.work:Scale.twice", "side:f"])
def test_a_function_of_a_module_of_the_project_is_found_from_below_and_in_src(project, target):
    call = function_call(target, "x", None)
    assert (call.module, call.name) == tuple(target.split(":")) and pair(project, call).variants == ("optimized",)


@pytest.mark.parametrize("target", ["json:loads", "ch01:fused", "below:f", "host:8000", "mypkg.work", "a b:c", ":f"])
def test_what_is_no_module_of_the_project_is_no_function(project, target):
    assert function_call(target, None, None) is None


def names_of(text):
    names: dict = {}
    exec(text.replace("from mypkg.work import", "from json import"), names)
    return names


def test_literals_stand_in_the_call_and_everything_else_is_drawn():
    text = pair_text(FunctionCall("mypkg.work", "dumps", "[1, -2], indent=None, default=math.cos(0)", ""))
    assert "return _measured([1, -2], indent=None, default=default)" in text and "import math\n" in text
    assert "import torch" not in text
    names = names_of(text)
    assert names["inputs"]() == (1.0,) and names["optimized"](str) == names["baseline"](str) == "[1, -2]"


def test_arguments_are_evaluated_for_every_call_and_setup_once():
    call = FunctionCall(
        "mypkg.work", "dumps", "next(count), sort_keys=flag", "import itertools; count = itertools.count()\nflag = 1"
    )
    names = names_of(pair_text(call))
    assert [names["inputs"]() for _ in range(2)] == [(0, 1), (1, 1)]
    assert "def optimized(argument_1, sort_keys):\n    return _measured(argument_1, sort_keys=sort_keys)" in pair_text(
        call
    )


def test_a_name_that_setup_binds_is_not_imported_again():
    assert pair_text(FunctionCall("m", "f", "np.ones(3)", "import mine as np")).count("import") == 2  # and the function


def test_without_arguments_there_is_nothing_to_draw(project):
    call = FunctionCall("mypkg.work", "total")
    assert "def inputs():\n    return ()" in pair_text(call) and pair(project, call).arguments == ()


@pytest.mark.parametrize(
    ("arguments", "setup", "why"),
    [
        ("1 +", "", r"--args '1 \+' are no arguments of a call"),
        ("1) + f(2", "", "are no arguments of a call"),
        ("1)\nimport os\n(2", "", "are no arguments of a call"),
        ("*xs", "", r"without \* and \*\*"),
        ("**xs", "", r"without \* and \*\*"),
        ("x", "def (", "--setup 'def \\(' is no Python"),
        ("x", "baseline = 3", "--setup and --args cannot be measured: `baseline` is defined twice"),
    ],
)
def test_arguments_and_setup_that_make_no_sense_are_refused(project, arguments, setup, why):
    with pytest.raises(UsageError, match=why):
        pair(project, FunctionCall("mypkg.work", "total", arguments, setup))


@pytest.mark.parametrize("name", ["total", "Scale.twice", "LATER", "read", "numpy"])
def test_names_that_a_module_binds_in_any_way_are_there(project, name):
    pair(project, FunctionCall("mypkg.work", name, "x"))


@pytest.mark.parametrize(
    ("module", "name", "why"),
    [
        ("mypkg.wrok", "total", r"no module mypkg.wrok at HEAD \(00000000\) \(looked in below, \., src\)"),
        ("mypkg.work", "totl", r"mypkg.work has no totl at HEAD \(00000000\)"),
        ("mypkg.broken", "f", "mypkg/broken.py at .* cannot be read as Python"),
    ],
)
def test_a_function_that_a_revision_lacks_is_refused_before_anything_is_measured(project, module, name, why):
    (project / "mypkg" / "broken.py").write_text("def (")
    with pytest.raises(UsageError, match=why):
        pair(project, FunctionCall(module, name))


def test_a_module_that_imports_everything_of_another_may_have_any_name(project):
    (project / "mypkg" / "all.py").write_text("from json import *\n")
    pair(project, FunctionCall("mypkg.all", "loads", "x"))


def test_the_name_says_the_arguments_and_what_it_does_not_show_has_a_mark():
    assert FunctionCall("a", "f", "x,\n  3").title == "a:f(x, 3)"
    long = [FunctionCall("a", "f", "x, " * count).title for count in (98, 99)]
    assert len(long[0]) == len("a:f() #123456") + 60 and long[0] != long[1]
    set_up = [FunctionCall("a", "f", "x", setup).title for setup in ("x = 1", "x = 2")]
    assert set_up[0].startswith("a:f(x) #") and set_up[0] != set_up[1]


def test_outside_of_a_repository_a_module_beside_is_found_and_anything_else_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work.py").write_text(MODULE)
    assert function_call("work:total", None, None) and function_call("other:total", None, None) is None


def test_a_function_of_perfproof_is_refused_because_both_sides_would_be_the_same(project):
    (project / "perfproof").mkdir()
    (project / "perfproof" / "stats.py").write_text("def f(): return 3\n")
    with pytest.raises(UsageError, match="perfproof itself is not compared"):
        function_call("perfproof.stats:f", None, None)


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
