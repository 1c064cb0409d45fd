"""The ranks of a pair as one worker: a question goes to all of them, their answers come back as one.

It has what a `Worker` has, so that whoever asks need not know. Every line is watched while one is waited for: a rank
that dies ends the target at once, though the others sit in a collective and would wait for it for ever.
"""

import contextlib
import os
import secrets
import select
import tempfile
import time
from pathlib import Path
from typing import Any

from perfproof.bench import spent, starting
from perfproof.bench.job import Job
from perfproof.bench.launches import Launch, Worker
from perfproof.bench.ranks.replies import merged
from perfproof.core.errors import WorkerCrashed, WorkerError, WorkerTimeout
from perfproof.worker.channel import ChannelClosed
from perfproof.worker.ranks.slots import lay_out, ranks_behind

# A rank whose partner died may say so before the partner's end is seen: the cause is worth this wait.
CAUSE_SECONDS = 0.5
MEMORY = Path("/dev/shm")  # where a file is memory only: no disk makes a rank late


class Ranks:
    """One worker for each rank, and the file that they meet in."""

    def __init__(self, workers: list[Worker], own: list[dict[str, Any]], meeting: int, path: str):
        self._workers, self._own, self._meeting, self._path = workers, own, meeting, path
        self.repeated, self.held_sets = 0.0, 0
        self._told: list[dict[str, Any]] = []

    def tell(self, command: str, **fields: Any) -> None:
        """Asked when its reply is wanted."""
        self._told.append(fields)

    def hear(self, command: str, deadline: float) -> dict[str, Any]:
        return self.ask(command, deadline, **self._told.pop(0))

    def ask(self, command: str, deadline: float, **fields: Any) -> dict[str, Any]:
        """Send a command to every rank, return their reply. One that dies, fails or hangs ends all of them."""
        try:
            for rank, worker in enumerate(self._workers):
                with contextlib.suppress(ChannelClosed):  # seen, with its cause, when it is listened to
                    worker.channel.send({"command": command, **self._fields(rank, command, fields)})
            starting.attend(command)
            with spent.on(command):
                replies = self._replies(command, deadline)
        except WorkerError:
            self.kill()
            raise
        if command == "open":
            self._unlink()
        return merged(replies, fields)

    def close(self) -> None:
        """Let all ranks end by themselves, together: the end of a process group is a collective too."""
        for worker in self._workers:
            with contextlib.suppress(ChannelClosed):
                worker.channel.send({"command": "close"})
        for worker in self._workers:
            worker.close()
        self._forget()

    def kill(self) -> None:
        for worker in self._workers:
            worker.kill()
        self._forget()

    def __enter__(self) -> "Ranks":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _fields(self, rank: int, command: str, fields: dict[str, Any]) -> dict[str, Any]:
        """What `open` says differs by rank: its place, its cores, its device."""
        if command != "open":
            return fields
        own = self._own[rank]
        return {
            **fields,
            "spec": {**fields["spec"], "device": own["device"]},
            "cpus": own["cpus"],
            "place": own["place"],
        }

    def _replies(self, command: str, deadline: float) -> list[dict[str, Any]]:
        found: dict[int, dict[str, Any]] = {}
        while len(found) < len(self._workers):
            failed = {rank: reply["failed"] for rank, reply in found.items() if "failed" in reply}
            until = min(deadline, time.monotonic() + CAUSE_SECONDS) if failed else deadline
            answered = self._listen(set(range(len(self._workers))) - set(found), until)
            if not answered and failed:
                break
            if not answered:
                raise WorkerTimeout(f"ran out of time during {spent.words(command)}{self._who_is_missing()}")
            found.update(answered)
        failed = {rank: reply["failed"] for rank, reply in found.items() if "failed" in reply}
        if failed:
            raise WorkerCrashed(_what_failed(failed, len(self._workers)))
        return [found[rank] for rank in range(len(self._workers))]

    def _listen(self, ranks: set[int], deadline: float) -> dict[int, dict[str, Any]]:
        """What those say who say something first; nothing where time runs out."""
        lines = {self._workers[rank].channel: rank for rank in ranks}
        ready, _, _ = select.select(list(lines), [], [], max(0.0, deadline - time.monotonic()))
        found = {}
        for channel in ready:
            try:
                found[lines[channel]] = channel.receive(deadline)
            except ChannelClosed:
                raise WorkerCrashed(self._why_ended(lines[channel])) from None
        return found

    def _why_ended(self, rank: int) -> str:
        worker = self._workers[rank]
        why = worker.launch.why_ended(worker.pid)
        return f"rank {rank} was {why}" if why.startswith("killed") else f"rank {rank}: {why}"

    def _who_is_missing(self) -> str:
        behind = ranks_behind(self._meeting, len(self._workers))
        if not behind:
            return ""
        who = f"rank {behind[0]}" if len(behind) == 1 else f"ranks {', '.join(map(str, behind))}"
        return f": the others waited for {who}, which hangs or is in a collective that not every rank calls"

    def _unlink(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self._path)

    def _forget(self) -> None:
        self._unlink()
        if self._meeting >= 0:
            os.close(self._meeting)
        self._meeting = -1


def fork_ranks(job: Job, launch: Launch) -> Ranks:
    """One forked process for each rank of the job, from one warm parent or from those that torchrun started."""
    parents, world = launch.parents(job.ranks), job.ranks
    folder = MEMORY if os.access(MEMORY, os.W_OK) else launch.scratch
    meeting, path = tempfile.mkstemp(dir=folder, prefix="perfproof-ranks-")
    lay_out(meeting, world)
    meant = {"name": secrets.token_hex(8), "backend": job.backend, "torchrun": launch.by_torchrun}
    on_gpu = job.device.startswith("cuda")
    workers: list[Worker] = []
    own = []
    try:
        for rank, parent in enumerate(parents):
            workers.append(parent.fork_rank())
            place = {**meant, "rank": rank, "world": world, "meeting": path}
            device = f"cuda:{rank}" if on_gpu else job.device
            own.append({"place": place, "cpus": list(job.rank_cpus[rank]), "device": device})
    except BaseException:
        Ranks(workers, own, meeting, path).kill()
        raise
    return Ranks(workers, own, meeting, path)


def _what_failed(failed: dict[int, str], world: int) -> str:
    """What all of them say is said once."""
    texts = set(failed.values())
    if len(failed) == world and len(texts) == 1:
        return texts.pop()
    first = min(failed)
    return f"rank {first}: {failed[first]}"
