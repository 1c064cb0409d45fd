"""Small image classifier with a trainer class."""

import time
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    epochs: int = 2
    batch_size: int = 16
    lr: float = 3e-3
    classes: int = 6
    image_size: int = 24
    samples: int = 320
    precision: str = "bf16"


class Block(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False)
        self.norm = nn.GroupNorm(4, cout)

    def forward(self, x):
        return F.silu(self.norm(self.conv(x)))


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(Block(3, 12, 1), Block(12, 24, 2), Block(24, 32, 2))
        self.head = nn.Conv2d(32, classes, 1)

    def forward(self, x):
        return self.head(self.body(x)).mean(dim=(2, 3))


def make_data(cfg):
    g = torch.Generator().manual_seed(0)
    labels = torch.randint(0, cfg.classes, (cfg.samples,), generator=g)
    protos = torch.randn(cfg.classes, 3, cfg.image_size, cfg.image_size, generator=g)
    images = protos[labels] + 0.8 * torch.randn(cfg.samples, 3, cfg.image_size, cfg.image_size, generator=g)
    return TensorDataset(images, labels)


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = Net(cfg.classes)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        data = make_data(cfg)
        cut = int(0.85 * len(data))
        train, val = torch.utils.data.random_split(data, [cut, len(data) - cut])
        self.train_dl = DataLoader(train, batch_size=cfg.batch_size, shuffle=True, drop_last=True)
        self.val_dl = DataLoader(val, batch_size=cfg.batch_size)
        dtypes = {"fp32": torch.float32, "bf16": torch.bfloat16}
        self.dtype = dtypes[cfg.precision]

    def amp(self):
        return torch.autocast("cpu", dtype=self.dtype, enabled=self.dtype is not torch.float32)

    def training_step(self, images, labels):
        with self.amp():
            logits = self.model(images)
        loss = F.cross_entropy(logits.float(), labels)
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.opt.step()
        return loss.detach()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        hits = total = 0
        for images, labels in self.val_dl:
            with self.amp():
                logits = self.model(images)
            hits += int((logits.argmax(1) == labels).sum())
            total += len(labels)
        self.model.train()
        return hits / total

    def fit(self):
        for epoch in range(self.cfg.epochs):
            start, losses = time.time(), []
            for images, labels in self.train_dl:
                losses.append(self.training_step(images, labels))
            mean = torch.stack(losses).mean().item()
            print(f"epoch {epoch} loss {mean:.3f} val {self.validate():.3f} {time.time() - start:.1f}s")


if __name__ == "__main__":
    torch.manual_seed(0)
    Trainer(Config()).fit()
