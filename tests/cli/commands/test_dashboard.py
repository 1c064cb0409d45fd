"""`perfproof dashboard`: what it prints, who it serves, and how it ends."""

import os
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from perfproof.core.dashboard import Settings, from_text, is_loopback, to_text
from tests.report.sample_runs import run, target
from tests.web.sample_site import name_of, save

SECONDS = 60


@pytest.fixture
def started(tmp_path):
    """started("--port", "0") gives the process and the line it printed; it is ended with the test."""
    processes = []

    def start(*arguments, **variables):
        command = [sys.executable, "-m", "perfproof", "dashboard", *arguments]
        environment = os.environ | variables
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, cwd=tmp_path, text=True, env=environment, **pipes)
        processes.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_it_serves_this_machine_and_ends_with_ctrl_c(started, tmp_path):
    name = save(tmp_path / "artifacts", run(target()), name_of(1, "x"))
    process, address = started("--port", "0")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    answer = httpx.get(address, timeout=SECONDS)
    assert answer.status_code == 200 and name in answer.text.replace("<wbr>", "")
    assert httpx.post(address, timeout=SECONDS).status_code == 405
    assert "server" not in answer.headers
    process.send_signal(signal.SIGINT)
    assert process.wait(SECONDS) == 0


def test_it_says_how_many_runs_it_found_where_and_how_to_stop_it(started, tmp_path):
    save(tmp_path / "artifacts", run(target()), name_of(1, "x"))
    process, _ = started("--port", "0")
    said = process.stderr.readline()
    assert said.startswith(f"1 run in {tmp_path}/artifacts") and "Ctrl-C" in said


def test_it_opens_a_browser_where_it_is_asked_to(started, tmp_path):
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    script.chmod(0o755)
    _, address = started("--port", "0", "--open", BROWSER=str(script))
    httpx.get(address, timeout=SECONDS)
    assert (tmp_path / "opened").read_text().strip() == address


def test_any_other_address_gets_a_token_that_is_printed_once(started):
    process, address = started("--host", "0.0.0.0", "--port", "0")
    base, _, token = address.partition("?token=")
    base = base.replace("0.0.0.0", "127.0.0.1")
    assert len(token) >= 32
    assert httpx.get(base, timeout=SECONDS).status_code == 401
    with httpx.Client(follow_redirects=True, timeout=SECONDS) as client:
        assert client.get(base, params={"token": token}).status_code == 200
        assert client.get(f"{base}history").status_code == 200
    with open(f"/proc/{process.pid}/cmdline") as words:
        assert token not in words.read(), "everybody can list processes"


def test_a_token_from_the_environment_is_used(started):
    _, address = started("--port", "0", PERFPROOF_TOKEN="sixteen-letters-and-more")
    assert address.endswith("?token=sixteen-letters-and-more")
    assert httpx.get(address.partition("?")[0], timeout=SECONDS).status_code == 401


def test_a_token_that_can_be_guessed_is_refused(perfproof):
    refused = perfproof("dashboard", "--token", "short")
    assert refused.code == 2 and "16 letters" in refused.err


def test_a_port_in_use_is_one_line(perfproof):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = perfproof("dashboard", "--port", taken.getsockname()[1])
    assert refused.code == 2 and "cannot listen" in refused.err and "--port" in refused.err
    assert refused.err.count("\n") == 1


def test_a_name_that_is_no_address_of_this_machine_is_refused(perfproof):
    assert perfproof("dashboard", "--host", "192.0.2.1", "--port", "0").code == 2


def test_settings_survive_their_way_to_the_server(tmp_path):
    settings = Settings(tmp_path, "::1", "token", ("a", "b"), "postgresql://x", 7)
    assert from_text(to_text(settings)) == settings


@pytest.mark.parametrize(
    ("host", "alone"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("box7", False)]
)
def test_only_loopback_is_this_machine_alone(host, alone):
    assert is_loopback(host) is alone
