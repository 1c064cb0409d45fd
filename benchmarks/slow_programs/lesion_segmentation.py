"""Train a small U-shaped segmentation network on synthetic scans."""

import logging
import time

import torch
import torch.nn.functional as F
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
log = logging.getLogger("lesion")
torch.set_printoptions(precision=3, threshold=20_000, linewidth=140)


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, 1, 1), nn.ReLU(inplace=True), nn.Conv2d(cout, cout, 3, 1, 1), nn.ReLU(inplace=True)
    )


class SmallUNet(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.enc1 = double_conv(1, width)
        self.enc2 = double_conv(width, 2 * width)
        self.mid = double_conv(2 * width, 2 * width)
        self.up2 = double_conv(4 * width, width)
        self.up1 = double_conv(2 * width, width)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        a = self.enc1(x)
        b = self.enc2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        u = self.up2(torch.cat([F.interpolate(m, scale_factor=2), b], 1))
        u = self.up1(torch.cat([F.interpolate(u, scale_factor=2), a], 1))
        return self.out(u)


def scans(batch, size=32, seed=0):
    g = torch.Generator().manual_seed(seed)
    grid = torch.stack(torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij"))
    while True:
        centre = torch.randint(8, size - 8, (batch, 2, 1, 1), generator=g)
        radius = torch.randint(3, 7, (batch, 1, 1), generator=g)
        mask = ((grid[None] - centre).square().sum(1) < radius.square()).float()
        image = mask * 0.6 + 0.4 * torch.randn(batch, size, size, generator=g)
        yield image[:, None], mask[:, None]


def dice(logits, mask):
    p = logits.sigmoid()
    inter = (p * mask).sum((1, 2, 3))
    return (2 * inter + 1) / (p.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + 1)


class Trainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.scores = []

    def training_step(self, batch):
        image, mask = batch
        logits = self.model(image)
        log.debug(f"batch image={image} mask={mask}")
        bce = F.binary_cross_entropy_with_logits(logits, mask)
        score = dice(logits, mask)
        log.debug(f"logits={logits} dice={score}")
        loss = bce + 1 - score.mean()
        self.scores.append(score.mean().item())
        return loss

    def optimise(self, loss):
        self.opt.zero_grad()
        loss.backward()
        for name, p in self.model.named_parameters():
            log.debug(f"{name} grad={p.grad}")
        self.opt.step()

    def fit(self, stream, steps):
        t0 = time.perf_counter()
        for step in range(1, steps + 1):
            loss = self.training_step(next(stream))
            self.optimise(loss)
            if step % 5 == 0:
                log.info(
                    "step %d loss %.3f dice %.3f %.2f it/s",
                    step,
                    loss.item(),
                    sum(self.scores[-5:]) / 5,
                    step / (time.perf_counter() - t0),
                )


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(2)
    Trainer(SmallUNet()).fit(scans(batch=4), steps=40)
