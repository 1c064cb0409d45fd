"""Call `scaled_dot_product_attention` with `is_causal`, instead of writing scores, mask and softmax by hand.

By hand, a matrix of length x length per head is written and read five times forward and kept for the backward pass,
and half of it is masked. The fused kernel keeps tiles of it on the chip. Levers: `ch09:sdpa_attention`,
`ch13:sdpa_backend`.
Predicts: traffic of the scores disappears, and half of their flops.
No gain where: sequences are short, so that scores are small beside the products.
"""

from _training import Levers, loss_curve_of, train

BEFORE, AFTER = Levers(one_batch=True, losses_stay=True), Levers(one_batch=True, losses_stay=True, fused_attention=True)

workload = dict(steps=2, sequences=4, length=512, layers=6, hidden=1_536, ffn=4_096, vocab=32_000)  # 247 M
workload_cpu = dict(steps=2, sequences=4, length=64, layers=2, hidden=128, ffn=256, vocab=256)
smoke = dict(steps=3, sequences=3, length=13, layers=2, hidden=128, ffn=72, vocab=61)
constant = ("start",)
domain = dict(tokens="drawn")  # numbers of tokens
inputs = "step_01_train_one_batch"
reference = "step_01_train_one_batch"
tolerance = "step_01_train_one_batch"
baseline = "step_02_train_losses_stay"
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
