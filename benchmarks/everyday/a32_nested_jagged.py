"""Pack sequences of different lengths into a nested (jagged) tensor instead of padding them.

A jagged tensor holds the sequences end to end, with their offsets. Layers that work token by token run over real
tokens alone; padding runs over the longest length for every sequence.
"""

import torch
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

workload = dict(count=512, longest=2_048, width=256, hidden=1_024)
workload_cpu = dict(count=32, longest=256, width=64, hidden=128)
smoke = dict(count=5, longest=9, width=5, hidden=7)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums of up to 256 products, results near 0.5
tier = "naive"


def inputs(count, longest, width, hidden):
    lengths = (1 + torch.rand(count) ** 3 * (longest - 1)).long().tolist()
    return [torch.randn(length, width) for length in lengths], torch.randn(hidden, width) / width**0.5


def reference(sequences, weight):
    return [functional.gelu(s.double() @ weight.double().T) for s in sequences]


def baseline(sequences, weight):
    padded = pad_sequence(sequences, batch_first=True)
    hidden = functional.gelu(functional.linear(padded, weight))
    return [row[: len(s)].contiguous() for row, s in zip(hidden, sequences, strict=True)]


def optimized(sequences, weight):
    packed = torch.nested.as_nested_tensor(sequences, layout=torch.jagged)
    return list(functional.gelu(functional.linear(packed, weight)).unbind())


def cost(count, longest, width, hidden):
    padded = 2 * count * longest * width * hidden
    real = padded / 4  # the mean of a cubed uniform number is a quarter
    return dict(flops=real, baseline_flops=padded, optimized_flops=real, bytes=count * longest * (width + hidden))
