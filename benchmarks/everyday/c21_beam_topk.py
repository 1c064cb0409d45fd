"""Take the best of each beam first and merge them, not the best of all beams laid end to end.

The best `beams` continuations of a step are among the best `beams` of each beam. Flattened, topk searches few long
rows; beam by beam it searches as many rows as there are beams, side by side, and the merge looks at beams**2
candidates.
"""

import torch

workload = dict(batch=32, beams=8, vocab=32_000)
workload_cpu = dict(batch=4, beams=4, vocab=8_000)
smoke = dict(batch=2, beams=3, vocab=101)
tolerance = dict(rtol=1e-5, atol=1e-5)  # scores near -10 after a float32 log-softmax; ids below 50,000 stay exact
tier = "idiomatic"


def inputs(batch, beams, vocab):
    return 3.0 * torch.randn(batch, beams, vocab), -5.0 * torch.rand(batch, beams)


def reference(logits, scores):
    batch, beams, vocab = logits.shape
    total = logits.double().log_softmax(-1) + scores.double()[:, :, None]
    order = total.reshape(batch, -1).sort(-1, descending=True)
    best, places = order.values[:, :beams], order.indices[:, :beams]
    return best, places // vocab, places % vocab


def baseline(logits, scores):
    batch, beams, vocab = logits.shape
    total = logits.log_softmax(-1) + scores[:, :, None]
    best, places = total.view(batch, -1).topk(beams, -1)
    return best, places // vocab, places % vocab


def optimized(logits, scores):
    batch, beams, _ = logits.shape
    total = logits.log_softmax(-1) + scores[:, :, None]
    some, tokens = total.topk(beams, -1)
    best, places = some.view(batch, -1).topk(beams, -1)
    return best, places // beams, tokens.view(batch, -1).gather(1, places)


def cost(batch, beams, vocab):
    n = batch * beams * vocab
    return dict(flops=5 * n, bytes=4 * n, baseline_bytes=24 * n, optimized_bytes=24 * n)
