#!/usr/bin/env python

# # Routing support tickets
# Exported from `routing_v3.ipynb`

# In[1]:

import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(7)
random.seed(7)

# In[2]:

TEAMS = ["billing", "login", "shipping", "returns", "outage"]
COMMON = "please help my order account the is not working since yesterday i have".split()
TOPIC = {
    "billing": "invoice charge refund card payment".split(),
    "login": "password reset locked email code".split(),
    "shipping": "parcel courier late address tracking".split(),
    "returns": "broken wrong size label exchange".split(),
    "outage": "down error server timeout slow".split(),
}


def make_ticket():
    team = random.randrange(len(TEAMS))
    # a few people paste whole mail threads, most write one or two sentences
    n = 224 if random.random() < 0.004 else random.randint(6, 26)
    pool = COMMON * 2 + TOPIC[TEAMS[team]] * 2
    return [random.choice(pool) for _ in range(n)], team


tickets = [make_ticket() for _ in range(124)]
print("median length", sorted(len(t) for t, _ in tickets)[len(tickets) // 2])

# In[3]:

words = sorted({w for t, _ in tickets for w in t})
vocab = {w: i + 1 for i, w in enumerate(words)}
PAD = 0
MAX_LEN = 224

# In[4]:


def to_tensor(tokens):
    ids = [vocab[w] for w in tokens][:MAX_LEN]
    return ids + [PAD] * (MAX_LEN - len(ids))


X = torch.tensor([to_tensor(t) for t, _ in tickets])
y = torch.tensor([team for _, team in tickets])
X_train, y_train = X[:96], y[:96]
X_val, y_val = X[96:], y[96:]
X_train.shape

# In[5]:


class Router(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.emb = nn.Embedding(len(vocab) + 1, dim, padding_idx=PAD)
        layer = nn.TransformerEncoderLayer(dim, 4, 2 * dim, dropout=0.1, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.cls = nn.Linear(dim, len(TEAMS))

    def forward(self, ids):
        pad = ids.eq(PAD)
        h = self.enc(self.emb(ids), src_key_padding_mask=pad)
        keep = (~pad).unsqueeze(-1).float()
        pooled = (h * keep).sum(1) / keep.sum(1).clamp(min=1)
        return self.cls(pooled)


model = Router()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
sum(p.numel() for p in model.parameters())

# In[6]:

BATCH = 8
for epoch in range(2):
    model.train()
    perm = torch.randperm(len(X_train))
    t0, running = time.time(), 0.0
    for n, idx in enumerate(perm.split(BATCH), 1):
        loss = F.cross_entropy(model(X_train[idx]), y_train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item()
        if n % 5 == 0:
            print(f"epoch {epoch} batch {n:3d} loss {running / n:.3f} {(time.time() - t0) / n:.2f}s/it")

# In[7]:

model.eval()
with torch.no_grad():
    acc = (model(X_val).argmax(1) == y_val).float().mean()
print(f"val accuracy {acc:.3f}")
