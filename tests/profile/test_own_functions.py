"""The program's own functions by what they take, with all that they call."""

from perfproof.profile.own_functions import OwnFunction, own_functions

MAIN = ("thread:MainThread", "<module> (a.py:20)", "main (a.py:12)")


def test_a_function_counts_with_all_that_it_calls_from_any_of_its_lines():
    found = own_functions(
        {
            (*MAIN, "work (a.py:3)", "[python]"): 5.0,
            (*MAIN, "work (a.py:4)", "numpy:sort"): 2.0,
            (*MAIN, "work (a.py:4)", "json:dumps", "[python]"): 1.0,
            (*MAIN[:2], "main (a.py:13)", "[waits]"): 2.0,
        }
    )
    assert found == [
        OwnFunction("<module> (a.py)", 10.0, 0),
        OwnFunction("main (a.py)", 10.0, 0),
        OwnFunction("work (a.py)", 8.0, 5.0),
    ]


def test_one_that_calls_itself_counts_once():
    found = own_functions({("thread:MainThread", "f (a.py:1)", "f (a.py:1)", "f (a.py:2)", "[python]"): 4.0})
    assert found == [OwnFunction("f (a.py)", 4.0, 4.0)]


def test_stacks_of_other_tools_do_not_tell_libraries_from_the_program():
    assert own_functions({("main (a.py:1)", "forward (torch/nn/modules/module.py:9)"): 4.0, (): 1.0}) == []
