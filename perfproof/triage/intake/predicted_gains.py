"""What a change saves in a decode step or a training step, by the formulas of `perfproof calc`.

A change takes the seconds that the roofline says away from what is measured today; without a measurement, from the
roofline itself. So a gain is measured/(measured - saved), and what the roofline does not explain stays.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from perfproof.calc.calculators.parallelism import plans, weights_per_gpu
from perfproof.calc.calculators.pipeline import bubble
from perfproof.calc.calculators.speculative import tokens_a_step
from perfproof.calc.kv_bytes import Cache, per_sequence
from perfproof.calc.prediction import LAUNCH_SECONDS
from perfproof.calc.step_time import Plan, Step, decode_step
from perfproof.calc.weighed_model import Model, weigh
from perfproof.core.units import seconds as time_text
from perfproof.triage.intake import quantities
from perfproof.triage.intake.described_system import System

KERNELS_A_LAYER = 10  # of a decoder without fusion or graphs: norms, projections, attention, MLP, residuals
ACCEPTANCE, DRAFTS, DRAFT_COST = 0.7, 4, 0.05  # assumed: an EAGLE head, a fortieth to a tenth of a step
USABLE = 0.9  # of the memory, as `perfproof calc fit`
SIXTEEN_BITS = ("bf16", "fp16")


@dataclass(frozen=True)
class Gain:
    """`change` names what is done; `ratio` is old time over new; `is_bound`: no more than this, probably less."""

    change: str
    symptoms: tuple[str, ...]
    ratio: float
    why: str
    is_bound: bool = False
    plan: Plan | None = None
    batch: int | None = None


@dataclass(frozen=True)
class Point:
    """How the system runs today: the roofline's step, and the seconds that are measured, or the roofline's."""

    plan: Plan
    batch: int
    context: int
    step: Step
    today: float

    def ratio(self, saved: float) -> float:
        return self.today / max(self.today - saved, 1e-9 * self.today)


def serving_gains(system: System) -> Iterator[Gain]:
    point = operating_point(system)
    if may_use(system, "fp8"):
        yield from _small_floats(system, point)
    yield from _larger_batch(system, point)
    yield _drafts(system, point)
    yield _graphs(system, point)
    yield from _other_plan(system, point)
    yield from _collectives(system, point)


def operating_point(system: System) -> Point:
    intake, plan = system.intake, written_plan(system)
    work = intake.workload
    batch = work.batch or max(1, (work.concurrency or 1) // plan.dp)
    context = (work.prompt_tokens or 1024) + (work.output_tokens or 0) // 2
    step = decode_step(system.model, system.gpu, batch, context, plan)
    measured = quantities.seconds(intake.baseline.tpot_p50) if intake.baseline.tpot_p50 else None
    return Point(plan, batch, context, step, max(measured or 0.0, step.seconds))


def written_plan(system: System) -> Plan:
    """What is empty beside a number is 1, as engines take it; GPUs that are left are replicas."""
    software = system.intake.software
    tp, pp = software.tensor_parallel or 1, min(software.pipeline_parallel or 1, len(system.model.shape.layers))
    return Plan(tp, pp, software.data_parallel or max(1, system.gpus // (tp * pp)))


def may_use(system: System, dtype: str) -> bool:
    """The chip has the arithmetic, the form allows the precision, and nothing says that it must stay."""
    limits = system.intake.constraints
    words = " ".join(limits.fixed).lower()
    if any(word in words for word in ("precision", "dtype", "quanti", "weights")):
        return False
    allowed = not limits.precisions or any(one.lower().startswith(dtype) for one in limits.precisions)
    return allowed and bool(system.gpu.flops.get(dtype))


def _small_floats(system: System, point: Point) -> Iterator[Gain]:
    model = system.model
    if model.formats.matrices in SIXTEEN_BITS:
        step = _step(system, weigh(model.shape, "fp8", model.formats.kv), point)
        what = f"weights per step {_gb(point.step.weight_bytes)} to {_gb(step.weight_bytes)}"
        yield Gain("fp8 weights", ("memory-bound", "compute-bound"), *_saved(system, point, step, what))
    if model.formats.kv in SIXTEEN_BITS and point.step.kv_bytes > 0.1 * point.step.bytes:
        matrices = model.formats.matrices if model.formats.matrices != model.shape.weight_dtype else ""
        step = _step(system, weigh(model.shape, matrices, "fp8"), point)
        what = f"cache per step {_gb(point.step.kv_bytes)} to {_gb(step.kv_bytes)}"
        yield Gain("fp8 cache", ("memory-bound",), *_saved(system, point, step, what))


def _step(system: System, model: Model, point: Point) -> Step:
    return decode_step(model, system.gpu, point.batch, point.context, point.plan)


def _saved(system: System, point: Point, step: Step, what: str) -> tuple[float, str]:
    rate = f"{(system.gpu.bandwidth or 0) / 1e12:.3g} TB/s"
    saved = point.step.seconds - step.seconds
    words = f"{what} at {rate}: {time_text(saved)} less of {time_text(point.today)}"
    return point.ratio(saved), words


def _larger_batch(system: System, point: Point) -> Iterator[Gain]:
    """Twice the batch as long as it fits, keeps the promised time of a token, and gives more tokens per second."""
    wants_rate = "/s" in system.intake.goal.kpi or "$" in system.intake.goal.kpi
    batch = point.batch
    while wants_rate and _fits(system, point.plan, 2 * batch) and _token(system, point, 2 * batch) <= _limit(system):
        batch *= 2
    if batch == point.batch:
        return
    time = _token(system, point, batch)
    words = (
        f"{point.batch} to {batch} sequences: a step {time_text(point.today)} to {time_text(time)}, within the limits"
    )
    ratio = batch / point.batch * point.today / time
    yield Gain("larger batch", ("memory-bound", "launch-bound", "host-bound"), ratio, words, batch=batch)


def _token(system: System, point: Point, batch: int) -> float:
    step = decode_step(system.model, system.gpu, batch, point.context, point.plan)
    return point.today + step.seconds - point.step.seconds


def _limit(system: System) -> float:
    promised = system.intake.slos.tpot_p50
    return (quantities.seconds(promised) if promised else None) or float("inf")


def _fits(system: System, plan: Plan, batch: int) -> bool:
    memory, work = system.gpu.memory, system.intake.workload
    length = (work.prompt_tokens or 1024) + (work.output_tokens or 0)
    if memory is None or batch > 4096:
        return False
    kept = batch * per_sequence(system.model.shape, Cache(system.model.formats.kv, plan.tp, plan.pp, 16), length)
    return weights_per_gpu(system.model, plan) + kept <= USABLE * memory


def _drafts(system: System, point: Point) -> Gain:
    many = decode_step(system.model, system.gpu, point.batch, point.context, point.plan, new_tokens=DRAFTS + 1)
    tokens = tokens_a_step([ACCEPTANCE] * DRAFTS)
    verify = point.today + many.seconds - point.step.seconds
    ratio = tokens * point.today / (verify + DRAFTS * DRAFT_COST * point.step.seconds)
    words = f"{DRAFTS} drafts at an assumed acceptance of {ACCEPTANCE:.0%} give {tokens:.2f} tokens per step; "
    words += f"a step {time_text(point.today)} to {time_text(verify)}"
    return Gain("speculative decoding", ("memory-bound", "launch-bound"), ratio, words)


def _graphs(system: System, point: Point) -> Gain:
    launches = KERNELS_A_LAYER * len(system.model.shape.layers)
    saved = min(launches * LAUNCH_SECONDS, point.today - point.step.seconds)
    words = f"about {launches} launches of {LAUNCH_SECONDS * 1e6:.0f} µs per step: {time_text(saved)} of "
    words += f"{time_text(point.today)}, if graphs are off today"
    return Gain("CUDA graphs", ("launch-bound", "host-bound"), point.ratio(saved), words, is_bound=True)


def _other_plan(system: System, point: Point) -> Iterator[Gain]:
    """The same sequences on the same GPUs, divided otherwise."""
    per_node = system.intake.hardware.gpus_per_node or system.gpus
    total, best, least = point.batch * point.plan.dp, point.plan, point.step.seconds
    if system.gpus > 4096:
        return
    for plan in plans(system.model.shape, system.gpus, min(per_node, system.gpus)):
        batch = max(plan.pp, -(-total // plan.dp))
        if not _fits(system, plan, batch):
            continue
        time = decode_step(system.model, system.gpu, batch, point.context, plan).seconds
        if time < least:
            best, least = plan, time
    if best != point.plan:
        words = f"{_plan_words(point.plan)} to {_plan_words(best)}: the roofline's step "
        words += f"{time_text(point.step.seconds)} to {time_text(least)} for the same {total} sequences"
        if not system.gpu.link:
            words += "; communication is not counted"
        ratio = point.ratio(point.step.seconds - least)
        yield Gain("parallelism mix", ("memory-bound", "communication-bound"), ratio, words, not system.gpu.link, best)


def _plan_words(plan: Plan) -> str:
    return f"TP {plan.tp}, PP {plan.pp}, DP {plan.dp}" + (f", EP {plan.ep}" if plan.ep > 1 else "")


def _collectives(system: System, point: Point) -> Iterator[Gain]:
    talk = point.step.communication
    if point.plan.tp == 1 or not talk:
        return
    words = f"two all-reduces per layer over {point.plan.tp} GPUs take at least {time_text(talk)}"
    words += f" of {time_text(point.today)}"
    yield Gain("NCCL environment", ("communication-bound",), point.ratio(talk), words, is_bound=True)
    yield from _placement(system, point.plan, point, words)


def _placement(system: System, plan: Plan, point: Point, words: str) -> Iterator[Gain]:
    """Only if a tensor-parallel group lies on several nodes, or the GPUs of a node are not all joined by NVLink."""
    hardware = system.intake.hardware
    per_node = hardware.gpus_per_node or system.gpus
    crosses, is_pcie = plan.tp > per_node, "pcie" in (hardware.gpu_links or "").lower()
    if crosses or is_pcie:
        where = "over several nodes" if crosses else "over PCIe, where neighbours share a switch"
        ratio = point.ratio(point.step.communication or 0.0)
        yield Gain("rank placement", ("communication-bound", "imbalance"), ratio, f"{words}, {where}", is_bound=True)


def training_gains(system: System) -> Iterator[Gain]:
    plan, work = written_plan(system), system.intake.workload
    rate = system.gpu.rate("bf16")[0]
    tokens = (work.global_batch or (work.batch or 1) * plan.dp) * (work.prompt_tokens or 2048)
    compute = 6.0 * system.model.parameters.active * tokens / (plan.gpus * rate)
    written = system.intake.baseline.latency_p50
    today = max((quantities.seconds(written) if written else None) or 0.0, compute)
    uses_fp8 = "fp8" in (work.weights_dtype or "")
    if may_use(system, "fp8") and not uses_fp8:
        saved = compute * (1 - rate / system.gpu.flops["fp8"])
        words = (
            f"{time_text(compute)} of arithmetic in bf16 at {rate / 1e12:.0f} TFLOP/s, in fp8 {time_text(saved)} less"
        )
        words += f" of {time_text(today)}"
        yield Gain("fp8 arithmetic", ("compute-bound",), today / (today - saved), words, is_bound=True)
    yield from _bubble(plan, work.accumulation_steps or 1)
    yield from _gradients(system, plan, today)


def _bubble(plan: Plan, micro_batches: int) -> Iterator[Gain]:
    if plan.pp == 1:
        return
    before, after = bubble(plan.pp, micro_batches), bubble(plan.pp, 2 * micro_batches)
    words = f"{plan.pp} stages wait {before:.0%} of the time with {micro_batches} micro-batches, {after:.0%} with twice"
    yield Gain("more micro-batches", ("imbalance", "communication-bound"), (1 - after) / (1 - before), words)


def _gradients(system: System, plan: Plan, today: float) -> Iterator[Gain]:
    """All-reduce of 16-bit gradients over the data-parallel ranks, at the slower of NVLink and network."""
    hardware = system.intake.hardware
    network = quantities.bandwidth(hardware.network) if hardware.network else None
    per_node = hardware.gpus_per_node or system.gpus
    rate = network / per_node if network and (hardware.nodes or 1) > 1 else system.gpu.link
    if plan.dp == 1 or not rate:
        return
    size = 2.0 * system.model.parameters.total / (plan.tp * plan.pp)
    talk = min(2 * (plan.dp - 1) / plan.dp * size / rate, today)
    ratio = today / max(today - talk, 0.05 * today)
    words = f"an all-reduce of {_gb(size)} of gradients over {plan.dp} ranks at {rate / 1e9:.0f} GB/s takes "
    words += f"{time_text(talk)} of {time_text(today)}, if nothing hides it"
    yield Gain("NCCL environment", ("communication-bound",), ratio, words, is_bound=True)
    if plan.tp > per_node or "pcie" in (hardware.gpu_links or "").lower():
        yield Gain("rank placement", ("communication-bound", "imbalance"), ratio, words, is_bound=True)


def with_link(system: System, gigabytes: float | None) -> System:
    return replace(system, gpu=replace(system.gpu, link=gigabytes * 1e9 if gigabytes else None))


def _gb(size: float) -> str:
    return f"{size / 1e9:.3g} GB"
