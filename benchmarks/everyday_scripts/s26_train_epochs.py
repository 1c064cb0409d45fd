"""Three Adam steps on a copy of a model, as state dicts: foreach against a loop."""

import copy

import torch
from torch import nn

import perfproof

torch.manual_seed(1)
start = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 4))


def train(x, y, foreach):
    model = copy.deepcopy(start)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=foreach)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for part_x, part_y in zip(x.chunk(3), y.chunk(3)):
        optimizer.zero_grad(set_to_none=True)
        nn.functional.mse_loss(model(part_x), part_y).backward()
        optimizer.step()
        schedule.step()
    return {name: value.detach() for name, value in model.state_dict().items()}, schedule.get_last_lr()


answer = perfproof.compare(
    lambda x, y: train(x, y, False),
    lambda x, y: train(x, y, True),
    lambda: (torch.randn(96, 16), torch.randn(96, 4)),
    effort="quick",
    labels=("loop", "foreach"),
)
print(answer)
print(answer.status)
