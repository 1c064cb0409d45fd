"""Write RMSNorm of a training step as one autograd function that keeps two tensors, not six.

Every operation of the plain form records a node and keeps its input. The function works in place on one temporary.
"""

import torch

workload = dict(rows=256, cols=1024)
smoke = dict(rows=5, cols=67)
EPS = 1e-6


def inputs(rows, cols):
    return torch.randn(rows, cols).requires_grad_(), torch.rand(cols).add_(0.5).requires_grad_()


def baseline(x, weight):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS) * weight


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        inverse = torch.linalg.vector_norm(x, dim=-1, keepdim=True).square_().div_(x.shape[-1]).add_(EPS).rsqrt_()
        ctx.save_for_backward(x, weight, inverse)
        return (x * inverse).mul_(weight)

    @staticmethod
    def backward(ctx, grad):
        x, weight, inverse = ctx.saved_tensors
        return grad * inverse * weight, (grad * x * inverse).sum(0)


def optimized(x, weight):
    return Norm.apply(x, weight)
