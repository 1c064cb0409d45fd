import torch


class FusedSwish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        return g * (s * (1 + x * (1 - s)))


def inputs():
    return torch.randn(256, 256)


def _run(f, x):
    x = x.detach().requires_grad_(True)
    y = f(x)
    (g,) = torch.autograd.grad(y.square().sum(), x)
    return y.detach(), g


def baseline(x):
    return _run(lambda x: x / (1 + torch.exp(-x)), x)


def optimized(x):
    return _run(FusedSwish.apply, x)
