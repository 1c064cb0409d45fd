"""`perfproof.compare(f, g, inputs)`: the judgement of a pair for two functions at hand, in a notebook or a script.

The functions travel by value to fresh processes; they are verified, interleaved and judged like the sides of a pair.
"""

import inspect
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from perfproof.bench.job import MOST_FOOTPRINT, Job
from perfproof.bench.launches import Launches
from perfproof.bench.run import GPU_FOOTPRINT, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.documents import TargetResult
from perfproof.core.errors import UsageError
from perfproof.core.options import EFFORTS, SAMPLING_SHARE, EffortName, RunOptions
from perfproof.core.ratio_figures import ratio_figures
from perfproof.core.units import percent, ratio, seconds
from perfproof.machine import layout
from perfproof.machine.facts import read_facts

FLOAT32 = dict(rtol=1e-4, atol=1e-5)
TOLERANCE = {
    "float64": dict(rtol=1e-9, atol=1e-10),
    "float32": FLOAT32,
    "float16": dict(rtol=1e-2, atol=1e-3),
    "bfloat16": dict(rtol=2e-2, atol=1e-2),
    "float": FLOAT32,
}


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

    Without a `reference` in higher precision `f` itself is the oracle, and the result says so.
    """
    names = _argument_names(f, g)
    options = RunOptions(effort=effort, device=device, delta=delta, timeout=timeout)
    facts = read_facts(device)
    job = _job(f, g, inputs, reference, tolerance, names, options, facts)
    launches = Launches(worker_environment(options, facts), facts.device)
    try:
        result, _, _ = run_target(job, launches, lambda *_, **__: None, timed=True)
    finally:
        launches.close()
    return Answer(result)


def _job(f, g, inputs, reference, tolerance, names, options: RunOptions, facts) -> Job:
    import cloudpickle

    functions = {"inputs": inputs, "reference": reference or f, "baseline": f, "optimized": g}
    threads = layout.default_threads()
    source = {
        "path": "",
        "siblings": {},
        "borrowed": {},
        "pickled": cloudpickle.dumps(functions).hex(),
        "imports": ["numpy", "random"],
        "folders": [],
        "files": {},
    }
    return Job(
        target=f"{getattr(f, '__name__', 'f')} against {getattr(g, '__name__', 'g')}",
        source=source,
        arguments=names,
        constant=(),
        mutates=(),
        cold=(),
        tolerance=tolerance or TOLERANCE,
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
        warnings=[] if reference else [("W114", "no reference was given: f itself is the oracle")],
    )


def _argument_names(f: Callable, g: Callable) -> tuple[str, ...]:
    try:
        count = len(inspect.signature(f).parameters)
        other = len(inspect.signature(g).parameters)
    except (TypeError, ValueError):
        raise UsageError("f and g need a signature: wrap a built-in in a lambda") from None
    if count != other:
        raise UsageError(f"f takes {count} arguments, g {other}: both get what inputs() returns")
    return tuple(inspect.signature(f).parameters)
