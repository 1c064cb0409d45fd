import torch
from torch import nn

MAX_LENGTH = 512


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5000, 128, padding_idx=0)
        self.layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True, dropout=0.0)
        self.head = nn.Linear(128, 4)

    def forward(self, ids, mask):
        x = self.layer(self.embed(ids), src_key_padding_mask=~mask)
        return self.head((x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True))


def collate(rows):
    ids = torch.zeros(len(rows), MAX_LENGTH, dtype=torch.long)
    for n, (tokens, _) in enumerate(rows):
        ids[n, : len(tokens)] = tokens
    return ids, ids != 0, torch.tensor([label for _, label in rows])


torch.manual_seed(0)
texts = [(torch.randint(1, 5000, (int(n),)), int(n) % 4) for n in torch.randint(12, 60, (160,))]
loader = torch.utils.data.DataLoader(texts, batch_size=16, collate_fn=collate)
model = Classifier()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for ids, mask, labels in loader:
    loss = nn.functional.cross_entropy(model(ids, mask), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(float(loss))
