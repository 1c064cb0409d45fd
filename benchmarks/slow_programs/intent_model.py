"""Intent classification over short tokenised utterances."""

from __future__ import annotations

import gc
import random
import time
from dataclasses import dataclass, field

import torch
from torch import nn

VOCAB = 5000
INTENTS = 20
PAD = 0


@dataclass
class Utterance:
    uid: str
    tokens: list[int]
    intent: int
    meta: dict = field(default_factory=dict)


@dataclass
class TrainConfig:
    batch_size: int = 64
    steps: int = 55
    lr: float = 1e-3
    embed_dim: int = 64
    hidden: int = 96
    report_every: int = 11


def load_corpus(n: int, seed: int = 11) -> list[Utterance]:
    rng = random.Random(seed)
    corpus = []
    for i in range(n):
        intent = rng.randrange(INTENTS)
        lo = 1 + intent * 200
        tokens = [rng.randrange(lo, lo + 400) for _ in range(rng.randint(4, 16))]
        corpus.append(Utterance(f"utt-{i}", tokens, intent, {"lang": "en", "tags": [intent]}))
    return corpus


def collate(items: list[Utterance]):
    width = max(len(u.tokens) for u in items)
    ids = torch.tensor([u.tokens + [PAD] * (width - len(u.tokens)) for u in items])
    labels = torch.tensor([u.intent for u in items])
    return ids, labels


class IntentNet(nn.Module):
    def __init__(self, cfg: TrainConfig):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, cfg.embed_dim, padding_idx=PAD)
        self.rnn = nn.GRU(cfg.embed_dim, cfg.hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * cfg.hidden, INTENTS)

    def forward(self, ids):
        mask = (ids != PAD).unsqueeze(-1)
        states, _ = self.rnn(self.embed(ids))
        states = states.masked_fill(~mask, -1e9)
        return self.out(states.max(dim=1).values)


class IntentTrainer:
    def __init__(self, corpus: list[Utterance], cfg: TrainConfig):
        self.corpus = corpus
        self.cfg = cfg
        self.rng = random.Random(5)
        self.net = IntentNet(cfg)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=cfg.lr)
        self.loss_fn = nn.CrossEntropyLoss()

    def sample(self):
        picks = [self.corpus[self.rng.randrange(len(self.corpus))] for _ in range(self.cfg.batch_size)]
        return collate(picks)

    def step(self) -> tuple[float, float]:
        ids, labels = self.sample()
        logits = self.net(ids)
        loss = self.loss_fn(logits, labels)
        self.opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.opt.step()
        acc = (logits.argmax(1) == labels).float().mean().item()
        return loss.item(), acc

    def end_step(self):
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def run(self):
        t0 = time.perf_counter()
        for n in range(1, self.cfg.steps + 1):
            loss, acc = self.step()
            self.end_step()
            if n % self.cfg.report_every == 0:
                print(f"step {n:4d}  loss {loss:.3f}  acc {acc:.2f}  {time.perf_counter() - t0:.1f}s", flush=True)


def main():
    torch.manual_seed(1)
    corpus = load_corpus(100_000)
    print(f"{len(corpus)} utterances loaded")
    IntentTrainer(corpus, TrainConfig()).run()
    print("done")


if __name__ == "__main__":
    main()
