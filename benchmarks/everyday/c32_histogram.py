"""Count values in equal bins with histc, not with bucketize and bincount.

bucketize searches the edges for each value: eight steps for 256 bins, an int64 index for each value, and bincount
reads them again. Where all bins are equally wide the bin is one product, and histc counts it in the same pass.
"""

import numpy as np
import torch

BINS, LOW, HIGH = 256, -4.0, 4.0  # bins of 1/32: the edges are exact in binary

workload = workload_cpu = dict(n=1_000_000)
smoke = dict(n=1_003)
tolerance = dict(rtol=0.0, atol=2.0)  # counts; a value that rounds to an edge may fall on either side of it
tier = "idiomatic"


def inputs(n):
    return (torch.randn(n),)


def reference(x):
    counts, _ = np.histogram(x.double().cpu().numpy(), bins=BINS, range=(LOW, HIGH))
    return torch.from_numpy(counts.astype(np.float64)).to(x.device)


def baseline(x):
    edges = torch.linspace(LOW, HIGH, BINS + 1, device=x.device)
    inside = x[(x >= LOW) & (x <= HIGH)]
    return torch.bincount(torch.bucketize(inside, edges[1:-1], right=True), minlength=BINS).to(x.dtype)


def optimized(x):
    return torch.histc(x, BINS, LOW, HIGH)


def cost(n):
    return dict(flops=2 * n, bytes=4 * n, baseline_bytes=33 * n, optimized_bytes=4 * n)
