"""The bytes that a sequence keeps between steps: keys and values, a latent, or a state.

A token in a layer of full attention: 2·g·d elements; with a latent r_kv + r_rope. A window holds min(C, w) tokens; a
linear or Mamba layer keeps the same state at any length. Under tensor parallelism a GPU holds max(1, ceil(g/T)) heads,
because a head is not cut: from T = g on they are repeated. A latent belongs to all heads, so every GPU holds all of it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.calc.model_shape import FULL, LINEAR, MAMBA, SLIDING, Layer, Shape
from perfproof.calc.number_formats import BITS, bytes_per_element, format_name
from perfproof.core.errors import UsageError

FP8_MLA = "fp8_ds_mla"  # FlashMLA's layout: latent in fp8, a 32-bit scale each 128, rope in bf16
STATE_BYTES = 4.0  # recurrent states are kept in fp32


@dataclass(frozen=True)
class Cache:
    """How the cache is stored and divided."""

    dtype: str = "bf16"
    tp: int = 1
    pp: int = 1
    block: int = 1  # tokens in a page
    scale_bytes: float = 0.0  # of each token, layer, kv head, for K and again for V


def kv_format(written: str, option: str = "--kv-dtype") -> str:
    if written == FP8_MLA:
        return written
    name = format_name(written, option)
    if name not in BITS or BITS[name] != round(BITS[name]):
        raise UsageError(f"{option} {written!r} is a format of weights; give fp8, int8 or bf16 and --kv-scale-bytes")
    return name


def token_bytes(shape: Shape, layer: Layer, cache: Cache) -> float:
    """Of one token in one layer, on one GPU; 0 where the layer keeps nothing for a token."""
    if layer.attention not in (FULL, SLIDING) or layer.shares_cache:
        return 0.0
    if shape.latent:
        if cache.dtype == FP8_MLA:
            return shape.latent.kv_rank * (1 + 4 / 128) + 2 * shape.latent.rope
        return (shape.latent.kv_rank + shape.latent.rope) * bytes_per_element(cache.dtype)
    if cache.dtype == FP8_MLA:
        raise UsageError(f"{FP8_MLA} is a layout of latent attention, and {shape.name} has none")
    heads = max(1, math.ceil(shape.kv_heads / cache.tp))
    return 2 * heads * (shape.head_dim * bytes_per_element(cache.dtype) + cache.scale_bytes)


def per_token(shape: Shape, cache: Cache) -> float:
    """Of one token more in all layers that grow, on the GPU that holds most."""
    return max(sum(token_bytes(shape, layer, cache) for layer in stage) for stage in stages(shape.layers, cache.pp))


def per_sequence(shape: Shape, cache: Cache, context: int) -> float:
    """Of a whole sequence, on the GPU that holds most: windows, pages and states included."""
    return max(
        sum(layer_bytes(shape, layer, cache, context) for layer in stage) for stage in stages(shape.layers, cache.pp)
    )


def layer_bytes(shape: Shape, layer: Layer, cache: Cache, context: int) -> float:
    if layer.attention in (LINEAR, MAMBA):
        return state_bytes(shape, layer, cache)
    return token_bytes(shape, layer, cache) * paged(held_tokens(shape, layer, context), cache.block)


def held_tokens(shape: Shape, layer: Layer, context: int) -> int:
    return min(context, shape.window) if layer.attention == SLIDING and shape.window else context


def paged(tokens: int, block: int) -> int:
    return math.ceil(tokens / block) * block


def state_bytes(shape: Shape, layer: Layer, cache: Cache) -> float:
    """Of a layer that keeps a state; heads are divided over the GPUs of a tensor-parallel group."""
    part = shape.recurrent if layer.attention == LINEAR else shape.state_space
    if part is None:
        raise UsageError(
            f"{shape.name} has {layer.attention} layers, but its file does not say how large their state is"
        )
    window = part.window_elements * bytes_per_element("bf16")
    return (part.state_elements * STATE_BYTES + window) / cache.tp


def stages(layers: Sequence[Layer], pp: int) -> list[Sequence[Layer]]:
    """Consecutive layers for each pipeline stage, ceil(L/P) in all but the last."""
    size = math.ceil(len(layers) / pp)
    return [layers[start : start + size] for start in range(0, len(layers), size)]
