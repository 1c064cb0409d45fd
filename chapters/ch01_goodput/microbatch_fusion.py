"""Send one large batch through a model instead of many small ones: the weights are then read once.

A layer reads all of its weights for every batch, however small. With 16 rows in a batch each 2-byte weight does 32
flops before it is read again: 16 flops a byte, where a large GPU needs more than a hundred to be busy. Sixty-four such
batches read the weights 64 times; one batch of 1,024 rows reads them once and does the same arithmetic. The traffic
falls about 40-fold, and the arithmetic that is left becomes the limit: 10x on an H200, and more if the thin products
fall short of the full bandwidth. On a CPU the weights come from a cache, so less is saved; what remains is matrix
products too thin to fill the vector units.
"""

import torch

workload = dict(batches=64, rows=16, width=4_096, hidden=8_192, dtype="bfloat16")  # 128 MiB of weights: past any L2
workload_cpu = dict(batches=16, rows=4, width=256, hidden=1_024, dtype="float32")
smoke = dict(batches=3, rows=5, width=33, hidden=77, dtype="float32")
constant = ("up", "down")
tolerance = dict(
    bfloat16=dict(rtol=1e-2, atol=2e-2),  # results near 1; hidden layer and output rounded at 2**-8 (0.4 %) each
    float32=dict(rtol=1e-5, atol=1e-5),  # results near 1, sums of up to 1,024 products, rounded at 2**-24
)
tier = "idiomatic"
menu = ("inference", "memory-bound")


def inputs(batches, rows, width, hidden, dtype):
    kind = getattr(torch, dtype)
    x = torch.randn(batches, rows, width, dtype=kind)
    up = torch.randn(width, hidden, dtype=kind) * (2 / width) ** 0.5  # keeps every layer near 1
    down = torch.randn(hidden, width, dtype=kind) / hidden**0.5
    return x, up, down


def reference(x, up, down):
    return torch.relu(x.double() @ up.double()) @ down.double()


def mlp(x, up, down):
    return torch.relu(x @ up) @ down


def baseline(x, up, down):
    return torch.stack([mlp(batch, up, down) for batch in x])


def optimized(x, up, down):
    return mlp(x, up, down)


def cost(batches, rows, width, hidden, dtype):
    size = getattr(torch, dtype).itemsize
    weights, outside, inside = 2 * width * hidden * size, batches * rows * width * size, batches * rows * hidden * size
    return dict(
        flops=4 * batches * rows * width * hidden,
        bytes=weights + 2 * outside,
        baseline_bytes=batches * weights + 4 * outside + 4 * inside,  # the stack copies the output; relu is a pass
        optimized_bytes=weights + 2 * outside + 4 * inside,
    )
