"""Trains a small transformer that routes support tickets to departments."""

import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

VOCAB, LENGTH, DEPARTMENTS = 4000, 32, 8
WIDTH, HEADS, LAYERS = 128, 4, 2
BATCH = 32
TICKETS = 480
EPOCHS = 3


def make_tickets(seed, count):
    """Tickets mix common words with words typical of one department."""
    gen = torch.Generator().manual_seed(seed)
    department = torch.randint(0, DEPARTMENTS, (count,), generator=gen)
    words = torch.randint(1, VOCAB, (count, LENGTH), generator=gen)
    special = 1 + department[:, None] * 60 + torch.randint(0, 60, (count, LENGTH), generator=gen)
    use_special = torch.rand(count, LENGTH, generator=gen) < 0.3
    return torch.where(use_special, special, words), department


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        b, t, _ = x.shape
        qkv = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, WIDTH // HEADS)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v)
        x = x + self.proj(mixed.transpose(1, 2).reshape(b, t, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class TicketRouter(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCAB, WIDTH)
        self.places = nn.Parameter(0.02 * torch.randn(LENGTH, WIDTH))
        self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, DEPARTMENTS)

    def forward(self, ids):
        x = self.words(ids) + self.places
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x).mean(dim=1))


def train_epoch(model, optimizer, loader, started):
    model.train()
    running = torch.zeros(())
    for number, (ids, department) in enumerate(loader, 1):
        loss = F.cross_entropy(model(ids), department)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        running += loss.detach()
        if number % 5 == 0:
            print(f"  batch {number:3d}  loss {running.item() / number:.3f}  {time.time() - started:.1f}s", flush=True)


@torch.inference_mode()
def accuracy(model, loader):
    model.eval()
    hits = torch.zeros((), dtype=torch.long)
    for ids, department in loader:
        hits += (model(ids).argmax(dim=1) == department).sum()
    return hits.item() / len(loader.dataset)


def main():
    torch.manual_seed(0)
    train = DataLoader(TensorDataset(*make_tickets(1, TICKETS)), batch_size=BATCH, shuffle=True)
    check = DataLoader(TensorDataset(*make_tickets(2, 256)), batch_size=2 * BATCH)
    model = TicketRouter()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    started = time.time()
    for epoch in range(EPOCHS):
        train_epoch(model, optimizer, train, started)
        print(f"epoch {epoch}  accuracy {accuracy(model, check):.3f}", flush=True)
    print("router trained")


if __name__ == "__main__":
    main()
