"""Train while a writer thread keeps the statistics file fresh."""

import threading
import time

import torch
from torch import nn

lock = threading.Lock()
stats = {"steps": 0}
stop = threading.Event()


def refresher():
    while not stop.is_set():
        with lock:
            time.sleep(0.08)  # the file server answers
            stats["seen"] = stats["steps"]
        time.sleep(0.002)


threading.Thread(target=refresher, daemon=True).start()
model = nn.Linear(256, 256)
opt = torch.optim.Adam(model.parameters())
for step in range(60):
    x = torch.randn(128, 256)
    loss = (model(x) - x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with lock:
        stats["steps"] += 1
stop.set()
print(loss.item())
