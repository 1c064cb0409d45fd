"""Operations of attention, multiply and add counted as two: one more token, and a whole prompt.

Softmax attention of a token over C others: 4·C·a·d; over a prompt of S, causal: 2·S²·a·d. With a latent, absorbed, a
new token costs 2·C·a·(2·r_kv + r_rope): many operations for each byte of cache, so decoding becomes bound by compute.
"""

from perfproof.calc.kv_bytes import held_tokens
from perfproof.calc.model_shape import FULL, LINEAR, MAMBA, SLIDING, Layer, Shape


def token_flops(shape: Shape, context: int) -> float:
    """Of one new token in all layers."""
    return sum(_token(shape, layer, context) for layer in shape.layers)


def prompt_flops(shape: Shape, tokens: int, cached: int = 0) -> float:
    """Of a prompt whose first `cached` tokens are in the cache already."""
    return sum(_prompt(shape, layer, tokens) - _prompt(shape, layer, cached) for layer in shape.layers)


def _token(shape: Shape, layer: Layer, context: int) -> float:
    if layer.attention in (LINEAR, MAMBA):
        return _state(shape, layer)
    if layer.attention not in (FULL, SLIDING):
        return 0.0
    seen = held_tokens(shape, layer, context)
    if shape.latent:
        return 2.0 * seen * shape.heads * (2 * shape.latent.kv_rank + shape.latent.rope)
    return 4.0 * seen * shape.heads * shape.head_dim


def _prompt(shape: Shape, layer: Layer, tokens: int) -> float:
    if layer.attention in (LINEAR, MAMBA):
        return tokens * _state(shape, layer)
    if layer.attention not in (FULL, SLIDING):
        return 0.0
    window = held_tokens(shape, layer, tokens)
    pairs = tokens * window - window * window / 2  # = S²/2 without a window
    width = 4.0 * shape.head_dim
    if shape.latent:  # a prompt is computed with keys and values expanded
        width = 2.0 * (shape.latent.nope + shape.latent.rope + shape.latent.value)
    return pairs * width * shape.heads


def _state(shape: Shape, layer: Layer) -> float:
    """Decay, read, update and read out a state: six operations an element."""
    part = shape.recurrent if layer.attention == LINEAR else shape.state_space
    return 6.0 * part.state_elements if part else 0.0
