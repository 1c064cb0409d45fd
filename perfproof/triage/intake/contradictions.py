"""What cannot be true together, whatever the system: each rule is one function over the form.

A rule that would need a field which is empty says nothing; what needs the model or the GPU is in speed_of_light.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from perfproof.core.intake import Baseline, Intake, Slos
from perfproof.triage.intake import quantities, speed_of_light
from perfproof.triage.intake.problems import Problem
from perfproof.triage.intake.quantity_fields import doubtful_commas, quantities_of
from perfproof.triage.intake.target import target_met_already

LATENCIES = ("ttft", "tpot", "latency")
NO_GPU = ("none", "no", "cpu")
SECTIONS = ("slos", "baseline")


def find_contradictions(intake: Intake, folder: Path) -> tuple[list[Problem], list[str]]:
    """Problems, and what could not be checked with the reason."""
    found = [problem for rule in RULES for problem in rule(intake)]
    limits, not_checked = speed_of_light.find_limits(intake, folder)
    return [*found, *limits], not_checked


def seconds_of(section: Slos | Baseline, name: str) -> float | None:
    written = getattr(section, name)
    return None if written is None else quantities.seconds(written)


def tails_below_medians(intake: Intake) -> Iterator[Problem]:
    for name in SECTIONS:
        section = getattr(intake, name)
        for latency in LATENCIES:
            middle, tail = (seconds_of(section, f"{latency}_{which}") for which in ("p50", "p99"))
            if middle is not None and tail is not None and tail < middle:
                written = getattr(section, f"{latency}_p50")
                yield Problem((name, f"{latency}_p99"), f"a p99 cannot be below the p50 of {written}")


def requests_shorter_than_their_parts(intake: Intake) -> Iterator[Problem]:
    tokens = intake.workload.output_tokens or 1
    for name in SECTIONS:
        section = getattr(intake, name)
        whole, first, each = (seconds_of(section, f"{latency}_p50") for latency in ("latency", "ttft", "tpot"))
        if whole is None or first is None:
            continue
        least = first + (each or 0.0) * (tokens - 1)
        if whole < least * 0.99:
            parts = f"ttft_p50 and {tokens - 1} times tpot_p50" if each else "ttft_p50"
            yield Problem((name, "latency_p50"), f"is shorter than {parts} together, {least:.3g} s")


def more_in_flight_than_allowed(intake: Intake) -> Iterator[Problem]:
    """Little's law: in flight = arrivals x the mean time of a request."""
    arrivals, most = intake.workload.arrivals, intake.workload.concurrency
    rate = quantities.throughput(arrivals) if arrivals else None
    whole = seconds_of(intake.slos, "latency_p50")
    if rate and rate[1] == "requests" and whole and most and rate[0] * whole > most:
        text = f"{arrivals} for {intake.slos.latency_p50} each are {rate[0] * whole:.0f} in flight, more than these"
        yield Problem(("workload", "concurrency"), text, "doubt")


def shares_above_all(intake: Intake) -> Iterator[Problem]:
    for path, written in quantities_of(intake):
        value = quantities.share(written)
        if value is not None and value > 1:
            yield Problem(path, f"{written} is more than all: write at most 100 %")


def no_gpu_and_gpus(intake: Intake) -> Iterator[Problem]:
    name, count = intake.hardware.gpu, intake.hardware.gpus_per_node
    if name and name.strip().lower() in NO_GPU and count:
        yield Problem(
            ("hardware", "gpus_per_node"), f"is {count}, but hardware.gpu says {name!r}: name the card, or write 0"
        )
    elif name and name.strip().lower() not in NO_GPU and count == 0:
        yield Problem(("hardware", "gpus_per_node"), f"is 0, but hardware.gpu names {name!r}")


def plan_against_gpus(intake: Intake) -> Iterator[Problem]:
    software, hardware = intake.software, intake.hardware
    if hardware.gpus_per_node is None:
        return
    ranks = (software.tensor_parallel or 1) * (software.pipeline_parallel or 1) * (software.data_parallel or 1)
    gpus = hardware.gpus_per_node * (hardware.nodes or 1)
    where = next(
        (name for name in ("tensor_parallel", "pipeline_parallel", "data_parallel") if getattr(software, name)), ""
    )
    if where and ranks > max(gpus, 1):
        yield Problem(("software", where), f"the parallel plan needs {ranks} GPUs, and there are {gpus}")
    elif software.data_parallel and software.tensor_parallel and ranks < gpus:
        yield Problem(("software", where), f"the parallel plan uses {ranks} of {gpus} GPUs", "doubt")


def batches_that_do_not_multiply(intake: Intake) -> Iterator[Problem]:
    work = intake.workload
    if work.global_batch is None or work.batch is None or intake.software.data_parallel is None:
        return
    steps = work.accumulation_steps or 1
    product = work.batch * intake.software.data_parallel * steps
    if product != work.global_batch:
        worked = f"{work.batch} x {intake.software.data_parallel} x {steps} = {product}"
        yield Problem(("workload", "global_batch"), f"is not batch x data_parallel x accumulation_steps: {worked}")


def memory_used_above_memory(intake: Intake) -> Iterator[Problem]:
    used, there = intake.baseline.gpu_memory_used, intake.hardware.gpu_memory
    if used and there and (quantities.size(used) or 0) > (quantities.size(there) or 0):
        yield Problem(("baseline", "gpu_memory_used"), f"is more than the {there} that a GPU has")


def promises_met_already(intake: Intake) -> Iterator[Problem]:
    """Not wrong, but then the goal is elsewhere."""
    for name in (f"{latency}_{which}" for latency in LATENCIES for which in ("p50", "p99")):
        promised, today = seconds_of(intake.slos, name), seconds_of(intake.baseline, name)
        if promised and today and today <= promised:
            yield Problem(("slos", name), f"is met already: {getattr(intake.baseline, name)} today", "doubt")


def rates_of_different_things(intake: Intake) -> Iterator[Problem]:
    wanted, today = (
        section.throughput and quantities.throughput(section.throughput) for section in (intake.slos, intake.baseline)
    )
    if wanted and today and wanted[1] != today[1]:
        yield Problem(("baseline", "throughput"), f"counts {today[1]}, the SLO {wanted[1]}: they cannot be compared")


def precisions_outside_the_allowed(intake: Intake) -> Iterator[Problem]:
    allowed, used = intake.constraints.precisions, intake.workload.weights_dtype
    if allowed and used and used not in allowed:
        yield Problem(
            ("workload", "weights_dtype"), f"is not among the allowed precisions: {', '.join(allowed)}", "doubt"
        )


RULES: tuple[Callable[[Intake], Iterator[Problem]], ...] = (
    doubtful_commas,
    shares_above_all,
    no_gpu_and_gpus,
    target_met_already,
    tails_below_medians,
    requests_shorter_than_their_parts,
    more_in_flight_than_allowed,
    plan_against_gpus,
    batches_that_do_not_multiply,
    memory_used_above_memory,
    promises_met_already,
    rates_of_different_things,
    precisions_outside_the_allowed,
)
