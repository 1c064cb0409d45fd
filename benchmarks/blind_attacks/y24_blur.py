"""Blur a batch of pictures with one grouped convolution."""

import torch
import torch.nn.functional as F

workload = dict(pictures=4, side=48)
smoke = dict(pictures=2, side=15)
tier = "idiomatic"
RADIUS = 3


def inputs(pictures, side):
    return torch.rand(pictures, 3, side, side)


def kernel(dtype):
    x = torch.arange(-RADIUS, RADIUS + 1, dtype=dtype)
    line = torch.exp(-x.square() / 4)
    plane = line[:, None] * line
    return (plane / plane.sum())[None, None]


def baseline(pictures):
    done = []
    for picture in pictures:
        planes = []
        for plane in picture:
            own = torch.tensor(plane.tolist(), dtype=plane.dtype)  # the picture must not change
            padded = F.pad(own[None, None].clone(), (RADIUS,) * 4, mode="reflect")
            planes.append(F.conv2d(padded.contiguous(), kernel(plane.dtype))[0, 0].clone())
        done.append(torch.stack(planes))
    return torch.stack(done)


def optimized(pictures):
    padded = F.pad(pictures, (RADIUS,) * 4, mode="reflect")
    return F.conv2d(padded, kernel(pictures.dtype).expand(3, 1, -1, -1), groups=3)
