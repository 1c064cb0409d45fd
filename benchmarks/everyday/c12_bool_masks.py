"""Combine bool masks with & in place, not with a chain of logical_and.

logical_and accepts every dtype and writes a new mask for each pair. On bools, & gives the same answer, and from the
second mask on it can work in the first result: no fresh memory for each link of the chain.
"""

import torch

workload = dict(masks=6, rows=8_192, cols=8_192)
workload_cpu = dict(masks=6, rows=512, cols=2_048)
smoke = dict(masks=3, rows=5, cols=41)
tolerance = dict(rtol=0.0, atol=0.0)  # bools are equal or they are not
tier = "idiomatic"


def inputs(masks, rows, cols):
    share = 0.5 ** (1 / masks)  # half of the elements survive all masks
    return ([torch.rand(rows, cols) < share for _ in range(masks)],)


def reference(masks):
    return torch.stack([mask.double() for mask in masks]).sum(0) == len(masks)


def baseline(masks):
    kept = masks[0]
    for mask in masks[1:]:
        kept = torch.logical_and(kept, mask)
    return kept


def optimized(masks):
    kept = masks[0] & masks[1]
    for mask in masks[2:]:
        kept &= mask
    return kept


def cost(masks, rows, cols):
    n = rows * cols
    return dict(flops=(masks - 1) * n, bytes=(masks + 1) * n, baseline_bytes=3 * (masks - 1) * n)
