"""Sort sequences by length and pad each bucket to its own longest, not the whole batch to the longest of all.

Lengths are skewed: a few long sequences, many short ones. Padding everything to the longest computes mostly padding.
Buckets of similar length waste little, for a few more calls.
"""

import torch
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

BUCKET = 8

workload = dict(count=512, longest=2_048, width=256, hidden=1_024)
workload_cpu = dict(count=32, longest=256, width=64, hidden=128)
smoke = dict(count=11, longest=9, width=5, hidden=7)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums of up to 256 products, then means; results near 0.3
tier = "naive"


def inputs(count, longest, width, hidden):
    lengths = (1 + torch.rand(count) ** 3 * (longest - 1)).long().tolist()
    return [torch.randn(length, width) for length in lengths], torch.randn(hidden, width) / width**0.5


def reference(sequences, weight):
    means = []
    for sequence in sequences:
        means.append(functional.gelu(sequence.double() @ weight.double().T).mean(0))
    return torch.stack(means)


def encode(sequences, weight):
    lengths = torch.tensor([len(s) for s in sequences], device=weight.device)
    padded = pad_sequence(sequences, batch_first=True)
    return functional.gelu(functional.linear(padded, weight)).sum(1) / lengths[:, None]  # padding stays 0 all the way


def baseline(sequences, weight):
    return encode(sequences, weight)


def optimized(sequences, weight):
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    out = weight.new_empty(len(sequences), weight.shape[0])
    for start in range(0, len(order), BUCKET):
        bucket = order[start : start + BUCKET]
        out[bucket] = encode([sequences[i] for i in bucket], weight)
    return out


def cost(count, longest, width, hidden):
    padded = 2 * count * longest * width * hidden
    real = padded / 4  # the mean of a cubed uniform number is a quarter
    return dict(flops=real, baseline_flops=padded, optimized_flops=real * 1.1, bytes=count * longest * width)
