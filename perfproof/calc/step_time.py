"""The time of a step by roofline: bytes over bandwidth or operations over rate, whichever is longer, and what is added.

Decode: bytes = weights read by B tokens + B·C·kv; operations = 2·P_act·B + attention;
t = max(bytes/(η_m·BW), operations/(η_c·F)) + communication + launch. With η = 1 and no launch it is the speed of light.
The cache may have a share of its own: the kernel that reads it is another than those that read the weights.
"""

from dataclasses import dataclass, replace

from perfproof.calc import attention_work, experts_read
from perfproof.calc.accelerator import Accelerator
from perfproof.calc.kv_bytes import Cache, layer_bytes, stages
from perfproof.calc.model_shape import LINEAR, MAMBA, Layer
from perfproof.calc.weighed_model import Model

ACTIVATION_BYTES = 2  # activations travel in 16 bits


@dataclass(frozen=True)
class Plan:
    """How a model lies on GPUs. `ep` 1: experts are cut by `tp`; else they are spread over tp·dp GPUs of a stage."""

    tp: int = 1
    pp: int = 1
    dp: int = 1
    ep: int = 1

    @property
    def gpus(self) -> int:
        return self.tp * self.pp * self.dp


@dataclass(frozen=True)
class Calibration:
    """Shares of the rates that are reached, and seconds that every step costs besides."""

    memory: float = 1.0
    compute: float = 1.0
    launch: float = 0.0
    cache: float | None = None  # of the bandwidth, in reading keys and values; None: as for the weights

    @property
    def of_cache(self) -> float:
        return self.memory if self.cache is None else self.cache


@dataclass(frozen=True)
class Step:
    """One step on one GPU of every stage; `seconds` is for all stages, one after the other."""

    seconds: float
    weight_bytes: float
    kv_bytes: float
    flops: float
    memory_seconds: float
    compute_seconds: float
    communication: float | None  # None: the link between the GPUs is unknown, and nothing is added for it

    @property
    def bytes(self) -> float:
        return self.weight_bytes + self.kv_bytes

    @property
    def bound(self) -> str:
        return "memory" if self.memory_seconds >= self.compute_seconds else "compute"


SINGLE, LIGHT = Plan(), Calibration()


def decode_step(
    model: Model,
    gpu: Accelerator,
    batch: float,
    context: int,
    plan: Plan = SINGLE,
    reached: Calibration = LIGHT,
    new_tokens: int = 1,
) -> Step:
    """A step of `batch` sequences of a replica, each with `new_tokens` (more than one where drafts are verified)."""
    part = batch / plan.pp  # micro-batches keep all stages busy
    tokens = part * new_tokens
    weights = weights_read(model, tokens, plan)
    kept = part * _cache_traffic(model, context, plan)
    flops = (2.0 * model.parameters.active + attention_work.token_flops(model.shape, context)) * tokens
    return _timed(model, gpu, plan, reached, weights, kept, flops, tokens)


def prefill_step(
    model: Model,
    gpu: Accelerator,
    prompt: int,
    cached: int = 0,
    plan: Plan = SINGLE,
    reached: Calibration = LIGHT,
    all_logits: bool = False,
    batch: int = 1,
) -> Step:
    """`batch` prompts of one length. Only the last token needs the output head, unless all logits are asked for."""
    new = prompt - cached
    body = 2.0 * (model.parameters.active - model.parameters.head) * new
    head = 2.0 * model.parameters.head * (new if all_logits else 1)
    flops = batch * (body + head + attention_work.prompt_flops(model.shape, prompt, cached))
    kept, tokens = batch * _cache_traffic(model, prompt, plan), batch * new
    return _timed(model, gpu, plan, reached, weights_read(model, tokens, plan), kept, flops, tokens)


def weights_read(model: Model, tokens: float, plan: Plan) -> float:
    """Of one GPU: all that every token passes, and the experts that these tokens picked."""
    always = model.bytes.always / (plan.tp * plan.pp)
    experts = model.shape.experts
    if experts is None:
        return always
    pooled = tokens * plan.dp if plan.ep > 1 else tokens
    over = plan.ep if plan.ep > 1 else plan.tp
    hit = experts_read.distinct(experts.count, experts.active, pooled)
    return always + hit * model.bytes.one_expert * model.parameters.expert_layers / (over * plan.pp)


def _cache_traffic(model: Model, context: int, plan: Plan) -> float:
    """What one sequence has read in a step, on the GPU that holds most; a state is read and written back.

    A layer that shares the cache of an earlier one keeps nothing, but reads it all the same.
    """
    cache = Cache(model.formats.kv, plan.tp, plan.pp)

    def traffic(layer: Layer) -> float:
        ways = 2 if layer.attention in (LINEAR, MAMBA) else 1
        return ways * layer_bytes(model.shape, replace(layer, shares_cache=False), cache, context)

    return max(sum(traffic(layer) for layer in stage) for stage in stages(model.shape.layers, plan.pp))


def _timed(
    model: Model,
    gpu: Accelerator,
    plan: Plan,
    reached: Calibration,
    weights: float,
    kept: float,
    flops: float,
    tokens: float,
) -> Step:
    flops /= plan.tp * plan.pp
    memory = (weights / reached.memory + kept / reached.of_cache) / gpu.needs_bandwidth() * plan.pp
    compute = _compute_seconds(model, gpu, plan, flops, tokens) / reached.compute * plan.pp
    talk = communication(model, gpu, plan, tokens)
    return Step(max(memory, compute) + (talk or 0.0) + reached.launch, weights, kept, flops, memory, compute, talk)


def _compute_seconds(model: Model, gpu: Accelerator, plan: Plan, flops: float, tokens: float) -> float:
    """Experts at the rate of their own format, everything else at that of the matrices."""
    rate = gpu.rate(model.formats.matrices)[0]
    routed = 2.0 * _routed(model) * tokens / (plan.tp * plan.pp)
    return (flops - routed) / rate + routed / gpu.rate(model.formats.of_experts)[0]


def weight_seconds(model: Model, gpu: Accelerator) -> float:
    """Arithmetic of one token with the weights, without attention, on one GPU."""
    return _compute_seconds(model, gpu, SINGLE, 2.0 * model.parameters.active, 1)


def _routed(model: Model) -> int:
    """Parameters of routed experts that one token is multiplied with."""
    return model.parameters.active - model.parameters.always


def communication(model: Model, gpu: Accelerator, plan: Plan, tokens: float) -> float | None:
    """Two all-reduces a layer for tp, two all-to-alls a layer of experts for ep, a hand-over a stage for pp.

    None if GPUs must talk and their link is unknown.
    """
    if plan.tp * plan.pp == 1 and plan.ep == 1:
        return 0.0
    if not gpu.link:
        return None
    size = tokens * model.shape.hidden * ACTIVATION_BYTES
    layers, sparse = len(model.shape.layers), model.parameters.expert_layers if plan.ep > 1 else 0
    found = (2 * layers - sparse) * all_reduce(size, plan.tp, gpu.link, gpu.link_latency)
    if plan.ep > 1 and model.shape.experts:
        sent = size / plan.tp * model.shape.experts.active * (1 - 1 / plan.ep)
        found += sparse * 2 * (sent / gpu.link + gpu.link_latency)
    return found + (plan.pp - 1) * (size / gpu.link + gpu.link_latency)


def all_reduce(size: float, ranks: int, link: float, latency: float) -> float:
    """The better of a ring and of everybody sending to everybody, which small messages prefer."""
    if ranks == 1:
        return 0.0
    ring = 2 * (ranks - 1) / ranks * size / link + 2 * (ranks - 1) * latency
    return min(ring, latency + size * (ranks - 1) / link)
