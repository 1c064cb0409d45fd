"""A training step of a small Llama in plain torch. Each lever of the lab is one switch, and all are off at first."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from perfproof.engine.offline import llama_of
from perfproof.engine.plain_decoder import logits_of
from perfproof.engine.weights import Layer, Weights

PARTS = ("qkv", "out", "gate_up", "down")
RATE, BETAS, EPS = 1e-2, (0.9, 0.99), 1e-8
DECAY = 2**-10 / RATE  # weights are multiplied by 1 - RATE * DECAY, which float32 then has exactly
USUAL, SHARPER = 5e-4, 4  # root mean square of a change, within a factor of twenty for any model, and a unit
STEPS_BEFORE, SQUARE_BEFORE = 1_000.0, 1e-6  # the optimizer's state: an update from zero would be a sign of a gradient


@dataclass(frozen=True)
class Levers:
    one_batch: bool = False  # all sequences in one pass, instead of one at a time
    losses_stay: bool = False  # losses stay on the device until the end
    fused_attention: bool = False  # no matrix of scores in memory
    fused_norms: bool = False  # one kernel per norm
    fused_optimizer: bool = False  # one pass over parameters, gradients and moments
    half: bool = False  # products in bfloat16
    compiled: bool = False  # what lies between the products becomes a few kernels


def train(
    tokens: Tensor, start: list[Tensor], levers: Levers, forward: Callable | None = None, rate: float = RATE
) -> tuple:
    """One step per row of `tokens` (steps, sequences, length + 1). Returns the losses and what `changes_of` says."""
    leaves = [weight.clone().requires_grad_() for weight in start]
    optimizer, losses = _optimizer(leaves, levers.fused_optimizer, rate), []
    forward = forward or forward_of(levers)
    for batch in tokens:
        optimizer.zero_grad()
        for part in [batch] if levers.one_batch else batch.split(1):
            with torch.autocast(tokens.device.type, torch.bfloat16, enabled=levers.half):
                logits = forward(leaves, part[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1).float(), part[:, 1:].flatten()) * (len(part) / len(batch))
            loss.backward()
            losses.append(loss.detach() if levers.losses_stay else loss.item())
        optimizer.step()
    each = torch.stack(losses) if levers.losses_stay else torch.tensor(losses, device=tokens.device)
    return each.view(len(tokens), -1).sum(1), *changes_of(leaves, start)


def changes_of(after: list[Tensor], before: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Every matrix's change as its sums over rows and over columns, and the logarithm of its root mean square.

    A sum differs if an update went wrong anywhere. Its unit is a hundred times that size: sums are near 0.01 for any
    model, as far below the losses as they are less exact. The logarithm is of the size in units of a usual one, so that
    it is near 0, where a tolerance that grows with the value stays small, and in quarters: it is more exact than sums.
    """
    sums, logs = [], []
    for new, old in zip(after, before, strict=True):
        change = new.detach() - old
        size = change.square().mean().sqrt()
        logs.append(SHARPER * (size / USUAL).log())
        sums += [change.sum(axis) / (100 * size * change.shape[axis] ** 0.5) for axis in (0, 1)]
    return torch.cat(sums), torch.stack(logs)


def forward_of(levers: Levers) -> Callable:
    """(leaves, ids) to logits: the plain decoder at first."""
    if not levers.fused_attention:
        return lambda leaves, ids: logits_of(llama_of(as_weights(leaves)), as_weights(leaves), ids)
    norm = _fused_norm if levers.fused_norms else _plain_norm
    block = torch.compile(_block, dynamic=False) if levers.compiled else _block
    return lambda leaves, ids: _fast_logits(leaves, ids, norm, block)


def as_weights(leaves: list[Tensor]) -> Weights:
    """The parameters as the plain decoder takes them; its norms have no weights here."""
    ones = torch.ones(leaves[0].shape[1], dtype=leaves[0].dtype, device=leaves[0].device)
    groups = [leaves[at : at + len(PARTS)] for at in range(1, len(leaves) - 1, len(PARTS))]
    layers = [
        Layer(attention_norm=ones, mlp_norm=ones, **dict(zip(PARTS, group, strict=True)))  # type: ignore[arg-type]
        for group in groups
    ]
    return Weights(leaves[0], layers, ones, leaves[-1])


def _optimizer(leaves: list[Tensor], fused: bool, rate: float) -> torch.optim.AdamW:
    optimizer = torch.optim.AdamW(leaves, rate, BETAS, EPS, DECAY, fused=fused or None)
    for leaf in leaves:
        optimizer.state[leaf] = dict(
            step=torch.tensor(STEPS_BEFORE, device=leaf.device if fused else "cpu"),
            exp_avg=torch.zeros_like(leaf),
            exp_avg_sq=torch.full_like(leaf, SQUARE_BEFORE),
        )
    return optimizer


def _fast_logits(leaves: list[Tensor], ids: Tensor, norm: Callable, block: Callable) -> Tensor:
    weights = as_weights(leaves)
    model, hidden = llama_of(weights), F.embedding(ids, weights.embedding)
    angles = torch.arange(ids.shape[1], dtype=torch.float64, device=ids.device)[:, None] * torch.tensor(
        model.rope.frequencies(model.shape.head_dim), dtype=torch.float64, device=ids.device
    )
    cosine, sine = angles.cos().to(hidden.dtype), angles.sin().to(hidden.dtype)
    heads = (model.shape.heads, model.shape.kv_heads, model.shape.kv_heads)
    for layer in weights.layers:
        hidden = block(hidden, layer.qkv, layer.out, layer.gate_up, layer.down, heads, cosine, sine, norm, model.eps)
    return F.linear(norm(hidden, model.eps), weights.head)


def _block(hidden, qkv, out, gate_up, down, heads, cosine, sine, norm, eps):
    packed = F.linear(norm(hidden, eps), qkv)
    packed = packed.view(*packed.shape[:-1], sum(heads), -1).transpose(1, 2)
    query, key, value = packed.split(heads, 1)
    query, key = (_turned(one, cosine, sine).to(value.dtype) for one in (query, key))
    mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=heads[0] != heads[1])
    hidden = hidden + F.linear(mixed.transpose(1, 2).flatten(-2), out)
    gate, up = F.linear(norm(hidden, eps), gate_up).chunk(2, -1)
    return hidden + F.linear(F.silu(gate) * up, down)


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)


def _plain_norm(x: Tensor, eps: float) -> Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)


def _fused_norm(x: Tensor, eps: float) -> Tensor:
    return F.rms_norm(x, x.shape[-1:], eps=eps)


def loss_curve_of(levers: Levers, steps: int) -> list[float]:
    """Losses of a small model that learns to count to sixteen in texts with a tenth of random tokens."""
    vocab, hidden, sequences, length = 16, 64, 2, 64
    shapes = [(vocab, hidden), (3 * hidden, hidden), (hidden, hidden), (4 * hidden, hidden), (hidden, 2 * hidden)]
    start = [torch.randn(shape) / shape[1] ** 0.5 for shape in [*shapes, (vocab, hidden)]]
    texts = [torch.randint(vocab, (steps, sequences))]
    for _ in range(length):
        other = torch.randint(vocab, (steps, sequences))
        texts.append(torch.where(torch.rand(steps, sequences) < 0.1, other, (texts[-1] + 1) % vocab))
    return train(torch.stack(texts, -1), start, levers, rate=RATE / 5)[0].tolist()
