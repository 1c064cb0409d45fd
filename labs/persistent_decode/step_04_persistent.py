"""Keep one kernel on the device for all layers and steps: a program carries one row from its first to its last token.

Rows need nothing of each other, so programs never wait for one another. A graph starts its kernels one after the other,
and each begins by filling the processors again; here a layer follows a layer inside the program. The price: each
program reads all weights for its one row, from L2, with the bandwidth of one processor.
Predicts: about 20 kernels of 2 us per step become one read of the weights at 100 GB/s.
No gain where: weights are more than a few megabytes, or rows are many: then the matrices should be read once for all.
"""

import torch
import triton
import triton.language as tl
from _decoding import HEAD, State, weight_count

KERNELS, KERNEL_SECONDS, PROCESSOR_BANDWIDTH = 20, 2e-6, 100e9  # of a captured step; assumed, not measured
BLOCK_N, BLOCK_T = 16, 32  # outputs, and places of the cache, per turn of a loop

workload = dict(rows=4, prompt=16, answer=48, layers=2, hidden=128, ffn=256, vocab=256, dtype="float32")
smoke = dict(rows=3, prompt=5, answer=7, layers=2, hidden=128, ffn=96, vocab=61, dtype="float64")
constant = ("weights", "answer")
domain = dict(prompts="drawn")  # token ids
inputs = "step_01_compiled"
reference = "step_01_compiled"
tolerance = "step_01_compiled"
baseline = "step_03_bucketed"
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("inference", "launch-bound")


@triton.jit
def product(matrix, x, start, outputs, INPUTS: tl.constexpr, WIDTH: tl.constexpr, N: tl.constexpr):
    """N outputs of a matrix with INPUTS columns, from row `start` on; x has WIDTH values, zeros at the end."""
    row, column = start + tl.arange(0, N), tl.arange(0, WIDTH)
    inside = (row[:, None] < outputs) & (column[None, :] < INPUTS)
    tile = tl.load(matrix + row[:, None] * INPUTS + column[None, :], mask=inside, other=0.0)
    return tl.sum(tile * x[None, :], axis=1)


@triton.jit
def normed(x, weight, eps, SIZE: tl.constexpr, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    scale = 1 / tl.sqrt(tl.sum(x * x) / SIZE + eps)
    return x * scale * tl.load(weight + column, mask=column < SIZE, other=0.0)


@triton.jit
def vector(place, SIZE: tl.constexpr, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    return tl.load(place + column, mask=column < SIZE, other=0.0)


@triton.jit
def add_product(hidden, matrix, x, H: tl.constexpr, INPUTS: tl.constexpr, WIDTH: tl.constexpr, N: tl.constexpr):
    for start in range(0, H, N):
        row = start + tl.arange(0, N)
        before = tl.load(hidden + row, mask=row < H, other=0.0)
        tl.store(hidden + row, before + product(matrix, x, start, H, INPUTS, WIDTH, N), mask=row < H)
    tl.debug_barrier()


@triton.jit
def attend(qkv, mixed, keys, values, cosine, sine, place, longest,
           HEADS: tl.constexpr, KV_HEADS: tl.constexpr, D: tl.constexpr, T: tl.constexpr):  # fmt: skip
    """Turn queries and keys, store keys and values, and mix the values of all places up to this one."""
    half, whole = tl.arange(0, D // 2), tl.arange(0, D)
    c, s = tl.load(cosine + place * (D // 2) + half), tl.load(sine + place * (D // 2) + half)
    for head in range(HEADS + KV_HEADS):
        first, second = tl.load(qkv + head * D + half), tl.load(qkv + head * D + D // 2 + half)
        tl.debug_barrier()
        tl.store(qkv + head * D + half, first * c - second * s)
        tl.store(qkv + head * D + D // 2 + half, second * c + first * s)
    tl.debug_barrier()
    for head in range(KV_HEADS):
        at = (head * longest + place) * D + whole
        tl.store(keys + at, tl.load(qkv + (HEADS + head) * D + whole))
        tl.store(values + at, tl.load(qkv + (HEADS + KV_HEADS + head) * D + whole))
    tl.debug_barrier()
    for head in range(HEADS):
        query = tl.load(qkv + head * D + whole)
        kept = (head // (HEADS // KV_HEADS)) * longest * D
        largest = tl.full((), float("-inf"), query.dtype)
        total = tl.zeros((), query.dtype)
        sums = tl.zeros((D,), query.dtype)
        for start in range(0, place + 1, T):
            row = start + tl.arange(0, T)
            tile = kept + row[:, None] * D + whole[None, :]
            inside = row <= place
            scores = tl.sum(tl.load(keys + tile, mask=inside[:, None], other=0.0) * query[None, :], axis=1)
            scores = tl.where(inside, scores / tl.sqrt(D * 1.0).to(query.dtype), float("-inf"))
            new = tl.maximum(largest, tl.max(scores))
            shares = tl.exp(scores - new)
            value = tl.load(values + tile, mask=inside[:, None], other=0.0)
            sums = sums * tl.exp(largest - new) + tl.sum(value * shares[:, None], axis=0)
            total = total * tl.exp(largest - new) + tl.sum(shares)
            largest = new
        tl.store(mixed + head * D + whole, sums / total)
    tl.debug_barrier()


@triton.jit
def decode_rows(
    prompts, answers, embedding, attention_norms, qkvs, outs, mlp_norms, gate_ups, downs, norm, head, cosine, sine,
    cache, scratch, eps, length, answer, longest,
    LAYERS: tl.constexpr, HEADS: tl.constexpr, KV_HEADS: tl.constexpr, D: tl.constexpr, H: tl.constexpr,
    F: tl.constexpr, V: tl.constexpr, H_WIDTH: tl.constexpr, Q_WIDTH: tl.constexpr, F_WIDTH: tl.constexpr,
    N: tl.constexpr, T: tl.constexpr,
):  # fmt: skip
    """All steps of one row. `scratch` holds its hidden state, its queries, keys and values, and what comes of them."""
    row = tl.program_id(0)
    Q: tl.constexpr = HEADS * D
    QKV: tl.constexpr = (HEADS + 2 * KV_HEADS) * D
    hidden = scratch + row * (H + QKV + Q + F)
    qkv, mixed, inner = hidden + H, hidden + H + QKV, hidden + H + QKV + Q
    cache += row * LAYERS * 2 * KV_HEADS * longest * D
    column = tl.arange(0, H_WIDTH)
    token = tl.load(prompts + row * length)
    for place in range(length + answer - 1):
        tl.store(hidden + column, vector(embedding + token * H, H, H_WIDTH), mask=column < H)
        tl.debug_barrier()
        for layer in range(LAYERS):
            keys = cache + layer * 2 * KV_HEADS * longest * D
            x = normed(vector(hidden, H, H_WIDTH), attention_norms + layer * H, eps, H, H_WIDTH)
            for start in range(0, QKV, N):
                found = product(qkvs + layer * QKV * H, x, start, QKV, H, H_WIDTH, N)
                output = start + tl.arange(0, N)
                tl.store(qkv + output, found, mask=output < QKV)
            tl.debug_barrier()
            attend(qkv, mixed, keys, keys + KV_HEADS * longest * D, cosine, sine, place, longest, HEADS, KV_HEADS, D, T)
            add_product(hidden, outs + layer * H * Q, vector(mixed, Q, Q_WIDTH), H, Q, Q_WIDTH, N)
            x = normed(vector(hidden, H, H_WIDTH), mlp_norms + layer * H, eps, H, H_WIDTH)
            gates = gate_ups + layer * 2 * F * H
            for start in range(0, F, N):
                gate = product(gates, x, start, F, H, H_WIDTH, N)
                up = product(gates + F * H, x, start, F, H, H_WIDTH, N)
                output = start + tl.arange(0, N)
                tl.store(inner + output, gate / (1 + tl.exp(-gate)) * up, mask=output < F)
            tl.debug_barrier()
            add_product(hidden, downs + layer * H * F, vector(inner, F, F_WIDTH), H, F, F_WIDTH, N)
        x = normed(vector(hidden, H, H_WIDTH), norm, eps, H, H_WIDTH)
        best, following = tl.full((), float("-inf"), x.dtype), tl.zeros((), tl.int64)
        for start in range(0, V, N):
            output = start + tl.arange(0, N)
            found = tl.where(output < V, product(head, x, start, V, H, H_WIDTH, N), float("-inf"))
            largest = tl.max(found)
            following = tl.where(largest > best, start + tl.argmax(found, axis=0).to(tl.int64), following)
            best = tl.maximum(best, largest)
        tl.store(answers + row * answer + place - length + 1, following, mask=place >= length - 1)
        given = tl.load(prompts + row * length + place + 1, mask=place + 1 < length, other=0)
        token = tl.where(place + 1 < length, given, following)
        tl.debug_barrier()


def prepare_optimized(prompts, weights, answer):
    """The weights of all layers, one after the other, and memory for the state of each row."""
    state = State(weights, len(prompts), prompts.shape[1] + answer)
    shape = state.model.shape
    names = ("attention_norm", "qkv", "out", "mlp_norm", "gate_up", "down")
    stacked = [torch.stack([getattr(layer, name) for layer in weights.layers]) for name in names]
    sizes = dict(
        LAYERS=len(weights.layers), HEADS=shape.heads, KV_HEADS=shape.kv_heads, D=HEAD, H=shape.hidden, F=shape.ffn,
        V=shape.vocab, H_WIDTH=triton.next_power_of_2(shape.hidden), Q_WIDTH=triton.next_power_of_2(shape.heads * HEAD),
        F_WIDTH=triton.next_power_of_2(shape.ffn), N=BLOCK_N, T=BLOCK_T,
    )  # fmt: skip
    room = shape.hidden + (2 * shape.heads + 2 * shape.kv_heads) * HEAD + shape.ffn
    scratch = torch.empty(len(prompts), room, dtype=weights.dtype, device=weights.device)
    return state, stacked, scratch, sizes


def optimized(prepared, prompts, weights, answer):
    state, stacked, scratch, sizes = prepared
    rows, length = prompts.shape
    answers = torch.empty(rows, answer, dtype=torch.int64, device=prompts.device)
    matrices = (weights.embedding, *stacked, weights.norm, weights.head, *state.turns)
    decode_rows[(rows,)](
        prompts.contiguous(), answers, *matrices, state.cache, scratch, state.model.eps, length, answer, state.longest,
        **sizes, num_warps=8,
    )  # fmt: skip
    return answers


def cost(rows, prompt, answer, layers, hidden, ffn, vocab, dtype):
    weights, steps = weight_count(layers, hidden, ffn, vocab), prompt + answer - 1
    moved = weights * getattr(torch, dtype).itemsize
    return dict(
        flops=2 * rows * steps * weights,
        bytes=steps * moved,
        predicted_optimized=KERNELS * layers / 2 * KERNEL_SECONDS / (moved / PROCESSOR_BANDWIDTH),
        samples=rows * answer,
    )
