"""What the hardware cannot do: an SLO faster than the roofline, weights that no memory of these GPUs holds.

The rates are the data sheet's, the formulas those of `perfproof calc roofline` and `calc fit`: nothing can be faster. A
promise below is broken whatever engine is used; and a baseline below was measured wrongly.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from perfproof.calc.accelerator import MEMORY_GB, Accelerator
from perfproof.calc.kv_bytes import Cache, per_sequence
from perfproof.calc.model_config import shape_of
from perfproof.calc.model_shape import Shape
from perfproof.calc.shipped_shapes import shipped_shape
from perfproof.calc.step_time import Plan, decode_step, prefill_step
from perfproof.calc.weighed_model import Model, weigh
from perfproof.core.errors import PerfproofError
from perfproof.core.intake import Intake
from perfproof.core.units import both_bytes, seconds
from perfproof.machine import datasheet
from perfproof.triage.intake import quantities
from perfproof.triage.intake.problems import Problem

SHEET_SHARE = 0.1  # a memory that differs more than this from the sheet's is of another card


@dataclass(frozen=True)
class System:
    """What the form says about model and GPUs, ready for the formulas."""

    model: Model
    gpu: Accelerator
    plan: Plan
    gpus: int
    intake: Intake


def find_limits(intake: Intake, folder: Path) -> tuple[list[Problem], list[str]]:
    problems: list[Problem] = []
    gpu, why_no_gpu = _gpu(intake)
    model, why_no_model = _model(intake, folder, problems)
    if gpu is None or model is None:
        return problems, [why for why in (why_no_gpu, why_no_model) if why]
    software, hardware = intake.software, intake.hardware
    gpus = (hardware.gpus_per_node or 1) * (hardware.nodes or 1)
    tp, pp = software.tensor_parallel or 1, software.pipeline_parallel or 1
    system = System(model, gpu, Plan(tp=tp, pp=pp), gpus, intake)
    try:
        problems += [*_heads(system), *_memory(system)]
        problems += _training(system) if intake.goal.kind == "training" else _serving(system)
    except PerfproofError as error:
        return problems, [f"limits of the hardware: {error}"]
    return problems, []


def _gpu(intake: Intake) -> tuple[Accelerator | None, str]:
    name = intake.hardware.gpu
    if not name or name.lower() in ("none", "no", "cpu"):
        return None, "limits of the hardware: the form names no GPU"
    by_name = (sheet for sheet in datasheet.SHEETS if sheet.name.lower() == name.lower())
    sheet = next(by_name, None) or datasheet.find(name)
    if sheet is None:
        return None, f"limits of the hardware: there is no data sheet of {name!r}"
    gigabytes = MEMORY_GB.get(sheet.name)
    written = intake.hardware.gpu_memory
    memory = quantities.size(written) if written else gigabytes * 1e9 if gigabytes else None
    return Accelerator(sheet.name, sheet.memory_bytes_s, dict(sheet.flops), memory, source="data sheet"), ""


def _model(intake: Intake, folder: Path, problems: list[Problem]) -> tuple[Model | None, str]:
    work = intake.workload
    if not work.model:
        return None, "limits of the model: the form names none"
    try:
        shape = _shape(work.model, folder)
    except (PerfproofError, OSError, ValueError) as error:
        text = " ".join(str(error).split())
        problems.append(Problem(("workload", "model"), f"{text[:300]}", "doubt"))
        return None, f"limits of the model: {work.model!r} is not known"
    try:
        return weigh(shape, work.weights_dtype or "", work.kv_dtype or ""), ""
    except PerfproofError as error:
        name = "kv_dtype" if work.kv_dtype and "kv" in str(error).lower() else "weights_dtype"
        problems.append(Problem(("workload", name), str(error)))
        return None, "limits of the model: its precision is not known"


def _shape(name: str, folder: Path) -> Shape:
    path = folder / name
    path = path / "config.json" if path.is_dir() else path
    if not path.is_file():
        return shipped_shape(name)
    return shape_of(json.loads(path.read_text()), path.parent.name, str(path))


def _heads(system: System) -> Iterator[Problem]:
    heads, tp = system.model.shape.heads, system.plan.tp
    if heads % tp:
        yield Problem(("software", "tensor_parallel"), f"{tp} does not divide the {heads} attention heads of the model")


def _memory(system: System) -> Iterator[Problem]:
    intake, gpu, plan = system.intake, system.gpu, system.plan
    advertised = MEMORY_GB.get(gpu.name)
    if gpu.memory is None:
        return
    if advertised and abs(gpu.memory / (advertised * 1e9) - 1) > SHEET_SHARE:
        text = f"is not what the data sheet of {gpu.name} says: {advertised:g} GB"
        yield Problem(("hardware", "gpu_memory"), text, "doubt")
    weights = system.model.bytes.stored / (plan.tp * plan.pp)
    where = ("hardware", "gpu_memory") if intake.hardware.gpu_memory else ("hardware", "gpu")
    if weights > gpu.memory:
        shared = f"on each of {plan.tp * plan.pp} GPUs" if plan.tp * plan.pp > 1 else "on one GPU"
        text = f"cannot hold the weights: {both_bytes(weights)} {shared}, of {both_bytes(gpu.memory)}"
        yield Problem(where, f"{text}; see `perfproof calc fit`")
    elif intake.goal.kind != "training" and intake.workload.batch and intake.workload.prompt_tokens:
        yield from _cache_memory(system, weights, gpu.memory)


def _cache_memory(system: System, weights: float, memory: float) -> Iterator[Problem]:
    work, plan = system.intake.workload, system.plan
    assert work.batch and work.prompt_tokens
    length = work.prompt_tokens + (work.output_tokens or 0)
    cache = Cache(system.model.formats.kv, plan.tp, plan.pp)
    kept = work.batch * per_sequence(system.model.shape, cache, length)
    if weights + kept > memory:
        text = f"{work.batch} sequences of {length} tokens take {both_bytes(kept)} of cache on a GPU, beside"
        yield Problem(("workload", "batch"), f"{text} {both_bytes(weights)} of weights: more than {both_bytes(memory)}")


def _serving(system: System) -> Iterator[Problem]:
    work, model, gpu, plan = system.intake.workload, system.model, system.gpu, system.plan
    decode_one = decode_step(model, gpu, 1, work.prompt_tokens or 1, plan).seconds
    batch = work.batch or 1
    decode = decode_step(model, gpu, batch, work.prompt_tokens or 1, plan).seconds if work.batch else decode_one
    yield from _too_fast(system, "tpot", decode, f"without drafted tokens, a step of {batch} sequences takes")
    if work.prompt_tokens:
        prefill = prefill_step(model, gpu, work.prompt_tokens, 0, plan).seconds
        yield from _too_fast(system, "ttft", prefill, f"without a cached prefix, {work.prompt_tokens} tokens take")
        whole = prefill + ((work.output_tokens or 1) - 1) * decode_one
        yield from _too_fast(system, "latency", whole, "without drafts and cached prefixes, a request takes")
    if work.batch:
        replicas = max(1, system.gpus // (plan.tp * plan.pp))
        yield from _too_many(system, "tokens", replicas * batch / decode, f"decoding {batch} sequences on each replica")


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
    for section, said in _SAID.items():
        for which in ("p50", "p99"):
            written = getattr(getattr(system.intake, section), f"{name}_{which}")
            promised = quantities.seconds(written) if written else None
            if promised is not None and promised < least:
                text = f"is faster than the roofline: {what} at least {seconds(least)} on {system.gpu.name}; {said}"
                yield Problem((section, f"{name}_{which}"), text)


def _too_many(system: System, unit: str, most: float, what: str) -> Iterator[Problem]:
    for section, said in _SAID.items():
        written = getattr(system.intake, section).throughput
        promised = quantities.throughput(written) if written else None
        if promised is not None and promised[1] == unit and promised[0] > most:
            text = f"is above the roofline: {what} gives at most {most:,.0f} {unit}/s on {system.gpu.name}; {said}"
            yield Problem((section, "throughput"), text)


_SAID = {"slos": "no engine can keep this promise", "baseline": "it was measured wrongly, or the form is wrong"}
