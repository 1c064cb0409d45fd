"""A warm parent: an interpreter with torch imported, no pair imported and no tensor operation run, that forks workers.

Started as `python -m perfproof.worker.warm_parent FD`. A fork costs milliseconds where an import costs seconds. The
parent never runs a tensor operation itself: a child of a process that ran a parallel region hangs in its first one.
It adopts whatever a worker leaves behind and kills it, so that nothing outlives its target.

Asked to, it forks another parent that has the libraries of one target imported too. That one ends with its target.
"""

import contextlib
import ctypes
import functools
import gc
import json
import os
import select
import signal
import socket
import sys
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
TRIAL_SECONDS = 5


def main() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # while it starts it may stand still
    gc.disable()  # nothing that an import makes is garbage, and looking for it takes an eighth of the time
    stand_by(socket.socket(fileno=int(sys.argv[1])), {})


def stand_by(control: socket.socket, hello: dict) -> None:
    """Import what a worker needs, say `hello`, and fork workers until the line is closed."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    from perfproof.worker import own_files
    from perfproof.worker.serve import serve as serve_worker  # brings torch, numpy and the harness, once
    from perfproof.worker.verify.guard import Guard

    own_files.note_libraries()
    guard = Guard()

    wake, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    gc.collect()
    gc.freeze()
    gc.enable()
    if not hello:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0)  # from now on it ends, and what it forked, if its line does
    control.send(json.dumps({"ready": os.getpid(), **hello}).encode())

    workers: set[int] = set()
    while True:
        ready, _, _ = select.select([control.fileno(), wake], [], [])
        if wake in ready:
            _reap(control, workers, wake)
        if control.fileno() in ready:
            message, descriptors, _, _ = socket.recv_fds(control, 65536, 2)
            if not message:
                break
            request = json.loads(message)
            serve = _stand_by_with if "libraries" in request else functools.partial(serve_worker, guard=guard)
            workers.add(_fork(serve, request, descriptors, control))
    for pid in workers:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    _kill_strays(set())


def _stand_by_with(line: socket.socket, request: dict) -> int:
    """Be a parent with libraries: can it fork? Threads of Python do not survive that, nor does an opened device."""
    from perfproof.worker import libraries

    gc.disable()
    threads = len(os.listdir("/proc/self/task"))
    with open(request["libraries"]) as file:
        names = file.read().split()
    libraries.load(name for name in names if name != libraries.COMPILES)
    if libraries.COMPILES in names:
        libraries.work_out_once(Path(request["libraries"]).parent)
    changed = len(os.listdir("/proc/self/task")) > threads
    stand_by(line, {"fit": len(sys._current_frames()) == 1 and _child_can_compute(tried=changed)})
    return 0


def _child_can_compute(tried: bool) -> bool:
    """Would torch open the device in a child of this process? With `tried` a child computes on all threads, and there.

    A driver or an allocator may start a thread that no child misses; a pool of threads leaves its child waiting.
    """
    import torch

    pid = os.fork()
    if not pid:
        signal.alarm(TRIAL_SECONDS)
        bad = torch.cuda._is_in_bad_fork()
        if tried and not bad:
            torch.ones(1 << 18).sum()
            if torch.cuda.is_available():
                torch.ones(1, device="cuda").sum().item()
        os._exit(bad)
    return os.waitpid(pid, 0)[1] == 0


def _fork(serve, request: dict, descriptors: list[int], control: socket.socket) -> int:
    """A worker, or another parent, on a line of its own."""
    line, log = descriptors
    pid = os.fork()
    if pid:
        os.close(line)
        os.close(log)
        control.send(json.dumps({"forked": pid}).encode())
        return pid
    code = 70
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.set_inheritable(line, False)
        code = serve(socket.socket(fileno=line), request)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _reap(control: socket.socket, workers: set[int], wake: int) -> None:
    with contextlib.suppress(BlockingIOError):
        os.read(wake, 4096)
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid in workers:
            workers.discard(pid)
            with contextlib.suppress(OSError):
                control.send(json.dumps({"exited": pid, "status": status}).encode())
        _kill_strays(workers)


def _kill_strays(workers: set[int]) -> None:
    """Kill what workers left behind: children of ours that are not workers were orphaned to us."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            children = [int(word) for word in file.read().split()]
    except OSError:
        return
    for pid in children:
        if pid not in workers:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
