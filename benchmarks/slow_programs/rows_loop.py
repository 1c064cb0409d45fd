# %% [markdown]
# # Whiten features
# %%
import torch

torch.manual_seed(1)
features = torch.randn(3000, 256)


# %%
def whiten(rows):
    out = torch.empty_like(rows)
    for i in range(rows.shape[0]):
        row = rows[i]
        row = row - row.mean()
        row = row / (row.std() + 1e-6)
        out[i] = row.clamp(-3, 3)
    return out


# %%
for trial in range(6):
    w = whiten(features + trial)
    print(trial, w.abs().mean().item())
