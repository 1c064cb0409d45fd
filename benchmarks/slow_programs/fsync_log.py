import json
import os
import tempfile

import torch
from torch import nn


class Trainer:
    def __init__(self, model, path):
        self.model, self.opt = model, torch.optim.SGD(model.parameters(), lr=0.01)
        self.log = open(path, "a")

    def log_metrics(self, step, metrics):
        for name, value in metrics.items():
            self.log.write(json.dumps({"step": step, "name": name, "value": value}) + "\n")
            self.log.flush()
            os.fsync(self.log.fileno())

    def training_step(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.model(x), y)

    def fit(self, batches):
        for step, batch in enumerate(batches):
            loss = self.training_step(batch)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.log_metrics(
                step, {"loss": float(loss), **{n: float(p.norm()) for n, p in self.model.named_parameters()}}
            )


def batches(n):
    g = torch.Generator().manual_seed(0)
    for _ in range(n):
        x = torch.randn(32, 64, generator=g)
        yield x, x.sum(1, keepdim=True)


with tempfile.TemporaryDirectory(dir=".") as folder:
    net = nn.Sequential(*[nn.Linear(64, 64) for _ in range(12)], nn.Linear(64, 1))
    Trainer(net, os.path.join(folder, "metrics.jsonl")).fit(batches(150))
