"""Which calls name a function of the project, and what the history knows them by."""

import pytest

from perfproof.app.ab.call import FunctionCall, function_call
from perfproof.core.errors import UsageError
from tests.app.ab.function_project import MODULE, pair


@pytest.mark.parametrize("target", ["mypkg.work:total", "mypkg.work:Scale.twice", "side:f"])
def test_a_function_of_a_module_of_the_project_is_found_from_below_and_in_src(project, target):
    call = function_call(target, "x", None)
    assert (call.module, call.name) == tuple(target.split(":")) and pair(project, call).variants == ("optimized",)


@pytest.mark.parametrize("target", ["json:loads", "ch01:fused", "below:f", "host:8000", "mypkg.work", "a b:c", ":f"])
def test_what_is_no_module_of_the_project_is_no_function(project, target):
    assert function_call(target, None, None) is None


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
