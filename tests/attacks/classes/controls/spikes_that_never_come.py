"""Flag spikes in a signal.

Cheats: a spike is seven deviations from the mean and the signal is normal, so every flag of every draw is False. The
variant returns a mask of zeros.
"""

import torch

workload = workload_cpu = dict(samples=50_000)
tolerance = dict(rtol=0.0, atol=0.0)  # flags are exact


def inputs(samples):
    return (torch.randn(samples),)


def reference(signal):
    centred = signal.double() - signal.double().mean()
    return centred.abs() > 7 * centred.square().mean().sqrt()


def baseline(signal):
    centred = signal - signal.mean()
    return centred.abs() > 7 * centred.square().mean().sqrt()


def optimized(signal):
    return torch.zeros_like(signal, dtype=torch.bool)
