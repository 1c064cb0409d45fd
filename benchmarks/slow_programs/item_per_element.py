"""Accuracy of a classifier over the test set."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 10)).eval()
data = torch.randn(16000, 128)
labels = torch.randint(0, 10, (16000,))
correct = 0
per_class = [0] * 10
with torch.no_grad():
    for start in range(0, len(data), 500):
        logits = model(data[start : start + 500])
        pred = logits.argmax(dim=1)
        for i in range(len(pred)):
            if pred[i].item() == labels[start + i].item():
                correct += 1
                per_class[pred[i].item()] += 1
print(correct / len(data), per_class)
