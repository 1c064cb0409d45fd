"""A plain decoder with random weights, made from a shape of perfproof.calc: what gpu_decoder.py measures.

RMSNorm, rotary positions, grouped attention, SwiGLU, a static cache, and an output head for the last token of each
sequence. A prompt's attention is torch's flash kernel. A single new token's is a kernel of its own, since flash pads
the few rows of a group to a tile of 64 or 128 and is then bound by arithmetic that nobody asked for: programs share
out the cache of each sequence and head, and a second kernel puts their parts together.
"""

import sys
from dataclasses import replace

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch.nn.attention import SDPBackend, sdpa_kernel

from perfproof.calc.model_shape import FULL, Layer, Traits
from perfproof.calc.weighed_model import Model

TILE = 64  # tokens of the cache that a program takes at once
LEAST_PART = 128  # tokens of the cache for a program; fewer are not worth one
PROGRAMS_PER_SM = 8
ROWS = 16  # the least that a tensor core takes; a group of queries is padded to it


class Decoder:
    """Weights, a cache of `most` tokens that every point divides anew, and the two kinds of step."""

    def __init__(self, model: Model, most: int, positions: int, device: str, attention: str) -> None:
        shape = model.shape
        plain = all(layer == Layer(FULL) for layer in shape.layers) and not (shape.experts or shape.latent)
        if not plain or shape.traits != replace(Traits(), tied=shape.traits.tied):
            sys.exit(f"{shape.name} is no plain decoder: this benchmark knows the Llama kind only")
        self.model, self.shape, self.most, self.device, self.attention = model, shape, most, device, attention
        self.dtype = torch.float32 if model.formats.matrices == "fp32" else torch.bfloat16
        queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        thin = (2 * len(shape.layers)) ** -0.5  # what layers add stays as large as what they start from
        self.embedding = self.random(shape.vocab, shape.hidden, 1.0)
        self.head = self.embedding if shape.tied else self.random(shape.vocab, shape.hidden)
        self.last_norm = torch.ones(shape.hidden, device=device, dtype=self.dtype)
        self.layers = [
            {
                "attention_norm": torch.ones_like(self.last_norm),
                "qkv": self.random(queries + 2 * keys, shape.hidden),
                "out": self.random(shape.hidden, queries, thin * queries**-0.5),
                "mlp_norm": torch.ones_like(self.last_norm),
                "gate_up": self.random(2 * shape.ffn, shape.hidden),
                "down": self.random(shape.hidden, shape.ffn, thin * shape.ffn**-0.5),
            }
            for _ in shape.layers
        ]
        size = (2, most, shape.kv_heads, shape.head_dim)
        self.cache = [torch.empty(size, device=device, dtype=self.dtype).normal_() for _ in shape.layers]
        self.turns = self.rotary(positions)
        held = sum(one.numel() for layer in self.layers for one in layer.values())
        held += self.embedding.numel() + self.last_norm.numel() + (0 if shape.tied else self.head.numel())
        assert held == model.parameters.total, f"{held} parameters, and perfproof.calc counts {model.parameters.total}"

    def random(self, rows: int, columns: int, scale: float | None = None) -> torch.Tensor:
        empty = torch.empty(rows, columns, device=self.device, dtype=self.dtype)
        return empty.normal_(0.0, columns**-0.5 if scale is None else scale)

    def rotary(self, positions: int) -> torch.Tensor:
        """Turns by position and pair of elements, as complex numbers (base 500,000, no scaling)."""
        pairs = torch.arange(0, self.shape.head_dim, 2, device=self.device) / self.shape.head_dim
        angles = torch.arange(positions, device=self.device)[:, None] * 500_000.0**-pairs
        return torch.polar(torch.ones_like(angles), angles)[:, None]

    def held(self, layer: int, batch: int, context: int) -> torch.Tensor:
        """Keys and values of a layer for this point: the same memory, cut into sequences of `context` tokens."""
        return self.cache[layer][:, : batch * context].view(2, batch, context, *self.cache[layer].shape[2:])

    def forward(self, ids: torch.Tensor, context: int) -> torch.Tensor:
        """Logits of each sequence's last token, where these ids are the last of `context` tokens."""
        (batch, new), before = ids.shape, context - ids.shape[1]
        hidden = F.embedding(ids, self.embedding).view(batch * new, -1)
        for place, weights in enumerate(self.layers):
            cache = self.held(place, batch, context)
            queries = self.project(hidden, weights, cache, batch, new, before)
            mixed = self.decode_attention(queries, cache) if before else self.prompt_attention(queries, cache)
            hidden.addmm_(mixed, weights["out"].t())
            gate, up = F.linear(self.norm(hidden, weights["mlp_norm"]), weights["gate_up"]).chunk(2, dim=-1)
            hidden.addmm_(F.silu(gate).mul_(up), weights["down"].t())
        last = hidden.view(batch, new, -1)[:, -1]
        return F.linear(self.norm(last, self.last_norm), self.head)

    def norm(self, hidden: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(hidden, (self.shape.hidden,), weight, 1e-5)

    def project(self, hidden, weights, cache: torch.Tensor, batch: int, new: int, before: int) -> torch.Tensor:
        """Queries; keys and values go into the cache."""
        shape = self.shape
        straight = F.linear(self.norm(hidden, weights["attention_norm"]), weights["qkv"])
        straight = straight.view(batch, new, shape.heads + 2 * shape.kv_heads, shape.head_dim)
        turning, value = straight.split([shape.heads + shape.kv_heads, shape.kv_heads], dim=2)
        pairs = torch.view_as_complex(turning.float().unflatten(-1, (-1, 2)))
        turned = torch.view_as_real(pairs * self.turns[before : before + new]).flatten(-2).to(self.dtype)
        query, key = turned.split([shape.heads, shape.kv_heads], dim=2)
        cache[0, :, before:], cache[1, :, before:] = key, value
        return query

    def prompt_attention(self, query: torch.Tensor, cache: torch.Tensor) -> torch.Tensor:
        query, key, value = (one.transpose(1, 2) for one in (query, cache[0], cache[1]))
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):  # an error where it cannot be used, never another one
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        return mixed.transpose(1, 2).reshape(-1, self.shape.heads * self.shape.head_dim)

    def decode_attention(self, query: torch.Tensor, cache: torch.Tensor) -> torch.Tensor:
        """The queries that share a head of the cache stand as rows of one head, so that it is read once for them."""
        shape = self.shape
        grouped = query.reshape(-1, shape.kv_heads, shape.heads // shape.kv_heads, shape.head_dim)
        if self.attention == "split":
            return split_attention(grouped, cache)
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            mixed = F.scaled_dot_product_attention(grouped, cache[0].transpose(1, 2), cache[1].transpose(1, 2))
        return mixed.reshape(-1, shape.heads * shape.head_dim)

    def ids(self, batch: int, tokens: int) -> torch.Tensor:
        return torch.randint(self.shape.vocab, (batch, tokens), device=self.device)


def split_attention(query: torch.Tensor, cache: torch.Tensor) -> torch.Tensor:
    """Of one new token: query (batch, kv heads, group, width), cache (2, batch, context, kv heads, width)."""
    batch, kv_heads, group, width = query.shape
    context, device = cache.shape[2], query.device
    processors = torch.cuda.get_device_properties(device).multi_processor_count if query.is_cuda else 1
    wanted = triton.cdiv(PROGRAMS_PER_SM * processors, batch * kv_heads)
    tokens = triton.cdiv(max(LEAST_PART, triton.cdiv(context, wanted)), TILE) * TILE
    parts = triton.cdiv(context, tokens)
    sums = torch.empty(batch * kv_heads, parts, group, width, device=device)
    scales = torch.empty(2, batch * kv_heads, parts, group, device=device)  # the largest score, the sum of weights
    out = torch.empty(batch, kv_heads * group * width, device=device, dtype=query.dtype)
    attend_part[(batch * kv_heads, parts)](
        query, cache[0], cache[1], sums, scales[0], scales[1], width**-0.5, context, tokens, parts,
        query.stride(0), cache.stride(1), cache.stride(2),
        KV_HEADS=kv_heads, GROUP=group, WIDTH=width, ROWS=max(ROWS, triton.next_power_of_2(group)), TILE=TILE,
        num_warps=4, num_stages=3,
    )  # fmt: skip
    join_parts[(batch * kv_heads * group,)](
        sums, scales[0], scales[1], out, parts, GROUP=group, WIDTH=width, PARTS=max(16, triton.next_power_of_2(parts))
    )
    return out


@triton.jit(do_not_specialize=["context", "parts"])  # or every point would wait for a compiler
def attend_part(
    query, keys, values, sums, largest, totals, scale, context, tokens, parts, query_stride, batch_stride, token_stride,
    KV_HEADS: tl.constexpr, GROUP: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """One sequence, one head of the cache, one part of the context, for all queries that share the head."""
    which, part = tl.program_id(0), tl.program_id(1)
    sequence, head = (which // KV_HEADS).to(tl.int64), which % KV_HEADS
    row, column, tile = tl.arange(0, ROWS), tl.arange(0, WIDTH), tl.arange(0, TILE)
    is_row = row < GROUP
    at = sequence * query_stride + (head * GROUP + row)[:, None] * WIDTH + column[None, :]
    asked = tl.load(query + at, mask=is_row[:, None], other=0.0)
    start = part * tokens
    end = tl.minimum(start + tokens, context)
    most = tl.full([ROWS], -1e30, tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    found = tl.zeros([ROWS, WIDTH], tl.float32)
    first = sequence * batch_stride + head * WIDTH
    for begin in range(start, end, TILE):
        token = begin + tile
        is_token = token < end
        place = first + token.to(tl.int64)[:, None] * token_stride + column[None, :]
        key = tl.load(keys + place, mask=is_token[:, None], other=0.0)
        value = tl.load(values + place, mask=is_token[:, None], other=0.0)
        score = tl.dot(asked, tl.trans(key)) * scale
        score = tl.where(is_token[None, :], score, -1e30)
        higher = tl.maximum(most, tl.max(score, 1))
        weight = tl.exp(score - higher[:, None])
        shrunk = tl.exp(most - higher)
        total = total * shrunk + tl.sum(weight, 1)
        found = found * shrunk[:, None] + tl.dot(weight.to(value.dtype), value)
        most = higher
    target = (which * parts + part) * GROUP + row
    tl.store(sums + target[:, None] * WIDTH + column[None, :], found, mask=is_row[:, None])
    tl.store(largest + target, most, mask=is_row)
    tl.store(totals + target, total, mask=is_row)


@triton.jit(do_not_specialize=["parts"])
def join_parts(
    sums, largest, totals, out, parts, GROUP: tl.constexpr, WIDTH: tl.constexpr, PARTS: tl.constexpr
):  # fmt: skip
    """One query: its parts weighed by how their largest scores compare."""
    which = tl.program_id(0)
    part, column = tl.arange(0, PARTS), tl.arange(0, WIDTH)
    at = ((which // GROUP) * parts + part) * GROUP + which % GROUP
    is_part = part < parts
    most = tl.load(largest + at, mask=is_part, other=-1e30)
    share = tl.exp(most - tl.max(most, 0))
    total = tl.sum(share * tl.load(totals + at, mask=is_part, other=0.0), 0)
    found = tl.load(sums + at[:, None] * WIDTH + column[None, :], mask=is_part[:, None], other=0.0)
    tl.store(out + which * WIDTH + column, (tl.sum(found * share[:, None], 0) / total).to(out.dtype.element_ty))
