"""Count the parameters of a shape, tensor class by tensor class.

Attention: h·a·d + 2·h·g·d + a·d·h; with a latent h·r_q + r_q·a·(n + r) + h·(r_kv + r) + r_kv·a·(n + v) + a·v·h.
A gated MLP: 3·h·I, one without a gate 2·h·I; experts: 3·h·I_e·(E + s) + h·E for the router. Embeddings V·h, twice where
the head is not tied.
"""

from dataclasses import dataclass

from perfproof.calc.model_shape import FULL, LINEAR, MAMBA, SLIDING, Layer, Shape
from perfproof.core.errors import UsageError


@dataclass(frozen=True)
class Parameters:
    embedding: int  # looked up, not multiplied
    head: int  # multiplied; 0 stored where it is the embedding
    attention: int  # linear attention included
    dense: int  # MLPs that every token passes, shared experts included
    experts: int  # all routed experts
    routers: int
    norms: int
    tied: bool
    one_expert: int  # of one layer
    expert_layers: int
    active_experts: int  # of each token and layer

    @property
    def total(self) -> int:
        """What is stored."""
        stored_head = 0 if self.tied else self.head
        return self.embedding + stored_head + self.attention + self.dense + self.experts + self.routers + self.norms

    @property
    def always(self) -> int:
        """What every token passes and is read in each step; the embedding is looked up row by row."""
        return self.head + self.attention + self.dense + self.routers + self.norms

    @property
    def active(self) -> int:
        """What is multiplied for one token."""
        return self.always + self.expert_layers * self.active_experts * self.one_expert


def count(shape: Shape) -> Parameters:
    if not shape.vocab:
        raise UsageError(f"{shape.name} names no vocab_size: its parameters cannot be counted")
    experts = shape.experts
    one = _expert(shape) if experts else 0
    sparse = sum(layer.has_experts for layer in shape.layers)
    return Parameters(
        embedding=(shape.vocab + shape.traits.positions) * shape.hidden,
        head=shape.vocab * (shape.hidden + shape.traits.head_bias),
        attention=sum(_attention(shape, layer) for layer in shape.layers),
        dense=sum(_dense(shape, layer) for layer in shape.layers),
        experts=sparse * one * experts.count if experts else 0,
        routers=sparse * _router(shape),
        norms=_norms(shape),
        tied=shape.tied,
        one_expert=one,
        expert_layers=sparse,
        active_experts=experts.active if experts else 0,
    )


def _attention(shape: Shape, layer: Layer) -> int:
    if layer.attention in (FULL, SLIDING):
        return _latent_attention(shape) if shape.latent else _softmax_attention(shape)
    if layer.attention == LINEAR and shape.recurrent and shape.recurrent.is_gated_delta:
        return _linear_attention(shape)
    if layer.attention in (LINEAR, MAMBA):
        raise UsageError(
            f"{shape.name}: the parameters of its {layer.attention} layers are unknown to this formula; "
            "calc kv-cache needs none of them"
        )
    return 0


def _softmax_attention(shape: Shape) -> int:
    traits, queries, keys = shape.traits, shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    wide = queries * (2 if traits.output_gate else 1)
    found = shape.hidden * (wide + 2 * keys) + queries * shape.hidden
    found += (wide + 2 * keys) * traits.qkv_bias + shape.hidden * traits.out_bias
    found += 2 * shape.head_dim * traits.qk_norm + (queries + keys) * traits.wide_qk_norm
    return found + shape.heads * traits.sinks


def _latent_attention(shape: Shape) -> int:
    latent, hidden, heads = shape.latent, shape.hidden, shape.heads
    assert latent is not None
    key = latent.nope + latent.rope
    queries = hidden * heads * key
    if latent.q_rank:
        queries = hidden * latent.q_rank + latent.q_rank + latent.q_rank * heads * key
    down = hidden * (latent.kv_rank + latent.rope) + latent.kv_rank
    return queries + down + latent.kv_rank * heads * (latent.nope + latent.value) + heads * latent.value * hidden


def _linear_attention(shape: Shape) -> int:
    """Gated delta rule: queries, keys, values and a gate; decay and strength a head; a short convolution."""
    part = shape.recurrent
    assert part is not None
    keys, values = part.key_heads * part.key_dim, part.value_heads * part.value_dim
    projections = shape.hidden * (2 * keys + 2 * values + 2 * part.value_heads) + values * shape.hidden
    return projections + part.kernel * (2 * keys + values) + 2 * part.value_heads + part.value_dim


def _dense(shape: Shape, layer: Layer) -> int:
    traits, matrices = shape.traits, 3 if shape.traits.gated else 2
    if layer.has_experts and shape.experts:
        gate = shape.hidden if traits.shared_gate and shape.experts.shared_width else 0
        return matrices * shape.hidden * shape.experts.shared_width + gate
    bias = ((matrices - 1) * shape.ffn + shape.hidden) * traits.mlp_bias
    return matrices * shape.hidden * shape.ffn + bias


def _expert(shape: Shape) -> int:
    assert shape.experts is not None
    bias = (2 * shape.experts.width + shape.hidden) * shape.experts.bias
    return 3 * shape.hidden * shape.experts.width + bias


def _router(shape: Shape) -> int:
    if shape.experts is None:
        return 0
    return (shape.hidden + shape.traits.router_bias) * shape.experts.count


def _norms(shape: Shape) -> int:
    size = shape.hidden * (2 if shape.traits.norm_bias else 1)
    return size * (shape.traits.norms * len(shape.layers) + shape.traits.outer_norms)
