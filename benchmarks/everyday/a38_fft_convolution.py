"""Convolve long complex signals with a long filter by FFT instead of directly.

The direct way takes length x taps complex products. Two transforms, a product and a transform back take
about 3 n log2(n). With hundreds of taps the count of operations is far on the side of the FFT.
"""

import math

import torch
from torch.nn import functional

workload = dict(batch=64, length=65_536, taps=2_048)
workload_cpu = dict(batch=4, length=2_048, taps=256)
smoke = dict(batch=2, length=50, taps=7)
constant = ("taps",)
tolerance = dict(rtol=1e-4, atol=2e-5)  # complex64 sums of up to 2,048 products, results near 1
tier = "idiomatic"


def inputs(batch, length, taps):
    signal = torch.randn(batch, length, dtype=torch.complex64)
    return signal, torch.randn(taps, dtype=torch.complex64) / taps**0.5


def reference(signal, taps):
    length = signal.shape[-1]
    out = torch.zeros(len(signal), length + len(taps) - 1, dtype=torch.complex128, device=signal.device)
    for shift, tap in enumerate(taps.to(torch.complex128)):
        out[:, shift : shift + length] += tap * signal
    return out


def baseline(signal, taps):
    return functional.conv1d(signal[:, None], taps.flip(0)[None, None], padding=len(taps) - 1)[:, 0]


def optimized(signal, taps):
    full = signal.shape[-1] + len(taps) - 1
    size = 1 << (full - 1).bit_length()
    spectrum = torch.fft.fft(signal, n=size) * torch.fft.fft(taps, n=size)
    return torch.fft.ifft(spectrum)[:, :full].contiguous()


def cost(batch, length, taps):
    direct = 8 * batch * length * taps
    size = 1 << (length + taps - 2).bit_length()
    fast = 5 * (2 * batch + 1) * size * math.log2(size) + 6 * batch * size
    return dict(flops=fast, baseline_flops=direct, optimized_flops=fast, bytes=16 * batch * length)
