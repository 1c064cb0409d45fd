"""Compile the method of a policy network that takes a dict and returns a named tuple."""

from typing import NamedTuple

import torch
from torch import nn


class Out(NamedTuple):
    logits: torch.Tensor
    value: torch.Tensor


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(24, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, 6), nn.Linear(64, 1)

    def act(self, obs):
        h = self.body(torch.cat([obs["pos"], obs["vel"]], -1))
        return Out(self.pi(h), self.v(h).squeeze(-1))


torch.manual_seed(1)
policy = Policy()


def inputs():
    return {"pos": torch.randn(32, 12), "vel": torch.randn(32, 12)}


@torch.inference_mode()
def baseline(obs):
    return policy.act(obs)


fast = torch.compile(policy.act)


@torch.inference_mode()
def optimized(obs):
    return fast(obs)
