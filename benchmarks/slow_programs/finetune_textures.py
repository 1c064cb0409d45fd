# %% [markdown]
# # Texture classification with a pretrained trunk
# We keep the trunk from the earlier run and fit a new linear head on four texture classes.

# %%
import os
import tempfile
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
N_CLASSES = 4
SIDE = 48
BATCH = 24


# %%
def conv_block(c_in, c_out, stride=1):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(c_out),
        nn.ReLU(inplace=True),
    )


class Trunk(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.stem = conv_block(3, width)
        self.stage1 = nn.Sequential(conv_block(width, width), conv_block(width, 2 * width, stride=2))
        self.stage2 = nn.Sequential(conv_block(2 * width, 2 * width), conv_block(2 * width, 4 * width, stride=2))
        self.out_dim = 4 * width

    def forward(self, x):
        x = self.stage2(self.stage1(self.stem(x)))
        return x.mean(dim=(2, 3))


# %%
# The trunk checkpoint from the earlier run.
workdir = tempfile.mkdtemp(prefix="textures_")
ckpt_path = os.path.join(workdir, "trunk.pt")
torch.save(Trunk().state_dict(), ckpt_path)

trunk = Trunk()
trunk.load_state_dict(torch.load(ckpt_path))
trunk.eval()
head = nn.Linear(trunk.out_dim, N_CLASSES)
print("trunk parameters:", sum(p.numel() for p in trunk.parameters()))


# %%
grid_y, grid_x = torch.meshgrid(torch.linspace(0, 1, SIDE), torch.linspace(0, 1, SIDE), indexing="ij")


def make_batch(n):
    labels = torch.randint(0, N_CLASSES, (n,))
    freq = 4.0 + 6.0 * labels.float() + torch.rand(n)
    phase = 6.28 * torch.rand(n)
    angle = 3.14 * torch.rand(n)
    u = grid_x[None] * angle.cos()[:, None, None] + grid_y[None] * angle.sin()[:, None, None]
    wave = torch.sin(6.28 * freq[:, None, None] * u + phase[:, None, None])
    images = wave[:, None].repeat(1, 3, 1, 1) + 0.3 * torch.randn(n, 3, SIDE, SIDE)
    return images, labels


def augment(images):
    if torch.rand(()) < 0.5:
        images = images.flip(-1)
    return images * (0.8 + 0.4 * torch.rand(images.shape[0], 1, 1, 1))


# %%
optimizer = torch.optim.Adam(head.parameters(), lr=5e-3)


def fit_step(images, labels):
    features = trunk(augment(images))
    logits = head(features)
    loss = F.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), (logits.argmax(1) == labels).float().mean().item()


# %%
history = []
t0 = time.perf_counter()
for step in range(1, 36):
    images, labels = make_batch(BATCH)
    loss, acc = fit_step(images, labels)
    history.append((loss, acc))
    if step % 5 == 0:
        recent = history[-5:]
        print(
            f"step {step:3d}  loss {sum(h[0] for h in recent) / 5:.3f}  "
            f"acc {sum(h[1] for h in recent) / 5:.2f}  {time.perf_counter() - t0:.1f}s",
            flush=True,
        )

# %%
with torch.no_grad():
    images, labels = make_batch(64)
    acc = (head(trunk(images)).argmax(1) == labels).float().mean().item()
print(f"held-out accuracy {acc:.2f}")

# %%
torch.save(head.state_dict(), os.path.join(workdir, "head.pt"))
for name in os.listdir(workdir):
    os.remove(os.path.join(workdir, name))
os.rmdir(workdir)
