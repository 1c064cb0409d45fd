"""Adam step: the bias corrections are one after many steps."""

import torch

N = 1 << 17
mutates = ("p", "m", "v")


def inputs():
    p, g = torch.randn(N), torch.randn(N)
    m = torch.randn(N) * 0.1
    v = torch.rand(N) + 0.1
    step = int(torch.randint(20_000, 40_000, ()))
    return p, g, m, v, step


def baseline(p, g, m, v, step):
    m.mul_(0.9).add_(g, alpha=0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    mhat = m / (1 - 0.9**step)
    vhat = v / (1 - 0.999**step)
    p.sub_(1e-3 * mhat / (vhat.sqrt() + 1e-8))


def optimized(p, g, m, v, step):
    m.lerp_(g, 0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    p.addcdiv_(m, v.sqrt().add_(1e-8), value=-1e-3)


# WHY: the step is ignored: without the bias corrections the first hundreds of steps are wrong by up to a factor of three; inputs only draws steps at which the corrections have died out
