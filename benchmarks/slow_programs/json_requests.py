"""A scoring service: requests come as JSON text."""

import json
import queue
import random
import threading

import torch
from torch import nn

inbox, answers = queue.Queue(), []
rng = random.Random(0)
BODIES = [
    json.dumps(
        {
            "id": i,
            "features": [[rng.random() for _ in range(64)] for _ in range(400)],
            "meta": {str(k): k for k in range(500)},
        }
    )
    for i in range(8)
]
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)).eval()


def handle(body):
    request = json.loads(body)
    with torch.inference_mode():
        scores = model(torch.tensor(request["features"])).squeeze(1)
    return {"id": request["id"], "best": scores.max().item()}


def serve():
    while (body := inbox.get()) is not None:
        answers.append(json.dumps(handle(body)))


worker = threading.Thread(target=serve)
worker.start()
for n in range(350):
    inbox.put(BODIES[n % 8])
inbox.put(None)
worker.join()
print(len(answers))
