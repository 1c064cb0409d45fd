"""A calculator as a form: its parameters become fields, a sent form becomes its arguments.

No file is read for a browser: a model is one of the shipped shapes, a GPU comes from data sheets or from numbers.
"""

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from perfproof.calc import calculators
from perfproof.calc.answer import Answer, Flag
from perfproof.core.errors import NothingMatched, UsageError
from perfproof.web import form_sources
from perfproof.web.form_fields import Field, parse

MOST = {"layers": 10_000, "experts": 100_000}  # beyond, an answer takes memory and time that a page has no use for


@dataclass(frozen=True)
class Form:
    name: str
    purpose: str
    formula: str
    fields: list[Field]
    missing: str  # why it cannot be used here; empty where it can


def calculator_names() -> list[str]:
    files = (path for folder in calculators.__path__ for path in Path(folder).glob("[a-z]*.py"))
    return sorted(path.stem.replace("_", "-") for path in files)


def form_of(name: str) -> Form:
    module = _module(name)
    text = inspect.cleandoc(module.__doc__ or "")
    purpose, _, formula = text.partition("\n")
    fields: list[Field] = []
    missing = ""
    for key, hint, parameter in _parameters(module):
        flag = _flag(hint)
        if flag is not None:
            fields.append(_field(key, hint, flag, parameter.default))
        elif (source := form_sources.SOURCES.get(_type_name(hint))) is not None:
            fields += source.fields(needed=not _may_be_none(hint))
        elif not _may_be_none(hint):
            missing = f"it reads a file, which only the command does: perfproof calc {name} --help"
    return Form(name, purpose.rstrip("."), formula.strip(), fields, missing)


def calculate(name: str, given: Mapping[str, str]) -> Answer:
    """The answer to a sent form; UsageError where a value makes no sense."""
    module = _module(name)
    arguments: dict[str, Any] = {}
    for key, hint, parameter in _parameters(module):
        flag = _flag(hint)
        if flag is not None:
            field = _field(key, hint, flag, parameter.default)
            arguments[key] = parse(field, given.get(key, ""), parameter.default)
            flag.check(field.label, arguments[key])
        elif (source := form_sources.SOURCES.get(_type_name(hint))) is not None:
            arguments[key] = source.read(given)
            if arguments[key] is None and not _may_be_none(hint):
                raise UsageError(source.wanted)
        else:
            arguments[key] = None
    return module.calculate(**arguments)


def _module(name: str) -> ModuleType:
    if name not in calculator_names():
        raise NothingMatched(f"there is no calculator {name[:60]!r}")
    return importlib.import_module(f"{calculators.__name__}.{name.replace('-', '_')}")


def _parameters(module: ModuleType) -> list[tuple[str, Any, inspect.Parameter]]:
    hints = get_type_hints(module.calculate, include_extras=True)
    plain = inspect.signature(module.calculate).parameters
    return [(key, hint, plain[key]) for key, hint in hints.items() if key != "return"]


def _field(key: str, hint: Any, flag: Flag, default: Any) -> Field:
    kind = get_args(hint)[0]
    types = [one for one in (get_args(kind) if isinstance(kind, UnionType) else (kind,)) if one is not NoneType]
    needed = default is inspect.Parameter.empty
    shown = "" if needed or default is None else str(default)
    return Field(key, flag.help, types[0], shown, needed, flag.least, MOST.get(key, flag.most))


def _flag(hint: Any) -> Flag | None:
    return get_args(hint)[1] if get_origin(hint) is Annotated and isinstance(get_args(hint)[1], Flag) else None


def _type_name(hint: Any) -> str:
    wanted = next(one for one in get_args(hint) if one is not NoneType) if _may_be_none(hint) else hint
    return "" if get_origin(wanted) is list else wanted.__name__


def _may_be_none(hint: Any) -> bool:
    return isinstance(hint, UnionType) and NoneType in get_args(hint)
