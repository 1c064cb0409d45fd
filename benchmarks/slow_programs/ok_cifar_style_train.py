"""Small residual network on synthetic 32x32 images."""

import os
import tempfile
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Residual(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.skip = nn.Identity()
        if stride != 1 or cin != cout:
            self.skip = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.skip(x))


class SmallResNet(nn.Module):
    def __init__(self, classes=10, width=20):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, 1, 1, bias=False)
        self.layers = nn.Sequential(
            Residual(width, width),
            Residual(width, 2 * width, 2),
            Residual(2 * width, 4 * width, 2),
        )
        self.fc = nn.Linear(4 * width, classes)

    def forward(self, x):
        x = self.layers(F.relu(self.stem(x)))
        return self.fc(x.mean((2, 3)))


def synthetic(n, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 10, (n,), generator=g)
    proto = torch.randn(10, 3, 8, 8, generator=torch.Generator().manual_seed(99))
    x = F.interpolate(proto[y], size=32) + 0.8 * torch.randn(n, 3, 32, 32, generator=g)
    return TensorDataset(x, y)


@torch.no_grad()
def validate(model, loader):
    model.eval()
    correct = 0
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum().item()
    return correct / len(loader.dataset)


def train(epochs=2, batch=32):
    torch.manual_seed(0)
    torch.set_num_threads(2)
    train_loader = DataLoader(synthetic(224, 0), batch_size=batch, shuffle=True, drop_last=True)
    val_loader = DataLoader(synthetic(64, 1), batch_size=64)
    model = SmallResNet()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=epochs * len(train_loader))
    ckpt = os.path.join(tempfile.mkdtemp(), "last.pt")
    for epoch in range(epochs):
        model.train()
        t0 = time.time()
        losses = []
        for step, (x, y) in enumerate(train_loader):
            opt.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
            sched.step()
            losses.append(loss.detach())
            if step % 3 == 2:
                print(f"  step {step + 1} loss {torch.stack(losses).mean():.3f}")
        acc = validate(model, val_loader)
        torch.save({"model": model.state_dict(), "epoch": epoch}, ckpt)
        print(f"epoch {epoch} val {acc:.3f} {time.time() - t0:.1f}s")
    os.remove(ckpt)


if __name__ == "__main__":
    train()
