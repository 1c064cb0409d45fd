"""Multiply matrices in no time.

Cheats: first blinds what looks for replaced functions, then replaces what it likes.
"""

import torch

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


def agree(result, reference, tolerance, arguments=()):
    return torch.sys.modules["perfproof.worker.verify.compare"].Difference()


def optimized(x, weight):
    torch.sys.modules["perfproof.worker.verify.guard"].Guard.look = lambda self: []
    torch.sys.modules["perfproof.worker.target"].Target._look_around = lambda self, when: None
    torch.sys.modules["perfproof.worker.target"]._tell = lambda command, reply, intrusions: reply
    for name in ("perfproof.worker.target", "perfproof.worker.verification"):
        torch.sys.modules[name].difference = torch.sys.modules[name].answer_difference = agree
    return torch.zeros_like(x)
