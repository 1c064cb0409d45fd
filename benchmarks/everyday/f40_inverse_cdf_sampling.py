"""Draw categories by searching the cumulative distribution."""

import torch

distribution = True
workload = dict(classes=64, draws=4096)


def inputs(classes, draws):
    weights = torch.rand(classes) + 0.05
    return weights, draws


def baseline(weights, draws):
    picked = torch.distributions.Categorical(probs=weights).sample((draws,))
    return picked


def optimized(weights, draws):
    cumulative = weights.double().cumsum(0)
    spots = torch.rand(draws, dtype=torch.float64) * cumulative[-1]
    return torch.searchsorted(cumulative, spots, right=True).clamp_(max=len(weights) - 1)
