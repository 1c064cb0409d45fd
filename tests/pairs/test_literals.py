import ast

import pytest

from perfproof.pairs.bindings import read_bindings
from perfproof.pairs.literals import NotPlain, evaluate


def value_of(text):
    """The value of the last assignment of a module."""
    tree = ast.parse(text)
    return evaluate(tree.body[-1].value, len(tree.body) - 1, read_bindings(tree))


def why_not(text):
    with pytest.raises(NotPlain) as caught:
        value_of(text)
    return caught.value.why


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x = 16_384", 16384),
        ("x = -2**10", -1024),
        ("x = 7 // 2 + 7 % 2 - 1.5 * 2", 1.0),
        ("x = 1 / 4", 0.25),
        ("x = +3", 3),
        ("x = None", None),
        ("x = (1, 'a', True)", (1, "a", True)),
        ("x = [1, [2]]", [1, [2]]),
        ("x = {1, 1, 2}", {1, 2}),
        ("x = {'a': 1, **{'b': 2}}", {"a": 1, "b": 2}),
        ("x = dict(a=1, b=dict(c=2))", {"a": 1, "b": {"c": 2}}),
        ("x = float('inf')", float("inf")),
        ("x = -float('inf')", float("-inf")),
        ("N = 4\nM = N * 2\nx = dict(n=N, m=M)", {"n": 4, "m": 8}),
        ("A, B = 1, 2\nx = A + B", 3),
        ("A: int = 3\nx = A", 3),
        ("A = B = 3\nx = A + B", 6),
        ("w = dict(a=1, b=2)\nx = dict(w, b=3)", {"a": 1, "b": 3}),
        ("w = dict(a=1, b=2)\nx = dict(**w, c=3)", {"a": 1, "b": 2, "c": 3}),
    ],
)
def test_literals_and_plain_arithmetic_are_worked_out(text, value):
    assert value_of(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = f(1)", "calls `f`"),
        ("x = torch.float16", "has a dotted name"),
        ("x = f'{1}'", "has an f-string"),
        ("x = [i for i in (1, 2)]", "has something computed"),
        ("x = 1 if True else 2", "has a condition"),
        ("x = N", "uses `N`, which is not a constant defined above"),
        ("N = 1\nN = 2\nx = N", "uses `N`, which is set more than once"),
        ("N = 1\nN += 1\nx = N", "uses `N`, which is set more than once"),
        ("import N\nx = N", "uses `N`, which is not a constant defined above"),
        ("if 1:\n    N = 1\nx = N", "uses `N`, which is not a constant defined above"),
        ("A, *B = 1, 2\nx = A", "uses `A`, which is not a constant defined above"),
        ("x = x", "uses `x`, which is not a constant defined above"),
        ("x = 'a' * 10**9", "does arithmetic with a str"),
        ("x = [0] * 10**9", "does arithmetic with a list"),
        ("x = 1 << 10**9", "has a number that is too large"),
        ("x = 1 << -1", "cannot be computed: negative shift count"),
        ("x = 1.5 << 2", "cannot be computed: unsupported operand"),
        ("x = 6 & 3", "has an operator that is not + - * / // ** % << >>"),
        ("x = ~1", "has something computed"),
        ("x = 1 / 0", "cannot be computed: division by zero"),
        ("x = 10.0 ** 1000", "cannot be computed: "),
        ("x = (-8) ** 0.5", "has a root of a negative number"),
        ("x = b'bytes'", "has a value of type bytes"),
        ("x = 1j", "has a value of type complex"),
        ("x = '\\ud800'", "has text that cannot be written as UTF-8"),
        ("x = {[1]}", "has a set of things that cannot be in one"),
        ("x = {[1]: 2}", "has a dict key that cannot be one"),
        ("x = {**[1]}", "unpacks something that is not a dict"),
        ("x = dict([('a', 1)])", "unpacks something that is not a dict"),
        ("x = float('nan')", "calls `float`"),
        ("x = dict(*[1])", "calls `dict`"),
    ],
)
def test_anything_else_is_refused_with_the_reason(text, why):
    assert why_not(text).startswith(why)


@pytest.mark.parametrize(
    "text",
    ["x = 10**10**10", "x = 2**257", "x = 0x" + "f" * 1000, "x = " + "*".join(["10**70"] * 9), "x = (-10)**10**10"],
    ids=["tower", "power", "hexadecimal", "product", "negative"],
)
def test_a_huge_number_is_refused_before_it_is_computed(text):
    assert why_not(text) == "has a number that is too large"


def test_deep_nesting_is_refused():
    assert "too large or nested too deeply" in why_not("x = " + "[" * 90 + "]" * 90)


def test_constants_that_double_at_each_line_are_refused():
    lines = ["a0 = [1, 1]", *(f"a{i} = [a{i - 1}, a{i - 1}]" for i in range(1, 40)), "x = a39"]
    assert "too large or nested too deeply" in why_not("\n".join(lines))
