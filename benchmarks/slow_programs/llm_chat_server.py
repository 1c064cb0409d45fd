"""Toy chat service: a byte-level transformer answering a queue of prompts."""

import time
from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, WIDTH, HEADS, LAYERS, MAX_LEN = 256, 192, 4, 4, 512


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attn = Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class ChatModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, WIDTH)
        self.positions = nn.Embedding(MAX_LEN, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)

    def forward(self, ids):
        place = torch.arange(ids.shape[1])
        x = self.tokens(ids) + self.positions(place)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x[:, -1]))


@dataclass
class Request:
    prompt: str
    max_new: int
    output: list = field(default_factory=list)


def sample(logits, generator, temperature=0.9, top_k=40):
    values, indices = torch.topk(logits / temperature, top_k)
    pick = torch.multinomial(F.softmax(values, dim=-1), 1, generator=generator)
    return indices.gather(-1, pick)


@torch.inference_mode()
def answer(model, request, generator):
    ids = torch.tensor([list(request.prompt.encode())])
    for _ in range(request.max_new):
        logits = model(ids)
        token = sample(logits, generator)
        ids = torch.cat([ids, token], dim=1)
        request.output.append(int(token))
    return bytes(request.output).decode("latin-1")


def incoming(count):
    topics = ["refund for order", "status of shipment", "change of address", "warranty claim"]
    for number in range(count):
        text = f"Customer {number:04d} writes about {topics[number % len(topics)]} "
        history = "and said earlier that the parcel had not arrived in time. " * 5
        yield Request(prompt=(text + history)[:300], max_new=28)


def main():
    torch.manual_seed(4)
    generator = torch.Generator().manual_seed(9)
    model = ChatModel().eval()
    started = time.time()
    produced = 0
    for number, request in enumerate(incoming(7), 1):
        reply = answer(model, request, generator)
        produced += len(request.output)
        print(
            f"request {number}  reply chars {len(reply)}  {produced / (time.time() - started):.1f} tokens/s",
            flush=True,
        )
    print("queue empty")


if __name__ == "__main__":
    main()
