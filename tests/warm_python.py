"""Python programs forked from an interpreter that has torch: for tests in which its start is not the subject.

An import of torch takes seconds, a fork takes milliseconds. What is forked is a child of the test process as if it had
been started there: it has its arguments, environment, folder, files, session and cores, and its exit code. It obeys
PYTHONPATH and PYTHONDONTWRITEBYTECODE. A program is really started if another variable differs that an interpreter or a
library reads when it starts.
"""

import contextlib
import ctypes
import fcntl
import gc
import inspect
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from perfproof.core.parent_death import end_with_parent

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
READ_AT_START = ("PYTHON", "OMP_", "MKL_", "GOMP_", "KMP_", "LD_", "TORCH", "CUDA_", "KINETO_", "MALLOC_")
SEARCHED, UNWRITTEN = "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"
# Torch sets the first one itself with the first function that it compiles. A fork obeys the others.
READ_LATER = ("TORCHINDUCTOR_CACHE_DIR", SEARCHED, UNWRITTEN)
END = b"end"
HIGH = 500  # above all files that a test has open
STARTED_WITH = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]


class WarmPython:
    """The interpreter that forks; `Popen` stands where subprocess has its own."""

    def __init__(self, environment: Mapping[str, str] | None = None, but: tuple[str, ...] = ()) -> None:
        """It starts with this `environment`. A program whose variables differ in those of `but` alone is forked too."""
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-P", __file__, str(theirs.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment)
        self._but, self._lock = (*READ_LATER, *but), threading.Lock()
        self._read_at_start = self._what_is_read_at_start(environment or os.environ)
        theirs.close()
        assert self._line.recv(100) == b"ready"
        self.forked = 0

    @property
    def Popen(self) -> type:
        warm = self

        class Popen(subprocess.Popen):
            def _execute_child(self, *given: Any) -> None:
                start = super()._execute_child  # type: ignore[misc]
                asked = STARTED_WITH.bind(self, *given).arguments
                if not warm.can_fork(asked):
                    return start(*given)
                self.pid = warm.fork(asked)
                self._child_created = True
                pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
                self._close_pipe_fds(*(asked[name] for name in pipes))  # type: ignore[attr-defined]

        return Popen

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Meanwhile, Python programs that this process starts are forks."""
        usual, subprocess.Popen = subprocess.Popen, self.Popen  # type: ignore[misc]
        try:
            yield
        finally:
            subprocess.Popen = usual  # type: ignore[misc]

    def run(self, *words: Any, **settings: Any) -> "subprocess.CompletedProcess[Any]":
        """As subprocess.run."""
        with self.in_place():
            return subprocess.run(*words, **settings)

    def can_fork(self, asked: dict[str, Any]) -> bool:
        words = asked["args"]
        if not isinstance(words, list | tuple) or words[0] != sys.executable or asked["shell"]:
            return False
        if asked["preexec_fn"] not in (None, end_with_parent):
            return False
        rest = words[2:] if words[1:2] == ["-P"] else words[1:]
        known = rest[0] in ("-c", "-m") or str(rest[0]).endswith(".py")
        return known and self._what_is_read_at_start(asked["env"] or os.environ) == self._read_at_start

    def _what_is_read_at_start(self, environment: Mapping[str, str]) -> dict[str, str]:
        own = {name: value for name, value in environment.items() if name.startswith(READ_AT_START)}
        return {name: value for name, value in own.items() if name not in self._but}

    def fork(self, asked: dict[str, Any]) -> int:
        """Have it forked twice: the first fork ends, and this process adopts the second."""
        streams = [asked["p2cread"], asked["c2pwrite"], asked["errwrite"]]
        files = {number: number if given == -1 else given for number, given in enumerate(streams)}
        files |= {number: number for number in asked["pass_fds"]}
        request = dict(
            words=list(map(str, asked["args"][1:])),
            environment=dict(asked["env"] or os.environ),
            folder=str(asked["cwd"] or os.getcwd()),
            session=asked["start_new_session"],
            ends_with_parent=asked["preexec_fn"] is end_with_parent,
            cores=list(os.sched_getaffinity(0)),
            files=list(files),
        )
        with self._lock:  # a run starts interpreters in several threads
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
            try:
                socket.send_fds(self._line, [json.dumps(request).encode()], list(files.values()))
                pid = int(self._line.recv(100))
            finally:
                ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0)
            self.forked += 1
        return pid

    def close(self) -> None:
        self._line.send(END)  # a program that a test has forked may hold the line open
        self._line.close()
        self._process.wait(60)


def serve(line: socket.socket) -> None:
    """In the interpreter that forks: until the line is closed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    import torch.profiler  # noqa: F401

    import perfproof.core.documents  # noqa: F401

    assert "triton" not in sys.modules, "it reads TRITON_INTERPRET when it is imported"
    gc.collect()
    gc.freeze()  # no fork looks for garbage in torch
    line.send(b"ready")
    while True:
        message, files, _, _ = socket.recv_fds(line, 1 << 20, 64)
        if not message or message == END:
            os._exit(0)  # taking torch apart takes a second of CPU time, and nothing here needs it
        between = os.fork()
        if not between:
            between = os.getpid()
            if os.fork():
                os._exit(0)
            while os.getppid() == between:
                os.sched_yield()
            _become(json.loads(message), files, line)
        os.waitpid(between, 0)
        for file in files:
            os.close(file)


def _become(request: dict[str, Any], files: list[int], line: socket.socket) -> None:
    """Be the program that was asked for, from its first line to its exit code."""
    code = 1
    try:
        line.send(str(os.getpid()).encode())
        high = [fcntl.fcntl(file, fcntl.F_DUPFD, HIGH) for file in files]
        os.closerange(0, HIGH)
        for file, number in zip(high, request["files"], strict=True):
            os.dup2(file, number)
            os.close(file)
        if request["session"]:
            os.setsid()
        if request["ends_with_parent"]:
            end_with_parent()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.sched_setaffinity(0, request["cores"])
        os.chdir(request["folder"])
        _search_in(os.environ.get(SEARCHED, ""), request["environment"].get(SEARCHED, ""))
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.dont_write_bytecode = bool(os.environ.get(UNWRITTEN))
        os.execve = _become_another
        code = _run(request["words"])
    finally:
        os._exit(code)


def _become_another(path: str, words: list[str], environment: Mapping[str, str], really: Any = os.execve) -> None:
    """A program that becomes another module of its interpreter does so here: this one has torch already."""
    read = [
        {name: value for name, value in one.items() if name.startswith(READ_AT_START)}
        for one in (os.environ, environment)
    ]
    if path != sys.executable or words[1:2] != ["-m"] or read[0] != read[1]:
        really(path, words, environment)
    code = 1
    try:
        os.environ.clear()
        os.environ.update(environment)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        code = _run(words[1:])
    finally:
        os._exit(code)


def _search_in(before: str, now: str) -> None:
    """Find modules in the folders that PYTHONPATH names `now`, and no longer in those that it named `before`."""
    for folder in before.split(os.pathsep) if before else []:
        with contextlib.suppress(ValueError):
            sys.path.remove(os.path.abspath(folder))
    sys.path[:0] = [os.path.abspath(folder) for folder in now.split(os.pathsep)] if now else []


def _run(words: list[str]) -> int:
    import atexit
    import runpy
    import threading
    import traceback
    import types

    apart = words[0] == "-P"
    kind, *rest = words[1:] if apart else words
    what = rest.pop(0) if kind in ("-c", "-m") else ""
    sys.argv, sys.orig_argv = [kind, *rest], [sys.executable, *words]
    if not apart:
        sys.path.insert(0, os.getcwd() if what else os.path.dirname(os.path.abspath(kind)))
    code: Any = 0
    try:
        if kind == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        elif kind == "-c":
            sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(what, "<string>", "exec"), vars(sys.modules["__main__"]))
        else:
            del sys.modules["__main__"]
            runpy.run_path(kind, run_name="__main__")
    except SystemExit as error:
        code = error.code
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return int(code or 0) if not isinstance(code, str) else 1


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
