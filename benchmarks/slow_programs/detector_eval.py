"""Offline evaluation of a one-stage detector on a folder of synthetic frames."""

import time
from collections import defaultdict

import torch
import torch.nn.functional as F
from torch import nn

IMG = 192
STRIDE = 16
ANCHORS = torch.tensor([[24.0, 24.0], [48.0, 32.0], [32.0, 64.0]])


class Detector(nn.Module):
    def __init__(self, classes=6):
        super().__init__()
        chans = [3, 16, 32, 64, 64]
        self.stem = nn.Sequential(
            *[layer for a, b in zip(chans, chans[1:]) for layer in (nn.Conv2d(a, b, 3, 2, 1), nn.ReLU(inplace=True))]
        )
        self.head = nn.Conv2d(64, len(ANCHORS) * (5 + classes), 1)
        self.classes = classes

    def forward(self, x):
        y = self.head(self.stem(x))
        b, _, h, w = y.shape
        return y.view(b, len(ANCHORS), 5 + self.classes, h, w).permute(0, 3, 4, 1, 2)


def decode(raw):
    b, h, w, a, _ = raw.shape
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    centre = torch.stack([xs, ys], -1)[None, :, :, None] + raw[..., :2].sigmoid()
    centre = centre * STRIDE
    size = ANCHORS * raw[..., 2:4].clamp(-2, 2).exp()
    boxes = torch.cat([centre - size / 2, centre + size / 2], -1)
    scores = raw[..., 4].sigmoid()
    labels = raw[..., 5:].argmax(-1)
    return boxes.reshape(b, -1, 4), scores.reshape(b, -1), labels.reshape(b, -1)


def overlap(a, b):
    x1 = max(a[0], b[0])
    y1 = max(a[1], b[1])
    x2 = min(a[2], b[2])
    y2 = min(a[3], b[3])
    inter = max(x2 - x1, 0) * max(y2 - y1, 0)
    area_a = (a[2] - a[0]) * (a[3] - a[1])
    area_b = (b[2] - b[0]) * (b[3] - b[1])
    return inter / (area_a + area_b - inter + 1e-6)


def suppress(boxes, scores, labels, iou_thr=0.5, limit=60):
    order = scores.argsort(descending=True)[:limit]
    keep = []
    for i in order:
        ok = True
        for j in keep:
            if labels[i] == labels[j] and overlap(boxes[i], boxes[j]) > iou_thr:
                ok = False
                break
        if ok:
            keep.append(i)
    return torch.stack(keep)


class Report:
    def __init__(self):
        self.per_class = defaultdict(list)
        self.frames = 0

    def add(self, scores, labels):
        self.frames += 1
        for s, label in zip(scores.tolist(), labels.tolist()):
            self.per_class[label].append(s)

    def summary(self):
        return {k: (len(v), round(sum(v) / len(v), 3)) for k, v in sorted(self.per_class.items())}


def frames(n, batch):
    g = torch.Generator().manual_seed(3)
    for _ in range(n):
        base = torch.rand(batch, 3, IMG // 8, IMG // 8, generator=g)
        yield F.interpolate(base, size=(IMG, IMG), mode="bilinear", align_corners=False)


@torch.no_grad()
def evaluate(model, batches=14, batch=2):
    report = Report()
    for i, images in enumerate(frames(batches, batch)):
        t0 = time.perf_counter()
        boxes, scores, labels = decode(model(images))
        for b, s, c in zip(boxes, scores, labels):
            keep = suppress(b, s, c)
            report.add(s[keep], c[keep])
        print(f"batch {i:2d} {batch / (time.perf_counter() - t0):5.1f} frames/s")
    return report


if __name__ == "__main__":
    torch.manual_seed(5)
    net = Detector().eval()
    print(evaluate(net).summary())
