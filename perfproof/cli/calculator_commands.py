"""Make a command of a calculator: its parameters become options, its docstring the formula that --explain prints.

A calculator is a file in perfproof/calc/calculators with a function `calculate`; the folder is the list.
"""

import importlib
import inspect
import json as json_module
from collections.abc import Callable
from copy import copy
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from perfproof.app.calculator_inputs import SOURCES
from perfproof.calc import calculators
from perfproof.calc.answer import Flag
from perfproof.cli.values import option
from perfproof.core.errors import UsageError

JSON = Annotated[bool, option("--json", "Print the answer as JSON, and nothing else.")]
EXPLAIN = Annotated[bool, option("--explain", "Print the formula, and nothing else.")]


def calculator_files() -> dict[str, Path]:
    files = (path for folder in calculators.__path__ for path in Path(folder).glob("[a-z]*.py"))
    return {path.stem.replace("_", "-"): path for path in sorted(files)}


def calculator(name: str) -> ModuleType:
    return importlib.import_module(f"{calculators.__name__}.{name.replace('-', '_')}")


def command_of(name: str) -> Callable[..., int]:
    """A function with the signature that Typer needs; nothing is computed before it is called."""
    module = calculator(name)
    hints = get_type_hints(module.calculate, include_extras=True)
    plain = {key: inspect.signature(module.calculate).parameters[key] for key in hints if key != "return"}
    parameters = [one for key, each in plain.items() for one in _options(key, hints[key], each)]
    if "gpu" not in [one.name for one in parameters]:
        parameters = [_with_singular(one) if one.name == "gpus" else one for one in parameters]
    parameters += [_keyword("json", JSON, False), _keyword("explain", EXPLAIN, False)]

    def run(**given: Any) -> int:
        as_json, explain = given.pop("json"), given.pop("explain")
        if explain:
            print(inspect.cleandoc(module.__doc__ or ""))
            return 0
        arguments = {key: _argument(key, hints[key], each, given) for key, each in plain.items()}
        answer = module.calculate(**arguments)
        _print(name, given, answer, as_json)
        return int(answer.is_no)

    run.__doc__ = (module.__doc__ or "").partition("\n")[0]
    run.__signature__ = inspect.Signature(_in_order(parameters))  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _print(name: str, given: dict[str, Any], answer: Any, as_json: bool) -> None:
    from perfproof.cli.show import calculator as calculator_page

    if not as_json:
        print(calculator_page.page(answer))
        return
    inputs = {
        key: str(value) if isinstance(value, Path) else value for key, value in given.items() if value is not None
    }
    print(json_module.dumps(calculator_page.document(name, inputs, answer), indent=2))


def _options(key: str, hint: Any, parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """The options of one parameter: those of its source, or the one that its flag describes."""
    source = _source(hint)
    if source is not None:
        return [_with_parser(one) for one in inspect.signature(source[0]).parameters.values()]
    kind, flag = _flag(key, hint)
    is_needed = parameter.default is inspect.Parameter.empty
    name = _written(key, flag)
    shown: dict[str, Any] = {"metavar": flag.metavar or None, "help": flag.help, "parser": _parser(name, kind)}
    option = typer.Argument(**shown) if flag.is_positional else typer.Option(name, **shown)
    return [
        _keyword(key, Annotated[kind | None if is_needed else kind, option], None if is_needed else parameter.default)
    ]


def _written(key: str, flag: Flag) -> str:
    return flag.metavar if flag.is_positional else f"--{key.replace('_', '-')}"


def _with_singular(gpus: inspect.Parameter) -> inspect.Parameter:
    """`--gpu 8` beside `--gpus 8`, for calculators in which `--gpu` does not name a kind of GPU."""
    kind, option = get_args(gpus.annotation)
    both = copy(option)
    both.param_decls = (*option.param_decls, "--gpu")
    return gpus.replace(annotation=Annotated[kind, both])


def _with_parser(parameter: inspect.Parameter) -> inspect.Parameter:
    """The same option of a source, reading numbers as the others do."""
    kind, option = get_args(parameter.annotation)
    parser = _parser(f"--{parameter.name.replace('_', '-')}", kind)
    if parser is None:
        return parameter
    read = copy(option)
    read.parser = parser
    return parameter.replace(annotation=Annotated[kind, read])


def _parser(option: str, kind: Any) -> Callable[[Any], Any] | None:
    """The function that reads an option's number; None if the option takes no number."""
    plain = next(one for one in get_args(kind) if one is not NoneType) if _may_be_none(kind) else kind
    if plain not in (int, float):
        return None

    def read(written: Any) -> Any:
        from perfproof.calc.number_text import parse_number

        return parse_number(written, option, plain is int) if isinstance(written, str) else written

    return read


def _argument(key: str, hint: Any, parameter: inspect.Parameter, given: dict[str, Any]) -> Any:
    source = _source(hint)
    if source is not None:
        read, missing = source
        value = read(**{name: given[name] for name in inspect.signature(read).parameters})
        if value is None and not _may_be_none(hint):
            raise UsageError(missing)
        return value
    flag, value = _flag(key, hint)[1], given[key]
    if value is None and parameter.default is inspect.Parameter.empty:
        raise UsageError(f"{_written(key, flag)} is needed: {flag.help}")
    flag.check(_written(key, flag), value)
    return value


def _flag(key: str, hint: Any) -> tuple[Any, Flag]:
    if get_origin(hint) is not Annotated or not isinstance(get_args(hint)[1], Flag):
        raise TypeError(f"the parameter {key!r} of a calculator has neither a Flag nor a type that a source gives")
    return get_args(hint)[0], get_args(hint)[1]


def _source(hint: Any) -> tuple[Callable[..., Any], str] | None:
    """By the name of the type: of `Shape`, of `Shape | None`, and of `list[Point]`."""
    if get_origin(hint) is Annotated:
        return None
    wanted = next(one for one in get_args(hint) if one is not NoneType) if _may_be_none(hint) else hint
    wanted = get_args(wanted)[0] if get_origin(wanted) is list else wanted
    return SOURCES.get(wanted.__name__)


def _may_be_none(hint: Any) -> bool:
    return isinstance(hint, UnionType) and NoneType in get_args(hint)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _in_order(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    return [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
