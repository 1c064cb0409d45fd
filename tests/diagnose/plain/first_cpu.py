"""Real programs of a CPU as people write them, none with marked steps: what holds each back is known.

The first half: rules may be tuned on it. Each is run under torch's profiler as a whole, its beginning included.
"""

import csv
import io
import json

import torch
from torch import nn


def rows_parsed_between_steps():
    """A plain script reads text in Python, then trains a step."""
    text = "\n".join(",".join(f"{(row * 31 + column) % 97 / 97:.5f}" for column in range(64)) for row in range(512))
    model, loss = nn.Linear(64, 8), nn.MSELoss()
    learner = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(12):
        rows = [[float(value) for value in row] for row in csv.reader(io.StringIO(text))]
        batch = torch.tensor(rows)
        learner.zero_grad()
        loss(model(batch), torch.zeros(512, 8)).backward()
        learner.step()


def generator_of_tokens():
    """A generator makes samples one at a time and stacks them: inference on what it gives."""

    def batches():
        for start in range(14):
            samples = []
            for number in range(64):
                words = [(start * 7 + number * 13 + place * place) % 1000 for place in range(400)]
                samples.append(torch.tensor(sorted(words)))
            yield torch.stack(samples)

    table, head = nn.Embedding(1000, 32), nn.Linear(32, 32)
    with torch.no_grad():
        for batch in batches():
            head(table(batch).mean(dim=1)).argmax(dim=1)


def normalise_row_by_row():
    """Data preparation: a loop over rows with three small operators each."""
    table = torch.randn(600, 48)
    for _ in range(6):
        done = []
        for row in table:
            done.append((row - row.mean()) / (row.std() + 1e-6))
        table = torch.stack(done)


def solver_in_double():
    left, right = torch.randn(500, 500, dtype=torch.float64), torch.randn(500, 500, dtype=torch.float64)
    for _ in range(12):
        right = torch.tanh(left @ right / 30)


def server_that_writes_json():
    """Requests are answered one after the other; building the answers takes longer than the model."""
    model = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 4000))
    request = torch.randn(4, 128)
    with torch.no_grad():
        for _ in range(15):
            scores = model(request).tolist()
            for row in scores:
                best = sorted(enumerate(row), key=lambda one: -one[1])
                json.loads(json.dumps({str(place): score for place, score in best}))


def large_products():
    left, right = torch.randn(700, 700), torch.randn(700, 700)
    out = torch.empty(700, 700)
    for _ in range(15):
        torch.mm(left, right, out=out)


def lightning_like_training():
    class Module(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(3, 24, 3), nn.ReLU(), nn.Conv2d(24, 24, 3), nn.Flatten(), nn.LazyLinear(10)
            )

        def training_step(self, batch, number):
            return nn.functional.cross_entropy(self.body(batch[0]), batch[1])

    class Trainer:
        def fit(self, module, batches):
            learner = None
            for number, batch in enumerate(batches):
                loss = module.training_step(batch, number)
                learner = learner or torch.optim.Adam(module.parameters())
                learner.zero_grad()
                loss.backward()
                learner.step()

    batches = [(torch.randn(16, 3, 40, 40), torch.randint(10, (16,))) for _ in range(4)] * 3
    Trainer().fit(Module(), batches)


def batched_inference():
    model = nn.Sequential(*(nn.Linear(1024, 1024) for _ in range(4)))
    requests = [torch.randn(128, 1024) for _ in range(3)]
    with torch.no_grad():
        for number in range(12):
            model(requests[number % 3]).argmax(dim=1)


CAUSES = {
    rows_parsed_between_steps: {"input_bound"},
    generator_of_tokens: {"input_bound"},
    normalise_row_by_row: {"small_kernels"},
    solver_in_double: {"wrong_precision"},
    server_that_writes_json: {"host_work"},
    large_products: set(),
    lightning_like_training: set(),
    batched_inference: set(),
}
