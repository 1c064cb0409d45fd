"""Plans of TP, PP, EP and DP that fit, by roofline: throughput per GPU, speed per user, and the best under an SLO.

plans    T divides the query heads and lies in one NVLink domain; T·P·D = GPUs; experts are cut by T, or spread over T·D
fits     weights/(T·P) (experts over their own ranks) + reserve + at least one sequence a replica
decode   a replica's batch runs as P micro-batches: token time = P·stage(B/P) + communication
Pareto   no other plan has more tok/s/GPU and more tok/s/user

All at the speed of light: the order of plans is meaningful, the numbers are upper limits. Measure the first two.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.calc.kv_bytes import Cache, per_sequence
from perfproof.calc.model_shape import Shape
from perfproof.calc.step_time import Plan, decode_step, prefill_step
from perfproof.calc.weighed_model import Model, weigh
from perfproof.core.errors import UsageError

BATCHES = tuple(2**power for power in range(13))
SHOWN = 16


@dataclass(frozen=True)
class Operating:
    """A plan at a batch: tokens per second of each GPU and of each user, and the time to the first token."""

    plan: Plan
    batch: int
    per_gpu: float
    per_user: float
    step: float
    prefill: float


def calculate(
    shape: Shape,
    gpu: Accelerator,
    gpus: Annotated[int, Flag("Total number of GPUs.", "N", least=1, most=4096)] = 8,
    domain: Annotated[
        int, Flag("GPUs joined by NVLink; the largest tensor-parallel size T that is tried.", "N", least=1)
    ] = 8,
    prompt: Annotated[int, Flag("Prompt length, in tokens.", "S", least=1)] = 1024,
    output: Annotated[int, Flag("Answer length, in tokens.", "N", least=1)] = 256,
    tpot_ms: Annotated[float | None, Flag("Limit on the time per output token (TPOT).", "MS", above=0)] = None,
    ttft_ms: Annotated[float | None, Flag("Limit on the time to the first token (TTFT).", "MS", above=0)] = None,
    dtype: Annotated[str, Flag("Data type of the weights. [default: that of MODEL]", "NAME")] = "",
    kv_dtype: Annotated[str, Flag("Data type of the KV cache.", "NAME")] = "bf16",
    utilisation: Annotated[float, Flag("Share of the GPU memory that may be used.", "SHARE", above=0, most=1)] = 0.9,
    reserve_gb: Annotated[
        float, Flag("Memory assumed for activations, CUDA context and graphs, in GB per GPU.", "GB", least=0)
    ] = 4.0,
) -> Answer:
    model = weigh(shape, dtype, kv_dtype)
    room = utilisation * gpu.needs_memory() - reserve_gb * 1e9
    tried = list(plans(shape, gpus, domain))
    found = [(plan, _sequences(model, plan, room, prompt + output)) for plan in tried]
    fitting = [(plan, most) for plan, most in found if most >= 1]
    if not fitting:
        need = min(weights_per_gpu(model, plan) for plan in tried) / 1e9
        raise UsageError(f"{shape.name} fits in no plan on {gpus} x {gpu.name}: {need:.0f} GB of weights per GPU")
    points = [point for plan, most in fitting for point in _points(model, gpu, plan, most, prompt, output)]
    limits = (tpot_ms / 1e3 if tpot_ms else math.inf, ttft_ms / 1e3 if ttft_ms else math.inf)
    allowed = [one for one in points if one.step <= limits[0] and one.prefill <= limits[1]]
    best = max(allowed, key=lambda one: (one.per_gpu, one.per_user), default=None)
    values = [
        Value("plans_tried", len(tried)),
        Value("plans_that_fit", len(fitting), "", f"{gpus} x {gpu.name}, {model.formats.matrices}"),
        *_best_values(best, tpot_ms, ttft_ms),
    ]
    headline = f"{shape.name} on {gpus} x {gpu.name}: " + (_words(best) if best else "no plan meets the SLO")
    no_link = [] if gpu.link else ["communication is not counted, which favours large T: give --link-gb-s"]
    if gpu.link and gpus > domain:
        no_link = ["links between NVLink domains are slower than counted here: PP and EP over them look too fast"]
    lines = (flags(best.plan),) if best else ()
    return Answer(headline, tuple(values), (_table(pareto(points)),), (*shape.warnings, *no_link), lines)


def plans(shape: Shape, gpus: int, domain: int) -> Iterator[Plan]:
    for tp in range(1, min(domain, gpus) + 1):
        if shape.heads % tp or gpus % tp:
            continue
        for pp in range(1, min(gpus // tp, len(shape.layers)) + 1):
            if (gpus // tp) % pp:
                continue
            dp = gpus // tp // pp
            yield Plan(tp, pp, dp)
            if shape.experts and tp * dp > 1 and shape.experts.count % (tp * dp) == 0:
                yield Plan(tp, pp, dp, ep=tp * dp)


def weights_per_gpu(model: Model, plan: Plan) -> float:
    rest = (model.bytes.stored - model.bytes.experts) / (plan.tp * plan.pp)
    return rest + model.bytes.experts / ((plan.ep if plan.ep > 1 else plan.tp) * plan.pp)


def _sequences(model: Model, plan: Plan, room: float, length: int) -> int:
    """Of full length, in a replica."""
    left = room - weights_per_gpu(model, plan)
    return int(left // per_sequence(model.shape, Cache(model.formats.kv, plan.tp, plan.pp, 16), length))


def _points(model: Model, gpu: Accelerator, plan: Plan, most: int, prompt: int, output: int) -> Iterator[Operating]:
    prefill = prefill_step(model, gpu, prompt, plan=plan).seconds
    for batch in [*(size for size in BATCHES if size < most), most]:
        if batch < plan.pp:
            continue  # a stage would be idle
        step = decode_step(model, gpu, batch, prompt + output // 2, plan).seconds
        yield Operating(plan, batch, batch * plan.dp / step / plan.gpus, 1 / step, step, prefill)


def pareto(points: list[Operating]) -> list[Operating]:
    """Those that no other beats in both, the fastest for a user first."""
    front: list[Operating] = []
    for one in sorted(points, key=lambda point: (-point.per_user, -point.per_gpu)):
        if not front or one.per_gpu > front[-1].per_gpu:
            front.append(one)
    return front


def flags(plan: Plan) -> str:
    """The options of vLLM for a plan."""
    text = (
        f"vllm serve --tensor-parallel-size {plan.tp} --pipeline-parallel-size {plan.pp} --data-parallel-size {plan.dp}"
    )
    return text + (" --enable-expert-parallel" if plan.ep > 1 else "")


def _best_values(best: Operating | None, tpot_ms: float | None, ttft_ms: float | None) -> list[Value]:
    limits = {"TPOT": tpot_ms, "TTFT": ttft_ms}
    said = " and ".join(f"{name} up to {limit:g} ms" for name, limit in limits.items() if limit is not None)
    note = f"with {said}" if said else "without a limit on latency"
    if best is None:
        return [Value("best_tokens_per_second_per_gpu", None, "tok/s", f"no plan {note}")]
    plan = best.plan
    return [
        Value("best_plan", f"tp {plan.tp}, pp {plan.pp}, dp {plan.dp}, ep {plan.ep}", "", note),
        Value("best_tokens_per_second_per_gpu", best.per_gpu, "tok/s"),
        Value("best_tokens_per_second_per_user", best.per_user, "tok/s"),
        Value("best_batch", best.batch, "", "sequences of a replica"),
        Value("best_prefill", best.prefill, "s", "of one prompt, without a queue"),
    ]


def _words(best: Operating) -> str:
    plan = best.plan
    ep = f", EP {plan.ep}" if plan.ep > 1 else ""
    rates = f"{best.per_gpu:,.0f} tok/s per GPU, {best.per_user:.0f} per user"
    return f"TP {plan.tp}, PP {plan.pp}, DP {plan.dp}{ep}: {rates}"


def _table(front: list[Operating]) -> Table:
    keep = front if len(front) <= SHOWN else [front[round(i * (len(front) - 1) / (SHOWN - 1))] for i in range(SHOWN)]
    rows = tuple(
        (one.plan.tp, one.plan.pp, one.plan.dp, one.plan.ep, one.batch, one.per_gpu, one.per_user, one.prefill)
        for one in keep
    )
    columns = (("TP", ""), ("PP", ""), ("DP", ""), ("EP", ""), ("batch", ""))
    return Table("Pareto front", (*columns, ("per GPU", "tok/s"), ("per user", "tok/s"), ("prefill", "s")), rows)
