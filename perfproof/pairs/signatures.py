"""The functions of a pair, and what they and the declarations must agree on by name, before anything runs."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perfproof.core.errors import ContractError
from perfproof.pairs.bindings import Function
from perfproof.pairs.source import Source

AWAITED = ("reference", "baseline", "optimized")  # in a call of theirs; everything else is only called
SIZES = ("workload", "workload_cpu", "smoke")


@dataclass(frozen=True)
class Signature:
    name: str
    label: str  # how a message names it: "`reference`", "`reference` of step_01_loop.py"
    source: Source  # of the pair, and the line there: also where the function is borrowed
    line: int
    parameters: tuple[str, ...]
    optional: frozenset[str]  # those with a default

    def refusal(self, what: str) -> ContractError:
        return self.source.refusal(what, self.line)


def read_signature(source: Source, function: Function) -> Signature:
    """Parameters by name; what the harness could not call is refused."""
    name, arguments = function.name, function.args
    if isinstance(function, ast.AsyncFunctionDef) and not name.startswith(AWAITED):
        raise source.refusal(f"`{name}` is async; the harness calls it: write `def {name}`", function.lineno)
    extra = [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    extra += [f"**{arguments.kwarg.arg}"] if arguments.kwarg else []
    if extra:
        what = f"`{name}` takes {' and '.join(extra)}; write its parameters out by name"
        raise source.refusal(what, function.lineno)
    by_keyword = name in ("inputs", "cost")
    unset = [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    wrong = arguments.posonlyargs if by_keyword else unset
    if wrong:
        marker = "/" if by_keyword else "*"
        raise source.refusal(f"`{name}` has a `{marker}` among its parameters; remove it", function.lineno)
    named = [*arguments.posonlyargs, *arguments.args]
    with_default = named[len(named) - len(arguments.defaults) :]
    with_default += [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    parameters = tuple(argument.arg for argument in [*named, *arguments.kwonlyargs])
    return Signature(name, f"`{name}`", source, function.lineno, parameters, frozenset(a.arg for a in with_default))


def check_sizes(
    source: Source,
    values: Mapping[str, Any],
    lines: Mapping[str, int],
    takers: list[Signature],
    made: tuple[str, ...] = (),
    of_constants: tuple[str, ...] = (),
) -> None:
    """The keys of the sizes are the parameters of `inputs` and `cost`.

    `inputs` may also take `made` constants, and leave a size out that is `of_constants`, as `cost` may.
    """
    keys = list(values["workload"])
    for other in SIZES[1:]:
        if values.get(other) is not None and set(values[other]) != set(keys):
            what = f"`{other}` has {listed(values[other])} and `workload` has {listed(keys)}; give both the same keys"
            raise source.refusal(what, lines[other])
    for taker in takers:
        extra = (*taker.optional, *(made if taker.name == "inputs" else ()))
        required = [p for p in taker.parameters if p not in extra]
        if not set(required) <= set(keys) <= {*taker.parameters, *of_constants}:
            what = f"`workload` has {listed(keys)} and {taker.label} takes {listed(taker.parameters)}"
            raise source.refusal(f"{what}; they must be the same names", lines.get("workload", taker.line))
    for axis in values.get("sweep") or {}:
        if axis not in keys:
            what = f"`sweep` has {axis!r}, which `workload` does not; its keys are {listed(keys)}"
            raise source.refusal(what, lines["sweep"])


def check_constants(values: Mapping[str, Any], maker: Signature) -> None:
    """`constants` takes sizes, not necessarily all of them."""
    odd = [name for name in maker.parameters if name not in values["workload"] and name not in maker.optional]
    if odd:
        what = f"{maker.label} takes {listed(odd)}, which `workload` does not have"
        raise maker.refusal(f"{what}; its keys are {listed(values['workload'])}")


def check_sides(first: Signature, others: list[Signature], prepared: set[str], by_place: bool) -> None:
    """`reference`, `baseline`, every variant and every preparation take the same arguments.

    A prepared side takes one more, first: what its preparation returned. In a user's own file arguments may have other
    names in the variant, if none of them stands in another place.
    """
    for side in [first, *others]:
        if side.optional:
            names = listed(sorted(side.optional))
            raise side.refusal(f"{side.label} gives {names} a default; make it a constant of the file or an argument")
    wanted = first.parameters
    for side in others:
        taken = side.parameters
        if side.name in prepared:
            if not taken or taken[0] in wanted:
                what = f"`{side.name}` takes {listed(taken)}; with `prepare_{side.name}` its first parameter"
                raise side.refusal(f"{what} is what that returned: `{side.name}({', '.join(('prepared', *wanted))})`")
            taken = taken[1:]
        if taken != wanted and not (by_place and _is_renamed(taken, wanted)):
            raise side.refusal(_difference(side, taken, first))


def check_arguments(
    values: Mapping[str, Any], lines: Mapping[str, int], source: Source, names: tuple[str, ...]
) -> None:
    """`constant`, `mutates`, `cold` and `domain` name arguments; nothing is both constant and mutated."""
    for declared in ("constant", "mutates", "cold", "domain"):
        for argument in values.get(declared, ()):
            if argument not in names:
                what = f"`{declared}` has {argument!r}, which is no argument; the arguments are {listed(names)}"
                raise source.refusal(what, lines[declared])
    both = sorted(set(values.get("constant", ())) & set(values.get("mutates", ())))
    if both:
        what = f"`constant` and `mutates` both have {listed(both)}; an argument that changes is not constant: keep one"
        raise source.refusal(what, lines["mutates"])


def listed(names: Any) -> str:
    return "(" + ", ".join(map(str, names)) + ")"


def _is_renamed(taken: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """As many, and what both name stands in the same place."""
    moved = [name for name in taken if name in wanted and taken.index(name) != wanted.index(name)]
    return len(taken) == len(wanted) and not moved


def _difference(side: Signature, taken: tuple[str, ...], first: Signature) -> str:
    odd = sorted(set(taken) ^ set(first.parameters))
    named = f"they differ in {', '.join(odd)}" if odd else "they differ in order"
    extra = " after what was prepared" if taken != side.parameters else ""
    both = f"{side.label} takes {listed(taken)}{extra} and {first.label} takes {listed(first.parameters)}"
    return f"{both}: {named}; use one list"
