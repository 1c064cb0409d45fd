"""Keep weights as 4-bit integers with a scale per group: a decode step reads a quarter of the bytes.

Two weights share a byte, and 64 inputs share a scale. Both sides have the same numbers: the baseline converts them to
16 bits when it loads; the other side keeps the bytes and unpacks them in registers, which takes more instructions per
weight than 8 bits. How much a model loses by rounding is another question, and no part of this.
Predicts: bytes read fall by 3.8x from bfloat16, if unpacking keeps up with memory.
No gain where: a CPU or a large batch: the engine then converts whole matrices at every step, which is slower.
"""

import torch

from perfproof.engine.offline import forced_logits, llama_of, random_llama, runner_for
from perfproof.engine.plain_decoder import logits_of
from perfproof.engine.weights import dequantise_weights, quantise_weights

BITS, GROUP = 4, 64

workload = dict(rows=1, steps=4, layers=2, hidden=4_096, ffn=14_336, vocab=8_192, dtype="bfloat16")
workload_cpu = dict(rows=1, steps=2, layers=1, hidden=512, ffn=1_024, vocab=512, dtype="float32")
smoke = dict(rows=3, steps=5, layers=1, hidden=128, ffn=192, vocab=61, dtype="float32")
constant = ("weights",)
domain = dict(text="drawn")  # token ids
tolerance = dict(
    bfloat16=dict(rtol=4e-2, atol=6e-2),  # logits near 1 after a dozen products, rounded at 2**-8 each
    float32=dict(rtol=1e-4, atol=1e-4),  # sums of up to 1,024 products, rounded at 2**-24
)
tier = "idiomatic"
menu = ("inference", "memory-bound")


def constants(layers, hidden, ffn, vocab, dtype):
    """As a quantised model comes: integers and scales."""
    return quantise_weights(random_llama(layers, hidden, ffn, vocab, getattr(torch, dtype)), BITS, GROUP)


def inputs(rows, steps, layers, hidden, ffn, vocab, dtype):
    return torch.randint(vocab, (rows, steps))


def reference(text, weights):
    """The whole text at once in double precision, with the integers times their scales."""
    return logits_of(llama_of(weights), weights.to(torch.float64), text)[:, -1]


def prepare_baseline(text, weights):
    return runner_for(text, dequantise_weights(weights))


def prepare_optimized(text, weights):
    return runner_for(text, weights)


def baseline(runner, text, weights):
    return forced_logits(runner, text)


def optimized(runner, text, weights):
    return forced_logits(runner, text)


def cost(rows, steps, layers, hidden, ffn, vocab, dtype):
    numbers = layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab
    size = getattr(torch, dtype).itemsize
    return dict(
        flops=2 * rows * steps * numbers,
        baseline_bytes=steps * size * numbers,
        optimized_bytes=steps * (BITS / 8 + size / GROUP) * numbers,
    )
