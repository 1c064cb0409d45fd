"""Two functions of a Python program: the judgement of a pair for `perfproof.compare(f, g, inputs)`.

The functions travel by value to fresh processes; they are verified, interleaved and judged like the sides of a pair.
"""

import inspect
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from perfproof.bench.forms.fixed_values import take_verdict
from perfproof.bench.forms.function_files import file_of
from perfproof.bench.job import MOST_FOOTPRINT, Job
from perfproof.bench.launches import Launches
from perfproof.bench.run import GPU_FOOTPRINT, Finished, Progress, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.documents import TargetResult
from perfproof.core.errors import UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import EFFORTS, SAMPLING_SHARE, SLOW_SHARE, RunOptions
from perfproof.core.tolerance import DEFAULT_TOLERANCE
from perfproof.machine import layout
from perfproof.pairs.project import MOST_FILES, files_at, read_tree, texts_of
from perfproof.worker import own_files, pickled
from perfproof.worker.given_values import GivenValues

F, G = "baseline", "optimized"  # what the rest of the bench and the document call them
HOW_TO_DRAW = "pass a function that draws the arguments, such as inputs=lambda: torch.randn(1000)"
SIDE = re.compile(rf"\b(?:(?:the )?{F}|{G})\b")
PARAMETERS = (  # an option of the command line, or a word of a pair -> the parameter of `compare`
    (re.compile(r"--allow ('\w+')"), r"allow=[\1]"),
    (re.compile(r"--allow (\w+)(?= --allow)"), r'"\1",'),
    (re.compile(r"((?:\"\w+\", )*)--allow (\w+)"), r'allow=[\1"\2"]'),
    (re.compile(r"--(effort|device) ([a-z]+(?::\d+)?)"), r'\1="\2"'),
    (re.compile(r"--artifacts-dir"), "folder with save="),
    (re.compile(r"--shared"), 'allow=["shared"]'),
    (re.compile(r"--(effort|device|budget|timeout|delta|threads)\b"), r"\1="),
    (re.compile(r"declare the `domain` of the argument with the reason in a comment"), "say its range with domain="),
    (re.compile(r", or name it in `mutates`| at timed sizes"), ""),  # there is no such parameter, and one size
)


@dataclass(frozen=True)
class Functions:
    """What is compared: two functions, how their arguments are drawn, and what their answers are held against."""

    f: Callable
    g: Callable
    inputs: Callable[[], Any]
    arguments: tuple[str, ...]
    labels: tuple[str, str]
    reference: Callable | None = None
    tolerance: dict[str, Any] = field(default_factory=lambda: DEFAULT_TOLERANCE)
    lowers_precision: str = ""
    domain: dict[str, Any] = field(default_factory=dict)
    file: str = ""  # that compares them: functions of other files may have the same names

    @property
    def name(self) -> str:
        return f"{self.file}{': ' if self.file else ''}{self.labels[0]} against {self.labels[1]}"

    @property
    def given(self) -> GivenValues | None:
        return self.inputs if isinstance(self.inputs, GivenValues) else None


def run_functions(
    asked: Functions,
    options: RunOptions,
    facts: Facts,
    seed: str,
    notify: Callable[[Progress], None],
    mark: Callable[[list[dict]], list[dict]] | None = None,
) -> Iterator[Finished]:
    """Yield the one result. Its texts call the sides by their labels, and options as `compare` calls them."""

    def tell(
        phase: str, share: float | None, left: float | None, line: str | None = None, ratio: float | None = None
    ) -> None:
        notify(Progress(asked.name, phase, share, left, line, ratio))

    files = {side: found for side, one in ((F, asked.f), (G, asked.g)) if (found := file_of(one))}
    with tempfile.TemporaryDirectory() as folder:
        functions = {"inputs": asked.inputs, F: asked.f, G: asked.g}
        functions |= {"reference": asked.reference} if asked.reference else {}
        pickled.write(functions, Path(folder), {F: "f", G: "g"})
        job = _job(asked, folder, options, facts, seed, mark, files_read(Path(folder), Path.cwd()))
        launches = Launches(worker_environment(options, facts), facts.device)
        try:
            result, samples, log = run_target(job, launches, tell, timed=True)
        finally:
            launches.close()
    result.labels, result.functions = dict(zip((F, G), asked.labels, strict=True)), files
    _say_what_was_given(result, asked)
    _say_it_in_python(result, asked.labels)
    yield Finished(result, samples, log)


def argument_names(f: Callable, g: Callable, drawn: Any) -> tuple[str, ...]:
    """A name for each value that `inputs` returns, as f calls them; an error if a function cannot take so many."""
    values = drawn if isinstance(drawn, tuple) else (drawn,)
    for name, function in (("f", f), ("g", g)):
        signature = _signature(function)
        try:
            _ = signature and signature.bind(*values)
        except TypeError as error:
            if not values:
                raise UsageError(f"{name} needs arguments ({error}): {HOW_TO_DRAW}") from None
            many = f"the {len(values)} values" if len(values) != 1 else "the one value"
            raise UsageError(
                f"{name} cannot take {many} of inputs: {error}; inputs returns a tuple with a value for each argument"
            ) from None
    return tuple(_named(f, len(values)) or _named(g, len(values)) or (f"x{at}" for at in range(len(values))))


def labels_of(f: Callable, g: Callable) -> tuple[str, str]:
    """The names of the functions: with their class or module if they have the same; f and g if they have none."""
    names = [_name(function) for function in (f, g)]
    found = [name if name.isidentifier() else usual for name, usual in zip(names, "fg", strict=True)]
    for told in (_with_class, _with_module):
        if found[0] == found[1]:
            found = [told(f), told(g)]
    return (found[0], found[1]) if found[0] != found[1] and all(map(_is_dotted, found)) else ("f", "g")


def _with_class(function: Any) -> str:
    """`Tokenizer.encode`, or `dedup`; what was defined inside a function is named from there on."""
    wrapped = getattr(function, "func", None)  # a partial
    name = getattr(function, "__qualname__", "") or (_with_class(wrapped) if wrapped else type(function).__qualname__)
    return name.rpartition("<locals>.")[2]


def _with_module(function: Any) -> str:
    inner = function
    while hasattr(inner, "func"):  # a partial
        inner = inner.func
    return f"{getattr(inner, '__module__', None) or type(inner).__module__}.{_with_class(function)}"


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def in_python(text: str) -> str:
    """A message of perfproof with the parameters of `compare` instead of options of the command line."""
    for option, parameter in PARAMETERS:
        text = option.sub(parameter, text)
    return text


def files_read(handed_over: Path, here: Path) -> dict[str, str]:
    """Files and folders that the functions name by a path relative to the caller's folder: its first part -> where.

    The texts in the functions and in what they hold, and those in the program's own modules, are looked at.
    """
    loaded = [module.__file__ for _, module in own_files.modules_in((os.sep,)) if module.__file__]
    sources = [file for file in loaded[:MOST_FILES] if file.endswith(".py") and os.path.exists(file)]
    texts = [text for file in sources for text in _texts_in(file, os.stat(file).st_mtime_ns)]
    return {name: str(path) for name, path in files_at([*pickled.texts_in(handed_over), *texts], (here,)).items()}


@cache
def _texts_in(file: str, written: int) -> tuple[str, ...]:
    """Of a file as it was then: to read all modules of a large program takes seconds, and a notebook compares often."""
    tree = read_tree(Path(file))
    return tuple(texts_of([tree])) if tree else ()


def _job(
    asked: Functions, folder: str, options: RunOptions, facts: Facts, seed: str, mark: Any, files: dict[str, str]
) -> Job:
    threads, now = options.threads or layout.default_threads(), time.monotonic()
    source = {
        "path": "",
        "siblings": {},
        "borrowed": {},
        "pickled": folder,
        "constants": False,
        "imports": ["numpy", "random"],
        "folders": pickled.own_folders(),
        "files": files,
    }
    return Job(
        target=asked.name,
        source=source,
        arguments=asked.arguments,
        constant=_constant(asked),
        mutates=(),
        cold=(),
        tolerance=asked.tolerance,
        lowers_precision=asked.lowers_precision,
        domain=asked.domain,
        variants=(G,),
        claim="time",
        clock="call",
        device=facts.device,
        sizes={},
        smoke=None,
        threads=threads,
        cpus=tuple(sorted(layout.worker_cpus(threads))),
        footprint=GPU_FOOTPRINT if facts.cuda else MOST_FOOTPRINT,
        effort=EFFORTS[options.effort],
        delta=options.delta,
        seed=seed,
        deadline=now + options.timeout,
        budget_end=now + min(SAMPLING_SHARE * options.timeout, options.budget or float("inf")),
        slow_end=now + min(SLOW_SHARE * options.timeout, options.budget or float("inf")),
        has_cost=False,
        has_reference=asked.reference is not None,
        mark=mark,
    )


def _constant(asked: Functions) -> tuple[str, ...]:
    """Given values that every call gets as they are; if that is all of them, no argument is called constant."""
    if asked.given is None or asked.given.is_fixed:
        return ()
    return tuple(name for name, drawn in zip(asked.arguments, asked.given.drawn, strict=True) if not drawn)


def _say_what_was_given(result: TargetResult, asked: Functions) -> None:
    """What values instead of a function mean for the result: a remembered answer serves values that never change."""
    if asked.given is None:
        return
    if result.status != "ok":
        if not asked.given.is_fixed:
            result.reason += (
                f" (the numbers in inputs were drawn anew for every call; if they must not be, {HOW_TO_DRAW})"
            )
        return
    if asked.given.is_fixed:
        take_verdict(result, HOW_TO_DRAW)
        return
    kept = ", ".join(_constant(asked))
    note = "floating-point inputs are drawn anew for every call from the values that were given"
    note += f"; {kept} stays as given" if kept else ""
    for judged in result.ratios.values():
        judged.note = "; ".join([*(one for one in judged.note.split("; ") if one), note])


def _say_it_in_python(result: TargetResult, labels: tuple[str, str]) -> None:
    def said(text: str) -> str:
        return SIDE.sub(lambda found: labels[1] if found[0] == G else labels[0], in_python(text))

    result.reason = said(result.reason)
    for check in result.checks:
        check.detail = said(check.detail)
    for warning in result.warnings:
        warning.text = said(warning.text)
    for judged in result.ratios.values():
        judged.note = said(judged.note)


def _name(function: Any) -> str:
    wrapped = getattr(function, "func", None)  # a partial
    return getattr(function, "__name__", None) or (_name(wrapped) if wrapped else type(function).__name__)


def _signature(function: Callable) -> inspect.Signature | None:
    """The signature of a function, None if it does not say; for a torch module that of `forward`."""
    forward = getattr(function, "forward", None)
    try:
        return inspect.signature(forward if callable(forward) and not inspect.isfunction(function) else function)
    except (TypeError, ValueError):
        return None


def _named(function: Callable, count: int) -> list[str]:
    signature = _signature(function)
    parameters = signature.parameters.values() if signature else ()
    names = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return names[:count] if len(names) >= count else []
