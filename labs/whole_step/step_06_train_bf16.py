"""Run forward and backward under autocast to bfloat16; parameters, moments and loss stay float32.

Tensor cores multiply bfloat16 many times as fast as float32, and activations take half the bytes. Lever:
`ch13:autocast_bf16`. Gradients are then right to about one per cent: the loss curve decides whether that is enough.
Predicts: up to the ratio of the two rates.
No gain where: the processor emulates bfloat16, as many CPUs do; there it loses.
"""

from _training import Levers, loss_curve_of, train

BEFORE, AFTER = (
    Levers(one_batch=True, losses_stay=True, fused_attention=True, fused_norms=True, fused_optimizer=True),
    Levers(one_batch=True, losses_stay=True, fused_attention=True, fused_norms=True, fused_optimizer=True, half=True),
)

workload = dict(steps=2, sequences=4, length=512, layers=6, hidden=1_536, ffn=4_096, vocab=32_000)  # 247 M
workload_cpu = dict(steps=2, sequences=4, length=64, layers=2, hidden=128, ffn=256, vocab=256)
smoke = dict(steps=3, sequences=3, length=13, layers=2, hidden=128, ffn=72, vocab=61)
constant = ("start",)
domain = dict(tokens="drawn")  # numbers of tokens
inputs = "step_01_train_one_batch"
reference = "step_01_train_one_batch"
lowers_precision = "bf16"
tolerance = dict(rtol=5e-4, atol=1e-3)  # losses near 5; sums of changes near 0.01, right to a few per cent
baseline = "step_05_train_fused_optimizer"
tier = "idiomatic"
menu = ("training", "compute-bound")


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
