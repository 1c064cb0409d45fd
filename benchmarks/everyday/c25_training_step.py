"""In a training step, call cross_entropy, do not multiply log-probabilities by a one-hot matrix.

The one-hot matrix and its product with the log-probabilities are as large as the logits, in the forward and in the
backward pass; the fused loss picks one number in each row. The model has 20 million parameters, so the two passes
through it and the update are most of the step: the count says that little is to be gained here, and that is the
lesson.
"""

import torch
import torch.nn.functional as F

workload = dict(batch=512, inner=1_024, wide=4_096, hidden=3_072, classes=1_000)
workload_cpu = dict(batch=16, inner=1_024, wide=4_096, hidden=3_072, classes=1_000)
smoke = dict(batch=5, inner=12, wide=33, hidden=21, classes=10)
mutates = ["model", "optimizer"]
tolerance = dict(rtol=2e-5, atol=1e-6)  # a loss near 7; weights near 0.02, changed by float32 gradients times 0.1
tier = "idiomatic"


def inputs(batch, inner, wide, hidden, classes):
    model = torch.nn.Sequential(
        torch.nn.Linear(inner, wide),
        torch.nn.ReLU(),
        torch.nn.Linear(wide, hidden),
        torch.nn.ReLU(),
        torch.nn.Linear(hidden, classes),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return model, optimizer, torch.randn(batch, inner), torch.randint(classes, (batch,))


def reference(model, optimizer, x, labels):
    optimizer.zero_grad()
    logits = model(x.double())
    losses = [torch.logsumexp(row, 0) - row[label] for row, label in zip(logits, labels.tolist(), strict=True)]
    loss = torch.stack(losses).mean()
    loss.backward()
    optimizer.step()
    return loss.detach()


def baseline(model, optimizer, x, labels):
    optimizer.zero_grad()
    logits = model(x)
    hot = F.one_hot(labels, logits.shape[-1]).to(logits.dtype)
    loss = -(hot * F.log_softmax(logits, -1)).sum(-1).mean()
    loss.backward()
    optimizer.step()
    return loss.detach()


def optimized(model, optimizer, x, labels):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


def cost(batch, inner, wide, hidden, classes):
    weights = inner * wide + wide * hidden + hidden * classes
    moved = 4 * 8 * weights  # two passes read them, the gradients and the momentum are written and read
    logits = 4 * batch * classes
    return dict(
        flops=6 * batch * weights,
        bytes=moved,
        samples=batch,
        baseline_bytes=moved + 10 * logits,
        optimized_bytes=moved + 5 * logits,
    )
