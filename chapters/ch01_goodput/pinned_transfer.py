"""Copy between GPU and host through page-locked memory, so that the copy engine writes to it directly.

The engine can only write to pages that the system has promised not to move. For any other destination the driver
copies in two stages, into a small locked buffer of its own and from there, with the CPU, to where you asked: 16 bytes
moved for each float32 element instead of 8. That predicts 2x, and more wherever one core copies slower than the link.
The two bodies are the same line; only the buffer differs. Locking pages is slow and takes them from the rest of the
system: lock once, in preparation, and keep the buffer.
"""

import torch

workload = dict(elements=16_777_216)  # 64 MiB: long past the latency of a copy
smoke = dict(elements=100_003)
tolerance = dict(rtol=1e-8, atol=1e-12)  # less than half of float32's last digit: a copy is exact or wrong
tier = "idiomatic"
needs = dict(cuda=7.0)
menu = ("both", "transfer-bound")


def inputs(elements):
    return (torch.randn(elements),)


def reference(x):
    return x.double().cpu()


def prepare_baseline(x):
    return torch.empty_like(x, device="cpu")


def baseline(host, x):
    return host.copy_(x)


def prepare_optimized(x):
    return torch.empty_like(x, device="cpu", pin_memory=True)


def optimized(host, x):
    return host.copy_(x)


def cost(elements):
    return dict(predicted_optimized=2.0)  # 16 bytes moved for each element against 8
