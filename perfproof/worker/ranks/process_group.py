"""The default process group of a rank: made before a pair is loaded, ended when the run is done with it.

A forked rank gets the environment that torchrun would give it; the ranks of a run are on one machine and talk over its
loopback interface only. A rank that torchrun started uses torchrun's own store.
"""

import os
import socket
from typing import Any

import torch
import torch.distributed as dist

from perfproof.worker.ranks.barrier import Meeting

LOOPBACK = "127.0.0.1"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def join(place: dict[str, Any], device: str, threads: int) -> Meeting:
    """Join the others; `place` says which rank this is, of how many, where they meet and under what name."""
    rank, world = place["rank"], place["world"]
    meeting = Meeting(place["meeting"], rank, world, leave=_leave)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    os.environ.update(dict.fromkeys(THREADS, str(threads)))
    store = _store_of_torchrun(place["name"]) if place["torchrun"] else _own_store(meeting)
    if not place["torchrun"]:
        os.environ.update(environment(rank, world, store.port))
    own = torch.device(device) if place["backend"] == "nccl" else None
    dist.init_process_group(place["backend"], store=store, rank=rank, world_size=world, device_id=own)
    meeting.meet()
    return meeting


def environment(rank: int, world: int, port: int) -> dict[str, str]:
    """What torchrun sets for a rank of a run on one machine."""
    same = dict.fromkeys(("RANK", "LOCAL_RANK", "ROLE_RANK"), str(rank))
    size = dict.fromkeys(("WORLD_SIZE", "LOCAL_WORLD_SIZE", "ROLE_WORLD_SIZE"), str(world))
    group = {"GROUP_RANK": "0", "GROUP_WORLD_SIZE": "1", "ROLE_NAME": "default"}
    again = {"TORCHELASTIC_RESTART_COUNT": "0", "TORCHELASTIC_MAX_RESTARTS": "0"}
    return {**same, **size, **group, **again, "MASTER_ADDR": LOOPBACK, "MASTER_PORT": str(port)}


def _own_store(meeting: Meeting) -> Any:
    """Served by rank 0 on a free port of the loopback interface; the others hear of the port at the meeting."""
    if meeting.rank:
        return dist.TCPStore(LOOPBACK, int(meeting.most(0)), is_master=False)
    listener = socket.create_server((LOOPBACK, 0))
    port = listener.getsockname()[1]
    store = dist.TCPStore(LOOPBACK, port, is_master=True, wait_for_workers=False, master_listen_fd=listener.detach())
    meeting.most(port)
    return store


def _store_of_torchrun(name: str) -> Any:
    store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False)
    return dist.PrefixStore(name, store)  # the groups of one torchrun, one after the other, must not meet in its store


def _leave() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()
