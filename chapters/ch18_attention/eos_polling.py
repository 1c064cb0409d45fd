"""Ask every 16 steps whether all sequences have ended: asking after each step makes the host wait for the GPU.

A decode loop must stop when the last sequence ends. Reading that from the device empties the queue: the host waits
for the step, then the device waits for the next launch. Sequences that have ended emit padding, so a loop that looks
less often computes at most 15 steps too many and returns the same tokens.
Predicts: the same kernels per step; the waits of 15 of 16 steps go, a few more steps come.
No gain where: there is no queue (a CPU): there the extra steps make it slower.
"""

import torch

EOS, POLL = 0, 16

workload = dict(batch=64, vocab=8_192, width=1_024, steps=160)  # steps of about as many microseconds as their launches
workload_cpu = dict(batch=8, vocab=256, width=64, steps=96)
smoke = dict(batch=3, vocab=37, width=19, steps=29)
constant = ("embedding", "recurrence", "head", "steps")
tolerance = dict(
    rtol=0.0, atol=0.0
)  # tokens are equal or wrong: the network's sums are whole numbers, exact in float32
tier = "idiomatic"
menu = ("inference", "host-bound")


def inputs(batch, vocab, width, steps):
    """A recurrent network of signs: which token comes next never hangs on rounding."""
    first = torch.randint(1, vocab, (batch,))
    budget = torch.randint(steps // 4, 3 * steps // 4, (batch,))  # tokens that a request may have
    shapes = ((vocab, width), (width, width), (vocab, width))
    return first, budget, *(torch.randint(-1, 2, shape).float() for shape in shapes), steps


def reference(first, budget, embedding, recurrence, head, steps):
    """Each sequence alone."""
    embedding, recurrence, head = embedding.double(), recurrence.double(), head.double()
    tokens = torch.full((len(first), steps), EOS, device=first.device)
    for row, (token, allowed) in enumerate(zip(first.tolist(), budget.tolist(), strict=True)):
        state = torch.zeros_like(recurrence[0])
        for step in range(min(steps, allowed)):
            state = torch.sign(embedding[token] + recurrence @ state)
            scores = head @ state
            token = int((scores == scores.max()).nonzero()[0])  # the first of equal ones
            tokens[row, step] = token
            if token == EOS:
                break
    return tokens


def decode(first, budget, embedding, recurrence, head, steps, poll):
    tokens = torch.full((len(first), steps), EOS, device=first.device)
    ranks = torch.arange(len(head), device=first.device) / len(head)  # of equal scores the first token wins
    token, state = first, torch.zeros_like(embedding[first])
    ended = torch.zeros_like(first, dtype=torch.bool)
    for step in range(steps):
        ended = ended | (budget <= step)
        state = torch.sign(embedding[token] + state @ recurrence.T)
        token = torch.where(ended, EOS, (state @ head.T - ranks).argmax(-1))
        tokens[:, step] = token
        ended = ended | (token == EOS)
        if step % poll == poll - 1 and ended.all():  # waits for the device
            break
    return tokens


def baseline(first, budget, embedding, recurrence, head, steps):
    return decode(first, budget, embedding, recurrence, head, steps, poll=1)


def optimized(first, budget, embedding, recurrence, head, steps):
    return decode(first, budget, embedding, recurrence, head, steps, poll=POLL)


def cost(batch, vocab, width, steps):
    """Sequences end after half of the steps on average; the longest, which the loop follows, near three quarters."""
    return dict(
        flops=2 * batch * width * (width + vocab) * 3 * steps // 4,
        bytes=4 * width * (width + vocab) * 3 * steps // 4,
        samples=batch * steps // 2,  # tokens that were asked for
    )
