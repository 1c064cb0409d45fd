import copy

import torch
from torch import nn

mutates = ("shadow",)


def make():
    layers = [nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()]
    for _ in range(6):
        layers += [nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))


def inputs():
    shadow = make().eval().requires_grad_(False)
    model = copy.deepcopy(shadow)
    for t in model.parameters():
        t.add_(0.01 * torch.randn_like(t))
    for name, t in model.named_buffers():
        if t.is_floating_point():
            t.add_(0.05 * torch.rand_like(t))
        else:
            t.fill_(int(torch.randint(1, 1000, ())))
    return shadow, model


@torch.no_grad()
def baseline(shadow, model, decay=0.999):
    for s, p in zip(shadow.parameters(), model.parameters()):
        s.mul_(decay).add_(p, alpha=1 - decay)
    for s, b in zip(shadow.buffers(), model.buffers()):
        s.copy_(b)


@torch.no_grad()
def optimized(shadow, model, decay=0.999):
    torch._foreach_lerp_(list(shadow.parameters()), list(model.parameters()), 1 - decay)
    torch._foreach_copy_(list(shadow.buffers()), list(model.buffers()))
