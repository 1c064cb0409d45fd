"""Run an LSTM over a sequence with nn.LSTM, not with a Python loop over LSTMCell.

The loop multiplies the input by its weights at each of the 32 steps, a small product each time. nn.LSTM does it for
all steps in one large product before it starts, and walks the steps in C++ (on a GPU in one cuDNN call). The weights
are the same and stay the same, so each side puts them in its module beforehand.
"""

import torch

workload = dict(steps=32, batch=64, inner=256, hidden=512)
workload_cpu = dict(steps=32, batch=8, inner=64, hidden=64)
smoke = dict(steps=5, batch=3, inner=7, hidden=9)
constant = ["w_ih", "w_hh", "b_ih", "b_hh"]
tolerance = dict(rtol=1e-4, atol=1e-5)  # states below 1, with float32 rounding carried over 32 steps
tier = "naive"


def inputs(steps, batch, inner, hidden):
    bound = hidden**-0.5
    shapes = [(4 * hidden, inner), (4 * hidden, hidden), (4 * hidden,), (4 * hidden,)]
    weights = [bound * (2 * torch.rand(shape) - 1) for shape in shapes]
    return torch.randn(steps, batch, inner), *weights


def reference(x, w_ih, w_hh, b_ih, b_hh):
    hidden = w_hh.shape[1]
    h = c = torch.zeros(x.shape[1], hidden, dtype=torch.float64, device=x.device)
    states = []
    for step in x.double():
        gates = step @ w_ih.double().T + b_ih.double() + h @ w_hh.double().T + b_hh.double()
        i, f, g, o = gates.split(hidden, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        states.append(h)
    return torch.stack(states)


def fill(module, values):
    with torch.no_grad():
        for parameter, value in zip(module.parameters(), values, strict=True):
            parameter.copy_(value)
    return module.requires_grad_(False)


def prepare_baseline(x, w_ih, w_hh, b_ih, b_hh):
    return fill(torch.nn.LSTMCell(w_ih.shape[1], w_hh.shape[1], device=x.device), [w_ih, w_hh, b_ih, b_hh])


def baseline(cell, x, w_ih, w_hh, b_ih, b_hh):
    states, state = [], None
    for step in x:
        state = cell(step, state)
        states.append(state[0])
    return torch.stack(states)


def prepare_optimized(x, w_ih, w_hh, b_ih, b_hh):
    return fill(torch.nn.LSTM(w_ih.shape[1], w_hh.shape[1], device=x.device), [w_ih, w_hh, b_ih, b_hh])


def optimized(lstm, x, w_ih, w_hh, b_ih, b_hh):
    return lstm(x)[0]


def cost(steps, batch, inner, hidden):
    weights = 4 * hidden * (inner + hidden)
    return dict(flops=2 * steps * batch * weights, bytes=4 * (weights + steps * batch * (inner + hidden)))
