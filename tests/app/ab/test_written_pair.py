"""The pair that is written for a function at two revisions, and what is refused."""

import pytest

from perfproof.app.ab.call import FunctionCall
from perfproof.app.ab.written_pair import file_of, pair_text, parameters_in
from perfproof.core.errors import UsageError
from tests.app.ab.function_project import pair


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
    call = FunctionCall("mypkg.work", "now")
    assert "def inputs():\n    return ()" in pair_text(call) and pair(project, call).arguments == ()


def test_a_function_that_needs_arguments_is_refused_with_their_names(project):
    with pytest.raises(UsageError, match=r"total at .* takes x: say with what .*--args"):
        pair(project, FunctionCall("mypkg.work", "total"))


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
        ("mypkg.work", "totl", r"mypkg.work has no totl at HEAD \(00000000\); did you mean total\?"),
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


@pytest.mark.parametrize(
    ("module", "name", "names"),
    [
        ("mypkg.work", "total", ["x", "scale"]),
        ("mypkg.work", "Scale.twice", ["x"]),
        ("mypkg.work", "read", []),
        ("mypkg.again", "sum_up", ["x", "scale"]),
        ("mypkg.gone", "f", []),
    ],
)
def test_arguments_have_the_names_that_the_function_gives_them(project, module, name, names):
    (project / "mypkg" / "__init__.py").touch()
    (project / "mypkg" / "again.py").write_text("from mypkg.work import total as sum_up\n")
    assert parameters_in(FunctionCall(module, name), [project]) == names


def test_known_names_are_those_of_the_sides_unless_they_are_taken():
    call = FunctionCall("m", "f", "draw(), 3, draw(), draw()")
    assert "def baseline(values, argument_3, argument_4):" in pair_text(call, None, ["values", "count", "_measured"])


def test_the_file_of_a_function_is_known_and_imports_are_followed(project):
    (project / "mypkg" / "__init__.py").touch()
    (project / "mypkg" / "again.py").write_text("from mypkg.work import total as sum_up\n")
    found = file_of(FunctionCall("mypkg.again", "sum_up"), [project])
    assert found.path.endswith("mypkg/work.py") and found.name == "total" and found.line == 10
    assert file_of(FunctionCall("mypkg.work", "read"), [project]) is None
