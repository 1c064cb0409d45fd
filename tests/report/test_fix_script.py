"""The script of doctor: only what is lacking, a reason for each block, nothing without a yes, and valid shell."""

import shutil
import subprocess

import pytest

from perfproof.core.doctor import Doctor, Row
from perfproof.machine import counter_permission, distribution
from perfproof.report.fix_script import fix_script, is_ours


def row(name, state="denied", **fields):
    return Row(name=name, state=state, **{"group": "machine", "needed": False, "why": f"{name} is missing"} | fields)


def doctor(*rows, gpus=1, **fields):
    read = "2026-01-02T03:04:05Z"
    return Doctor(
        perfproof_version="0.1.0", read=read, kind="xeon-2c", fit=True, nvidia_gpus=gpus, rows=list(rows), **fields
    )


def run(script, answers):
    return subprocess.run(["bash", "-c", script], input=answers, capture_output=True, text=True, timeout=30)


REAL = doctor(
    row("driver for torch", fix="sudo x", script=distribution.install_of_nvidia("nvidia-open")),
    row("nvcc", "absent", fix="conda install", script=distribution.install_of_cuda("toolkit")),
    row("GPU counters", fix=counter_permission.FIX, script=counter_permission.SCRIPT),
    row("NVML", fix="sudo reboot"),
    row("perf", fix="sudo sysctl kernel.perf_event_paranoid=1"),
    row("limits", "limited", fix="printf '%s\\n' '* soft memlock unlimited' | sudo tee /etc/security/limits.d/x.conf"),
    row("gloo", fix="export GLOO_SOCKET_IFNAME=lo"),
    row("it's $(touch owned) `x`", why="a\nb; touch owned", fix="echo 'fine'"),
)


def test_it_is_valid_shell():
    script = fix_script(REAL)
    assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0
    checker = shutil.which("shellcheck")
    if checker:
        done = subprocess.run([checker, "-s", "bash", "-"], input=script, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_nothing_is_done_without_a_yes(tmp_path):
    fixes = [row(name, fix=f"touch {tmp_path}/{name}") for name in ("first", "second", "third")]
    script = fix_script(doctor(*fixes))
    assert run(script, "").returncode == 0 and not list(tmp_path.iterdir())
    done = run(script, "n\ny\nno\n")
    assert [path.name for path in tmp_path.iterdir()] == ["second"]
    assert "first is missing" in done.stdout and f"touch {tmp_path}/second" in done.stdout


def test_a_block_that_fails_is_named_and_the_others_still_run(tmp_path):
    done = run(fix_script(doctor(row("bad", fix="false"), row("good", fix=f"touch {tmp_path}/good"))), "y\ny\n")
    assert done.returncode == 1 and done.stdout.rstrip().endswith("bad")
    assert (tmp_path / "good").exists()


def test_a_name_or_a_reason_never_becomes_a_command(tmp_path):
    odd = row("it's $(touch owned) `touch owned`", why="a\ntouch owned; $(touch owned)", fix="true")
    done = subprocess.run(["bash", "-c", fix_script(doctor(odd))], input="y\n", text=True, cwd=tmp_path)
    assert done.returncode == 0 and not list(tmp_path.iterdir())


@pytest.mark.parametrize("state", ["works", "unknown"])
def test_what_works_or_is_not_known_gets_no_block(state):
    assert "block_1" not in fix_script(doctor(row("perf", state, fix="sudo sysctl x=1")))


def test_tools_for_gpus_are_left_out_without_a_gpu():
    rows = row("ncu", "absent", fix="install ncu", for_gpus=True), row("perf", fix="install perf")
    assert "install ncu" in fix_script(doctor(*rows, gpus=1))
    without = fix_script(doctor(*rows, gpus=0))
    assert "install ncu" not in without and "install perf" in without and "no NVIDIA GPU is here: ncu" in without


def test_what_restarts_comes_last_and_says_so():
    script = fix_script(doctor(row("NVML", fix="sudo reboot"), row("perf", fix="sudo sysctl kernel.x=1")))
    assert script.index("sysctl kernel.x=1") < script.index("sudo reboot")
    assert "restarts the machine" in script and "until the next restart" in script


def test_two_rows_with_one_line_are_one_block():
    script = fix_script(doctor(row("ptrace", fix="sudo sysctl a=0"), row("py-spy", fix="sudo sysctl a=0")))
    assert script.count("sudo sysctl a=0") == 1 and "ptrace, py-spy" in script


def test_what_only_a_shell_or_a_host_can_do_is_a_remark():
    script = fix_script(REAL)
    assert "# gloo" in script and "By hand: export GLOO_SOCKET_IFNAME=lo" in script
    assert "belong to the host" in fix_script(doctor(container=True))


def test_its_own_files_are_known():
    assert is_ours(fix_script(REAL)) and not is_ours("#!/bin/sh\nrm -r precious\n")
