"""Character level language model over long documents.

The recurrent state is carried from chunk to chunk inside a document, gradients
are accumulated over the document and applied once at its end.
"""

import math
import random
import string
import time

import torch
from torch import nn

VOCAB = string.ascii_lowercase + " .,;\n"
STOI = {c: i for i, c in enumerate(VOCAB)}

CHUNK = 16
CHUNKS_PER_DOC = 12
BATCH = 8
DOCS = 16


def synth_document(rng, length):
    words = [
        "the",
        "cat",
        "sat",
        "on",
        "a",
        "mat",
        "while",
        "rain",
        "fell",
        "over",
        "old",
        "town",
        "and",
        "nobody",
        "cared",
        "much",
    ]
    out = []
    n = 0
    while n < length:
        w = rng.choice(words)
        sep = rng.choice([" ", " ", " ", ", ", ". "])
        out.append(w + sep)
        n += len(w) + len(sep)
    return "".join(out)[:length]


def encode(text):
    return torch.tensor([STOI[c] for c in text], dtype=torch.long)


def document_batches(n_docs, seed=0):
    rng = random.Random(seed)
    length = CHUNK * CHUNKS_PER_DOC + 1
    for _ in range(n_docs):
        yield torch.stack([encode(synth_document(rng, length)) for _ in range(BATCH)])


class CharModel(nn.Module):
    def __init__(self, vocab, dim=48, hidden=96):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, ids, state=None):
        x = self.embed(ids)
        y, state = self.rnn(x, state)
        return self.out(y), state


class Trainer:
    def __init__(self, model, lr=2e-3):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.criterion = nn.CrossEntropyLoss()
        self.history = []

    def train_document(self, doc):
        self.optimizer.zero_grad(set_to_none=True)
        state = None
        total, count = 0.0, 0
        for start in range(0, doc.size(1) - 1, CHUNK):
            inputs = doc[:, start : start + CHUNK]
            targets = doc[:, start + 1 : start + CHUNK + 1]
            logits, state = self.model(inputs, state)
            loss = self.criterion(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))
            (loss / CHUNKS_PER_DOC).backward(retain_graph=True)
            total += loss.item()
            count += 1
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return total / count

    def fit(self, n_docs):
        for i, doc in enumerate(document_batches(n_docs)):
            t0 = time.perf_counter()
            loss = self.train_document(doc)
            dt = time.perf_counter() - t0
            self.history.append(loss)
            print(f"doc {i:3d}  loss {loss:.4f}  ppl {math.exp(loss):8.2f}  {dt:.2f}s")


@torch.no_grad()
def sample(model, prefix="the ", n=80):
    ids = encode(prefix)[None]
    logits, state = model(ids)
    text = prefix
    for _ in range(n):
        nxt = torch.distributions.Categorical(logits=logits[:, -1]).sample()
        text += VOCAB[int(nxt)]
        logits, state = model(nxt[:, None], state)
    return text


def main():
    torch.manual_seed(1)
    torch.set_num_threads(2)
    model = CharModel(len(VOCAB))
    trainer = Trainer(model)
    trainer.fit(DOCS)
    print(repr(sample(model)))


if __name__ == "__main__":
    main()
