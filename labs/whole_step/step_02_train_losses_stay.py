"""Leave the losses on the device until the last step, instead of reading each with `.item()`.

Reading a loss makes the host wait for the step, and then the device wait for the host's next launches. Lever:
`ch01:sync_free_step`.
Predicts: the count is the same on both sides; what is gained is the wait, once per step.
No gain where: a CPU, which has no queue, or steps that are much longer than their launches.
"""

from _training import Levers, loss_curve_of, train

BEFORE, AFTER = Levers(one_batch=True), Levers(one_batch=True, losses_stay=True)

workload = dict(steps=2, sequences=4, length=512, layers=6, hidden=1_536, ffn=4_096, vocab=32_000)  # 247 M
workload_cpu = dict(steps=2, sequences=4, length=64, layers=2, hidden=128, ffn=256, vocab=256)
smoke = dict(steps=3, sequences=3, length=13, layers=2, hidden=128, ffn=72, vocab=61)
constant = ("start",)
domain = dict(tokens="drawn")  # numbers of tokens
inputs = "step_01_train_one_batch"
reference = "step_01_train_one_batch"
tolerance = "step_01_train_one_batch"
baseline = "step_01_train_one_batch"
tier = "idiomatic"
menu = ("training", "host-bound")


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
