"""Real programs of a CPU, none with marked steps. The second half: written when the rules were done, to judge them."""

import random
import time

import torch
from torch import nn


def module_with_python_augmentation():
    """A trainer class; every sample is flipped and shifted in Python lists, then stacked."""

    class Data:
        def __init__(self):
            self.rows = [[random.random() for _ in range(256)] for _ in range(48)]

        def batch(self):
            made = []
            for row in self.rows:
                flipped = row[::-1] if random.random() < 0.5 else list(row)
                made.append(torch.tensor([min(1.0, value * 1.1 + 0.01) for value in flipped]))
            return torch.stack(made)

    class Trainer:
        def __init__(self, model):
            self.model, self.learner = model, torch.optim.AdamW(model.parameters())

        def step(self, batch):
            self.learner.zero_grad()
            loss = self.model(batch).square().mean()
            loss.backward()
            self.learner.step()
            return loss

    data, trainer = Data(), Trainer(nn.Linear(256, 16))
    for _ in range(15):
        trainer.step(data.batch())


def attention_by_hand():
    query, key, value = (torch.randn(4, 8, 384, 32) for _ in range(3))
    with torch.no_grad():
        for _ in range(8):
            scores = query @ key.transpose(-2, -1) / 32**0.5
            query = torch.softmax(scores, dim=-1) @ value


def scored_one_by_one():
    """Data preparation: each item alone goes through a few operators."""
    items, weight = torch.randn(400, 16), torch.randn(16)
    for _ in range(6):
        scores = []
        for number in range(len(items)):
            item = items[number]
            scores.append(torch.sigmoid((item * weight).sum() + 0.5).clamp(0, 1))
        torch.stack(scores).topk(10)


def files_waited_for():
    """An indexer waits for its storage, makes a tensor of what came, and embeds it."""
    model = nn.Linear(512, 128)
    with torch.no_grad():
        for number in range(14):
            time.sleep(0.03)
            batch = torch.tensor([[float((number + row * column) % 11) for column in range(512)] for row in range(8)])
            model(batch)


def report_after_each_batch():
    """Inference, then a report in text about every class of every row."""
    model, batch = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 500)), torch.randn(32, 64)
    lines = []
    with torch.no_grad():
        for _ in range(12):
            table = model(batch).softmax(dim=1).tolist()
            lines += [f"{place:04d} " + " ".join(f"{score:.4f}" for score in row) for place, row in enumerate(table)]
            lines = sorted(lines)[-100:]


def covariance_in_double():
    table = torch.randn(2000, 300, dtype=torch.float64)
    for _ in range(10):
        centred = table - table.mean(dim=0)
        centred.T @ centred / 1999


def recurrent_inference():
    model, batch = nn.GRU(192, 384), torch.randn(40, 64, 192)
    with torch.no_grad():
        for _ in range(6):
            model(batch)


def wide_training():
    model = nn.Sequential(nn.Linear(800, 800), nn.ReLU(), nn.Linear(800, 800))
    learner, batch = torch.optim.SGD(model.parameters(), lr=0.01), torch.randn(200, 800)
    for _ in range(12):
        learner.zero_grad()
        model(batch).square().mean().backward()
        learner.step()


def filters_over_images():
    def images():
        for _ in range(10):
            yield torch.ones(2, 16, 96, 96)

    kernel = torch.randn(16, 16, 5, 5)
    for image in images():
        torch.conv2d(image, kernel).amax(dim=(2, 3))


CAUSES = {
    module_with_python_augmentation: {"input_bound"},
    attention_by_hand: {"unfused_attention"},
    scored_one_by_one: {"small_kernels"},
    files_waited_for: {"input_bound", "host_work"},
    report_after_each_batch: {"host_work"},
    covariance_in_double: {"wrong_precision"},
    recurrent_inference: set(),
    wide_training: set(),
    filters_over_images: set(),
}
