"""What fits on the GPUs: weights, activations, reserve, and how many sequences the rest holds.

KV budget   utilisation·memory - weights/(T·P) - activations - reserve, on one GPU
sequences   budget / bytes of a sequence of S + n/2 tokens (the mean while it is answered), and of S + n (the worst)
activations tokens_in_step·(6·h + max(2·I, q + 2·kv))·2/T + 256·V·4/T: an estimate; an engine's own number is better

S prompt tokens, n output tokens, h hidden, I MLP width, V vocabulary. A context length that a model allows is no mean.
"""

import math
from typing import Annotated

from perfproof.calc.accelerator import Accelerator
from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.calc.head_split import uneven_heads
from perfproof.calc.kv_bytes import Cache, per_sequence
from perfproof.calc.model_shape import Shape
from perfproof.calc.pipeline_split import refuse_empty_stages
from perfproof.calc.weighed_model import Model, weigh

SAMPLED = 256  # rows of logits at once


def calculate(
    shape: Shape,
    gpu: Accelerator,
    prompt: Annotated[int, Flag("Prompt length, in tokens.", "S", least=1)] = 1024,
    output: Annotated[int, Flag("Answer length, in tokens.", "N", least=0)] = 256,
    dtype: Annotated[str, Flag("Data type of the weights. [default: that of MODEL]", "NAME")] = "",
    kv_dtype: Annotated[str, Flag("Data type of the KV cache.", "NAME")] = "bf16",
    tp: Annotated[int, Flag("Number of tensor-parallel GPUs.", "T", least=1)] = 1,
    pp: Annotated[int, Flag("Number of pipeline stages.", "P", least=1)] = 1,
    block: Annotated[int, Flag("Tokens per KV cache block (page).", "N", least=1)] = 16,
    utilisation: Annotated[float, Flag("Share of the GPU memory that may be used.", "SHARE", above=0, most=1)] = 0.9,
    step_tokens: Annotated[int, Flag("Maximum number of tokens per step.", "N", least=1)] = 8192,
    reserve_gb: Annotated[
        float, Flag("Memory assumed for CUDA context, graphs and NCCL, in GB per GPU.", "GB", least=0)
    ] = 2.0,
) -> Answer:
    refuse_empty_stages(shape, pp)
    model = weigh(shape, dtype, kv_dtype)
    memory = gpu.needs_memory()
    exact = None if dtype else shape.stored_bytes  # of the format that the file stores, not of another
    weights, work = (exact or model.bytes.stored) / (tp * pp), activations(model, step_tokens, tp)
    budget = utilisation * memory - weights - work - reserve_gb * 1e9
    cache = Cache(model.formats.kv, tp, pp, block)
    mean, worst = prompt + output // 2, prompt + output
    counts = [max(0, math.floor(budget / per_sequence(shape, cache, length))) for length in (mean, worst)]
    values = [
        Value("memory", memory, "B", f"{gpu.name}, {gpu.memory_source}"),
        Value("usable", utilisation * memory, "B", f"{utilisation:.0%} of it"),
        Value("weights_per_gpu", weights, "B", f"{model.formats.matrices}, tp {tp}, pp {pp}"),
        Value("activations", work, "B", f"estimate, {step_tokens} tokens in a step"),
        Value("reserve", reserve_gb * 1e9, "B", "assumed"),
        Value("kv_budget", budget, "B", "negative: it does not fit" if budget < 0 else "on one GPU"),
        Value("fits", counts[1] >= 1, "", "the model, and at least one sequence of full length"),
        Value("sequences_mean", counts[0], "", f"at {mean} tokens each, half-way through their answers"),
        Value("sequences_worst", counts[1], "", f"at {worst} tokens each, all at their end"),
    ]
    headline = f"{shape.name} on {tp * pp} x {gpu.name}: " + (
        f"{counts[1]} to {counts[0]} sequences" if counts[1] else "does not fit"
    )
    warnings = [*shape.warnings, *uneven_heads(shape, tp)] + (
        [] if counts[1] else [_remedy(model, cache, memory, utilisation, work, reserve_gb, worst)]
    )
    return Answer(headline, tuple(values), (_by_length(model, cache, budget),), tuple(warnings), is_no=not counts[1])


def activations(model: Model, step_tokens: int, tp: int) -> float:
    shape = model.shape
    wide = shape.experts.width * shape.experts.active + shape.experts.shared_width if shape.experts else shape.ffn
    attention = (shape.heads + 2 * shape.kv_heads) * shape.head_dim
    return (step_tokens * (6 * shape.hidden + max(2 * wide, attention)) * 2 + SAMPLED * shape.vocab * 4) / tp


def _remedy(
    model: Model, cache: Cache, memory: float, utilisation: float, work: float, reserve_gb: float, length: int
) -> str:
    """The fewest GPUs, as a power of two that divides the query heads, on which one sequence fits."""
    for tp in (2**power for power in range(1, 11)):
        if tp <= cache.tp or uneven_heads(model.shape, tp):
            continue
        need = model.bytes.stored / (tp * cache.pp) + work * cache.tp / tp + reserve_gb * 1e9
        need += per_sequence(model.shape, Cache(cache.dtype, tp, cache.pp, cache.block), length)
        if need <= utilisation * memory:
            return f"it does not fit: try --tp {tp}, or weights of fewer bits (--dtype fp8, int4)"
    return "it does not fit with any --tp: try --pp, a shorter context or weights of fewer bits"


def _by_length(model: Model, cache: Cache, budget: float) -> Table:
    lengths = (1024, 4096, 16384, 65536, 131072)
    rows = []
    for length in lengths:
        size = per_sequence(model.shape, cache, length)
        rows.append((length, size, max(0, math.floor(budget / size))))
    return Table("by length", (("tokens", ""), ("a sequence", "B"), ("sequences", "")), tuple(rows))
