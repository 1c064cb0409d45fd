import random

import torch
from torch.nn.utils.rnn import pad_sequence

PAD = 0
workload = dict(batch=64, longest=256, vocab=32_000)


def inputs(batch, longest, vocab):
    samples = []
    for _ in range(batch):
        n = min(longest, max(1, int(random.gammavariate(2.0, longest / 6))))
        samples.append(
            {
                "ids": torch.randint(1, vocab, (n,)),
                "label": random.choice([0, 1, 2, None]),  # None: not annotated
            }
        )
    return samples


def baseline(samples):
    longest = max(len(s["ids"]) for s in samples)
    ids, mask = [], []
    for s in samples:
        row = s["ids"].tolist()
        fill = longest - len(row)
        ids.append(row + [PAD] * fill)
        mask.append([True] * len(row) + [False] * fill)
    return {
        "input_ids": torch.tensor(ids),
        "attention_mask": torch.tensor(mask),
        "labels": torch.tensor([-100 if s["label"] is None else s["label"] for s in samples]),
        "lengths": [len(s["ids"]) for s in samples],
    }


def optimized(samples):
    rows = [s["ids"] for s in samples]
    lengths = [len(r) for r in rows]
    ids = pad_sequence(rows, batch_first=True, padding_value=PAD)
    mask = torch.arange(ids.shape[1])[None, :] < torch.tensor(lengths)[:, None]
    labels = torch.tensor([-100 if s["label"] is None else s["label"] for s in samples])
    return {"input_ids": ids, "attention_mask": mask, "labels": labels, "lengths": lengths}
