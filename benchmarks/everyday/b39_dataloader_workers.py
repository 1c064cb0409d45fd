"""Load a small data set that is in memory without worker processes.

Workers pay where a sample has to be read, decoded or augmented. Here a sample is an index into a tensor: the two
workers are forked at every epoch, send each batch through shared memory and are joined at the end, which takes far
longer than all of the indexing.
"""

import torch
from torch.utils.data import DataLoader, TensorDataset

BATCH = 64

workload = workload_cpu = dict(samples=1_024, features=32)
smoke = dict(samples=150, features=5)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 means of 64 values near 1, which may cancel
tier = "naive"


def inputs(samples, features):
    return torch.randn(samples, features, device="cpu"), torch.randint(0, 10, (samples,), device="cpu")


def epoch(x, labels, workers):
    means, counts = [], []
    for batch, label in DataLoader(TensorDataset(x, labels), batch_size=BATCH, num_workers=workers):
        means.append(batch.mean(dim=0))
        counts.append(torch.bincount(label, minlength=10))
    return torch.stack(means), torch.stack(counts)


def reference(x, labels):
    means, counts = [], []
    for start in range(0, len(x), BATCH):
        part = labels[start : start + BATCH]
        means.append(x[start : start + BATCH].double().sum(dim=0) / len(part))
        counts.append(torch.tensor([int((part == digit).sum()) for digit in range(10)], device="cpu"))
    return torch.stack(means), torch.stack(counts)


def baseline(x, labels):
    return epoch(x, labels, workers=2)


def optimized(x, labels):
    return epoch(x, labels, workers=0)


def cost(samples, features):
    return dict(flops=samples * features, bytes=4 * samples * features + 8 * samples, samples=samples)
