import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, w))
        return x + self.mlp(self.n2(x))


class Decoder(nn.Module):
    def __init__(self, vocab=2000, width=256, depth=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.blocks = nn.ModuleList(Block(width, 4) for _ in range(depth))
        self.head = nn.Linear(width, vocab)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


@torch.inference_mode()
def generate(model, prompt, tokens):
    ids = prompt
    for _ in range(tokens):
        logits = model(ids)
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return ids


torch.manual_seed(0)
model = Decoder().eval()
out = generate(model, torch.randint(0, 2000, (1, 16)), 70)
print(out.shape, int(out.sum()))
