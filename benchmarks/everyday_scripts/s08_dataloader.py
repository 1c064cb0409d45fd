"""Load a dataset by index lists instead of item by item, from a script."""

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset
import perfproof

torch.manual_seed(0)
X, Y = torch.randn(512, 16), torch.randint(0, 3, (512,))


class Items(Dataset):
    def __len__(self):
        return len(X)

    def __getitem__(self, i):
        return X[i], Y[i]


class Batches(Items):
    def __getitems__(self, idx):
        return [(x, y) for x, y in zip(X[idx], Y[idx])]


def epoch(ds, w):
    total = torch.zeros(16)
    for x, y in DataLoader(ds, batch_size=64):
        total += (x * w).sum(0) * (y.sum() + 1)
    return total


answer = perfproof.compare(
    lambda w: epoch(Items(), w),
    lambda w: epoch(Batches(), w),
    lambda: torch.randn(16),
    effort="quick",
    labels=("items", "batches"),
)
print(answer)
print(answer.status)
