"""Run targets one after the other: warm parents are started once, every finished target is handed over at once."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from perfproof.bench.ceilings import Limits, hold_against_light
from perfproof.bench.checks.sanitizer import not_sanitized, sanitize, with_sanitizers
from perfproof.bench.job import MOST_FOOTPRINT, Job, source_of
from perfproof.bench.launches import Launches
from perfproof.bench.target import run_target
from perfproof.bench.warnings import note_prediction
from perfproof.core.documents import KernelResources, TargetResult
from perfproof.core.errors import UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import EFFORTS, SAMPLING_SHARE, SHARED, SLOW_SHARE, RunOptions
from perfproof.core.units import MiB
from perfproof.machine import layout, rank_layout
from perfproof.machine.software import has_package
from perfproof.pairs.availability import availability
from perfproof.pairs.pair import Pair
from perfproof.pairs.rank_count import with_ranks, without_ranks

GPU_FOOTPRINT = 192 * MiB  # at the least; a worker makes it three times its device's L2


@dataclass(frozen=True)
class Planned:
    pair: Pair
    sizes: dict[str, Any]  # overrides only


@dataclass(frozen=True)
class Finished:
    result: TargetResult
    samples: list[dict[str, Any]]
    log: str
    files: dict[str, str] = field(default_factory=dict)  # further files of the run's folder: name -> text


@dataclass(frozen=True)
class Progress:
    target: str
    phase: str
    share: float | None  # of this target
    seconds_left: float | None
    line: str | None = None  # printed once
    ratio: float | None = None  # baseline over the first variant, from the samples so far


def run_targets(
    planned: Sequence[Planned],
    options: RunOptions,
    facts: Facts,
    seed: str,
    notify: Callable[[Progress], None],
    limits: Limits | None = None,
    mark: Callable[[list[dict]], list[dict]] | None = None,
) -> Iterator[Finished]:
    """Yield each target as it finishes, held against the machine's limits. Closing it ends every process it started."""
    started = time.monotonic()
    launches = Launches(worker_environment(options, facts), facts.device)
    try:
        for index, plan in enumerate(planned):
            timed = sum(availability(with_ranks(one.pair, one.sizes), facts).timed for one in planned[index:])
            end = _share_of_budget(options, started, max(1, timed))
            finished = _run_one(plan, options, facts, seed, launches, end, notify, mark)
            if limits:
                hold_against_light(finished.result, limits, plan.pair.computes_in)
            note_prediction(finished.result)
            yield finished
    finally:
        launches.close()


def worker_environment(options: RunOptions, facts: Facts) -> dict[str, str]:
    """What every warm parent starts with: thread counts fixed, Triton interpreted where there is no GPU."""
    threads = str(options.threads or layout.default_threads())
    environment = dict(os.environ)
    environment.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), threads))
    environment.pop("PERFPROOF_FAST", None)
    environment.setdefault("KINETO_LOG_LEVEL", "99")  # it writes a line to stderr at each start and stop
    environment["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # its pool would work on beside what is timed
    if facts.cuda is None:
        environment["TRITON_INTERPRET"] = "1"
    else:
        environment["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"  # asking for a device, as compilers do on import, opens none
    return environment


def _run_one(
    plan: Planned,
    options: RunOptions,
    facts: Facts,
    seed: str,
    launches: Launches,
    budget_end: float,
    notify: Callable[[Progress], None],
    mark: Callable[[list[dict]], list[dict]] | None,
) -> Finished:
    pair = with_ranks(plan.pair, plan.sizes)
    can = availability(pair, facts)
    if not can.timed and not can.verified:
        return Finished(_declared(_skipped(pair, can.reason, options), pair), [], "")
    sanitized = []
    if options.sanitize:
        unbounded = make_job(pair, plan.sizes, options, facts, seed, budget_end)
        sanitized = sanitize(unbounded, worker_environment(options, facts))
        if any(one.result == "fail" for one in sanitized):
            failed = with_sanitizers(TargetResult(target=pair.name, status="ok", device=facts.device), sanitized)
            return Finished(_declared(failed, pair), [], "")
    job = replace(make_job(pair, plan.sizes, options, facts, seed, budget_end), mark=mark)

    def tell(
        phase: str, share: float | None, left: float | None, line: str | None = None, ratio: float | None = None
    ) -> None:
        notify(Progress(pair.name, phase, share, left, line, ratio))

    result, samples, log = run_target(job, launches, tell, timed=can.timed)
    if result.status == "skipped":
        result.reason = can.reason
    return Finished(_declared(with_sanitizers(result, sanitized), pair), samples, log)


def _skipped(pair: Pair, reason: str, options: RunOptions) -> TargetResult:
    words, resources = _compiled(pair)
    result = TargetResult(target=pair.name, status="skipped", reason=reason + words, kernel_resources=resources)
    return with_sanitizers(result, not_sanitized(reason) if options.sanitize else [])


def _compiled(pair: Pair) -> tuple[str, list[KernelResources]]:
    """What can be said of kernels that cannot run here: do they compile, and what do they take?"""
    if not pair.kernel_files or not has_package("cuda.bindings"):
        return "", []
    from perfproof.cuda.check import Compiled, check, in_words  # NVRTC: loaded for such a pair only

    found = check(pair.path, pair.needs)
    resources = [
        KernelResources(
            kernel=signature.partition("(")[0],
            architecture=result.architecture,
            registers=taken.registers,
            static_shared=taken.static_shared,
            local=taken.local,
            spill_stores=taken.spill_stores,
            spill_loads=taken.spill_loads,
        )
        for result in found
        if isinstance(result, Compiled)
        for signature, taken in result.kernels.items()
    ]
    return f"; {in_words(found)}", resources


def make_job(
    pair: Pair, overrides: dict[str, Any], options: RunOptions, facts: Facts, seed: str, budget_end: float
) -> Job:
    on_gpu = facts.cuda is not None
    declared = pair.workload if on_gpu or pair.workload_cpu is None else pair.workload_cpu
    sizes = pair.smoke if options.fast and pair.smoke else declared
    several = pair.ranks > 1
    threads = options.threads or (rank_layout.rank_threads(pair.ranks) if several else layout.default_threads())
    rank_cpus = rank_layout.rank_cpus(pair.ranks, threads) if several else ()
    cpus = {cpu for own in rank_cpus for cpu in own} or layout.worker_cpus(threads)
    warnings = [("W106", "the baseline is naive: its ratio is no headline")] if pair.tier == "naive" else []
    if several and (shared := rank_layout.crowding(rank_cpus)):
        warnings.append(("W135", shared))
    if pair.left_out:
        warnings.append(("W144", f"not declared: {', '.join(pair.left_out)}"))
    warnings += [("W126", f"`{name}` loosens a check and no comment on its line says why") for name in pair.reasonless]
    if overrides:
        warnings.append(("W120", ", ".join(f"{name}={value}" for name, value in overrides.items())))
    return Job(
        target=pair.name,
        source=source_of(pair),
        arguments=pair.arguments,
        constant=pair.constant,
        mutates=pair.mutates,
        domain=pair.domain,
        layout=pair.layout,
        distribution=pair.distribution,
        cold=pair.cold,
        tolerance=_tolerance(pair),
        lowers_precision=pair.lowers_precision,
        variants=_chosen(pair, options),
        claim=pair.claim,
        clock=pair.clock,
        device=facts.device,
        sizes={**sizes, **without_ranks(pair, overrides)},
        smoke=pair.smoke,
        threads=threads,
        cpus=tuple(sorted(cpus)),
        footprint=GPU_FOOTPRINT
        if on_gpu
        else min(3 * (layout.last_level_cache_bytes() or MOST_FOOTPRINT), MOST_FOOTPRINT),
        effort=EFFORTS[options.effort],
        delta=options.delta,
        seed=seed,
        deadline=time.monotonic() + options.timeout,
        budget_end=min(budget_end, time.monotonic() + SAMPLING_SHARE * options.timeout),
        slow_end=min(budget_end, time.monotonic() + SLOW_SHARE * options.timeout),
        shared=SHARED in options.allow,
        warnings=warnings,
        rank_cpus=rank_cpus,
        has_cost=pair.has_cost,
        has_reference=pair.has_reference,
    )


def _tolerance(pair: Pair) -> dict[str, Any]:
    """A lab's step may borrow its tolerance: read where it is declared, without importing the sibling."""
    if "tolerance" not in pair.borrowed:
        return pair.tolerance
    from perfproof.pairs.contract import read_pair

    stem = pair.borrowed["tolerance"]
    return _tolerance(read_pair(pair.siblings[stem], f"{pair.chapter}:{stem}", pair.chapter, pair.own))


def _chosen(pair: Pair, options: RunOptions) -> tuple[str, ...]:
    if not options.variants:
        return pair.variants
    wanted = tuple(
        name
        for name in pair.variants
        if name in options.variants or name.removeprefix("optimized_") in options.variants
    )
    if not wanted:
        raise UsageError(f"{pair.name} has no variant {', '.join(options.variants)}: it has {', '.join(pair.variants)}")
    return wanted


def _declared(result: TargetResult, pair: Pair) -> TargetResult:
    return result.model_copy(
        update={
            "path": _shown_path(pair),
            "lesson": pair.lesson,
            "tier": pair.tier,
            "source_sha256": pair.source_sha256,
            "code_sha256": pair.code_sha256,
        }
    )


def _shown_path(pair: Pair) -> str:
    try:
        return str(pair.path.relative_to(os.getcwd()))
    except ValueError:
        return str(pair.path)


def _share_of_budget(options: RunOptions, started: float, targets_left: int) -> float:
    """An equal share of what is left of the budget for each target that is still to be timed."""
    if options.budget is None:
        return float("inf")
    now = time.monotonic()
    return now + max(0.0, started + options.budget - now) / targets_left
