"""One projection for q, k and v in a self-attention block instead of three."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
device = "cuda" if torch.cuda.is_available() else "cpu"
D, H = 128, 4
WQ, WK, WV, WO = (torch.randn(D, D, device=device) / D**0.5 for _ in range(4))
WQKV = torch.cat([WQ, WK, WV])


def inputs():
    return torch.randn(4, 32, D)


def attend(q, k, v):
    b, t, _ = q.shape
    q, k, v = (z.view(b, t, H, D // H).transpose(1, 2) for z in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return out.transpose(1, 2).reshape(b, t, D)


def baseline(x):
    return x + F.linear(
        attend(F.linear(x, WQ.to(x.dtype)), F.linear(x, WK.to(x.dtype)), F.linear(x, WV.to(x.dtype))), WO.to(x.dtype)
    )


def optimized(x):
    q, k, v = F.linear(x, WQKV.to(x.dtype)).chunk(3, dim=-1)
    return x + F.linear(attend(q, k, v), WO.to(x.dtype))
