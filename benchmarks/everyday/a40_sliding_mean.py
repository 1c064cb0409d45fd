"""Take sliding-window means from a cumulative sum: two reads per window instead of as many as the window is long.

unfold is a view, but the mean over it reads each value once per window that holds it. A difference of two cumulative
sums costs the same for every window. The sums are kept in float64: in float32 the difference of two large sums would
lose the digits of the small mean.
"""

import torch

workload = dict(rows=1_024, length=16_384, window=128)
workload_cpu = dict(rows=16, length=4_096, window=64)
smoke = dict(rows=3, length=31, window=5)
constant = ("window",)
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 means of up to 128 values near 1
tier = "idiomatic"


def inputs(rows, length, window):
    return torch.randn(rows, length), window


def reference(x, window):
    starts = range(x.shape[-1] - window + 1)
    return torch.stack([x[:, start : start + window].double().mean(-1) for start in starts], dim=-1)


def baseline(x, window):
    return x.unfold(-1, window, 1).mean(-1)


def optimized(x, window):
    sums = torch.nn.functional.pad(x.cumsum(-1, dtype=torch.float64), (1, 0))
    return ((sums[:, window:] - sums[:, :-window]) / window).to(x.dtype)


def cost(rows, length, window):
    n = rows * length
    return dict(flops=3 * n, baseline_flops=n * window, optimized_flops=3 * n, bytes=8 * n, optimized_bytes=80 * n)
