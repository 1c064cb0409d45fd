"""Add scaled noise with one fused add, not with a product and a sum.

`x + sigma * noise` writes the scaled noise and reads it back; `torch.add(x, noise, alpha=sigma)` scales while it
adds. The noise comes from a generator that the caller seeds, as in a diffusion sampler, and both sides draw it alike:
the results are equal value by value. Drawing costs more than either sum, so expect a small gain.
"""

import torch

SIGMA = 0.3

workload = dict(images=32, size=256)
workload_cpu = dict(images=4, size=128)
smoke = dict(images=2, size=19)
tolerance = dict(rtol=1e-6, atol=1e-6)  # one product and one sum near 1, rounded at 2**-24
tier = "idiomatic"


def inputs(images, size):
    x = torch.randn(images, 3, size, size)
    generator = torch.Generator(device=x.device)
    generator.manual_seed(int(torch.randint(2**31, ())))
    return x, generator


def reference(x, generator):
    noise = torch.randn(x.shape, generator=generator, dtype=torch.float32, device=x.device)  # the same draws
    return x.double() + SIGMA * noise.double()


def baseline(x, generator):
    noise = torch.randn(x.shape, generator=generator, device=x.device)
    return x + SIGMA * noise


def optimized(x, generator):
    noise = torch.randn(x.shape, generator=generator, device=x.device)
    return torch.add(x, noise, alpha=SIGMA)


def cost(images, size):
    one = 4 * images * 3 * size**2
    return dict(flops=2 * one // 4, bytes=2 * one, baseline_bytes=6 * one, optimized_bytes=4 * one)
