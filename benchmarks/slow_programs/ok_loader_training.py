import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(784, 1024), nn.GELU(), nn.Linear(1024, 1024), nn.GELU())
        self.head = nn.Linear(1024, 10)

    def training_step(self, batch, index):
        x, y = batch
        return nn.functional.cross_entropy(self.head(self.body(x)), y)


class Trainer:
    def __init__(self, max_epochs):
        self.max_epochs = max_epochs

    def fit(self, module, loader):
        opt = torch.optim.AdamW(module.parameters(), lr=1e-3)
        for epoch in range(self.max_epochs):
            for index, batch in enumerate(loader):
                opt.zero_grad(set_to_none=True)
                loss = module.training_step(batch, index)
                loss.backward()
                opt.step()
            print(epoch, loss.item())


torch.manual_seed(0)
data = TensorDataset(torch.randn(3000, 784), torch.randint(0, 10, (3000,)))
Trainer(4).fit(Net(), DataLoader(data, batch_size=250, shuffle=True))
