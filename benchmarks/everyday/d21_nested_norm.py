"""Layer norm over ragged sequences: a loop against a nested tensor."""

import torch
import torch.nn.functional as F


def inputs():
    return ([torch.randn(int(n), 64) for n in torch.randint(3, 40, (24,))],)


def baseline(sequences):
    return [F.layer_norm(s, (64,)) for s in sequences]


def optimized(sequences):
    nt = torch.nested.as_nested_tensor(sequences, layout=torch.jagged)
    return [t.contiguous() for t in F.layer_norm(nt, (64,)).unbind()]
