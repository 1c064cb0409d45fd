"""Training: operations, time, MFU, memory under ZeRO, and the share of time that is not lost to failures.

operations  6·P_act a token, 2 forward and 4 backward, and 6·S·a·d·L of causal attention; 8/6 with full recomputation
MFU         tokens/s·operations per token / (GPUs·F), recomputation not counted
memory      weights 2, gradients 2, optimiser 12 bytes a parameter (fp32 copy, two moments); over D data-parallel ranks
            ZeRO 1 divides the optimiser, 2 the gradients too, 3 the weights too
activations about S·b·h·34 bytes per layer with flash attention, 2·S·b·h with full recomputation: an estimate
failures    checkpoint every sqrt(2·δ·M); goodput 1 - δ/τ - (τ/2 + R)/M; days with failures = days/goodput

S sequence, b micro-batch, δ seconds of a checkpoint, M mean time between failures, R restart, τ interval.
"""

import math
from dataclasses import dataclass
from typing import Annotated

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.calc.attention_work import prompt_flops
from perfproof.calc.head_split import uneven_heads
from perfproof.calc.model_shape import Shape
from perfproof.calc.number_formats import format_name
from perfproof.calc.parameters import count
from perfproof.calc.pipeline_split import refuse_empty_stages
from perfproof.core.errors import UsageError

WEIGHTS, GRADIENTS, OPTIMISER = 2.0, 2.0, 12.0  # bytes a parameter, mixed precision with Adam


@dataclass(frozen=True)
class Ranks:
    tp: int
    pp: int
    dp: int


def calculate(
    shape: Shape,
    gpu: Accelerator | None,
    sequence: Annotated[int, Flag("Sequence length, in tokens.", "S", least=1)] = 4096,
    micro_batch: Annotated[
        int, Flag("Number of sequences per forward pass on a replica (micro-batch).", "B", least=1)
    ] = 1,
    tokens: Annotated[float | None, Flag("Total number of tokens to train on: 15e12.", "N", above=0)] = None,
    throughput: Annotated[
        float | None, Flag("Measured tokens per second, all GPUs together.", "TOK/S", above=0)
    ] = None,
    mfu: Annotated[
        float | None, Flag("Assumed MFU: share of the GPUs' arithmetic rate that is used.", "SHARE", above=0, most=1)
    ] = None,
    tp: Annotated[int, Flag("Number of tensor-parallel GPUs.", "T", least=1)] = 1,
    pp: Annotated[int, Flag("Number of pipeline stages.", "P", least=1)] = 1,
    dp: Annotated[int | None, Flag("Number of data-parallel ranks. [default: 1]", "D", least=1)] = None,
    gpus: Annotated[int | None, Flag("Total number of GPUs, instead of --dp.", "N", least=1)] = None,
    zero: Annotated[int, Flag("ZeRO stage.", "0-3", least=0, most=3)] = 0,
    recompute: Annotated[bool, Flag("Recompute all activations in the backward pass.")] = False,
    dtype: Annotated[str, Flag("Data type of the arithmetic.", "NAME")] = "bf16",
    mtbf_hours: Annotated[float | None, Flag("Mean time between failures of the job, in hours.", "H", above=0)] = None,
    checkpoint_s: Annotated[
        float | None, Flag("Time that a checkpoint stops the job, in seconds.", "S", above=0)
    ] = None,
    restart_s: Annotated[float, Flag("Time from a failure to the next step, in seconds.", "S", least=0)] = 0.0,
) -> Answer:
    refuse_empty_stages(shape, pp)
    parameters, ranks = count(shape), Ranks(tp, pp, _data_parallel(tp * pp, dp, gpus))
    each = token_flops(shape, sequence)
    state = states(parameters.total, ranks, zero)
    kept = activations(shape, sequence, micro_batch, ranks, recompute)
    speed = _speed(each, gpu, ranks, dtype, tokens, throughput, mfu)
    values = [
        Value("parameters", parameters.total),
        *_work(each, tokens, recompute),
        *speed,
        Value("state_bytes_per_gpu", state, "B", f"weights, gradients, optimiser; ZeRO {zero}"),
        Value("activation_bytes_per_gpu", kept, "B", "estimate"),
        Value("memory_per_gpu", state + kept, "B", _fits(state + kept, gpu)),
    ]
    if mtbf_hours is not None and checkpoint_s is not None:
        share = new_work(mtbf_hours * 3600, checkpoint_s, restart_s)
        values += _failures(mtbf_hours * 3600, checkpoint_s, share)
        values += [_with_failures(one, share) for one in speed if one.name in ("days", "gpu_hours")]
    headline = f"{shape.name}: {each / 1e9:.1f} GFLOP per token, {(state + kept) / 1e9:.1f} GB per GPU"
    warnings = (*shape.warnings, *uneven_heads(shape, tp))
    return Answer(headline, tuple(values), (_stages(parameters.total, ranks),), warnings)


def _data_parallel(replica: int, dp: int | None, gpus: int | None) -> int:
    if gpus is None:
        return dp or 1
    if gpus % replica or dp not in (None, gpus // replica):
        wrong = f"{replica} times --dp {dp}" if dp else f"a multiple of {replica}"
        raise UsageError(f"--gpus {gpus} is not {wrong}: a replica has --tp x --pp = {replica} GPUs")
    return gpus // replica


def _work(each: float, tokens: float | None, recompute: bool) -> list[Value]:
    found = [Value("flops_per_token", each, "FLOP", "forward and backward, attention included")]
    if recompute:
        found.append(Value("hardware_flops_per_token", each * 8 / 6, "FLOP", "with recomputation"))
    if tokens is not None:
        found.append(Value("flops", each * tokens, "FLOP", f"{tokens:.3g} tokens"))
    return found


def token_flops(shape: Shape, sequence: int) -> float:
    """Forward and backward of one token; the backward pass costs twice the forward."""
    return 6.0 * count(shape).active + 3 * prompt_flops(shape, sequence) / sequence


def states(parameters: float, ranks: Ranks, zero: int) -> float:
    """Bytes on one GPU."""
    mine = parameters / (ranks.tp * ranks.pp)
    parts = (OPTIMISER, GRADIENTS, WEIGHTS)
    return mine * sum(part / (ranks.dp if zero > place else 1) for place, part in enumerate(parts))


def activations(shape: Shape, sequence: int, micro_batch: int, ranks: Ranks, recompute: bool) -> float:
    """Of the first stage, which keeps the micro-batches of all stages in flight."""
    size = sequence * micro_batch * shape.hidden
    layers = math.ceil(len(shape.layers) / ranks.pp)
    one = 2 * size if recompute else size * (10 + 24 / ranks.tp)
    extra = size * (10 + 24 / ranks.tp) if recompute else 0  # the layer that is being recomputed
    return one * layers * ranks.pp + extra


def _speed(
    each: float,
    gpu: Accelerator | None,
    ranks: Ranks,
    dtype: str,
    tokens: float | None,
    throughput: float | None,
    mfu: float | None,
) -> list[Value]:
    if gpu is None:
        why = "unknown: give --gpu or --tflops"
        return [Value("mfu", None, "share", why)] if throughput or mfu else []
    rate, used = gpu.rate(format_name(dtype))
    gpus = ranks.tp * ranks.pp * ranks.dp
    found = []
    if throughput is not None:
        note = f"of {gpus} x {rate / 1e12:.0f} TFLOP/s in {used}" + (
            ": impossible" if throughput * each > gpus * rate else ""
        )
        found.append(Value("mfu", throughput * each / (gpus * rate), "share", note))
    elif mfu is not None:
        throughput = mfu * gpus * rate / each
        found.append(Value("tokens_per_second", throughput, "tok/s", f"at an MFU of {mfu:.0%}, {gpus} GPUs"))
    if throughput is not None and tokens is not None:
        found.append(Value("days", tokens / throughput / 86400, "d", "without failures"))
        found.append(Value("gpu_hours", gpus * tokens / throughput / 3600, "h", "without failures"))
    return found


def _fits(need: float, gpu: Accelerator | None) -> str:
    if gpu is None or not gpu.memory:
        return "without the CUDA context and fragmentation"
    return f"{'fits' if need <= gpu.memory else 'does not fit'} in {gpu.memory / 1e9:.0f} GB"


def checkpoint_interval(between: float, checkpoint: float) -> float:
    """Seconds from one checkpoint to the next that lose least, by Young: sqrt(2·δ·M)."""
    return math.sqrt(2 * checkpoint * between)


def new_work(between: float, checkpoint: float, restart: float) -> float:
    """The share of the time that is new work; 0 if checkpoints and restarts take all of it."""
    interval = checkpoint_interval(between, checkpoint)
    return max(0.0, 1 - checkpoint / interval - (interval / 2 + restart) / between)


def _failures(between: float, checkpoint: float, share: float) -> list[Value]:
    note = "of the time is new work" if share else "no time is left for new work: checkpoints and restarts take all"
    return [
        Value("checkpoint_interval", checkpoint_interval(between, checkpoint), "s", "sqrt(2·δ·M)"),
        Value("goodput", share, "share", note),
    ]


def _with_failures(plain: Value, share: float) -> Value:
    name = f"{plain.name}_with_failures"
    if not share:
        return Value(name, None, plain.unit, "never: at this rate of failures the job does not end")
    assert isinstance(plain.value, float)
    return Value(name, plain.value / share, plain.unit, f"at a goodput of {share:.1%}")


def _stages(parameters: float, ranks: Ranks) -> Table:
    rows = tuple((stage, states(parameters, ranks, stage)) for stage in range(4))
    return Table("state by ZeRO stage", (("stage", ""), ("per GPU", "B")), rows)
