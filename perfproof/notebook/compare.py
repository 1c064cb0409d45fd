"""`perfproof.compare(f, g, inputs)`: is g faster than f?

What is given is looked at first, and what makes no sense is one line. Messages speak of the parameters of `compare`.
"""

import difflib
import functools
import inspect
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, get_args

from perfproof.app.functions import measure_functions
from perfproof.bench.forms.two_functions import Functions, argument_names, in_python, labels_of
from perfproof.core.durations import parse_positive_duration
from perfproof.core.errors import PerfproofError, UsageError
from perfproof.core.options import EffortName, RunOptions
from perfproof.core.tolerance import DEFAULT_TOLERANCE
from perfproof.machine.facts import read_facts
from perfproof.machine.preflight import parse_allowed
from perfproof.notebook.answer import Answer
from perfproof.notebook.progress import progress_line
from perfproof.pairs.declarations import complaint
from perfproof.report.heading import BUSY, is_busy, load_text
from perfproof.worker.given_values import GivenValues

Function = TypeVar("Function", bound=Callable[..., Any])


def _known_words(function: Function) -> Function:
    """An unknown keyword is an error that names the known one; errors speak of parameters, not of options."""
    known = [name for name, one in inspect.signature(function).parameters.items() if one.kind == one.KEYWORD_ONLY]

    @functools.wraps(function)
    def checked(*arguments: Any, **keywords: Any) -> Any:
        for name in keywords:
            if name not in (*known, "f", "g", "inputs"):
                raise UsageError(f"compare has no parameter {name!r}{_hint(name, known)}")
        try:
            return function(*arguments, **keywords)
        except PerfproofError as error:
            error.args = tuple(in_python(one) if isinstance(one, str) else one for one in error.args)
            raise

    return checked  # type: ignore[return-value]


@_known_words
def compare(
    f: Callable[..., Any],
    g: Callable[..., Any],
    inputs: Any = (),
    *,
    reference: Callable[..., Any] | None = None,
    tolerance: Mapping[str, Any] | None = None,
    lowers_precision: str | None = None,
    domain: Mapping[str, Any] | None = None,
    effort: EffortName = "standard",
    budget: float | str | None = None,
    timeout: float | str = 300.0,
    delta: float = 0.01,
    device: str | None = None,
    labels: Sequence[str] | None = None,
    allow: Sequence[str] = (),
    threads: int | None = None,
    seed: int | str | None = None,
    progress: bool = True,
    save: bool | str | os.PathLike[str] = True,
) -> Answer:
    """Is `g` faster than `f`? Both are verified, measured in turn in fresh processes, and judged with an interval.

    f, g              functions, lambdas, methods, partials, modules; compiled or scripted; each side gets a copy
    inputs            a function that draws the arguments of a call, as a tuple or as one value; or the values
                      themselves, of which floating-point tensors and arrays are drawn anew for every call; without
                      it the functions are called without arguments
    reference         a slow and right function in higher precision; without it `f` is the oracle (and said to be)
    tolerance         dict(rtol=1e-5, atol=1e-6), or one such dict for each dtype name
    lowers_precision  the format that `g` computes in, if that is less precise than its arguments: "bf16"
    domain            dict(x=(0.0, 1.0), mask="drawn"): the range of an argument, or that only `inputs` can make it
    effort            "quick" (one launch), "standard", or "final" (a claim: the machine must be fit)
    budget, timeout   seconds for measuring, and for everything; also as on the command line, "2m"
    delta             a difference that does not matter: 0.01 is 1 %
    device            "cpu", "cuda", "cuda:1"; without it the device of given values, else the GPU if there is one
    labels            what to call the two in results, such as ("before", "after")
    allow             what an unfit machine is forgiven with effort="final", such as ["virtual"]
    threads           CPU threads that each function may use; without it one per physical core but one
    seed              a whole number, or the hexadecimal seed of another run: the same values again
    progress          show one line of progress on a terminal or in a notebook
    save              False, or the folder that gets the run's folder ("artifacts")
    """
    _check_functions(f, g, reference)
    for_measuring, for_all = _in_seconds("budget", budget), _in_seconds("timeout", timeout)
    _check_declared(effort, tolerance=tolerance, lowers_precision=lowers_precision, domain=domain)
    _check_numbers(budget=for_measuring, timeout=for_all, delta=delta)
    drawing = _drawing(inputs)
    arguments = argument_names(f, g, _first_draw(drawing))
    _check_names(domain, arguments)
    facts = read_facts(device or (_device_of(drawing.values) if isinstance(drawing, GivenValues) else None))
    asked = Functions(
        f=f,
        g=g,
        inputs=drawing,
        arguments=arguments,
        labels=_two_labels(labels) if labels is not None else labels_of(f, g),
        reference=reference,
        tolerance=dict(tolerance) if tolerance else DEFAULT_TOLERANCE,
        lowers_precision=lowers_precision or "",
        domain=dict(domain) if domain else {},
    )
    options = RunOptions(
        effort=effort,
        budget=for_measuring,
        timeout=for_all,
        delta=delta,
        device=device,
        allow=parse_allowed(allow),
        threads=_thread_count(threads),
        seed=_in_hexadecimal(seed),
        artifacts_dir="artifacts" if isinstance(save, bool) else os.fspath(save),
    )
    with progress_line(progress) as news:
        result, run, path = measure_functions(asked, options, facts, news, save=save is not False)
    return Answer(result, path, f"{BUSY} {load_text(run)}" if run and is_busy(run) else "")


def _check_functions(f: Any, g: Any, reference: Any) -> None:
    for name, function in (("f", f), ("g", g), ("reference", reference)):
        if not callable(function) and not (name == "reference" and function is None):
            kind = type(function).__name__
            raise UsageError(f"{name} is of type {kind}, not a function: write compare(f, g, inputs)")


def _check_declared(effort: Any, **declared: Any) -> None:
    efforts = list(get_args(EffortName))
    if effort not in efforts:
        raise UsageError(f"effort={effort!r} is unknown{_hint(effort, efforts)}")
    for name, value in declared.items():
        if value is not None and (wrong := complaint(name, dict(value) if isinstance(value, Mapping) else value)):
            raise UsageError(f"{name} {wrong}")


def _check_names(domain: Mapping[str, Any] | None, arguments: Sequence[str]) -> None:
    for name in domain or ():
        if name not in arguments:
            raise UsageError(f"domain names {name!r}, which is no argument{_hint(name, arguments)}")


def _thread_count(threads: Any) -> int | None:
    if threads is not None and (type(threads) is not int or threads < 1):
        raise UsageError(f"threads={threads!r} is wrong: write a whole number of 1 or more")
    return threads


def _check_numbers(**numbers: Any) -> None:
    for name, number in numbers.items():
        if number is None and name == "budget":
            continue
        is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
        if not is_number or not math.isfinite(number) or number <= 0:
            what = "a share above 0, such as 0.01" if name == "delta" else "seconds, a number above 0"
            raise UsageError(f"{name}={number!r} is wrong: write {what}")


def _in_seconds(name: str, given: Any) -> Any:
    return parse_positive_duration(given, name) if isinstance(given, str) else given


def _in_hexadecimal(seed: Any) -> str | None:
    """As runs keep it: 1 to 64 digits."""
    if seed is None:
        return None
    text = seed if isinstance(seed, str) else f"{seed:x}" if type(seed) is int and seed >= 0 else ""
    if not re.fullmatch(r"[0-9a-fA-F]{1,64}", text):
        raise UsageError(f"seed={seed!r} is wrong: write a whole number of 0 or more, or up to 64 hexadecimal digits")
    return text.lower()


def _first_draw(drawing: Callable[[], Any]) -> Any:
    try:
        return drawing()
    except Exception as error:
        what = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        raise UsageError(
            f"inputs() failed ({what}); it is called without arguments and returns those of one call, such as "
            "lambda: torch.randn(1000)"
        ) from error


def _drawing(inputs: Any) -> Callable[[], Any]:
    """`inputs` as a function; values are wrapped into one that draws what it can anew."""
    if not callable(inputs):
        return GivenValues(inputs if isinstance(inputs, tuple) else (inputs,))
    try:
        inspect.signature(inputs).bind()
    except TypeError as error:
        raise UsageError(
            f"inputs is called without arguments, and this {type(inputs).__name__} needs some ({error}); pass a "
            "function without parameters, or a tuple of values"
        ) from None
    except ValueError:
        pass  # a built-in function that does not say what it takes
    return inputs


def _two_labels(labels: Any) -> tuple[str, str]:
    wrong = isinstance(labels, str) or len(labels) != 2 or not all(isinstance(one, str) and one for one in labels)
    if wrong or labels[0] == labels[1]:
        raise UsageError(f'labels={labels!r} are not two names: write labels=("before", "after")')
    return labels[0], labels[1]


def _device_of(values: tuple) -> str | None:
    """Where the given tensors are; None if there are none."""
    if "torch" not in sys.modules:
        return None
    from perfproof.core.trees import tensors_in

    return next((str(tensor.device) for tensor in tensors_in(values) if tensor.device.type in ("cpu", "cuda")), None)


def _hint(word: Any, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(str(word), known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
