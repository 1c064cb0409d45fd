"""Work out a declaration without running it: literals, plain arithmetic, and constants that stand above.

A file may come from anybody, so every size is bounded before anything is computed: `10**10**10` is refused, not tried.
"""

import ast
import operator
from collections.abc import Callable
from typing import Any

from perfproof.pairs.bindings import VALUE, Bindings
from perfproof.pairs.source import is_text

MOST_STEPS = 10_000  # nodes of one declaration, its constants written out
MOST_DEPTH = 60
MOST_BITS = 256  # of a whole number

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


class NotPlain(Exception):
    """`why` completes "`workload` is not plain: it ..."."""

    def __init__(self, node: ast.AST, why: str):
        self.line: int = getattr(node, "lineno", 1)
        self.why = why


def evaluate(node: ast.expr, order: int, bindings: Bindings) -> Any:
    """The value of `node`, which stands in the module's statement number `order`."""
    return _Evaluation(bindings).value(node, order, 0)


class _Evaluation:
    def __init__(self, bindings: Bindings):
        self.bindings = bindings
        self.steps = 0

    def value(self, node: ast.expr, order: int, depth: int) -> Any:
        self.steps += 1
        if self.steps > MOST_STEPS or depth > MOST_DEPTH:
            raise NotPlain(node, "is too large or nested too deeply")
        match node:
            case ast.Constant():
                return _constant(node)
            case ast.Name():
                return self.named(node, order, depth)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                number = _number(node, self.value(operand, order, depth + 1))
                return -number if isinstance(sign, ast.USub) else +number
            case ast.BinOp():
                left, right = (self.value(side, order, depth + 1) for side in (node.left, node.right))
                return _arithmetic(node, _number(node, left), _number(node, right))
            case ast.Tuple() | ast.List() | ast.Set():
                return self.sequence(node, order, depth)
            case ast.Dict():
                return self.mapping(node, zip(node.keys, node.values, strict=True), order, depth)
            case ast.Call():
                return self.call(node, order, depth)
        raise NotPlain(node, f"has {_kind(node)}")

    def named(self, node: ast.Name, order: int, depth: int) -> Any:
        bound = self.bindings.get(node.id, [])
        if len(bound) != 1 or bound[0].how != VALUE or bound[0].order >= order:
            why = "is set more than once" if len(bound) > 1 else "is not a constant defined above"
            raise NotPlain(node, f"uses `{node.id}`, which {why}")
        expression = bound[0].node
        assert isinstance(expression, ast.expr)
        return self.value(expression, bound[0].order, depth + 1)

    def sequence(self, node: ast.Tuple | ast.List | ast.Set, order: int, depth: int) -> Any:
        values = [self.value(element, order, depth + 1) for element in node.elts]
        kind = {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)]
        try:
            return kind(values)
        except TypeError:
            raise NotPlain(node, "has a set of things that cannot be in one") from None

    def mapping(self, node: ast.expr, items: Any, order: int, depth: int) -> dict[Any, Any]:
        """A dictionary from (key, value) pairs; a key of None is `**value`."""
        made: dict[Any, Any] = {}
        for key, item in items:
            value = self.value(item, order, depth + 1)
            if key is None and not isinstance(value, dict):
                raise NotPlain(node, "unpacks something that is not a dict")
            try:
                made |= value if key is None else {self.value(key, order, depth + 1): value}
            except TypeError:
                raise NotPlain(node, "has a dict key that cannot be one") from None
        return made

    def call(self, node: ast.Call, order: int, depth: int) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "dict" and len(node.args) <= 1 and not any(isinstance(a, ast.Starred) for a in node.args):
            unpacked: list[tuple[Any, ast.expr]] = [(None, argument) for argument in node.args]
            named = [(k.arg if k.arg is None else ast.Constant(k.arg), k.value) for k in node.keywords]
            return self.mapping(node, unpacked + named, order, depth)
        match node:
            case ast.Call(func=ast.Name("float"), args=[ast.Constant("inf" | "-inf" as text)], keywords=[]):
                return float(text)
        raise NotPlain(node, f"calls `{name}`" if name else "calls a function")


def _constant(node: ast.Constant) -> Any:
    value = node.value
    if isinstance(value, str):
        if not is_text(value):
            raise NotPlain(node, "has text that cannot be written as UTF-8")
        return value
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return _bounded(node, value)
    raise NotPlain(node, f"has a value of type {type(value).__name__}")


def _number(node: ast.expr, value: Any) -> int | float:
    if isinstance(value, int | float):
        return value
    raise NotPlain(node, f"does arithmetic with a {type(value).__name__}")


def _arithmetic(node: ast.BinOp, left: int | float, right: int | float) -> int | float:
    compute = _ARITHMETIC.get(type(node.op))
    if compute is None:
        raise NotPlain(node, "has an operator that is not + - * / // ** % << >>")
    whole = isinstance(left, int) and isinstance(right, int)
    if whole and isinstance(node.op, ast.Pow) and right > 0 and int(left).bit_length() * right > 2 * MOST_BITS:
        raise NotPlain(node, "has a number that is too large")
    if isinstance(node.op, ast.LShift) and right > MOST_BITS:
        raise NotPlain(node, "has a number that is too large")
    try:
        return _bounded(node, compute(left, right))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise NotPlain(node, f"cannot be computed: {error}") from None


def _bounded(node: ast.expr, value: Any) -> int | float:
    if isinstance(value, complex):
        raise NotPlain(node, "has a root of a negative number")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise NotPlain(node, "has a number that is too large")
    return value


def _kind(node: ast.expr) -> str:
    kinds = {
        ast.Attribute: "a dotted name",
        ast.JoinedStr: "an f-string",
        ast.Lambda: "a lambda",
        ast.Subscript: "a subscript",
        ast.IfExp: "a condition",
        ast.Compare: "a comparison",
        ast.BoolOp: "a condition",
    }
    return kinds.get(type(node), "something computed")
