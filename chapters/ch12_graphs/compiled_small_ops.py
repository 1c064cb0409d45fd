"""Compile a function of many small operations: what was a launch each becomes one kernel.

Six time steps of a damped pendulum are 48 operations on a few thousand values. Eager PyTorch dispatches each of
them, which takes some microseconds on any device, and computes for less than one. `torch.compile` sees all of them at
once and writes one loop that keeps everything in registers.
Predicts: 48 launches become one; what is left is the call of the compiled function, which checks its guards. No gain
if operations are long, or if shapes change so often that compiling is never done.
"""

import torch

STEPS, STEP, DAMPING = 6, 0.05, 0.1
OPERATIONS = 8  # of a time step

workload = dict(count=4_096)  # 16 KiB: dispatch is all there is to save
workload_cpu = dict(count=4_096)
smoke = dict(count=1_003)
tolerance = dict(rtol=1e-5, atol=2e-6)  # six steps in float32, rounded at 2**-24 each
tier = "idiomatic"
clock = "latency"
menu = ("both", "launch-bound")


def inputs(count):
    return torch.randn(count), torch.randn(count), torch.rand(count) + 0.5


def reference(angle, speed, pull):
    angle, speed, pull = angle.double(), speed.double(), pull.double()
    for _ in range(STEPS):
        speed = speed * (1 - DAMPING * STEP) - STEP * pull * torch.sin(angle)
        angle = angle + STEP * speed
    return angle, speed


def swing(angle, speed, pull):
    for _ in range(STEPS):
        force = -pull * torch.sin(angle) - DAMPING * speed
        speed = speed + STEP * force
        angle = angle + STEP * speed
    return angle, speed


def baseline(angle, speed, pull):
    return swing(angle, speed, pull)


def prepare_optimized(angle, speed, pull):
    compiled = torch.compile(swing, fullgraph=True, dynamic=False)
    compiled(angle, speed, pull)
    return compiled


def optimized(compiled, angle, speed, pull):
    return compiled(angle, speed, pull)


def cost(count):
    return dict(flops=OPERATIONS * STEPS * count, launches=OPERATIONS * STEPS, optimized_launches=1)
