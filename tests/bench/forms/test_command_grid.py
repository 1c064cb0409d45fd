"""The grid over a command: axes, places in braces, the base, and what is refused."""

import pytest

from perfproof.bench.forms.command_grid import filled, parse_values, plan_command
from perfproof.core.errors import UsageError


def test_every_point_but_the_base_is_planned_and_the_last_axis_runs_fastest():
    sweep = plan_command(["train", "{a}", "--b={b}"], {}, ["a=1,2", "b=x,y"])
    assert sweep.base == {"a": "1", "b": "x"}
    assert sweep.points == [{"a": "1", "b": "y"}, {"a": "2", "b": "x"}, {"a": "2", "b": "y"}]
    assert sweep.name_of(sweep.points[0]) == "train {a} --b={b}[a=1,b=y]"


def test_values_stay_words_and_one_given_twice_is_one_point():
    assert parse_values(["a=01,1e3,01", "a=x/y"]) == {"a": ["01", "1e3", "x/y"]}


def test_only_names_of_axes_are_replaced():
    assert filled("awk '{print $1}' {n}{n} {other} {}", {"n": "4"}) == "awk '{print $1}' 44 {other} {}"


def test_a_variable_of_the_environment_can_be_the_axis():
    assert plan_command(["./bench"], {"OMP_NUM_THREADS": "{n}"}, ["n=1,2"]).variables == {"OMP_NUM_THREADS": "{n}"}


@pytest.mark.parametrize(
    ("command", "items", "said"),
    [
        (["train", "{batch}"], [], "--set batch=1,2,4"),
        (["train"], [], "{batch}"),
        (["train", "{bacth}"], ["batch=1,2"], "{bacth}"),
        (["train", "{batch}"], ["batch=1"], "second value"),
        (["train", "{batch}"], ["batch=1,1"], "second value"),
        (["train", "{batch}"], ["batch"], "NAME=VALUE"),
        (["train", "{batch}"], ["batch=1,,2"], "NAME=VALUE"),
        (["train", "{batch}"], ["2b=1,2"], "NAME=VALUE"),
        (["train", "{a}{b}"], [f"a={','.join(map(str, range(20)))}", f"b={','.join(map(str, range(20)))}"], "400"),
    ],
)
def test_what_is_no_grid_is_refused_with_what_to_write(command, items, said):
    with pytest.raises(UsageError, match=said.replace("{", r"\{")):
        plan_command(command, {}, items)
