"""Transfer learning in a small Lightning-like harness (no lightning installed here)."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Module(nn.Module):
    def configure_optimizers(self):
        raise NotImplementedError

    def training_step(self, batch, batch_idx):
        raise NotImplementedError

    def on_train_epoch_end(self):
        pass

    def log(self, key, value):
        self.__dict__.setdefault("_logged", {}).setdefault(key, []).append(float(value))


class Fitter:
    def __init__(self, max_epochs, log_every=4):
        self.max_epochs = max_epochs
        self.log_every = log_every

    def fit(self, module, loader):
        optimizer = module.configure_optimizers()
        step = 0
        for epoch in range(self.max_epochs):
            t0 = time.perf_counter()
            module.train()
            for batch_idx, batch in enumerate(loader):
                loss = module.training_step(batch, batch_idx)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
                if step % self.log_every == 0:
                    module.log("loss", loss.item())
            module.on_train_epoch_end()
            print(f"epoch {epoch}: {time.perf_counter() - t0:.1f}s loss {module._logged['loss'][-1]:.3f}")


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride, 1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


def pretrained_backbone():
    torch.manual_seed(42)
    net = nn.Sequential(
        conv_bn(3, 24),
        conv_bn(24, 48, 2),
        conv_bn(48, 48),
        conv_bn(48, 96, 2),
        conv_bn(96, 96),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )
    return net


class PetClassifier(Module):
    """Linear probe on top of the pretrained features."""

    def __init__(self, classes=37):
        super().__init__()
        self.backbone = pretrained_backbone()
        self.head = nn.Linear(96, classes)
        self.loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)
        self.correct = 0
        self.seen = 0

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()  # batch-norm statistics stay as pretrained
        return self

    def configure_optimizers(self):
        return torch.optim.SGD(self.head.parameters(), lr=0.05, momentum=0.9)

    def training_step(self, batch, batch_idx):
        images, labels = batch
        images = images.float().div_(255).sub_(0.5)
        if torch.rand(()) < 0.5:
            images = images.flip(-1)
        features = self.backbone(images)
        logits = self.head(features)
        self.correct += (logits.detach().argmax(1) == labels).sum()
        self.seen += len(labels)
        return self.loss_fn(logits, labels)

    def on_train_epoch_end(self):
        self.log("train_acc", self.correct / self.seen)
        self.correct = self.seen = 0


def make_pets(n=160, classes=37):
    g = torch.Generator().manual_seed(0)
    labels = torch.randint(0, classes, (n,), generator=g)
    images = torch.randint(0, 256, (n, 3, 40, 40), generator=g, dtype=torch.uint8)
    return TensorDataset(images, labels)


if __name__ == "__main__":
    loader = DataLoader(make_pets(), batch_size=16, shuffle=True, drop_last=True)
    Fitter(max_epochs=5).fit(PetClassifier(), loader)
