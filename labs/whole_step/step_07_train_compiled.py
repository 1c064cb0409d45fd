"""Compile the block that all layers share: what lies between the products becomes a few kernels.

After the steps before, a layer still launches some thirty kernels that add, multiply, rotate and convert, and each
reads and writes all activations. Levers: `ch12:compiled_small_ops`, `ch14:regional_compile`.
Predicts: the traffic between two products falls to one read and one write.
No gain where: products take nearly all of the time.
"""

from _training import Levers, forward_of, loss_curve_of, train

BEFORE, AFTER = (
    Levers(one_batch=True, losses_stay=True, fused_attention=True, fused_norms=True, fused_optimizer=True, half=True),
    Levers(
        one_batch=True,
        losses_stay=True,
        fused_attention=True,
        fused_norms=True,
        fused_optimizer=True,
        half=True,
        compiled=True,
    ),
)

workload = dict(steps=2, sequences=4, length=512, layers=6, hidden=1_536, ffn=4_096, vocab=32_000)  # 247 M
workload_cpu = dict(steps=2, sequences=4, length=64, layers=2, hidden=128, ffn=256, vocab=256)
smoke = dict(steps=3, sequences=3, length=13, layers=2, hidden=128, ffn=72, vocab=61)
constant = ("start",)
domain = dict(tokens="drawn")  # numbers of tokens
inputs = "step_01_train_one_batch"
reference = "step_01_train_one_batch"
lowers_precision = "bf16"
tolerance = "step_06_train_bf16"
needs = dict(cuda=8.0)  # a CPU compiles for longer than it trains here
baseline = "step_06_train_bf16"
tier = "idiomatic"
menu = ("training", "memory-bound")


def prepare_optimized(tokens, start):
    forward = forward_of(AFTER)
    train(tokens, start, AFTER, forward)  # compiles
    return forward


def optimized(forward, tokens, start):
    return train(tokens, start, AFTER, forward)


def cost(steps, sequences, length, layers, hidden, ffn, vocab):
    tokens, matrices = steps * sequences * length, layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab
    return dict(
        flops=tokens * (6 * matrices + 6 * layers * length * hidden),  # half of the scores
        bytes=steps * 40 * (matrices + hidden * vocab),  # weights twice, gradients, and the update
        samples=tokens,
    )


def loss_curve(side, steps):
    return loss_curve_of(AFTER if side == "optimized" else BEFORE, steps)
