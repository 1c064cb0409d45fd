import torch
import torch.nn.functional as F
from torch import nn

mutates = ("model", "opt", "sched")


def inputs():
    model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 100)
    for _ in range(3):
        F.cross_entropy(model(torch.randn(64, 32)), torch.randint(10, (64,))).backward()
        opt.step()
        opt.zero_grad()
        sched.step()
    return model, opt, sched, torch.randn(128, 32), torch.randint(10, (128,))


def _step(model, opt, sched, x, y, foreach, log):
    opt.zero_grad(set_to_none=True)
    total = 0.0
    for xb, yb in zip(x.chunk(4), y.chunk(4), strict=False):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(xb), yb) / 4
        loss.backward()
        total = total + (loss.item() if log else loss.detach())
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=foreach)
    opt.step()
    sched.step()
    return float(total), float(norm)


def baseline(model, opt, sched, x, y):
    return _step(model, opt, sched, x, y, False, True)


def optimized(model, opt, sched, x, y):
    return _step(model, opt, sched, x, y, True, False)
