"""Keyword-spotting trainer on synthetic spectrograms."""

import logging
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

log = logging.getLogger("speech.trainer")

MELS, FRAMES, CLASSES = 40, 48, 12
BATCH = 8
EPOCHS = 7
STEPS_PER_EPOCH = 22


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, 5, stride=stride, padding=2)
        self.norm = nn.BatchNorm1d(c_out)

    def forward(self, x):
        out = F.relu(self.norm(self.conv(x)))
        log.debug(f"{self.__class__.__name__} in={x} out={out}")
        return out


class KeywordNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([ConvBlock(MELS, 32, 2), ConvBlock(32, 32, 2), ConvBlock(32, 48, 2)])
        self.head = nn.Linear(48, CLASSES)

    def forward(self, mel):
        x = mel
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=2))


class ToneBank:
    """Synthesises labelled mel patches: one drifting ridge per class."""

    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)
        self.starts = torch.linspace(4, MELS - 5, CLASSES)
        self.slopes = torch.linspace(-0.15, 0.15, CLASSES)

    def batch(self, size):
        label = torch.randint(0, CLASSES, (size,), generator=self.gen)
        frames = torch.arange(FRAMES).float()
        ridge = self.starts[label, None] + self.slopes[label, None] * frames
        bins = torch.arange(MELS).float()[None, :, None]
        mel = torch.exp(-0.5 * ((bins - ridge[:, None, :]) / 1.5) ** 2)
        mel = mel + 0.6 * torch.randn(mel.shape, generator=self.gen)
        return mel, label


class Trainer:
    def __init__(self, model, bank, lr=1e-3):
        self.model = model
        self.bank = bank
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.step_count = 0

    def step(self):
        mel, label = self.bank.batch(BATCH)
        logits = self.model(mel)
        loss = F.cross_entropy(logits, label)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimizer.step()
        self.step_count += 1
        grads = {name: p.grad for name, p in self.model.named_parameters()}
        log.debug(f"step {self.step_count} norm={norm} logits={logits} grads={grads}")
        return loss.item()

    @torch.no_grad()
    def accuracy(self, batches=2):
        self.model.eval()
        hits = total = 0
        for _ in range(batches):
            mel, label = self.bank.batch(BATCH)
            hits += (self.model(mel).argmax(1) == label).sum().item()
            total += label.numel()
        self.model.train()
        return hits / total

    def run_epoch(self):
        losses = [self.step() for _ in range(STEPS_PER_EPOCH)]
        return sum(losses) / len(losses)


def main():
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    torch.manual_seed(3)
    trainer = Trainer(KeywordNet(), ToneBank(seed=11))
    started = time.time()
    for epoch in range(EPOCHS):
        loss = trainer.run_epoch()
        log.info(
            "epoch %d loss %.3f acc %.3f (%.1fs)",
            epoch,
            loss,
            trainer.accuracy(),
            time.time() - started,
        )
    print("training complete")


if __name__ == "__main__":
    main()
