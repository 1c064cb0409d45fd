"""Run a step on two gloo ranks of this machine, each recording its own trace: rank0.json.gz and rank1.json.gz."""

import multiprocessing
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from recording import recorded

RANKS = 2
PATIENCE = timedelta(seconds=200)
Step = Callable[[], Any]


def run(prepare: Callable[[int], Step], folder: Path) -> None:
    """`prepare(rank)` gives the rank's step, inside its process group."""
    forked = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as meeting:
        ranks = [forked.Process(target=_rank, args=(rank, prepare, folder, meeting)) for rank in range(RANKS)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()
    if any(rank.exitcode for rank in ranks):
        raise SystemExit(f"a rank failed: exit codes {[rank.exitcode for rank in ranks]}")


def _rank(rank: int, prepare: Callable[[int], Step], folder: Path, meeting: str) -> None:
    torch.set_num_threads(1)
    where = f"file://{meeting}/store"
    dist.init_process_group("gloo", init_method=where, rank=rank, world_size=RANKS, timeout=PATIENCE)
    try:
        step = prepare(rank)
        dist.barrier()
        recorded(step, folder, f"rank{rank}.json.gz")
    finally:
        dist.destroy_process_group()
