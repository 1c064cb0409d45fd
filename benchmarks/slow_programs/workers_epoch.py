"""Fine-tune a head on a small dataset for many epochs."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

if __name__ == "__main__":
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(512, 128), torch.randint(0, 5, (512,)))
    loader = DataLoader(data, batch_size=64, shuffle=True, num_workers=2)
    head = nn.Linear(128, 5)
    opt = torch.optim.AdamW(head.parameters())
    for epoch in range(15):
        for x, y in loader:
            loss = nn.functional.cross_entropy(head(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(loss.item())
