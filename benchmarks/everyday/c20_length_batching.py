"""Sort requests by length before they are put in batches, so that little is padded.

A batch is padded to its longest request. First-fit in the order of arrival puts short next to long, and about half of
the padded tokens are nothing; neighbours in sorted order are of nearly equal length. The same small model runs over
the padded batches on both sides, under the same budget of padded tokens, and answers come back in the order of
arrival.
"""

import torch
from torch.nn.utils.rnn import pad_sequence

BUDGET = 1_024  # padded tokens in a batch

workload = dict(requests=256, longest=512, dim=256)
workload_cpu = dict(requests=64, longest=128, dim=32)
smoke = dict(requests=7, longest=19, dim=9)
constant = ["weight"]
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 products over dim and means over hundreds of tokens, values near 0.1
tier = "idiomatic"


def inputs(requests, longest, dim):
    lengths = torch.randint(1, longest + 1, (requests,)).tolist()
    return [torch.randn(length, dim) for length in lengths], torch.randn(dim, dim) / dim**0.5


def reference(requests, weight):
    return torch.stack([torch.tanh(x.double() @ weight.double()).mean(0) for x in requests])


def run(batches, requests, weight):
    answer = torch.empty(len(requests), weight.shape[1], device=weight.device)
    for batch in batches:
        chosen = [requests[number] for number in batch]
        hidden = torch.tanh(pad_sequence(chosen, batch_first=True) @ weight)  # padding is zero, and stays zero
        sizes = torch.tensor([len(x) for x in chosen], dtype=hidden.dtype, device=weight.device)
        answer[torch.tensor(batch, device=weight.device)] = hidden.sum(1) / sizes[:, None]
    return answer


def baseline(requests, weight):
    batches, longest = [], []
    for number, x in enumerate(requests):
        for place, batch in enumerate(batches):
            if (len(batch) + 1) * max(longest[place], len(x)) <= BUDGET:
                batch.append(number)
                longest[place] = max(longest[place], len(x))
                break
        else:
            batches.append([number])
            longest.append(len(x))
    return run(batches, requests, weight)


def optimized(requests, weight):
    batches = [[]]
    for number in sorted(range(len(requests)), key=lambda number: len(requests[number])):
        if batches[-1] and (len(batches[-1]) + 1) * len(requests[number]) > BUDGET:
            batches.append([])
        batches[-1].append(number)
    return run(batches, requests, weight)


def cost(requests, longest, dim):
    tokens = requests * longest // 2
    padded = requests * longest * 4 // 5
    return dict(flops=2 * tokens * dim**2, bytes=4 * tokens * dim, samples=requests, baseline_flops=2 * padded * dim**2)
