"""Calls of the operating system by strace: what is started, and what its files say. strace itself is not run."""

import pytest

from perfproof.core.doctor import Finding
from perfproof.profile.adapters import syscalls
from perfproof.profile.plans import Ran, Work
from tests.profile.readers.test_strace import TABLE

USABLE = Finding(name="syscalls", state="works", why="")


def work(folder, **more):
    return Work(("ls",), folder, "minimal", **more)


def ran(err="", code=0):
    return Ran(code, 1.0, late=False, left=0, out="", err=err)


def test_a_program_is_started_under_it_and_a_process_is_looked_at_for_a_time(tmp_path):
    started = syscalls.plan(work(tmp_path), USABLE).command
    assert started[-2:] == ("--", "ls") and "-c" in started
    attached = syscalls.plan(work(tmp_path, pid=41, seconds=3.0), USABLE).command
    assert attached[:5] == ("timeout", "--preserve-status", "-s", "INT", "3") and attached[-2:] == ("-p", "41")


def test_what_it_wrote_is_read_and_its_price_is_said(tmp_path):
    (tmp_path / "command.syscalls.txt").write_text(TABLE)
    found = syscalls.gather(work(tmp_path), ran())
    assert [total.path for total in found.events.totals] == [("wait4",), ("clone",)]
    assert syscalls.SLOWED in syscalls.plan(work(tmp_path), USABLE).notes


def test_a_process_without_a_call_and_one_that_may_not_be_looked_at_are_told_apart(tmp_path):
    (tmp_path / "command.syscalls.txt").write_text("")
    assert "made no call" in syscalls.gather(work(tmp_path, pid=41), ran()).failed
    denied = syscalls.gather(work(tmp_path, pid=41), ran("strace: ptrace(PTRACE_SEIZE, 41): Operation not permitted"))
    assert denied.denied and denied.fix


def test_a_pair_is_refused(tmp_path):
    assert syscalls.works(work(tmp_path, marked=True)).state == "denied"


@pytest.mark.parametrize(("pid", "state"), [(None, "works"), (41, "limited")])
def test_what_may_only_look_at_its_own_may_not_attach(tmp_path, monkeypatch, pid, state):
    monkeypatch.setattr(syscalls, "find_tool", lambda name: "/usr/bin/strace")
    monkeypatch.setattr(syscalls.tool_version, "version_of", lambda path: "6.1")
    monkeypatch.setattr(syscalls.ptrace, "probe", lambda: Finding(name="p", state="limited", why="scope 1"))
    assert syscalls.works(work(tmp_path, pid=pid)).state == state
