"""Let worker processes of the DataLoader prepare the batches: decoding then runs beside the loop, on cores of its own.

With `num_workers=0` the loop unpacks, converts and collates every batch itself, and the step waits. Workers prepare
batches ahead and hand them over through shared memory. A call is a whole epoch, so the start of the workers is in it.
Predicts: as many times as there are workers, less their start. No gain where: cores are short. Then workers take turns
with the loop, and starting them and handing batches over makes the epoch slower.
"""

import zlib

import torch
from torch.utils.data import DataLoader, Dataset

START, DECODE, HAND_OVER = 0.03, 40e-9, 0.2e-3  # seconds: of one worker, per value of an image, per batch

workload = dict(images=256, side=256, batch=16, workers=8)  # 48 MiB of unpacked images
workload_cpu = dict(images=32, side=128, batch=8, workers=2)
smoke = dict(images=7, side=13, batch=3, workers=2)
constant = ("weight", "workers")
domain = dict(packed="drawn", batch="drawn")  # only `inputs` can pack an image; the batch size is part of the epoch
clock = "latency"
tolerance = dict(rtol=1e-5, atol=1e-5)  # means near 1 of float32 values, in another order
tier = "idiomatic"
menu = ("training", "input-bound")


class Images(Dataset):
    """Packed images; reading one unpacks it, scales its values and flips it."""

    def __init__(self, packed):
        self.packed = packed

    def __len__(self):
        return len(self.packed)

    def __getitem__(self, index):
        flat = torch.frombuffer(bytearray(zlib.decompress(self.packed[index])), dtype=torch.uint8)
        side = int((len(flat) // 3) ** 0.5)
        image = flat.view(3, side, side).float().div_(255)
        return ((image - image.mean((1, 2), keepdim=True)) / (image.std() + 0.1)).flip(-1)


def inputs(images, side, batch, workers):
    """Smooth images, as photographs are: noise could not be packed."""
    ramp = torch.linspace(0, 3, side, device="cpu")
    slopes = torch.rand(images, 3, 1, 1, device="cpu") + 0.5
    noise = torch.randint(0, 8, (images, 3, side, side), device="cpu")
    smooth = ((torch.sin(slopes * (ramp + 2 * ramp[:, None])) + 1) * 120 + noise).to(torch.uint8)
    packed = [zlib.compress(image.numpy().tobytes(), level=1) for image in smooth]
    return packed, torch.randn(side, 16) / side**0.5, batch, workers


def reference(packed, weight, batch, workers):
    losses = []
    for data in packed:
        side = int((len(raw := zlib.decompress(data)) // 3) ** 0.5)
        image = torch.frombuffer(bytearray(raw), dtype=torch.uint8).double().view(3, side, side) / 255
        centred = image - image.mean((1, 2), keepdim=True)
        seen = (centred / (image.std() + 0.1)).flip(-1) @ weight.double().cpu()
        losses.append(seen.square().mean())
    return torch.stack([torch.stack(losses[at : at + batch]).mean() for at in range(0, len(losses), batch)])


def epoch(packed, weight, batch, workers):
    """The product stands for a model's step."""
    losses = []
    for images in DataLoader(Images(packed), batch_size=batch, num_workers=workers):
        losses.append((images.to(weight.device) @ weight).square().mean())
    return torch.stack(losses).cpu()


def baseline(packed, weight, batch, workers):
    return epoch(packed, weight, batch, workers=0)


def optimized(packed, weight, batch, workers):
    return epoch(packed, weight, batch, workers)


def cost(images, side, batch, workers):
    decode, batches = DECODE * images * 3 * side**2, -(-images // batch)
    return dict(predicted_optimized=decode / (START * workers + decode / workers + HAND_OVER * batches), samples=images)
