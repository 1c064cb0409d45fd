"""Call cross_entropy on the logits; do not write log_softmax, gather and mean by hand.

Both need the logarithm of the sum of exponentials. In eager mode both write the log-probabilities of the whole
vocabulary, so expect no difference, and keep the shorter and harder to get wrong of the two.
"""

import torch
from torch.nn import functional

workload = dict(rows=8_192, vocab=32_000)
workload_cpu = dict(rows=128, vocab=4_096)
smoke = dict(rows=3, vocab=101)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a float32 mean of losses near 9
tier = "idiomatic"


def inputs(rows, vocab):
    return torch.randn(rows, vocab), torch.randint(vocab, (rows,))


def reference(logits, target):
    logits = logits.double()
    losses = [torch.logsumexp(row, 0) - row[t] for row, t in zip(logits, target, strict=True)]
    return torch.stack(losses).mean()


def baseline(logits, target):
    log_probs = torch.log_softmax(logits, dim=-1)
    return -log_probs.gather(1, target[:, None]).mean()


def optimized(logits, target):
    return functional.cross_entropy(logits, target)


def cost(rows, vocab):
    array = 4 * rows * vocab
    return dict(flops=4 * rows * vocab, bytes=array, baseline_bytes=2 * array, optimized_bytes=2 * array)
