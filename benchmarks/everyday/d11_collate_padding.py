"""Pad a batch of token lists: python lists against one zeros tensor."""

import random
import torch
from torch.nn.utils.rnn import pad_sequence


def inputs():
    return ([[random.randrange(1, 30000) for _ in range(random.randint(5, 120))] for _ in range(64)],)


def baseline(batch):
    longest = max(map(len, batch))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in batch])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in batch])
    return {"input_ids": ids, "attention_mask": mask}


def optimized(batch):
    ids = pad_sequence([torch.tensor(row) for row in batch], batch_first=True)
    lengths = torch.tensor([len(row) for row in batch])
    mask = (torch.arange(ids.shape[1])[None] < lengths[:, None]).long()
    return {"input_ids": ids, "attention_mask": mask}
