"""Data-parallel training; the shards differ in length."""

import torch
import torch.distributed as dist
from torch import nn

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256)))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
rows = 4096 if rank == 1 else 512
for step in range(40):
    x = torch.randn(rows, 256)
    loss = (model(x) - x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
if rank == 0:
    print(loss.item())
dist.destroy_process_group()
