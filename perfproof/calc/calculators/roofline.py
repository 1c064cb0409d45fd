"""Speed of light of prefill and decode: how fast the hardware allows a model to be, not how fast an engine is.

decode   bytes = W_read(B) + B·C·kv; operations = 2·P_act·B + 4·B·C·a·d·L (MLA: 2·B·C·a·(2·r_kv + r_rope)·L)
         t = max(bytes/(η_m·BW), operations/(η_c·F)) + t_comm + t_launch
prefill  operations = 2·P_act·S + 2·(S² - S_c²)·a·d·L, S_c tokens of it cached; the head only for the last token
tp       two all-reduces of B·h·2 bytes per layer: ring 2(T-1)/T·size/bw + 2(T-1)·α, or α + (T-1)·size/bw if shorter
B*       W·F/(2·P_act·BW), W bytes of all weights that a large batch reads: the batch from which weights are no longer
         the limit. For a dense model W = P_act·b_w, so B* = F·b_w/(2·BW); a mixture of experts reads all of them

η = 1 and t_launch = 0 unless --sweep fits them to measured steps: CSV with batch, context and seconds (or ms). The
cache gets a share of the bandwidth of its own where one share cannot explain the sweep.
"""

from typing import Annotated

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.calc.head_split import uneven_heads
from perfproof.calc.model_shape import Shape
from perfproof.calc.step_time import LIGHT, Calibration, Plan, Step, decode_step, prefill_step, weight_seconds
from perfproof.calc.sweep_fit import Fit, Point, fit
from perfproof.calc.weighed_model import Model, weigh
from perfproof.core.errors import UsageError
from perfproof.core.units import percent


def calculate(
    shape: Shape,
    gpu: Accelerator,
    sweep: list[Point] | None,
    batch: Annotated[int, Flag("Batch size: number of sequences in a decode step.", "B", least=1)] = 1,
    context: Annotated[int, Flag("Mean context length: tokens per sequence in the KV cache.", "C", least=1)] = 1024,
    prompt: Annotated[int, Flag("Prompt length for the prefill, in tokens.", "S", least=1)] = 4096,
    cached: Annotated[int, Flag("Prompt tokens that are in the KV cache already.", "N", least=0)] = 0,
    dtype: Annotated[str, Flag("Data type of the weights. [default: that of MODEL]", "NAME")] = "",
    kv_dtype: Annotated[str, Flag("Data type of the KV cache.", "NAME")] = "bf16",
    tp: Annotated[int, Flag("Number of tensor-parallel GPUs.", "T", least=1)] = 1,
    memory_share: Annotated[
        float, Flag("Share of the memory bandwidth that is reached, η_m.", "SHARE", above=0, most=1)
    ] = 1.0,
    compute_share: Annotated[
        float, Flag("Share of the arithmetic rate that is reached, η_c.", "SHARE", above=0, most=1)
    ] = 1.0,
    launch_us: Annotated[float, Flag("Overhead added to every step, in µs.", "US", least=0)] = 0.0,
    all_logits: Annotated[
        bool, Flag("Compute the logits of every prompt token in prefill, not only of the last.")
    ] = False,
    measured: Annotated[
        float | None,
        Flag("Measured decode rate of your server at this batch, to compare with the limit.", "TOK/S", above=0),
    ] = None,
) -> Answer:
    if cached >= prompt:
        raise UsageError(f"--cached {cached}: must be less than the {prompt} tokens of --prompt")
    model, plan = weigh(shape, dtype, kv_dtype), Plan(tp=tp)
    fitted = fit(sweep, lambda one: decode_step(model, gpu, one.batch, one.context, plan)) if sweep else None
    reached = fitted.reached if fitted else Calibration(memory_share, compute_share, launch_us / 1e6)
    decode = decode_step(model, gpu, batch, context, plan, reached)
    prefill = prefill_step(model, gpu, prompt, cached, plan, reached, all_logits)
    word = "speed of light" if reached == LIGHT else "fitted to the sweep" if fitted else "with the shares given"
    headline = (
        f"{shape.name} on {tp} x {gpu.name}, {word}: decode {batch / decode.seconds:,.0f} tok/s, "
        f"prefill {(prompt - cached) / prefill.seconds:,.0f} tok/s"
    )
    share = measured * decode.seconds / batch if measured else None
    if share:
        headline += f"; measured {measured:,.0f} tok/s, {percent(share, 0)} of the decode limit"
    values = [*_decode_values(decode, batch), *_prefill_values(prefill, prompt), _crossover(model, gpu)]
    values += [Value("measured_share", share, "share", _what_is_left(decode))] if share else []
    values += _fit_values(fitted) if fitted else []
    return Answer(
        headline,
        tuple(values),
        (_curve(model, gpu, context, plan, reached),),
        tuple(_warn(shape, gpu, tp, model, reached) + _warn_of_batch(model, gpu, tp, decode, share)),
    )


def _decode_values(step: Step, batch: int) -> list[Value]:
    return [
        Value("decode_step", step.seconds, "s", f"bound by {step.bound}; every user gets a token in it"),
        Value("decode_tokens_per_second", batch / step.seconds, "tok/s", f"all {batch} sequences together"),
        Value("decode_weight_bytes", step.weight_bytes, "B", "read in a step by each GPU"),
        Value("decode_kv_bytes", step.kv_bytes, "B", f"{step.kv_bytes / step.bytes:.0%} of what is read"),
        Value("decode_flops", step.flops, "FLOP"),
        Value("communication", step.communication, "s", _talk_note(step, "in a decode step")),
    ]


def _prefill_values(step: Step, prompt: int) -> list[Value]:
    return [
        Value("prefill", step.seconds, "s", f"{prompt} tokens, bound by {step.bound}: no TTFT can be shorter"),
        Value("prefill_flops", step.flops, "FLOP"),
        Value("prefill_communication", step.communication, "s", _talk_note(step, "in the prefill, part of its time")),
    ]


def _talk_note(step: Step, known: str) -> str:
    return known if step.communication is not None else "not counted: give --link-gb-s"


def _crossover(model: Model, gpu: Accelerator) -> Value:
    weights = (model.bytes.always + model.bytes.experts) / gpu.needs_bandwidth()
    batch = weights / weight_seconds(model, gpu)
    dtype = gpu.rate(model.formats.matrices)[1]
    return Value("crossover_batch", batch, "", f"B* with arithmetic in {dtype}: below it weights are the limit")


def _fit_values(found: Fit) -> list[Value]:
    worst = max(abs(one) for one in found.residuals)
    memory = found.reached.memory if found.memory_points else None
    compute = found.reached.compute if found.compute_points else None
    cache = [] if found.reached.cache is None else [Value("fitted_cache_share", found.reached.cache, "share", "of KV")]
    return [
        Value("fitted_memory_share", memory, "share", f"from {found.memory_points} memory-bound points"),
        *cache,
        Value("fitted_compute_share", compute, "share", f"from {found.compute_points} compute-bound points"),
        Value("fitted_launch", found.reached.launch, "s", "in every step"),
        Value("worst_residual", worst, "share", f"over {len(found.residuals)} points: no better than that is known"),
    ]


def _curve(model: Model, gpu: Accelerator, context: int, plan: Plan, reached: Calibration) -> Table:
    rows = []
    for batch in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        step = decode_step(model, gpu, batch, context, plan, reached)
        rates = batch / step.seconds, 1 / step.seconds
        bound = "no room" if _has_room(model, gpu, plan.tp, step) is False else step.bound
        rows.append((batch, step.seconds, *rates, step.kv_bytes / step.bytes, bound))
    columns = (("batch", ""), ("step", "s"), ("all", "tok/s"), ("per user", "tok/s"), ("KV", "share"), ("bound", ""))
    return Table("decode by batch", columns, tuple(rows))


def _has_room(model: Model, gpu: Accelerator, tp: int, step: Step) -> bool | None:
    """Do weights and cache fit in the memory of each GPU? Activations come on top. None if the memory is unknown."""
    return model.bytes.stored / tp + step.kv_bytes <= gpu.memory if gpu.memory else None


def _what_is_left(step: Step) -> str:
    return f"of the limit by {step.bound}; the rest is launches, scheduling and sampling, or bandwidth not reached"


def _warn_of_batch(model: Model, gpu: Accelerator, tp: int, step: Step, share: float | None) -> list[str]:
    found = []
    weights = model.bytes.stored / tp
    if gpu.memory and weights <= gpu.memory and not _has_room(model, gpu, tp, step):
        needs = f"{(weights + step.kv_bytes) / 1e9:.1f} GB of {gpu.memory / 1e9:.0f} GB"
        found.append(f"weights and cache of this batch do not fit on a GPU ({needs}): see calc fit")
    if share and share > 1:
        found.append("the measured rate is above the limit: batch, context, format or GPU are others than those given")
    return found


def _warn(shape: Shape, gpu: Accelerator, tp: int, model: Model, reached: Calibration) -> list[str]:
    found = [*shape.warnings, *uneven_heads(shape, tp)]
    if max(reached.memory, reached.compute, reached.of_cache) > 1:
        found.append("the sweep is faster than these rates allow: its times, its batch or the GPU's rates are wrong")
    if tp > 1 and not gpu.link:
        found.append("communication is not counted: give --link-gb-s, the bandwidth of a GPU to its neighbours")
    if gpu.memory and model.bytes.stored / tp > gpu.memory:
        found.append("the weights alone do not fit in this memory: see calc fit")
    return found
