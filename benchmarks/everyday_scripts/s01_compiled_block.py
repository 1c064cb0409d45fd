"""Compile a transformer encoder layer, from a script."""

import torch
import perfproof

torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True).eval().requires_grad_(False)
answer = perfproof.compare(
    layer, torch.compile(layer), lambda: torch.randn(4, 32, 64), effort="quick", labels=("eager", "compiled")
)
print(answer)
print(answer.status)
