"""A scripted function with a loop against eager mode."""

import torch

import perfproof


def clip_recursive(x, gain: float):
    y = torch.zeros_like(x)
    state = torch.zeros(x.shape[0])
    for t in range(x.shape[1]):
        state = torch.clamp(gain * state + x[:, t], -1.0, 1.0)
        y[:, t] = state
    return y


scripted = torch.jit.script(clip_recursive)
answer = perfproof.compare(
    clip_recursive,
    scripted,
    lambda: (torch.randn(8, 60), float(torch.rand(()))),
    effort="quick",
    labels=("eager", "scripted"),
)
print(answer)
print(answer.status)
