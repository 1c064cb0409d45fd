import torch
from torch import nn


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10))

    def training_step(self, batch):
        return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


class Fitter:
    def __init__(self, steps, val_check_interval=1):
        self.steps, self.interval = steps, val_check_interval

    def validate(self, module, held_out):
        module.eval()
        with torch.no_grad():
            right = sum((module.net(x).argmax(1) == y).sum() for x, y in held_out)
        module.train()
        return int(right)

    def fit(self, module, batch_of, held_out):
        opt = module.configure_optimizers()
        for step in range(self.steps):
            loss = module.training_step(batch_of(step))
            opt.zero_grad()
            loss.backward()
            opt.step()
            if (step + 1) % self.interval == 0:
                score = self.validate(module, held_out)
        print(float(loss), score)


torch.manual_seed(0)
make = lambda n: (torch.randn(n, 256), torch.randint(0, 10, (n,)))
Fitter(40).fit(Module(), lambda step: make(64), [make(512) for _ in range(10)])
