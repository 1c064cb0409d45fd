"""Adam step: fold the bias corrections into scalars."""

import torch

N = 1 << 17
mutates = ("p", "m", "v")
# a second moment is a mean of squares
domain = dict(v=(0.0, 16.0))


def inputs():
    p, g = torch.randn(N), torch.randn(N)
    m = torch.randn(N) * 0.1
    v = torch.rand(N) + 0.1
    return p, g, m, v, int(torch.randint(1, 200, ()))


def baseline(p, g, m, v, step):
    m.mul_(0.9).add_(g, alpha=0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    mhat = m / (1 - 0.9**step)
    vhat = v / (1 - 0.999**step)
    p.sub_(1e-3 * mhat / (vhat.sqrt() + 1e-8))


def optimized(p, g, m, v, step):
    c1, c2 = 1 - 0.9**step, (1 - 0.999**step) ** 0.5
    m.lerp_(g, 0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    p.addcdiv_(m, v.sqrt().add_(1e-8 * c2), value=-1e-3 * c2 / c1)


# HONEST: fewer passes with both bias corrections, which are numbers and need no pass of their own (look-alike of x28)
