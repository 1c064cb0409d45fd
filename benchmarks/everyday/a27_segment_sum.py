"""Sum by segment with one index_add instead of a loop over the segments.

The loop compares all ids with each segment's number and gathers the rows that match: segments x rows comparisons.
index_add reads each row once and adds it where it belongs.
"""

import torch

workload = dict(rows=262_144, segments=256, width=64)
workload_cpu = dict(rows=4_096, segments=64, width=16)
smoke = dict(rows=37, segments=5, width=3)
constant = ("segments",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # float32 sums of about 1,000 values in any order, results near 30
tier = "naive"


def inputs(rows, segments, width):
    return torch.randn(rows, width), torch.randint(segments, (rows,)), segments


def reference(values, ids, segments):
    member = torch.nn.functional.one_hot(ids, segments).double()
    return member.T @ values.double()


def baseline(values, ids, segments):
    return torch.stack([values[ids == number].sum(0) for number in range(segments)])


def optimized(values, ids, segments):
    out = values.new_zeros(segments, values.shape[1])
    return out.index_add_(0, ids, values)


def cost(rows, segments, width):
    least = 4 * rows * width + 8 * rows + 4 * segments * width
    masked = 8 * rows * (segments + width)
    return dict(flops=rows * width, bytes=least, baseline_bytes=least + masked, optimized_bytes=least)
