import torch
from torch import nn
import perfproof


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(64, 64) for _ in range(6)])

    def forward(self, x, taps=None):
        for i, b in enumerate(self.blocks):
            x = torch.relu(b(x))
            if taps is not None:
                taps[f"blocks.{i}"] = x
        return x


net = Net().eval()


@torch.no_grad()
def with_hooks(x):
    seen = {}
    handles = [
        m.register_forward_hook(lambda m, a, out, n=n: seen.__setitem__(n, torch.relu(out)))
        for n, m in net.named_modules()
        if isinstance(m, nn.Linear)
    ]
    try:
        out = net(x)
    finally:
        for h in handles:
            h.remove()
    return out, seen


@torch.inference_mode()
def with_taps(x):
    seen = {}
    return net(x, seen), seen


print(perfproof.compare(with_hooks, with_taps, lambda: torch.randn(32, 64), effort="quick"))
