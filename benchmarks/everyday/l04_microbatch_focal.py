"""One large batch instead of four accumulated micro-batches when memory is no concern.

Every micro-batch has the same number of images and nothing in the net looks across images (GroupNorm), so the mean of the means is
the mean.
"""

import torch
from torch import nn
from torch.nn import functional as F

workload = dict(micro=4, images=8, size=16)
smoke = dict(micro=3, images=2, size=9)
mutates = ("net", "sgd")


def inputs(micro, images, size):
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, padding=1),
        nn.GroupNorm(4, 16),
        nn.SiLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.GroupNorm(8, 32),
        nn.SiLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 5),
    )
    sgd = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=5e-4)
    batches = [(torch.rand(images, 3, size, size), torch.randint(5, (images,))) for _ in range(micro)]
    return net, sgd, batches


def focal(logits, target, gamma=2.0):
    logp = F.log_softmax(logits, dim=-1).gather(1, target[:, None]).squeeze(1)
    return (-((1 - logp.exp()) ** gamma) * logp).mean()


def baseline(net, sgd, batches):
    sgd.zero_grad()
    total = 0.0
    for x, y in batches:
        loss = focal(net(x), y) / len(batches)
        loss.backward()
        total += loss.item()
    sgd.step()
    return {"loss": total, "images": sum(len(y) for _, y in batches)}


def optimized(net, sgd, batches):
    x = torch.cat([b[0] for b in batches])
    y = torch.cat([b[1] for b in batches])
    sgd.zero_grad()
    loss = focal(net(x), y)
    loss.backward()
    sgd.step()
    return {"loss": loss.item(), "images": len(y)}
