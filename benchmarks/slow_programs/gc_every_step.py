import gc

import torch
from torch import nn

torch.manual_seed(0)


class Vocabulary:
    def __init__(self, words):
        self.entries = [{"word": f"w{n}", "count": [n], "next": []} for n in range(words)]


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64))

    def training_step(self, batch):
        return nn.functional.mse_loss(self.body(batch), batch.roll(1, 1))


class Trainer:
    def fit(self, module, steps):
        optimizer = torch.optim.Adam(module.parameters())
        for _ in range(steps):
            loss = module.training_step(torch.randn(64, 64))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.on_batch_end()
        return float(loss.detach())

    def on_batch_end(self):
        gc.collect()


vocabulary = Vocabulary(60_000)
print(Trainer().fit(Module(), 60), len(vocabulary.entries))
