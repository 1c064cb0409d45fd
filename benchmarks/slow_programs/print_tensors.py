import logging

import torch
from torch import nn

logging.basicConfig(filename="debug.log", level=logging.DEBUG)
log = logging.getLogger("train")
torch.manual_seed(0)
torch.set_printoptions(threshold=20_000)
model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(30):
    x = torch.randn(64, 64)
    out = model(x)
    loss = (out - x).square().mean()
    opt.zero_grad()
    loss.backward()
    log.debug("step %d out %s", step, out)
    opt.step()
