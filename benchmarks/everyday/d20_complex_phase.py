"""Rotate by a phase: cos and sin by hand against torch.polar."""

import torch


def inputs():
    z = torch.randn(20000, dtype=torch.complex64)
    return z, torch.rand(20000) * 6.28


def baseline(z, phi):
    re = z.real * torch.cos(phi) - z.imag * torch.sin(phi)
    im = z.real * torch.sin(phi) + z.imag * torch.cos(phi)
    return torch.complex(re, im)


def optimized(z, phi):
    return z * torch.polar(torch.ones_like(phi), phi)
