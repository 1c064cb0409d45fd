"""Sample tokens from logits by the Gumbel maximum trick, not by softmax and multinomial.

The index of the largest `logit + Gumbel noise` is distributed as the softmax of the logits. It needs no
normalisation, no cumulative sum and no search, only one draw for each logit and one argmax. multinomial reads the
logits for the softmax, writes the probabilities and reads them again; on a GPU it also checks them, which is several
more launches.
"""

import torch

workload = dict(rows=128, vocab=32_000)
workload_cpu = dict(rows=16, vocab=8_000)
smoke = dict(rows=3, vocab=37)
distribution = True  # the results are samples
tolerance = dict(rtol=0.0, atol=0.0)  # token ids: whole numbers, and equal only in distribution
tier = "idiomatic"


def inputs(rows, vocab):
    return (3.0 * torch.randn(rows, vocab),)  # peaked, as the logits of a language model are


def reference(logits):
    cumulative = torch.softmax(logits.double(), -1).cumsum(-1)
    draws = torch.rand(len(logits), 1, dtype=torch.float64, device=logits.device) * cumulative[:, -1:]
    return torch.searchsorted(cumulative, draws, right=True).squeeze(-1).clamp(max=logits.shape[-1] - 1)


def baseline(logits):
    return torch.multinomial(torch.softmax(logits, -1), 1).squeeze(-1)


def optimized(logits):
    noise = torch.empty_like(logits).exponential_()
    return (logits - noise.log_()).argmax(-1)


def cost(rows, vocab):
    one = 4 * rows * vocab
    return dict(flops=5 * rows * vocab, bytes=one, baseline_bytes=5 * one, optimized_bytes=7 * one)
