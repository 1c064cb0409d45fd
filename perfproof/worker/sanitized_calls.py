"""The program that compute-sanitizer runs: load a pair, call each side once, wait for the device, and end.

    python -m perfproof.worker.sanitized_calls ASKED.json

Nothing is compared or timed here. torch's allocator hands out parts of large blocks, in which an access past the end
of a tensor stays unseen: the caller sets PYTORCH_NO_CUDA_MEMORY_CACHING=1, so that every tensor is an allocation of
its own.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

from perfproof.worker.measure.device_clocks import wait_for
from perfproof.worker.pair import LoadedPair
from perfproof.worker.verify.guard import Guard


def main(path: str) -> None:
    asked = json.loads(Path(path).read_text())
    call_each_side(LoadedPair(Guard(), **asked["open"]), asked["sizes"], asked["seed"])


def call_each_side(pair: LoadedPair, sizes: dict[str, Any], seed: int) -> None:
    pool = pair.new_pool(sizes, random.Random(seed))
    for side in pair.sides.values():
        side.make_ready(pool.draw, pair.device)
        side.function(*side.state, *pool.draw())
        wait_for(pair.device)


if __name__ == "__main__":
    main(sys.argv[1])
