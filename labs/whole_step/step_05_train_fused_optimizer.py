"""Step AdamW with `fused=True`: parameters, gradients and moments cross memory once per step.

The default update is a list of operations over all tensors, 80 bytes per parameter in all. The fused one moves 28.
Lever: `ch13:fused_optimizer`.
Predicts: 52 bytes per parameter and step less.
No gain where: many tokens per step make forward and backward much longer than the update.
"""

from _training import Levers, loss_curve_of, train

BEFORE, AFTER = (
    Levers(one_batch=True, losses_stay=True, fused_attention=True, fused_norms=True),
    Levers(one_batch=True, losses_stay=True, fused_attention=True, fused_norms=True, fused_optimizer=True),
)

workload = dict(steps=2, sequences=4, length=512, layers=6, hidden=1_536, ffn=4_096, vocab=32_000)  # 247 M
workload_cpu = dict(steps=2, sequences=4, length=64, layers=2, hidden=128, ffn=256, vocab=256)
smoke = dict(steps=3, sequences=3, length=13, layers=2, hidden=128, ffn=72, vocab=61)
constant = ("start",)
domain = dict(tokens="drawn")  # numbers of tokens
inputs = "step_01_train_one_batch"
reference = "step_01_train_one_batch"
tolerance = "step_01_train_one_batch"
baseline = "step_04_train_fused_norms"
tier = "idiomatic"
menu = ("training", "memory-bound")


def optimized(tokens, start):
    return train(tokens, start, AFTER)


def cost(steps, sequences, length, layers, hidden, ffn, vocab):
    tokens, matrices = steps * sequences * length, layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab
    return dict(
        flops=tokens * (6 * matrices + 6 * layers * length * hidden),  # half of the scores
        bytes=steps * 40 * (matrices + hidden * vocab),  # weights twice, gradients, and the update
        samples=tokens,
    )


def loss_curve(side, steps):
    return loss_curve_of(AFTER if side == "optimized" else BEFORE, steps)
