"""Sequence tagger with a small Lightning-like module / trainer / callback structure."""

import logging
import time

import torch
import torch.nn.functional as F
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("tagger")
torch.set_printoptions(precision=3, edgeitems=6, linewidth=160)

VOCAB, TAGS = 600, 9


class TaggerModule(nn.Module):
    def __init__(self, dim=48, hidden=48, lr=2e-3):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim)
        self.convs = nn.ModuleList(nn.Conv1d(dim if i == 0 else hidden, hidden, 3, padding=1) for i in range(4))
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(4))
        self.head = nn.Linear(hidden, TAGS)
        self.lr = lr

    def forward(self, ids):
        x = self.emb(ids)
        for conv, norm in zip(self.convs, self.norms):
            x = F.relu(norm(conv(x.transpose(1, 2)).transpose(1, 2)))
        return self.head(x)

    def training_step(self, batch, batch_idx):
        ids, tags = batch
        logits = self(ids)
        loss = F.cross_entropy(logits.flatten(0, 1), tags.flatten())
        return {"loss": loss, "logits": logits.detach()}

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


class Callback:
    def on_after_backward(self, trainer, module): ...
    def on_train_batch_end(self, trainer, module, outputs, batch_idx): ...
    def on_train_epoch_end(self, trainer, module): ...


class ParameterMonitor(Callback):
    def on_after_backward(self, trainer, module):
        for name, p in module.named_parameters():
            log.debug(f"step {trainer.global_step} {name}: value {p.data} grad {p.grad}")


class Progress(Callback):
    def __init__(self, every=20):
        self.every = every
        self.total = 0.0

    def on_train_batch_end(self, trainer, module, outputs, batch_idx):
        self.total += outputs["loss"].item()
        if (batch_idx + 1) % self.every == 0:
            log.info(f"step {trainer.global_step} loss {self.total / self.every:.4f}")
            self.total = 0.0


class Timer(Callback):
    def __init__(self):
        self.start = time.time()

    def on_train_epoch_end(self, trainer, module):
        log.info(f"epoch {trainer.epoch} finished at {time.time() - self.start:.1f}s")


class Trainer:
    def __init__(self, max_epochs, callbacks):
        self.max_epochs, self.callbacks = max_epochs, callbacks
        self.global_step = self.epoch = 0

    def call(self, hook, *args):
        for cb in self.callbacks:
            getattr(cb, hook)(self, *args)

    def fit(self, module, loader):
        opt = module.configure_optimizers()
        for self.epoch in range(self.max_epochs):
            for batch_idx, batch in enumerate(loader):
                out = module.training_step(batch, batch_idx)
                opt.zero_grad()
                out["loss"].backward()
                self.call("on_after_backward", module)
                opt.step()
                self.global_step += 1
                self.call("on_train_batch_end", module, out, batch_idx)
            self.call("on_train_epoch_end", module)


def make_loader(batches, batch_size=8, length=20):
    rule = torch.randint(0, TAGS, (VOCAB,))
    ids = torch.randint(0, VOCAB, (batches * batch_size, length))
    return torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(ids, rule[ids]), batch_size=batch_size, shuffle=True
    )


if __name__ == "__main__":
    torch.manual_seed(0)
    Trainer(2, [ParameterMonitor(), Progress(), Timer()]).fit(TaggerModule(), make_loader(50))
