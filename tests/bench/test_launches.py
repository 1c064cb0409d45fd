"""Warm parents and their workers: separate interpreters, cheap forks, nothing left behind."""

import os
import time

import psutil
import pytest

from perfproof.bench import starting
from perfproof.bench.launches import Launches, Worker, leaving, see_off
from perfproof.core.errors import WorkerCrashed, WorkerTimeout

OPEN = dict(sides=["baseline"], cpus=list(os.sched_getaffinity(0)), threads=1)


def spec(path):
    empty = dict(
        siblings={},
        borrowed={},
        pickled="",
        folders=[],
        files={},
        imports=[],
        constant=[],
        mutates=[],
        domain={},
        layout="",
        distribution=False,
        constants=False,
        constants_seed=0,
        has_reference=True,
        values_may_repeat=False,
        cold=[],
    )
    return dict(
        **empty, path=str(path), arguments=["x"], tolerance=dict(rtol=0, atol=0), lowers_precision="", device="cpu"
    )


@pytest.fixture
def write(tmp_path):
    def write(body, name="pair"):
        path = tmp_path / f"{name}.py"
        path.write_text(f"import os, sys, time, subprocess\ndef inputs(): pass\ndef reference(x): pass\n{body}\n")
        return path

    return write


def soon():
    return time.monotonic() + 30


def hash_seed(pid):
    """The system shows the environment of a program a moment after it has begun."""
    ends = soon()
    while not (environment := psutil.Process(pid).environ()) and time.monotonic() < ends:
        time.sleep(0.001)
    return environment["PYTHONHASHSEED"]


def test_launches_are_separate_interpreters_with_layouts_of_their_own(monkeypatch):
    """Tests that measure share forks of one launch: this one asks the product's own, and waits for none."""
    monkeypatch.setattr(starting, "bring", lambda launch: True)
    pool = Launches({**os.environ})
    try:
        pool.start(2)
        first, second = (pool._lines[number].launches[0] for number in range(2))
        assert {psutil.Process(launch.pid).ppid() for launch in (first, second)} == {os.getpid()}
        assert len({hash_seed(launch.pid) for launch in (first, second)}) == 2
        first.kill()
        second.kill()
    finally:
        pool.close()


def test_a_new_interpreter_is_no_fork_of_the_pool(launches):
    """Tests that measure replace `new` by a fork: this one asks the product's own."""
    launch = Launches.new(launches)
    try:
        assert psutil.Process(launch.pid).ppid() == os.getpid()
        assert hash_seed(launch.pid) != os.environ.get("PYTHONHASHSEED")
        assert launch.pid not in {one.pid for line in launches._lines for one in line.launches}
    finally:
        launch.close()
    assert not psutil.pid_exists(launch.pid)


def test_a_launch_is_reused(launches):
    assert launches.get(0) is launches.get(0)


def test_a_worker_is_a_fork_in_a_session_of_its_own(launches, write, tmp_path):
    with launches.get(0).fork() as worker:
        worker.ask("open", soon(), spec=spec(write("def baseline(x): pass")), scratch=str(tmp_path), **OPEN)
        assert os.getsid(worker.pid) == worker.pid
        assert psutil.Process(worker.pid).ppid() == launches.get(0).process.pid
    deadline = time.monotonic() + 10
    while psutil.pid_exists(worker.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not psutil.pid_exists(worker.pid)


def test_what_a_worker_leaves_behind_is_killed(launches, write, tmp_path):
    note = tmp_path / "pid"
    daemon = f"""
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open({str(note)!r}, "w").write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
while not (os.path.exists({str(note)!r}) and os.path.getsize({str(note)!r})): time.sleep(0.01)
def baseline(x): pass
"""
    with launches.get(0).fork() as worker:
        worker.ask("open", soon(), spec=spec(write(daemon)), scratch=str(tmp_path), **OPEN)
        stray = int(note.read_text())
        assert psutil.pid_exists(stray)
    deadline = time.monotonic() + 10
    while psutil.pid_exists(stray) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not psutil.pid_exists(stray)


def test_a_worker_that_hangs_is_killed_at_the_deadline(launches, write, tmp_path):
    worker = launches.get(0).fork()
    with pytest.raises(WorkerTimeout, match="loading the pair"):
        hang = spec(write("while True: pass"))
        worker.ask("open", time.monotonic() + 0.3, spec=hang, scratch=str(tmp_path), **OPEN)
    assert launches.get(0).wait_ended(worker.pid, 10.0) is not None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("os._exit(0)", "exited with 0 before the end"),
        ("os._exit(3)", "exited with 3 before the end"),
        ("os.kill(os.getpid(), 9)", "killed by SIGKILL"),
        ("os.abort()", "killed by SIGABRT"),
        ("raise ValueError('no such thing')", "ValueError: no such thing"),
        ("import not_a_package", "No module named 'not_a_package'"),
    ],
)
def test_a_worker_that_ends_early_says_how(launches, write, tmp_path, body, said):
    with launches.get(0).fork() as worker, pytest.raises(WorkerCrashed, match=said):
        worker.ask("open", soon(), spec=spec(write(body)), scratch=str(tmp_path), **OPEN)


def test_what_workers_print_is_kept_once(launches, write, tmp_path):
    launches.take_log()
    with launches.get(0).fork() as worker:
        loud = spec(write("print('to stdout'); sys.stderr.write('to stderr')\ndef baseline(x): pass"))
        worker.ask("open", soon(), spec=loud, scratch=str(tmp_path), **OPEN)
    log = launches.take_log()
    assert "to stdout" in log and "to stderr" in log
    assert launches.take_log() == ""


def test_what_a_worker_was_only_told_is_answered_before_the_next_question(launches):
    with launches.get(0).fork() as worker:
        worker.tell("nonsense")
        with pytest.raises(WorkerCrashed, match="nonsense"):
            worker.ask("cost", time.monotonic() + 20, sizes={})


def test_an_impatient_launch_sees_its_workers_off_when_it_forks_again(launches):
    launch = launches.get(0)
    launch.patient = False
    try:
        first = launch.fork()
        first.close()
        assert leaving == [first]
        second = launch.fork()
        assert leaving == []
        second.close()
    finally:
        launch.patient = True
        launch.fork().close()
    assert launch.wait_ended(second.pid, seconds=1.0) is not None


def test_before_anything_is_timed_workers_of_every_launch_have_ended(launches):
    """One that is still giving a GPU's memory back holds up the others."""
    first, second = (launches.get(number) for number in range(2))
    first.patient = second.patient = False
    try:
        one, other = first.fork(), second.fork()
        one.close()
        other.close()
        see_off(first)
        assert leaving == [other]
        see_off()
        assert leaving == []
    finally:
        first.patient = second.patient = True
    assert first.wait_ended(one.pid, 0) is not None and second.wait_ended(other.pid, 0) is not None


def test_a_worker_that_was_forked_ahead_is_the_next_one(launches):
    launch = launches.get(0)
    launch.fork_ahead("cpu")  # no device to open here: what matters is whose turn it is
    ahead = launch.ahead
    with launch.fork() as worker:
        assert worker is ahead and launch.ahead is None


def test_a_rank_is_never_the_worker_that_was_forked_ahead(launches):
    launch = launches.get(0)
    launch.wait_ready()
    launch.fork_ahead("cpu")
    ahead = launch.ahead
    with launch.fork_rank() as rank:
        assert rank is not ahead and launch.ahead is ahead
    with launch.fork() as next_one:
        assert next_one is ahead


class Line:
    """A line whose replies come in the order of the commands."""

    def __init__(self):
        self.sent = []

    def send(self, message):
        self.sent.append(message["command"])

    def receive(self, deadline):
        return {"to": self.sent.pop(0)}


def test_a_reply_that_is_heard_is_that_to_its_command_whatever_was_told_before():
    worker = Worker(None, 0, Line(), None)
    for command in ("warm", "open", "ready"):
        worker.tell(command)
    assert [worker.hear(command, soon())["to"] for command in ("open", "ready")] == ["open", "ready"]
    worker.tell("warm")
    assert worker.ask("run", soon()) == {"to": "run"}
