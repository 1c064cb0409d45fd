"""Sequence tagger training with frequent validation for early stopping."""

import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

VOCAB, TAGS, SEQ = 2000, 9, 32
ROUNDS = 75


class TaggedText(Dataset):
    def __init__(self, n, seed):
        gen = torch.Generator().manual_seed(seed)
        self.tokens = torch.randint(1, VOCAB, (n, SEQ), generator=gen)
        self.lengths = torch.randint(SEQ // 2, SEQ + 1, (n,), generator=gen)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        n = int(self.lengths[i])
        tokens = self.tokens[i, :n]
        return tokens, tokens % TAGS


def collate(items):
    tokens = nn.utils.rnn.pad_sequence([t for t, _ in items], batch_first=True)
    tags = nn.utils.rnn.pad_sequence([t for _, t in items], batch_first=True, padding_value=-100)
    return tokens, tags


class Tagger(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, dim, 5, padding=2)
        self.out = nn.Linear(dim, TAGS)

    def forward(self, tokens):
        h = self.embed(tokens)
        h = h + F.relu(self.conv(h.transpose(1, 2))).transpose(1, 2)
        return self.out(h)


@torch.no_grad()
def validate(model, loader):
    model.eval()
    right = total = 0
    for tokens, tags in loader:
        pred = model(tokens).argmax(-1)
        mask = tags != -100
        right += (pred[mask] == tags[mask]).sum().item()
        total += mask.sum().item()
    model.train()
    return right / total


def batches(loader):
    while True:
        yield from loader


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train_set, valid_set = TaggedText(8000, 1), TaggedText(96, 2)
    train_loader = DataLoader(train_set, batch_size=16, shuffle=True, collate_fn=collate)
    valid_loader = DataLoader(valid_set, batch_size=32, collate_fn=collate, num_workers=2)
    stream = batches(train_loader)
    model = Tagger()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    best, stale, start = 0.0, 0, time.time()
    for rnd in range(ROUNDS):
        for _ in range(3):
            tokens, tags = next(stream)
            loss = F.cross_entropy(model(tokens).flatten(0, 1), tags.flatten(), ignore_index=-100)
            opt.zero_grad()
            loss.backward()
            opt.step()
        acc = validate(model, valid_loader)
        best, stale = (acc, 0) if acc > best else (best, stale + 1)
        if rnd % 10 == 0:
            print(
                f"round {rnd} loss {loss.item():.3f} acc {acc:.3f} best {best:.3f} stale {stale} {time.time() - start:.1f}s",
                flush=True,
            )


if __name__ == "__main__":
    main()
