"""One rank per GPU: an all-reduce over all of them, and who can reach whose memory. One JSON line is the answer.

`all_gpus.py nccl 8`; `all_gpus.py gloo 2` does the same on CPUs. torch is imported once and the ranks are forked from
it: nothing before the fork touches CUDA.
"""

import importlib
import json
import os
import sys
import tempfile
from datetime import timedelta
from typing import Any

ELEMENTS = 1 << 18
SECONDS = 40


def main(backend: str, ranks: int) -> int:
    torch = importlib.import_module("torch")
    importlib.import_module("torch.distributed")
    with tempfile.TemporaryDirectory() as folder:
        children = [_fork(torch, backend, rank, ranks, folder) for rank in range(ranks)]
        failed = [rank for rank, child in enumerate(children) if os.waitpid(child, 0)[1] != 0]
        answers = [_answer(folder, rank) for rank in range(ranks)]
    wrong = [f"rank {rank}: {said['why']}" for rank, said in enumerate(answers) if not said.get("ok")]
    peers = [[rank, *said.get("unreachable", [])] for rank, said in enumerate(answers) if said.get("unreachable")]
    found = {"ok": not failed and not wrong, "why": wrong[0] if wrong else "", "ranks": ranks, "unreachable": peers}
    print(json.dumps(found), flush=True)
    return 0


def _fork(torch: Any, backend: str, rank: int, ranks: int, folder: str) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        said = _reduce(torch, backend, rank, ranks, folder)
        code = 0 if said["ok"] else 1
    except BaseException as error:
        said = {"ok": False, "why": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}
    with open(f"{folder}/answer-{rank}", "w") as file:
        json.dump(said, file)
    os._exit(code)


def _reduce(torch: Any, backend: str, rank: int, ranks: int, folder: str) -> dict[str, Any]:
    group = torch.distributed
    device = f"cuda:{rank}" if backend == "nccl" else "cpu"
    if backend == "nccl":
        torch.cuda.set_device(rank)
    store = group.FileStore(f"{folder}/store", ranks)
    group.init_process_group(backend, store=store, rank=rank, world_size=ranks, timeout=timedelta(seconds=SECONDS))
    data = torch.full((ELEMENTS,), float(rank + 1), device=device)
    group.all_reduce(data)
    right = bool((data == ranks * (ranks + 1) / 2).all())
    group.destroy_process_group()
    others = [other for other in range(ranks) if other != rank] if backend == "nccl" else []
    unreachable = [other for other in others if not torch.cuda.can_device_access_peer(rank, other)]
    return {"ok": right, "why": "" if right else "the sum over all ranks is wrong", "unreachable": unreachable}


def _answer(folder: str, rank: int) -> dict[str, Any]:
    try:
        with open(f"{folder}/answer-{rank}") as file:
            return dict(json.load(file))
    except (OSError, ValueError):
        return {"ok": False, "why": "it ended without an answer"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
