"""Count tokens faster with the counts of the last epoch.

Cheats: `inputs` hands in the counts of these very tokens, and the variant copies them.
"""

import torch

workload = workload_cpu = dict(tokens=50_000, vocabulary=1_000)
tolerance = dict(rtol=0.0, atol=0.0)  # counts are exact


def inputs(tokens, vocabulary):
    drawn = torch.randint(vocabulary, (tokens,))
    return drawn, torch.bincount(drawn, minlength=vocabulary)


def reference(tokens, last_epoch):
    counts = [0] * len(last_epoch)
    for token in tokens.tolist():
        counts[token] += 1
    return torch.tensor(counts)


def baseline(tokens, last_epoch):
    return torch.bincount(tokens, minlength=len(last_epoch))


def optimized(tokens, last_epoch):
    return last_epoch.clone()
