"""Count accepted draft tokens with a cumulative product over the comparison, not with a loop over requests.

In greedy speculative decoding, draft tokens are kept up to the first that differs from the target's choice, and the
target's own token follows. The loop looks at tokens one by one from Python, and on a GPU waits for each. Compared at
once, the leading ones of each row are what a cumulative product leaves.
"""

import torch

workload = dict(requests=512, drafted=8)
workload_cpu = dict(requests=64, drafted=8)
smoke = dict(requests=5, drafted=3)
tolerance = dict(rtol=0.0, atol=0.0)  # counts and token ids
tier = "naive"


def inputs(requests, drafted):
    target = torch.randint(32_000, (requests, drafted + 1))
    wrong = torch.rand(requests, drafted) < 0.2
    draft = torch.where(wrong, torch.randint(32_000, (requests, drafted)), target[:, :drafted])
    return draft, target


def reference(draft, target):
    counts, following = [], []
    for guess, truth in zip(draft.tolist(), target.tolist(), strict=True):
        counts.append(next((at for at, token in enumerate(guess) if token != truth[at]), len(guess)))
        following.append(truth[counts[-1]])
    return torch.tensor(counts, device=draft.device), torch.tensor(following, device=draft.device)


def baseline(draft, target):
    counts = torch.zeros(len(draft), dtype=torch.int64, device=draft.device)
    following = torch.zeros(len(draft), dtype=torch.int64, device=draft.device)
    for row in range(draft.shape[0]):
        count = 0
        while count < draft.shape[1] and draft[row, count] == target[row, count]:
            count += 1
        counts[row] = count
        following[row] = target[row, count]
    return counts, following


def optimized(draft, target):
    same = (draft == target[:, :-1]).long()
    counts = same.cumprod(1).sum(1)
    return counts, target.gather(1, counts.unsqueeze(1)).squeeze(1)


def cost(requests, drafted):
    n = requests * drafted
    return dict(flops=2 * n, bytes=16 * n + 24 * requests, samples=requests)
