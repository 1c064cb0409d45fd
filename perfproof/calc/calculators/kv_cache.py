"""Bytes of the KV cache: per token, per sequence, per batch, and the share of one GPU.

MHA, GQA, MQA    2·L·g·d·b bytes per token; of one GPU 2·ceil(L/P)·max(1, ceil(g/T))·d·b: a head is not cut in two
MLA              L·(kv_lora_rank + qk_rope_head_dim)·b, not divided by T: every rank holds the latent
sliding window   min(C, w) tokens in those layers
linear, Mamba    a constant state a sequence
pages            ceil(C/block)·block tokens; (block - 1)/2 tokens per sequence are wasted on average

L layers, g kv heads, d head_dim, b bytes an element, T tensor-parallel, P pipeline-parallel, C context, w window.
hidden_size in place of g·d is the usual error: eight times too much for a model with 64 heads and 8 kv heads.
"""

from dataclasses import dataclass, replace
from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.calc.head_split import uneven_heads
from perfproof.calc.kv_bytes import Cache, kv_format, per_sequence, per_token, state_bytes
from perfproof.calc.model_shape import LINEAR, MAMBA, Layer, Shape
from perfproof.calc.pipeline_split import refuse_empty_stages
from perfproof.core.errors import UsageError

USUAL_KV_HEADS, USUAL_HEAD_DIM = 8, 128


@dataclass(frozen=True)
class Room:
    """What of a GPU's memory is left for the cache."""

    memory: float
    reserve: float
    overhead: float


def calculate(
    shape: Shape | None,
    tokens: Annotated[int, Flag("Context length per sequence, in tokens.", "N", least=1)] = 4096,
    batch: Annotated[int, Flag("Number of sequences at once.", "N", least=1)] = 1,
    dtype: Annotated[str, Flag("Data type of the KV cache: bf16, fp8, int8, fp8_ds_mla.", "NAME")] = "bf16",
    tp: Annotated[int, Flag("Number of tensor-parallel GPUs.", "T", least=1)] = 1,
    pp: Annotated[int, Flag("Number of pipeline stages.", "P", least=1)] = 1,
    block: Annotated[int, Flag("Tokens per KV cache block (page).", "N", least=1)] = 16,
    kv_scale_bytes: Annotated[
        float, Flag("Bytes of the scale per token, layer and kv head, for K and again for V.", "B", least=0)
    ] = 0.0,
    layers: Annotated[int | None, Flag("Number of layers, if no MODEL is given.", "N", least=1)] = None,
    hidden: Annotated[int | None, Flag("Hidden size (hidden_size), if no MODEL is given.", "N", least=1)] = None,
    heads: Annotated[int | None, Flag("Number of query heads, if no MODEL is given.", "N", least=1)] = None,
    kv_heads: Annotated[int | None, Flag("Number of kv heads, if no MODEL is given.", "N", least=1)] = None,
    head_dim: Annotated[int | None, Flag("Width of a head (head_dim), if no MODEL is given.", "N", least=1)] = None,
    gpu_mem_gb: Annotated[
        float | None, Flag("GPU memory in GB (1e9 bytes), to check whether the cache fits.", "GB", above=0)
    ] = None,
    kv_overhead_frac: Annotated[
        float, Flag("Overhead added to the cache for its book-keeping, as a share.", "SHARE", least=0)
    ] = 0.0,
    reserve_activations_gb: Annotated[float, Flag("GPU memory kept free for activations, in GB.", "GB", least=0)] = 0.0,
) -> Answer:
    own = (layers, hidden, heads, kv_heads, head_dim)
    if shape is not None and any(value is not None for value in own):
        raise UsageError("--layers, --hidden, --heads, --kv-heads and --head-dim describe a model: leave MODEL out")
    warnings: list[str] = []
    knows_heads = shape is not None or heads is not None  # else they are assumed
    if shape is None:
        shape, warnings = shape_from_flags(*own)
    refuse_empty_stages(shape, pp)
    warnings += uneven_heads(shape, tp) if knows_heads else []
    cache = Cache(kv_format(dtype, "--dtype"), tp, pp, block, kv_scale_bytes)
    room = Room(gpu_mem_gb * 1e9, reserve_activations_gb * 1e9, kv_overhead_frac) if gpu_mem_gb else None
    warnings += [*shape.warnings, *_told_of(shape, cache)]
    return _answer(shape, cache, tokens, batch, room, warnings, is_bare=layers is not None and kv_heads is None)


def _answer(
    shape: Shape, cache: Cache, tokens: int, batch: int, room: Room | None, warnings: list[str], is_bare: bool
) -> Answer:
    whole, exact = replace(cache, tp=1, pp=1), replace(cache, block=1)
    one = per_token(shape, replace(whole, block=1))
    mine, sequence = per_token(shape, exact), per_sequence(shape, cache, tokens)
    unpaged = per_sequence(shape, replace(whole, block=1), tokens)
    values = [
        Value("attention", shape.attention_kind, "", _heads(shape)),
        Value("kv_bytes_per_token", one, "B", "all GPUs together, every head once"),
        Value("kv_bytes_per_token_per_gpu", mine, "B", f"tp {cache.tp}, pp {cache.pp}"),
        Value("sequence_bytes", unpaged, "B", f"{tokens:,} tokens, all GPUs, without pages"),
        Value("total_bytes", unpaged * batch, "B", f"{batch} sequences, all GPUs, without pages"),
        Value("sequence_bytes_per_gpu", sequence, "B", f"in pages of {cache.block} tokens"),
        Value("total_bytes_per_gpu", sequence * batch, "B", f"{batch} sequences, in pages"),
        Value("expected_page_waste", (cache.block - 1) / 2 * mine, "B", "a sequence and GPU, at a random length"),
    ]
    if any(layer.attention in (LINEAR, MAMBA) for layer in shape.layers):
        values.append(Value("state_bytes_per_sequence", _states(shape, whole), "B", "linear and Mamba, at any length"))
    if is_bare:
        small = replace(shape, kv_heads=USUAL_KV_HEADS, head_dim=USUAL_HEAD_DIM)
        total = per_sequence(small, replace(whole, block=1), tokens) * batch
        values.append(
            Value("total_bytes_with_8_kv_heads", total, "B", "if it has 8 kv heads of 128, as many models of this size")
        )
    if room is not None:
        values += _room(room, sequence * batch, sequence)
    headline = (
        f"{shape.name}: {one:,.0f} B per token ({shape.attention_kind}, {cache.dtype}); {mine:,.0f} B of it on a GPU"
    )
    return Answer(headline, tuple(values), _kinds(shape, whole), tuple(warnings))


def shape_from_flags(
    layers: int | None, hidden: int | None, heads: int | None, kv_heads: int | None, head_dim: int | None
) -> tuple[Shape, list[str]]:
    """The form with --layers and --hidden; what is not said is assumed aloud."""
    if layers is None or (hidden is None and not (kv_heads and head_dim)):
        raise UsageError("which model? give a MODEL (a config.json or a shipped shape), or --layers and --hidden")
    warnings = []
    if head_dim is None and hidden is not None and heads is not None:
        head_dim = hidden // heads
    if kv_heads is None:
        warnings.append(
            "no --kv-heads: computed as MHA, with K and V as wide as the hidden state; most models since 2023 share "
            "kv heads and need a fraction, so look up num_key_value_heads"
        )
        guess = (hidden or 0) // USUAL_HEAD_DIM if (hidden or 1) % USUAL_HEAD_DIM == 0 else 1
        wide = heads or guess
        found_dim = head_dim or (hidden or 0) // wide
        return Shape("this model", hidden or 0, wide, wide, found_dim, (Layer(),) * layers), warnings
    if head_dim is None:
        head_dim = USUAL_HEAD_DIM
        warnings.append(f"no --head-dim and no --heads: heads of {USUAL_HEAD_DIM} assumed")
    many = heads or max(kv_heads, (hidden or 0) // head_dim)
    return Shape("this model", hidden or many * head_dim, many, kv_heads, head_dim, (Layer(),) * layers), warnings


def _heads(shape: Shape) -> str:
    if shape.latent:
        return f"a latent of {shape.latent.kv_rank} and {shape.latent.rope} rotary elements, for all heads"
    return f"{shape.kv_heads} kv heads of {shape.head_dim}, {shape.heads} query heads"


def _told_of(shape: Shape, cache: Cache) -> list[str]:
    if shape.latent and cache.tp > 1:
        return [
            f"the latent is not divided: each of {cache.tp} ranks holds all of it; data-parallel attention divides it"
        ]
    if cache.tp > shape.kv_heads:
        return [
            f"tp {cache.tp} is more than {shape.kv_heads} kv heads: each is held by several GPUs, and nothing is saved"
        ]
    return []


def _states(shape: Shape, cache: Cache) -> float:
    return sum(state_bytes(shape, layer, cache) for layer in shape.layers if layer.attention in (LINEAR, MAMBA))


def _room(room: Room, needed: float, sequence: float) -> list[Value]:
    with_overhead, left = needed * (1 + room.overhead), room.memory - room.reserve
    return [
        Value("needed_with_overhead", with_overhead, "B", f"on one GPU, {room.overhead:.0%} more"),
        Value("room", left, "B", "memory less the reserve; weights are not taken off here: see calc fit"),
        Value(
            "fits", with_overhead <= left, note=f"{max(0, int(left / (sequence * (1 + room.overhead))))} sequences fit"
        ),
    ]


def _kinds(shape: Shape, cache: Cache) -> tuple[Table, ...]:
    """Where layers differ: how many of each kind, and what each kind keeps."""
    kinds = sorted({layer.attention for layer in shape.layers})
    if len(kinds) < 2 and not shape.window:
        return ()
    rows = []
    for kind in kinds:
        of_kind = tuple(layer for layer in shape.layers if layer.attention == kind)
        part = replace(shape, layers=of_kind)
        limit = shape.window if kind == "sliding" else None
        rows.append((kind, len(of_kind), per_token(part, replace(cache, block=1)), limit))
    return (Table("layers by kind", (("kind", ""), ("layers", ""), ("a token", "B"), ("window", "tok")), tuple(rows)),)
