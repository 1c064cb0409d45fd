"""All-reduce over ranks: NCCL with one rank a GPU where there are two, gloo over CPU ranks otherwise.

Bus bandwidth is 2 (n - 1) / n times the buffer's bytes over the time of the slowest rank, the figure that can be held
against the links: each rank has to send and receive that much whatever the algorithm is.
"""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from perfproof.core.units import MiB
from perfproof.peak.found import Found, NotMeasured, rate
from perfproof.peak.plan import Plan

devices = ("cpu", "cuda")
measures = ("allreduce/bus",)
timeout = 150

CPU_RANKS = 2
START_SECONDS = 100.0


def probe(plan: Plan) -> Iterator[Found]:
    on_gpus = plan.device != "cpu"
    ranks = torch.cuda.device_count() if on_gpus else CPU_RANKS
    if ranks < 2:
        raise NotMeasured("needs two GPUs; gloo between CPU ranks is measured with --device cpu")
    if not on_gpus and not dist.is_gloo_available():
        raise NotMeasured("this torch has no gloo")
    size = buffer_bytes(plan)
    seconds = slowest(run_ranks(ranks, size, plan))
    backend = "nccl" if on_gpus else "gloo"
    counted = f"2 (n - 1) / n times the buffer, n = {ranks} ranks, slowest rank, in place, {backend}"
    work = bus_bytes(size, ranks)
    context = {"backend": backend, "ranks": ranks, "device": "cuda" if on_gpus else "cpu"}
    yield rate("allreduce/bus", work, seconds, "bytes/s", counted, {"buffer_bytes": size}, context)


def buffer_bytes(plan: Plan) -> int:
    wanted = 1024 * MiB if plan.device != "cpu" else 16 * MiB
    return min(wanted, (plan.device_bytes if plan.device != "cpu" else plan.memory_bytes // 8)) // 4 * 4


def bus_bytes(size: int, ranks: int) -> float:
    return size * 2 * (ranks - 1) / ranks


def slowest(by_rank: list[list[float]]) -> list[float]:
    """A collective is over when its last rank is."""
    return [max(one) for one in zip(*by_rank, strict=True)]


def run_ranks(ranks: int, size: int, plan: Plan) -> list[list[float]]:
    """Seconds of each repeat, by rank. CPU ranks are forked: this process has run no parallel region yet."""
    start: Any = multiprocessing.get_context("fork" if plan.device == "cpu" else "spawn")
    with tempfile.TemporaryDirectory(prefix="perfproof-") as folder:
        answers = start.Queue()
        fixed = (ranks, size, plan, f"file://{folder}/meeting", answers)
        running = [start.Process(target=run_rank, args=(rank, *fixed), daemon=True) for rank in range(ranks)]
        for process in running:
            process.start()
        try:
            found = dict(_next_answer(answers, running) for _ in running)
        finally:
            for process in running:
                process.join(5)
                process.kill()
    return [found[rank] for rank in range(ranks)]


def _next_answer(answers: Any, running: list[Any]) -> tuple[int, list[float]]:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            rank, seconds = answers.get(timeout=0.5)
        except Exception:
            failed = [process.exitcode for process in running if process.exitcode]
            if failed:
                raise NotMeasured(f"a rank ended with {failed[0]}") from None
            continue
        if isinstance(seconds, str):
            raise NotMeasured(f"rank {rank}: {seconds}")
        return rank, seconds
    raise NotMeasured(f"the ranks gave no answer within {START_SECONDS:.0f} s")


def run_rank(rank: int, ranks: int, size: int, plan: Plan, meeting: str, answers: Any) -> None:
    on_gpu = plan.device != "cpu"
    try:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        torch.set_num_threads(1)
        if on_gpu:
            torch.cuda.set_device(rank)
        dist.init_process_group(
            "nccl" if on_gpu else "gloo",
            init_method=meeting,
            rank=rank,
            world_size=ranks,
            timeout=timedelta(seconds=START_SECONDS),
        )
        buffer = torch.randn(size // 4, device=f"cuda:{rank}" if on_gpu else "cpu")
        answers.put((rank, [_reduce_once(buffer, on_gpu) for _ in range(plan.repeats + 3)][3:]))
        dist.destroy_process_group()
    except Exception as error:
        answers.put((rank, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"))


def _reduce_once(buffer: torch.Tensor, on_gpu: bool) -> float:
    dist.barrier()
    if on_gpu:
        torch.cuda.synchronize()
    start = time.perf_counter()
    dist.all_reduce(buffer, op=dist.ReduceOp.AVG if on_gpu else dist.ReduceOp.SUM)
    if on_gpu:
        torch.cuda.synchronize()
    took = time.perf_counter() - start
    if not on_gpu:
        buffer.div_(2)  # outside the clock: sums of sums must not reach infinity
    return took
