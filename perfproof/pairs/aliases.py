"""A side of the user's own file that is no `def`: `baseline = slow_norm`, `optimized = torch.compile(step)`, an import.

Its parameters are read where the function is defined, in the file or in the project around it. Nothing is run, so a
function of an installed package has no parameters that are known here.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from perfproof.pairs.bindings import IMPORT, VALUE, Binding, Bindings, read_bindings
from perfproof.pairs.source import nodes

DEEPEST = 12  # names that stand for other names


@dataclass(frozen=True)
class Parameters:
    """By position or name, and which of them have a default."""

    names: tuple[str, ...]
    optional: frozenset[str]


@dataclass(frozen=True)
class Scope:
    """One file: what it binds, and the other files of the project by their dotted names."""

    tree: ast.Module
    modules: Mapping[str, ast.Module]
    name: str = ""  # dotted; the pair has none

    @cached_property
    def bindings(self) -> Bindings:
        return read_bindings(self.tree)

    @cached_property
    def imports(self) -> dict[str, tuple[str, str]]:
        """Local name -> the module and the name in it, which is empty if the module itself is meant."""
        found: dict[str, tuple[str, str]] = {}
        for node in nodes(self.tree):
            if isinstance(node, ast.Import):
                found |= {a.asname: (a.name, "") for a in node.names if a.asname}
                found |= {first: (first, "") for a in node.names if not a.asname for first in [a.name.split(".")[0]]}
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node)
                for alias in node.names:
                    whole = f"{base}.{alias.name}"
                    found[alias.asname or alias.name] = (whole, "") if whole in self.modules else (base, alias.name)
        return found

    def _base(self, node: ast.ImportFrom) -> str:
        package = self.name.split(".")
        around = package[: len(package) - node.level + (self.name in self._packages)] if node.level else []
        return ".".join([*around, *filter(None, [node.module])])

    @cached_property
    def _packages(self) -> set[str]:
        return {name.rpartition(".")[0] for name in self.modules}


def may_be_alias(binding: Binding) -> bool:
    """A name, an attribute, a call or a lambda can be a function; a number or a list cannot."""
    functions = (ast.Name, ast.Attribute, ast.Call, ast.Lambda, ast.IfExp)
    return binding.how == IMPORT or (binding.how == VALUE and isinstance(binding.node, functions))


def parameters_of(expression: ast.AST | None, scope: Scope, depth: int = DEEPEST) -> Parameters | None:
    """The parameters of the function that an expression gives, or None if they cannot be seen."""
    if depth == 0:
        return None
    match expression:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            return _written(expression.args)
        case ast.Name(name):
            return _named(name, scope, depth - 1)
        case ast.Attribute(value, name):
            module = _dotted(value, scope)
            return _in_module(module, name, scope, depth - 1) if module else None
        case ast.Call(function, arguments, keywords):
            taken = (parameters_of(one, scope, depth - 1) for one in arguments)
            first = next((one for one in taken if one), None)
            is_partial = ast.unparse(function).rpartition(".")[2] == "partial"
            return _without(first, len(arguments) - 1, {k.arg for k in keywords}) if first and is_partial else first
        case ast.IfExp(_, body, otherwise):
            return parameters_of(body, scope, depth - 1) or parameters_of(otherwise, scope, depth - 1)
    return None


def returned_names(function: ast.AST | None) -> tuple[str, ...]:
    """What a function such as `inputs` returns, a tuple or one value; what has no name there is numbered.

    A call of a plain name (`tuple(...)`, `batch()`) may give several values: then none is known.
    """
    match function:
        case ast.Lambda(body=returned) | ast.FunctionDef(body=[*_, ast.Return(returned)]) if returned:
            found = returned.elts if isinstance(returned, ast.Tuple) else [returned]
        case _:
            return ()
    if any(isinstance(one, ast.Starred) for one in found):
        return ()
    if not isinstance(returned, ast.Tuple) and isinstance(returned, ast.Call) and isinstance(returned.func, ast.Name):
        return ()
    names = [one.id if isinstance(one, ast.Name) else f"argument_{at}" for at, one in enumerate(found, 1)]
    return tuple(names) if len(set(names)) == len(names) else ()


def _named(name: str, scope: Scope, depth: int) -> Parameters | None:
    bound = scope.bindings.get(name, [])
    if bound and bound[-1].node is not None:
        return parameters_of(bound[-1].node, scope, depth)
    module, inside = scope.imports.get(name, ("", ""))
    return _in_module(module, inside, scope, depth) if inside else None


def _in_module(module: str, name: str, scope: Scope, depth: int) -> Parameters | None:
    tree = scope.modules.get(module)
    return _named(name, Scope(tree, scope.modules, module), depth) if tree and depth else None


def _dotted(value: ast.expr, scope: Scope) -> str:
    """`mylib.kernels` in `mylib.kernels.norm`, by its whole name."""
    first, _, rest = ast.unparse(value).partition(".")
    module, inside = scope.imports.get(first, ("", ""))
    return ".".join(filter(None, [module, inside, rest])) if module else ""


def _written(arguments: ast.arguments) -> Parameters | None:
    """None for `*args` and `**kwargs`: what is passed on is not seen."""
    if arguments.vararg or arguments.kwarg:
        return None
    named = [*arguments.posonlyargs, *arguments.args]
    with_default = named[len(named) - len(arguments.defaults) :]
    required = [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    optional = [*with_default, *(a for a in arguments.kwonlyargs if a not in required)]
    names = tuple(argument.arg for argument in [*named, *arguments.kwonlyargs])
    return Parameters(names, frozenset(argument.arg for argument in optional))


def _without(found: Parameters, count: int, keywords: set[str | None]) -> Parameters:
    """What `partial` leaves."""
    return Parameters(tuple(name for name in found.names[count:] if name not in keywords), found.optional)
