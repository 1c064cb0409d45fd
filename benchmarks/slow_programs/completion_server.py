"""A tiny text completion server: requests arrive on a queue, worker thread answers."""

import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Request:
    prompt: torch.Tensor
    max_new_tokens: int
    future: Future = field(default_factory=Future)


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.ln1 = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.ln2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).chunk(3, dim=-1)
        shape = (b, t, self.heads, d // self.heads)
        q, k, v = (z.view(shape).transpose(1, 2) for z in (q, k, v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class TinyGPT(nn.Module):
    def __init__(self, vocab=4096, dim=192, depth=4, heads=6, context=256):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(context, dim)
        self.blocks = nn.ModuleList(Block(dim, heads) for _ in range(depth))
        self.ln = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.tok(ids) + self.pos(torch.arange(ids.size(1)))
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.ln(x[:, -1]))


class CompletionServer:
    def __init__(self, model, temperature=0.8):
        self.model = model.eval()
        self.temperature = temperature
        self.inbox = queue.Queue()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def submit(self, prompt, max_new_tokens=40):
        req = Request(prompt, max_new_tokens)
        self.inbox.put(req)
        return req.future

    def run(self):
        while True:
            req = self.inbox.get()
            if req is None:
                return
            try:
                req.future.set_result(self.complete(req))
            except Exception as exc:
                req.future.set_exception(exc)

    @torch.inference_mode()
    def complete(self, req):
        ids = req.prompt[None]
        for _ in range(req.max_new_tokens):
            logits = self.model(ids) / self.temperature
            top, idx = logits.topk(40)
            choice = torch.multinomial(F.softmax(top, dim=-1), 1)
            ids = torch.cat([ids, idx.gather(1, choice)], dim=1)
        return ids[0, req.prompt.numel() :].tolist()

    def close(self):
        self.inbox.put(None)
        self.thread.join()


def client(server, name, n, stats):
    gen = torch.Generator().manual_seed(hash(name) % 1000)
    for _ in range(n):
        prompt = torch.randint(0, 4096, (72,), generator=gen)
        t0 = time.perf_counter()
        tokens = server.submit(prompt).result()
        stats.append((len(tokens), time.perf_counter() - t0))


def main():
    torch.manual_seed(0)
    server = CompletionServer(TinyGPT())
    stats = []
    clients = [threading.Thread(target=client, args=(server, f"client-{i}", 3, stats)) for i in range(2)]
    t0 = time.perf_counter()
    for c in clients:
        c.start()
    for c in clients:
        c.join()
    wall = time.perf_counter() - t0
    server.close()
    total = sum(n for n, _ in stats)
    print(f"{len(stats)} completions, {total} tokens, {total / wall:.1f} tok/s")


if __name__ == "__main__":
    main()
