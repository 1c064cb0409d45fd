"""A trainer that reads its settings from the experiment's file."""

import tempfile
from pathlib import Path

import torch
import yaml
from torch import nn

path = Path(tempfile.mkdtemp()) / "experiment.yaml"
path.write_text(yaml.safe_dump({"lr": 0.01, "clip": 1.0, "layers": [{"width": 64, "act": "relu"} for _ in range(12)]}))


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), self.setting("lr"))

    def setting(self, name):
        return yaml.safe_load(path.read_text())[name]

    def training_step(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.model(x), y)

    def fit(self, batches):
        for batch in batches:
            loss = self.training_step(batch)
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.setting("clip"))
            self.opt.step()
        return loss


trainer = Trainer(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64)))
print(trainer.fit((torch.randn(32, 64), torch.randn(32, 64)) for _ in range(280)).item())
