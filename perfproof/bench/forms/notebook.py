"""`perfproof.compare(f, g, inputs)`: the judgement of a pair for two functions at hand, in a notebook or a script.

The functions travel by value to fresh processes; they are verified, interleaved and judged like the sides of a pair.
"""

import inspect
import secrets
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfproof.bench.job import MOST_FOOTPRINT, Job
from perfproof.bench.launches import Launches
from perfproof.bench.run import GPU_FOOTPRINT, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.documents import TargetResult
from perfproof.core.errors import UsageError
from perfproof.core.options import EFFORTS, SAMPLING_SHARE, EffortName, RunOptions
from perfproof.core.ratio_figures import ratio_figures
from perfproof.core.tolerance import DEFAULT_TOLERANCE
from perfproof.core.units import percent, ratio, seconds
from perfproof.machine import layout
from perfproof.machine.facts import read_facts
from perfproof.worker import pickled


@dataclass(frozen=True)
class Answer:
    """The result of a comparison; `str()` of it is the sentence to quote, `document` everything behind it."""

    document: TargetResult

    @property
    def verdict(self) -> str | None:
        return self.document.verdict

    @property
    def ratio(self) -> float | None:
        found = self.document.ratios.get("optimized")
        return found.ratio if found else None

    def __str__(self) -> str:
        result, found = self.document, self.document.ratios.get("optimized")
        if result.status != "ok" or found is None:
            return f"{result.status}: {result.reason}"
        times = [seconds(figure) for figure in ratio_figures(result, "optimized")]
        text = (
            f"{found.verdict}: {ratio(found.ratio)} [{ratio(found.low)}, {ratio(found.high)}], {times[0]} to {times[1]}"
        )
        if found.verdict == "same":
            text += f"; any difference is below {percent(found.bound)}"
        return text

    __repr__ = __str__


def compare(
    f: Callable,
    g: Callable,
    inputs: Callable[[], Any],
    *,
    reference: Callable | None = None,
    tolerance: dict[str, Any] | None = None,
    effort: EffortName = "standard",
    device: str | None = None,
    delta: float = 0.01,
    timeout: float = 300.0,
) -> Answer:
    """Is `g` faster than `f`? `inputs()` draws the arguments of both anew at every call.

    Functions, methods, partials, modules, compiled and scripted ones are compared; each side gets a copy of its own.
    Without a `reference` the oracle is `f` in double precision, or `f` itself if it has none; the result says which.
    """
    names = _argument_names(f, g, inputs())
    options = RunOptions(effort=effort, device=device, delta=delta, timeout=timeout)
    facts = read_facts(device)
    with tempfile.TemporaryDirectory() as folder:
        functions = {"inputs": inputs, "baseline": f, "optimized": g}
        functions |= {"reference": reference} if reference else {}
        pickled.write(functions, Path(folder))
        job = _job(f, g, folder, reference, tolerance, names, options, facts)
        launches = Launches(worker_environment(options, facts), facts.device)
        try:
            result, _, _ = run_target(job, launches, lambda *_, **__: None, timed=True)
        finally:
            launches.close()
    return Answer(result)


def _job(f, g, folder: str, reference, tolerance, names, options: RunOptions, facts) -> Job:
    threads = layout.default_threads()
    source = {
        "path": "",
        "siblings": {},
        "borrowed": {},
        "pickled": folder,
        "constants": False,
        "imports": ["numpy", "random"],
        "folders": pickled.own_folders(),
        "files": {},
    }
    return Job(
        target=f"{_name(f)} against {_name(g)}",
        source=source,
        arguments=names,
        constant=(),
        mutates=(),
        cold=(),
        tolerance=tolerance or DEFAULT_TOLERANCE,
        lowers_precision="",
        variants=("optimized",),
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
        seed=secrets.token_hex(16),
        deadline=time.monotonic() + options.timeout,
        budget_end=time.monotonic() + SAMPLING_SHARE * options.timeout,
        has_cost=False,
        has_reference=reference is not None,
    )


def _name(function: Any) -> str:
    return getattr(function, "__name__", None) or type(function).__name__


def _argument_names(f: Callable, g: Callable, drawn: Any) -> tuple[str, ...]:
    """A name for each value that `inputs` returns, as f calls them; an error if a function cannot take so many."""
    values = drawn if isinstance(drawn, tuple) else (drawn,)
    for name, function in (("f", f), ("g", g)):
        try:
            _signature(function).bind(*values)
        except TypeError as error:
            many = f"the {len(values)} values" if len(values) != 1 else "the one value"
            raise UsageError(f"{name} cannot take {many} that inputs() returns: {error}") from None
        except ValueError:
            pass  # a built-in function that does not say what it takes
    return tuple(_named(f, len(values)) or _named(g, len(values)) or (f"x{at}" for at in range(len(values))))


def _signature(function: Callable) -> inspect.Signature:
    """The signature of a function; for a torch module that of `forward`, because `__call__` takes anything."""
    forward = getattr(function, "forward", None)
    return inspect.signature(forward if callable(forward) and not inspect.isfunction(function) else function)


def _named(function: Callable, count: int) -> list[str]:
    try:
        parameters = _signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    names = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return names[:count] if len(names) >= count else []
