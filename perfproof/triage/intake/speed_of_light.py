"""What the hardware cannot do: an SLO faster than the roofline, weights that no memory of these GPUs holds.

The rates are the data sheet's, the formulas those of `perfproof calc roofline` and `calc fit`: nothing can be faster. A
promise below is broken whatever engine is used; and a baseline below was measured wrongly. Where the form leaves fields
of the parallel plan empty, the best of the possible plans counts.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.kv_bytes import Cache, per_sequence
from perfproof.calc.number_formats import compute_type, format_name
from perfproof.calc.step_time import Plan, decode_step, prefill_step
from perfproof.core.errors import PerfproofError
from perfproof.core.intake import Intake
from perfproof.core.units import both_bytes, seconds
from perfproof.machine.datasheet import SHEETS
from perfproof.triage.intake import quantities
from perfproof.triage.intake.described_system import System, read_gpu, read_model
from perfproof.triage.intake.plans import gpus_of, possible_plans, weights_over, written_replica
from perfproof.triage.intake.problems import Problem
from perfproof.triage.intake.target import TARGET, read_target

SHEET_SHARE = 0.1  # a memory that differs more than this from the sheet's is of another card
MOST_GPUS = 1_000_000  # above it a form means something else, and all its plans would take long to try
NO_COUNT = "limits of memory and time: the form does not say how many GPUs there are (hardware.gpus_per_node)"
TWO_GOALS = (
    "limits of the first token, of whole requests and of throughput: with a goal of both, the form does not say "
    "whether its lengths and times are of training or of inference"
)


def find_limits(intake: Intake, folder: Path) -> tuple[list[Problem], list[str]]:
    problems: list[Problem] = []
    gpu, why_no_gpu = read_gpu(intake)
    model, why_no_model = read_model(intake, folder, problems)
    if gpu is not None:
        problems += _other_card(intake, gpu)
    if gpu is None or model is None:
        return problems, [why for why in (why_no_gpu, why_no_model) if why]
    problems += _heads(intake, model.shape.heads)
    problems += _stages(intake, len(model.shape.layers))
    problems += _missing_arithmetic(intake, gpu)
    gpus = gpus_of(intake)
    if gpus is None or gpus > MOST_GPUS:
        return problems, [NO_COUNT if gpus is None else f"limits of memory and time: {gpus} GPUs are too many"]
    layers = len(model.shape.layers)
    plans = [plan for plan in possible_plans(intake.software, gpus) if plan.pp <= layers]
    if not plans:
        return problems, ["limits of memory and time: there are more pipeline stages than layers"]
    system = System(model, gpu, gpus, plans, intake)
    try:
        found = [*_memory(system), *_times(system)]
    except PerfproofError as error:
        return problems, [f"limits of the hardware: {error}"]
    if model.shape.warnings:  # what rests on an assumption about the model is no certain error
        found = [replace(problem, severity="doubt") for problem in found]
    return problems + found, [TWO_GOALS] if intake.goal.kind == "both" else []


def _other_card(intake: Intake, gpu: Accelerator) -> Iterator[Problem]:
    advertised = next((sheet.memory_gb for sheet in SHEETS if sheet.name == gpu.name), None)
    if advertised and gpu.memory and abs(gpu.memory / (advertised * 1e9) - 1) > SHEET_SHARE:
        text = f"is not what the data sheet of {gpu.name} says: {advertised:g} GB"
        yield Problem(("hardware", "gpu_memory"), text, "doubt")


def _heads(intake: Intake, heads: int) -> Iterator[Problem]:
    tp = intake.software.tensor_parallel or 1
    if heads % tp:
        yield Problem(("software", "tensor_parallel"), f"{tp} does not divide the {heads} attention heads of the model")


def _stages(intake: Intake, layers: int) -> Iterator[Problem]:
    stages = intake.software.pipeline_parallel or 1
    if stages > layers:
        yield Problem(
            ("software", "pipeline_parallel"), f"{stages} stages are more than the {layers} layers of the model"
        )


def _missing_arithmetic(intake: Intake, gpu: Accelerator) -> Iterator[Problem]:
    """Weights of a format that the tensor cores do not take are widened: smaller in memory, no faster to multiply."""
    written = intake.workload.weights_dtype
    wanted = compute_type(format_name(written)) if written else ""
    if wanted not in ("fp8", "fp4") or wanted in gpu.flops or "fp16" not in gpu.flops:
        return  # a sheet that does not even state fp16 says nothing about smaller formats
    text = f"{gpu.name} has no arithmetic in {wanted}"
    if intake.goal.kind == "training":
        yield Problem(("workload", "weights_dtype"), f"{text}: it cannot train in {written}")
    else:
        text += ": weights take less memory, and are multiplied in 16 bits"
        yield Problem(("workload", "weights_dtype"), text, "doubt")


def _memory(system: System) -> Iterator[Problem]:
    """Training divides weights over data-parallel ranks (ZeRO-3, FSDP), serving the experts of a mixture."""
    intake, memory, stored = system.intake, system.gpu.memory, system.model.bytes.stored
    if memory is None:
        return
    can_share = intake.goal.kind != "inference" or system.model.shape.experts is not None
    over = {plan: weights_over(intake.software, plan, can_share) for plan in system.plans}
    most, written = max(over.values()), written_replica(intake.software, system.gpus)
    where = ("hardware", "gpu_memory") if intake.hardware.gpu_memory else ("hardware", "gpu")
    if stored / most > memory:
        text = f"cannot hold the weights: {both_bytes(stored / most)} {_on(most)}, of {both_bytes(memory)}"
        yield Problem(where, f"{text}; see `perfproof calc fit`")
        return
    if not can_share and stored / written > memory:
        text = f"cannot hold the weights with the plan as written: {both_bytes(stored / written)} {_on(written)}"
        yield Problem(where, f"{text}; they fit only if {most} GPUs share them", "doubt")
    if intake.goal.kind == "inference":
        yield from _cache_memory(system, over, memory)


def _on(gpus: int) -> str:
    return f"on each of {gpus} GPUs" if gpus > 1 else "on one GPU"


def _cache_memory(system: System, over: dict[Plan, int], memory: float) -> Iterator[Problem]:
    """At best a cache is divided over all GPUs of a replica, by heads, layers or tokens."""
    work = system.intake.workload
    if not work.batch or not work.prompt_tokens:
        return
    length = work.prompt_tokens + (work.output_tokens or 0)
    whole = work.batch * per_sequence(system.model.shape, Cache(system.model.formats.kv), length)
    parts = ((whole / (plan.tp * plan.pp), system.model.bytes.stored / ways) for plan, ways in over.items())
    kept, weights = min(parts, key=sum)
    if weights + kept > memory:
        text = f"{work.batch} sequences of {length} tokens take {both_bytes(kept)} of cache on a GPU, beside"
        yield Problem(("workload", "batch"), f"{text} {both_bytes(weights)} of weights: more than {both_bytes(memory)}")


def _times(system: System) -> Iterator[Problem]:
    if system.intake.goal.kind == "training":
        yield from _training(system)
    elif system.intake.goal.kind == "inference":
        yield from _serving(system)
    else:  # only the time of a token cannot be meant of training
        least = min(_decode(system, plan, 1, 1) for plan in system.plans)
        yield from _too_fast(system, "tpot", least, "without drafted tokens, a step of 1 sequence takes")


def _serving(system: System) -> Iterator[Problem]:
    work, plans = system.intake.workload, system.plans
    batch, context = work.batch or 1, work.prompt_tokens or 1
    decode = {plan: _decode(system, plan, batch, context) for plan in plans}
    what = f"without drafted tokens, a step of {batch} sequences takes"
    yield from _too_fast(system, "tpot", min(decode.values()), what)
    if work.prompt_tokens:
        prefill = {plan: _prefill(system, plan, work.prompt_tokens) for plan in plans}
        what = f"without a cached prefix, {work.prompt_tokens} tokens take"
        yield from _too_fast(system, "ttft", min(prefill.values()), what)
        after = (work.output_tokens or 1) - 1
        whole = min(prefill[plan] + after * _decode(system, plan, 1, context) for plan in plans)
        yield from _too_fast(system, "latency", whole, "without drafts and cached prefixes, a request takes")
    if work.batch:
        most = max(plan.dp * batch / decode[plan] for plan in plans)
        yield from _too_many(system, "tokens", most, f"decoding {batch} sequences on each replica")


def _decode(system: System, plan: Plan, batch: int, context: int) -> float:
    """At best everything is divided by tp, experts by all ranks, and a pipeline works on as many parts of the batch."""
    spread = Plan(pp=min(plan.pp, batch), dp=plan.dp, ep=plan.dp)
    return decode_step(system.model, system.gpu, batch, context, spread).seconds / plan.tp


def _prefill(system: System, plan: Plan, prompt: int) -> float:
    """At best the stages of a pipeline work on chunks of the prompt at the same time."""
    spread = Plan(dp=plan.dp, ep=plan.dp)
    return prefill_step(system.model, system.gpu, prompt, 0, spread).seconds / (plan.tp * plan.pp)


def _training(system: System) -> Iterator[Problem]:
    """Six operations for each parameter that a token passes: two forward, four backward."""
    rate, _ = system.gpu.rate(system.model.formats.matrices)
    tokens = system.gpus * rate / (6 * system.model.parameters.active)
    yield from _too_many(system, "tokens", tokens, f"training on {system.gpus} GPUs")
    length = system.intake.workload.prompt_tokens
    if length:
        yield from _too_many(system, "samples", tokens / length, f"training on {system.gpus} GPUs")
        work = system.intake.workload
        if work.global_batch:
            step = work.global_batch * length / tokens
            yield from _too_fast(system, "latency", step, f"a step of {work.global_batch} sequences takes")


def _too_fast(system: System, name: str, least: float, what: str) -> Iterator[Problem]:
    gpus = system.gpu.name if system.gpus == 1 else f"{system.gpu.name}, with the best plan that the form allows"
    for section, said in _SAID.items():
        for which in ("p50", "p99"):
            written = getattr(getattr(system.intake, section), f"{name}_{which}")
            promised = quantities.seconds(written) if written else None
            if promised is not None and promised < least:
                text = f"is faster than the roofline: {what} at least {seconds(least)} on {gpus}; {said}"
                yield Problem((section, f"{name}_{which}"), text)
    target = read_target(system.intake)
    if target is not None and target.field == name and target.value < least:
        text = f"is faster than the roofline: {what} at least {seconds(least)} on {gpus}; {_SAID['slos']}"
        yield Problem(TARGET, text)


def _too_many(system: System, unit: str, most: float, what: str) -> Iterator[Problem]:
    for section, said in _SAID.items():
        written = getattr(system.intake, section).throughput
        promised = quantities.throughput(written) if written else None
        if promised is not None and promised[1] == unit and promised[0] > most:
            text = f"is above the roofline: {what} gives at most {most:,.0f} {unit}/s on {system.gpu.name}; {said}"
            yield Problem((section, "throughput"), text)
    target = read_target(system.intake)
    if target is not None and target.unit == unit and target.value > most:
        text = f"is {target.value:,.0f} {unit}/s of all GPUs and above the roofline: {what} gives at most {most:,.0f}"
        yield Problem(TARGET, f"{text} on {system.gpu.name}; {_SAID['slos']}")


_SAID = {"slos": "no engine can keep this promise", "baseline": "it was measured wrongly, or the form is wrong"}
