"""A small process that starts whole programs, times them and reads what they used. It imports nothing of perfproof.

Started by its path, `python -I -S spawner.py FD`, because of its size: the kernel carries a process's high-water mark
of memory through exec, so a program started by a large process seems at least as large as that process. What is left
of this effect, this process's own size, goes with each answer as `floor`.

A request and an answer are dicts, written by marshal (the same interpreter is at both ends), each after its length.
When the run closes its end, a program that still runs is killed with its process group.
"""

import errno
import marshal
import os
import select
import signal
import sys
import time

GRACE_SECONDS = 2.0  # from SIGTERM to SIGKILL
HEADER = 8
PYTHON_IGNORES = [signal.SIGPIPE, signal.SIGXFSZ]  # a program gets them as it would from a shell


def main() -> None:
    line = int(sys.argv[1])
    os.set_inheritable(line, False)
    while (request := read(line)) is not None:
        write(line, run(request, line))


def run(request: dict, line: int) -> dict:
    """Start the program, wait for its end or for the time limit, and clear away what it leaves behind."""
    try:
        os.chdir(request["cwd"])
        descriptors = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
        for number, name in ((1, "stdout"), (2, "stderr")):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            descriptors.append((os.POSIX_SPAWN_OPEN, number, request[name], flags, 0o600))
        started = time.perf_counter_ns()
        pid = os.posix_spawn(
            request["program"],
            request["arguments"],
            request["environment"],
            file_actions=descriptors,
            setsid=True,
            setsigdef=PYTHON_IGNORES,
        )
    except OSError as error:
        return {"refused": os.strerror(error.errno) if error.errno else str(error), "errno": error.errno}
    late = not ended(pid, line, request["seconds"])
    finished = time.perf_counter_ns()
    if late:
        finish(pid, line)
    _, status, used = os.wait4(pid, 0)
    left = end_strays(pid)
    return {
        "start_ns": started,
        "end_ns": finished,
        "status": status,
        "late": late,
        "user": used.ru_utime,
        "system": used.ru_stime,
        "peak": used.ru_maxrss * 1024,
        "floor": high_water(),
        "left": left,
    }


def ended(pid: int, line: int, seconds: float) -> bool:
    """Wait for the end of the program without polling; if the run has gone, so has the reason to go on."""
    watch = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(watch, select.POLLIN)
        poll.register(line, select.POLLHUP | select.POLLRDHUP)
        ready = dict(poll.poll(seconds * 1000))
    finally:
        os.close(watch)
    if line in ready:
        kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        end_strays(pid)
        os._exit(1)
    return watch in ready


def finish(pid: int, line: int) -> None:
    """The whole process group: asked first, then killed."""
    kill(pid, signal.SIGTERM)
    if not ended(pid, line, GRACE_SECONDS):
        kill(pid, signal.SIGKILL)


def end_strays(group: int) -> int:
    """Kill what outlived the program: its process group, and orphans, which come to this process (a subreaper)."""
    kill(group, signal.SIGKILL)
    killed = 0
    while strays := children():
        for pid in strays:
            try:
                if os.waitpid(pid, os.WNOHANG)[0]:
                    continue  # it had ended by itself
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                killed += 1
            except OSError as error:
                if error.errno != errno.ECHILD:
                    return killed  # another user's: it cannot be ended from here
    return killed


def children() -> list:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def kill(group: int, number: int) -> None:
    try:  # noqa: SIM105  contextlib would make this process larger
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass


def high_water() -> int:
    """Bytes; 0 where the kernel does not tell."""
    try:
        with open("/proc/self/status") as file:
            return next((int(row.split()[1]) * 1024 for row in file if row.startswith("VmHWM")), 0)
    except OSError:
        return 0


def read(line: int) -> dict | None:
    header = take(line, HEADER)
    return marshal.loads(take(line, int.from_bytes(header, "little"))) if len(header) == HEADER else None


def take(line: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        try:
            part = os.read(line, size - len(data))
        except ConnectionResetError:  # the other end was closed with an answer unread
            break
        if not part:
            break
        data += part
    return data


def write(line: int, message: dict) -> None:
    data = marshal.dumps(message)
    data = len(data).to_bytes(HEADER, "little") + data
    while data:
        data = data[os.write(line, data) :]


if __name__ == "__main__":
    main()
