"""Load a checkpoint into a model: a deep copy of everything against assign and mmap."""

import os
import tempfile

import torch
from torch import nn


def _model():
    return nn.Sequential(nn.Linear(256, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, 64))


def inputs():
    path = os.path.join(tempfile.mkdtemp(), "model.pt")
    torch.save(_model().state_dict(), path)
    return path


def baseline(path):
    m = _model()
    m.load_state_dict(torch.load(path))
    return m.eval()


def optimized(path):
    with torch.device("meta"):
        m = _model()
    m.load_state_dict(torch.load(path), assign=True)
    return m.eval()
