"""An image service under load: the next request is already there."""

import queue
import threading

import torch
from torch import nn

torch.manual_seed(0)
requests, answers = queue.Queue(maxsize=8), queue.Queue()
model = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1),
    nn.ReLU(),
    nn.Conv2d(64, 64, 3, padding=1),
    nn.ReLU(),
    nn.Conv2d(64, 64, 3, stride=2),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(64, 100),
).eval()
images = [torch.rand(4, 3, 96, 96) for _ in range(4)]


def serve():
    with torch.inference_mode():
        while (image := requests.get()) is not None:
            answers.put(model(image).argmax(1).tolist())


thread = threading.Thread(target=serve)
thread.start()
for n in range(40):
    requests.put(images[n % 4])
requests.put(None)
thread.join()
print(answers.qsize())
