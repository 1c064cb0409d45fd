"""Copy from GPU to GPU directly, not through the host: one way over a fast link instead of two over a slow one.

Through the host every byte crosses the PCIe bus twice, down from the first GPU and up to the second, 55 GB/s each
way at best and one after the other: 27 GB/s. Between GPUs that are connected by NVLink the copy engine of one writes
into the memory of the other: some 400 GB/s of 450 (H100 and H200). The model is the ratio, 14.5x; over PCIe alone it
is still one way instead of two, 2x. The baseline stages through a page-locked buffer that is kept, as a careful
engineer would. Where two GPUs cannot reach each other the driver stages by itself, in pieces: less is gained.
"""

import torch

PCIE, NVLINK = 55e9, 400e9  # bytes a second in one direction

workload = dict(elements=67_108_864)  # 256 MiB: long past the latency of a copy
smoke = dict(elements=100_003)
tolerance = dict(rtol=1e-8, atol=1e-12)  # less than half of float32's last digit: a copy is exact or wrong
tier = "idiomatic"
needs = dict(cuda=7.0, gpus=2)
menu = ("both", "communication-bound")


def inputs(elements):
    return (torch.randn(elements),)


def neighbour(x):
    return torch.device("cuda", (x.device.index + 1) % torch.cuda.device_count())


def reference(x):
    return x.double().to(neighbour(x))


def prepare_baseline(x):
    return torch.empty_like(x, device="cpu", pin_memory=True), torch.empty_like(x, device=neighbour(x))


def baseline(buffers, x):
    host, out = buffers
    host.copy_(x)
    return out.copy_(host)


def prepare_optimized(x):
    return torch.empty_like(x, device=neighbour(x))


def optimized(out, x):
    return out.copy_(x)


def cost(elements):
    return dict(predicted_optimized=2 * NVLINK / PCIE)
