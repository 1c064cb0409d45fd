"""Evaluate a segmentation network: mean IoU and pixel accuracy on a validation split."""

import argparse
import time

import torch
from torch import nn

NUM_CLASSES = 6
IGNORE = 255


class ShapesValSet:
    """Procedural scenes of overlapping discs with per-pixel labels."""

    def __init__(self, count, side, seed=0):
        self.count = count
        self.side = side
        self.seed = seed
        ys, xs = torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")
        self.ys, self.xs = ys.float(), xs.float()

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        gen = torch.Generator().manual_seed(self.seed + i)
        label = torch.zeros(self.side, self.side, dtype=torch.long)
        for cls in range(1, NUM_CLASSES):
            cy, cx = (torch.rand(2, generator=gen) * self.side).tolist()
            r = 6 + 12 * torch.rand(1, generator=gen).item()
            label[(self.ys - cy) ** 2 + (self.xs - cx) ** 2 < r * r] = cls
        label[:1] = IGNORE
        shade = torch.linspace(-1, 1, NUM_CLASSES)[label.clamp(max=NUM_CLASSES - 1)]
        image = shade[None].repeat(3, 1, 1) + 0.2 * torch.randn(3, self.side, self.side, generator=gen)
        return image, label

    def batches(self, size):
        for start in range(0, self.count, size):
            rows = [self[i] for i in range(start, min(start + size, self.count))]
            yield torch.stack([r[0] for r in rows]), torch.stack([r[1] for r in rows])


class TinySegNet(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.down1 = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.ReLU())
        self.down2 = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU())
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.head = nn.Conv2d(3 * width, NUM_CLASSES, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.up(self.down2(a))
        return self.head(torch.cat([a, b], dim=1))


class SegmentationMeter:
    def __init__(self, num_classes, ignore_index=IGNORE):
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.confusion = torch.zeros(num_classes, num_classes, dtype=torch.long)

    def update(self, pred, target):
        for p, t in zip(pred.flatten(), target.flatten()):
            if t != self.ignore_index:
                self.confusion[t, p] += 1

    def mean_iou(self):
        inter = self.confusion.diagonal().float()
        union = self.confusion.sum(0) + self.confusion.sum(1) - self.confusion.diagonal()
        return (inter / union.clamp(min=1)).mean().item()

    def pixel_accuracy(self):
        return (self.confusion.diagonal().sum() / self.confusion.sum().clamp(min=1)).item()


@torch.no_grad()
def evaluate(model, data, batch_size, report_every):
    model.eval()
    meter = SegmentationMeter(NUM_CLASSES)
    loss_fn = nn.CrossEntropyLoss(ignore_index=IGNORE)
    losses, started = [], time.perf_counter()
    for step, (images, labels) in enumerate(data.batches(batch_size), 1):
        logits = model(images)
        losses.append(loss_fn(logits, labels).item())
        meter.update(logits.argmax(1), labels)
        if step % report_every == 0:
            print(
                f"batch {step}: loss {losses[-1]:.3f} miou {meter.mean_iou():.3f} "
                f"({time.perf_counter() - started:.1f}s)",
                flush=True,
            )
    return sum(losses) / len(losses), meter


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=44)
    parser.add_argument("--side", type=int, default=96)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--report-every", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(0)
    data = ShapesValSet(args.images, args.side)
    loss, meter = evaluate(TinySegNet(), data, args.batch_size, args.report_every)
    print(f"loss {loss:.4f}  mIoU {meter.mean_iou():.4f}  pixel acc {meter.pixel_accuracy():.4f}")


if __name__ == "__main__":
    main()
