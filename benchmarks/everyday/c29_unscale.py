"""Unscale gradients and look for infinities with one foreach call, not with a loop over tensors.

After a backward pass of a scaled loss every gradient is divided by the scale, and one infinity or NaN anywhere means
that the step is skipped. The loop makes a product, a mask, a reduction and an "or" for each tensor. GradScaler's own
operator multiplies and checks in one pass over the whole list.
"""

import torch

workload = dict(tensors=200, size=65_536)
workload_cpu = dict(tensors=100, size=1_024)
smoke = dict(tensors=3, size=17)
mutates = ["gradients"]
tolerance = dict(rtol=1e-6, atol=0.0)  # one product with the reciprocal of a power of two
tier = "idiomatic"


def inputs(tensors, size):
    scale = 2.0 ** torch.randint(8, 17, (1,)).float()
    gradients = [scale * torch.randn(size) for _ in range(tensors)]
    if torch.rand(()) < 0.25:  # now and then a step overflows
        gradients[tensors // 2][0] = torch.inf
    return gradients, scale


def reference(gradients, scale):
    found = any(not bool(torch.isfinite(gradient).all()) for gradient in gradients)
    for gradient in gradients:
        gradient.div_(scale.double())
    return torch.tensor([float(found)], device=scale.device)


def baseline(gradients, scale):
    found = torch.zeros(1, dtype=torch.bool, device=scale.device)
    inverse = 1.0 / scale
    for gradient in gradients:
        found |= ~torch.isfinite(gradient).all()
        gradient.mul_(inverse)
    return found.float()


def optimized(gradients, scale):
    found = torch.zeros(1, device=scale.device)
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, 1.0 / scale)
    return found


def cost(tensors, size):
    n = tensors * size
    return dict(flops=2 * n, bytes=8 * n, baseline_bytes=15 * n, optimized_bytes=8 * n)
