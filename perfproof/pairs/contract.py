"""The pair contract: read a pair's file by its syntax tree, or refuse it with one line.

Nothing of the file is run and torch is not imported; docs and `perfproof new` show what a pair looks like.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from perfproof.core.tolerance import DEFAULT_TOLERANCE
from perfproof.pairs.aliases import Scope, may_be_alias, parameters_of, returned_names
from perfproof.pairs.bindings import FUNCTION, VALUE, Binding, Bindings, Function, read_bindings
from perfproof.pairs.borrowing import Loan, read_loans
from perfproof.pairs.declarations import complaint
from perfproof.pairs.forbidden import read_imports, refuse_introspection
from perfproof.pairs.independence import refuse_shared_answers
from perfproof.pairs.kernels import kernel_files, whole_sha256
from perfproof.pairs.literals import NotPlain, evaluate
from perfproof.pairs.names import (
    CONSTANTS,
    REQUIRED,
    SMALLEST,
    VALUES,
    is_contract_name,
    is_function,
    is_variant,
    makes_constants,
    refuse_missing,
    refuse_misspelt,
    refuse_program,
)
from perfproof.pairs.pair import Pair
from perfproof.pairs.project import dotted_name, files_at, folders, optional_imports, own_modules, packages_of, texts_of
from perfproof.pairs.prose import has_reason, read_docstring
from perfproof.pairs.signatures import (
    Signature,
    check_arguments,
    check_constants,
    check_sides,
    check_sizes,
    read_signature,
)
from perfproof.pairs.source import Source, read_source, refusal

REASONED = {  # what loosens a check
    "tolerance": "where the numbers come from",
    "domain": "why the argument has no other values",
    "layout": "why the strides of the result do not matter",
}


def read_pair(path: Path, name: str, chapter: str, own: bool = False, places: tuple[Path, ...] | None = None) -> Pair:
    """The pair that the file declares; raises ContractError.

    A file of the user's `own` may leave out what a lesson of the product must have: `left_out` says what it lacks.
    Modules are looked for in `places`, by default those of the project around the file.
    """
    try:
        return _read_pair(path, name, chapter, own, folders(path) if places is None else places)
    except (RecursionError, MemoryError):
        raise refusal(path, "is nested too deeply to be read; write it plainly") from None


def _read_pair(path: Path, name: str, chapter: str, own: bool, places: tuple[Path, ...]) -> Pair:
    source = read_source(path)
    lesson, explanation = read_docstring(source, required=not own)
    bindings = read_bindings(source.tree)
    if own:
        refuse_program(source, bindings)
    imports = _read_imports(source)
    required = SMALLEST if own else tuple(REQUIRED)
    refuse_misspelt(source, bindings, required)
    refuse_missing(source, bindings, required)
    loans = read_loans(source, bindings, chapter)
    for loan in loans.values():  # its file is loaded too
        imports |= _read_imports(loan.lender)
    _refuse_wrong_kinds(source, bindings, loans, own)
    values = _read_values(source, bindings, loans)
    reasonless = _without_reason(source, bindings, loans, () if own else tuple(REASONED))
    modules = own_modules(source, places)
    scope = Scope(source.tree, {dotted_name(file, places): tree for file, tree in modules.items()}) if own else None
    if own:
        values = _with_defaults(source, bindings, loans, values, scope)
    sides, arguments = _read_functions(source, bindings, loans, values, scope)
    for file in {source.path: source, **{loan.lender.path: loan.lender for loan in loans.values()}}.values():
        refuse_shared_answers(file)
    optional = optional_imports(source.tree)
    needed = [name for name in imports if name not in optional]
    imports |= packages_of(modules.values())
    own_kernels = kernel_files(source) if "perfproof" in imports else ()
    lent = [file for loan in loans.values() if "perfproof" in imports for file in kernel_files(loan.lender)]
    return Pair(
        path=source.path,
        name=name,
        chapter=chapter,
        lesson=lesson or f"{', '.join(sides[1:])} against baseline",
        explanation=explanation,
        arguments=arguments,
        variants=sides[1:],
        prepares=_prepared(bindings, loans, sides),
        makes_constants=_constants_maker(source, bindings, loans) is not None,
        borrowed={borrowed: loan.stem for borrowed, loan in loans.items()},
        imports=tuple(imports),
        optional=tuple(name for name in imports if name not in needed),
        source_sha256=whole_sha256(source.sha256, (*own_kernels, *modules)),
        code_sha256=whole_sha256(source.code_sha256, (*own_kernels, *modules)),
        folders=places,
        modules={dotted_name(file, places): file for file in modules},
        files=files_at(texts_of([source.tree, *modules.values()]), places),
        siblings={loan.stem: loan.lender.path for loan in loans.values()},
        kernel_files=tuple(dict.fromkeys((*own_kernels, *lent))),
        has_reference="reference" in bindings,
        has_cost="cost" in bindings,
        own=own,
        computes_in=_computes_in(sides, loans, values["lowers_precision"]),
        left_out=tuple(_left_out(bindings, lesson, reasonless)) if own else (),
        reasonless=tuple(name for name in reasonless if name != "tolerance"),
        **values,
    )


def _read_imports(source: Source) -> dict[str, None]:
    """The packages that a file imports, in order; a file that looks into the harness is refused."""
    imports = dict.fromkeys(read_imports(source))
    refuse_introspection(source, imports)
    return imports


def _refuse_wrong_kinds(source: Source, bindings: Bindings, loans: dict[str, Loan], own: bool) -> None:
    """A contract name is bound once, at the top level: a function by `def`, a declaration by `=`.

    In a file of the user's own a function may also be named by `=` or imported.
    """
    for name, bound in bindings.items():
        if not is_contract_name(name):
            continue
        first = bound[0]
        if len(bound) > 1:
            lines = " and ".join(str(each.line) for each in bound[:2])
            raise source.refusal(f"`{name}` is defined twice, on lines {lines}; keep one", bound[1].line)
        wanted = FUNCTION if is_function(name) and name not in loans else VALUE
        if first.how == wanted or (own and wanted == FUNCTION and may_be_alias(first)):
            continue
        write = f"`def {name}(...):`" if wanted == FUNCTION else f"`{name} = ...`"
        raise source.refusal(f"`{name}` is {first.how}; write {write} at the top level of the file", first.line)


def _read_values(source: Source, bindings: Bindings, loans: dict[str, Loan]) -> dict[str, Any]:
    """Every declaration, each looked at by itself; what is not declared has its default."""
    values: dict[str, Any] = {
        "workload_cpu": None,
        "smoke": None,
        "sweep": None,
        "constant": (),
        "mutates": (),
        "cold": (),
    }
    values |= {"tolerance": {}, "lowers_precision": "", "domain": {}, "layout": "", "claim": "time", "clock": "call"}
    values |= {"distribution": False, "needs": {}, "ranks": 1, "tour": False, "menu": (), "counters": ()}
    for name in VALUES:
        if name not in bindings or name in loans:
            continue
        value = _read_value(source, bindings, bindings[name][0])
        if wrong := complaint(name, value):
            raise source.refusal(f"`{name}` {wrong}", bindings[name][0].line)
        values[name] = tuple(value) if values.get(name) == () else value
    return values


def _computes_in(sides: tuple[str, ...], loans: dict[str, Loan], lowered: str) -> dict[str, str]:
    """Side -> the lower format it computes in: a borrowed baseline has the one that its own file declares."""
    found = dict.fromkeys(sides[1:], lowered)
    if loan := loans.get("baseline"):
        bound = loan.bindings.get("lowers_precision")
        found["baseline"] = _read_value(loan.lender, loan.bindings, bound[0]) if bound else ""
    return {side: kind for side, kind in found.items() if kind}


def _without_reason(
    source: Source, bindings: Bindings, loans: dict[str, Loan], refused: tuple[str, ...]
) -> tuple[str, ...]:
    """Declarations without the comment that they should have; those that are not allowed to lack it are refused."""
    found = []
    for name, reason in REASONED.items():
        if name in bindings and name not in loans and not has_reason(source, bindings[name][0]):
            if name in refused:
                what = f"`{name}` has no reason; say in a comment on its line {reason}"
                raise source.refusal(what, bindings[name][0].line)
            found.append(name)
    return tuple(found)


def _with_defaults(
    source: Source, bindings: Bindings, loans: dict[str, Loan], values: dict[str, Any], scope: Scope | None
) -> dict[str, Any]:
    """What a file of the user's need not declare: without CPU sizes those of `workload` are measured there too."""
    values = {"tier": "", "workload": {}, **values}
    if "tolerance" not in bindings:
        values["tolerance"] = DEFAULT_TOLERANCE
    if "workload" not in bindings and "inputs" not in loans:
        made = values["constant"] if makes_constants(source, bindings) else ()
        taken = _seen(source, bindings, "inputs", _signature(source, bindings, "inputs", scope))
        if sizes := [name for name in taken.parameters if name not in (*taken.optional, *made)]:
            add = f"add the sizes it is measured at, such as `workload = dict({'=1024, '.join(sizes)}=1024)`"
            raise taken.refusal(f"`inputs` takes {', '.join(sizes)} and there is no `workload`; {add}")
    if values["workload_cpu"] is None:
        values["workload_cpu"] = values["workload"]
    return values


def _left_out(bindings: Bindings, lesson: str, reasonless: tuple[str, ...]) -> Iterator[str]:
    if not lesson:
        yield "docstring"
    if "tolerance" not in bindings:
        yield "tolerance (the default of the output's type is used)"
    elif "tolerance" in reasonless:
        yield "the reason for the tolerance"
    if "tier" not in bindings:
        yield "tier"
    if "cost" not in bindings:
        yield "cost (nothing is predicted)"


def _read_value(source: Source, bindings: Bindings, binding: Binding) -> Any:
    assert isinstance(binding.node, ast.expr)
    try:
        return evaluate(binding.node, binding.order, bindings)
    except NotPlain as error:
        what = f"`{binding.name}` must be a literal or plain arithmetic, but it {error.why}"
        raise source.refusal(f"{what}; write the value itself", error.line) from None


def _read_functions(
    source: Source, bindings: Bindings, loans: dict[str, Loan], values: dict[str, Any], scope: Scope | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sides in the order of the file, baseline first, and the names of their arguments; all of it agreeing.

    What an alias takes cannot always be seen; then it takes what the others do.
    """
    sides = ("baseline", *(name for name in bindings if is_variant(name)))
    prepares = [name for name in bindings if name.startswith("prepare_")]
    for name in prepares:
        side = name.removeprefix("prepare_")
        if side not in sides or side in loans:
            why = "borrowed with its own preparation" if side in loans else f"not one of {', '.join(sides)}"
            raise source.refusal(
                f"`{name}` prepares `{side}`, which is {why}; remove or rename it", bindings[name][0].line
            )
    prepared = set(_prepared(bindings, loans, sides))
    found = {
        name: loans[name].signature(source) if name in loans else _signature(source, bindings, name, scope)
        for name in ("inputs", "cost", "reference", *sides, *prepares)
        if name in bindings
    }
    read = {name: one for name, one in found.items() if one}
    known = next((read[name] for name in ("reference", *sides) if name in read), None)
    if known is None and (names := returned_names(bindings["inputs"][0].node)):
        known = Signature("inputs", "`inputs`", source, bindings["inputs"][0].line, names, frozenset())
    known = _seen(source, bindings, "baseline", known and _without_prepared(known, prepared))
    for name in found.keys() - read.keys():
        if name in ("inputs", "cost"):
            _seen(source, bindings, name, None)
        taken = (("prepared",) if name in prepared else ()) + known.parameters
        read[name] = Signature(name, f"`{name}`", source, bindings[name][0].line, taken, frozenset())
    lines = {name: bound[0].line for name, bound in bindings.items()}
    maker = _constants_maker(source, bindings, loans)
    made = values["constant"] if maker else ()
    takers = [read[name] for name in ("inputs", "cost") if name in read]
    check_sizes(source, values, lines, takers, made, maker.parameters if maker else ())
    if maker:
        check_constants(values, maker)
    first = read.get("reference") or _without_prepared(read["baseline"], prepared)
    check_sides(first, [read[name] for name in (*sides, *prepares)], prepared, by_place=scope is not None)
    arguments = first.parameters
    check_arguments(values, lines, source, arguments)
    return sides, arguments


def _without_prepared(side: Signature, prepared: set[str]) -> Signature:
    """A side as it would be without a preparation, whose result is its first argument."""
    return replace(side, parameters=side.parameters[1:]) if side.name in prepared else side


def _constants_maker(source: Source, bindings: Bindings, loans: dict[str, Loan]) -> Signature | None:
    """`constants` stands beside `inputs`, in the file that it is borrowed from if it is."""
    if "inputs" in loans:
        source = loans["inputs"].lender
        bindings = read_bindings(source.tree)
    return _signature(source, bindings, CONSTANTS) if makes_constants(source, bindings) else None


def _signature(source: Source, bindings: Bindings, name: str, scope: Scope | None = None) -> Signature | None:
    """With a `scope`, in the user's own files: an alias is followed, and what has a default is no argument."""
    binding = bindings[name][0]
    if isinstance(binding.node, Function):
        found = read_signature(source, binding.node)
    else:
        taken = parameters_of(ast.Name(name), scope) if scope else None
        if taken is None:
            return None
        found = Signature(name, f"`{name}`", source, binding.line, taken.names, taken.optional)
    if scope is None or name in ("inputs", "cost"):
        return found
    required = tuple(parameter for parameter in found.parameters if parameter not in found.optional)
    return replace(found, parameters=required, optional=frozenset())


def _seen(source: Source, bindings: Bindings, name: str, found: Signature | None) -> Signature:
    if found is None:
        what = f"which arguments `{name}` takes cannot be seen without running the file"
        raise source.refusal(f"{what}; write `def {name}(...):` that calls it", bindings[name][0].line)
    return found


def _prepared(bindings: Bindings, loans: dict[str, Loan], sides: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(side for side in sides if f"prepare_{side}" in bindings or (side in loans and loans[side].prepared))
