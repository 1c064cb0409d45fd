"""Supervised fine-tuning on packed dialogs held in memory."""

import gc
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, DIM, SEQ, BATCH = 800, 128, 64, 8
DIALOGS, STEPS = 30_000, 36


def make_dialogs(seed):
    rnd = random.Random(seed)
    dialogs = []
    for i in range(DIALOGS):
        turns = []
        for t in range(rnd.randint(2, 6)):
            base = rnd.randint(10, VOCAB - 40)
            turns.append(
                {
                    "role": "user" if t % 2 == 0 else "assistant",
                    "tokens": [base + (j * 3) % 30 for j in range(rnd.randint(6, 16))],
                    "meta": {"source": f"set{i % 7}", "flags": []},
                }
            )
        dialogs.append({"id": i, "turns": turns})
    return dialogs


def pack(dialogs, rnd):
    tokens = torch.zeros(BATCH, SEQ + 1, dtype=torch.long)
    mask = torch.zeros(BATCH, SEQ + 1, dtype=torch.bool)
    for row in range(BATCH):
        at = 0
        while at < SEQ + 1:
            for turn in rnd.choice(dialogs)["turns"]:
                piece = turn["tokens"][: SEQ + 1 - at]
                tokens[row, at : at + len(piece)] = torch.tensor(piece)
                mask[row, at : at + len(piece)] = turn["role"] == "assistant"
                at += len(piece)
                if at >= SEQ + 1:
                    break
    return tokens, mask


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, DIM)
        self.rnn = nn.GRU(DIM, DIM, batch_first=True)
        self.out = nn.Linear(DIM, VOCAB)

    def forward(self, x):
        h, _ = self.rnn(self.tok(x))
        return self.out(h)


def train_step(model, opt, tokens, mask):
    logits = model(tokens[:, :-1])
    keep = mask[:, 1:]
    loss = F.cross_entropy(logits[keep], tokens[:, 1:][keep])
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rnd = random.Random(1)
    dialogs = make_dialogs(0)
    model = Decoder()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    start, ema = time.time(), None
    for step in range(STEPS):
        tokens, mask = pack(dialogs, rnd)
        loss = train_step(model, opt, tokens, mask)
        ema = loss if ema is None else 0.9 * ema + 0.1 * loss
        del tokens, mask
        gc.collect()
        if step % 10 == 0:
            print(f"step {step} loss {ema:.3f} {time.time() - start:.1f}s", flush=True)


if __name__ == "__main__":
    main()
