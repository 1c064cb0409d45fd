"""Convolutional autoencoder in a Lightning-like style."""

import os
import shutil
import tempfile
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class AutoEncoder(nn.Module):
    def __init__(self, latent=32, width=24):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 3, 2, 1),
            nn.GELU(),
            nn.Conv2d(width, 2 * width, 3, 2, 1),
            nn.GELU(),
            nn.Conv2d(2 * width, 2 * width, 3, 1, 1),
            nn.GELU(),
            nn.Flatten(),
            nn.Linear(2 * width * 49, latent),
        )
        self.width = width
        self.lift = nn.Linear(latent, 2 * width * 49)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(2 * width, 2 * width, 4, 2, 1),
            nn.GELU(),
            nn.ConvTranspose2d(2 * width, width, 4, 2, 1),
            nn.GELU(),
            nn.Conv2d(width, 1, 3, 1, 1),
        )

    def forward(self, x):
        z = self.encoder(x)
        return self.decoder(self.lift(z).view(-1, 2 * self.width, 7, 7))

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return F.mse_loss(self(x), x)

    @torch.no_grad()
    def validation_step(self, batch):
        (x,) = batch
        return F.mse_loss(self(x), x).item() * len(x)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=2e-3)


class Runner:
    def __init__(self, epochs, folder):
        self.epochs = epochs
        self.folder = folder
        self.best = float("inf")

    def fit(self, module, train, val):
        opt = module.configure_optimizers()
        for epoch in range(self.epochs):
            t0 = time.perf_counter()
            module.train()
            total = torch.zeros(())
            for i, batch in enumerate(train):
                loss = module.training_step(batch, i)
                opt.zero_grad(set_to_none=True)
                loss.backward()
                opt.step()
                total += loss.detach()
            score = self.validate(module, val)
            print(
                f"epoch {epoch} train {total.item() / len(train):.4f} val {score:.4f} {time.perf_counter() - t0:.1f}s"
            )
            if score < self.best:
                self.best = score
                torch.save(module.state_dict(), os.path.join(self.folder, "best.pt"))

    def validate(self, module, loader):
        module.eval()
        return sum(module.validation_step(b) for b in loader) / len(loader.dataset)


def strokes(n, seed):
    """Digit-like images made of two random thick strokes."""
    g = torch.Generator().manual_seed(seed)
    grid = torch.stack(torch.meshgrid(torch.arange(28.0), torch.arange(28.0), indexing="ij"), -1)
    a = 4 + 20 * torch.rand(n, 2, 1, 1, 2, generator=g)
    b = 4 + 20 * torch.rand(n, 2, 1, 1, 2, generator=g)
    ab = b - a
    t = (((grid - a) * ab).sum(-1) / ab.square().sum(-1).clamp(min=1e-3)).clamp(0, 1)
    dist = (grid - (a + t[..., None] * ab)).norm(dim=-1)
    return TensorDataset(torch.exp(-dist.square() / 3).amax(1)[:, None])


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(2)
    train = DataLoader(strokes(384, 0), batch_size=64, shuffle=True)
    val = DataLoader(strokes(128, 1), batch_size=128)
    folder = tempfile.mkdtemp()
    Runner(5, folder).fit(AutoEncoder(), train, val)
    shutil.rmtree(folder)
