"""Peaks of regions whose memory is known, measured as a side's are: in a process that does nothing else.

python -m tests.worker.measure.peaks      prints the bytes of each, as JSON; null where no counter can be reset
"""

import json
import os
import signal
from statistics import median_low

import torch

from perfproof.core.units import MiB
from perfproof.worker.measure.memory import held_by, peak_of

BLOCK = 8 * MiB
TRIES = 3


def block(size: int = BLOCK) -> torch.Tensor:
    return torch.ones(size // 4)


def together() -> None:
    _ = [block() for _ in range(3)]


def in_turn() -> None:
    for _ in range(3):
        block()


def in_a_child() -> None:
    """Three blocks in a process of its own, which ends. A fork has none of torch's threads, so it uses no tensors."""
    child = os.fork()
    if not child:
        os._exit(len(b"x" * 3 * BLOCK) == BLOCK)
    os.waitpid(child, 0)


def in_a_child_that_stays() -> int | None:
    read, write = os.pipe()
    found, children = [], []

    def region() -> None:
        children.append(os.fork())
        if not children[-1]:
            kept = b"x" * 3 * BLOCK
            os.write(write, kept[:1])
            signal.pause()
        os.read(read, 1)

    for _ in range(TRIES):
        found.append(peak_of(region, "cpu"))
        os.kill(children[-1], signal.SIGKILL)
        os.waitpid(children[-1], 0)
    return None if None in found else median_low(one.bytes for one in found)


def nothing_after_much() -> int | None:
    """What was there before, and what was given back before, does not count."""
    del (kept := [block(4 * BLOCK)])[:]
    before = block(4 * BLOCK)
    found = peak(lambda: None)
    assert before.sum() == len(before) and not kept
    return found


def held() -> list[int]:
    """What is kept counts, what is given back does not."""
    kept: list[torch.Tensor] = []
    return [held_by(lambda: kept.append(block()), "cpu"), held_by(in_turn, "cpu")]


def peak(region) -> int | None:
    found = [peak_of(region, "cpu") for _ in range(TRIES)]
    return None if None in found else median_low(one.bytes for one in found)


def main() -> None:
    block()
    counted = peak_of(block, "cpu")
    print(
        json.dumps(
            {
                "counter": counted and counted.counter,
                "block": peak(block),
                "together": peak(together),
                "in turn": peak(in_turn),
                "nothing": nothing_after_much(),
                "not touched": peak(lambda: torch.empty(BLOCK)),
                "held": held(),
                "in a child": peak(in_a_child),
                "in a child that stays": in_a_child_that_stays(),
            }
        )
    )


if __name__ == "__main__":
    main()
