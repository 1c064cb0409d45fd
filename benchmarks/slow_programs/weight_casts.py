"""Decode with weights kept in float32 and used in bfloat16."""

import torch
from torch import nn


class HalfLinear(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(x, self.weight.to(torch.bfloat16), self.bias.to(torch.bfloat16))


torch.manual_seed(0)
layers = nn.Sequential(*[nn.Sequential(HalfLinear(1024, 1024), nn.ReLU()) for _ in range(6)])


@torch.inference_mode()
def decode(state, tokens):
    for _ in range(tokens):
        state = layers(state)
    return state


for request in range(10):
    out = decode(torch.randn(1, 1024, dtype=torch.bfloat16), 16)
print(out.float().norm().item())
