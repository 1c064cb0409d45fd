"""`perfproof route`: from its first line over an answer to its end, and what is refused at once."""

import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest

from perfproof.cli.app import main
from perfproof.cli.values import parse_short_time
from perfproof.core.errors import UsageError
from perfproof.load.own_server import started

SECONDS = 60


def test_the_router_answers_for_two_servers_and_ends_when_it_is_told_to():
    with started(["--base", "0.001"]) as one, started(["--base", "0.001"]) as two:
        command = [sys.executable, "-m", "perfproof", "route", one, two, "--port", "0", "--policy", "round-robin"]
        router = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
        try:
            address = router.stdout.readline().strip()
            body = json.dumps({"prompt": "a b c", "max_tokens": 3}).encode()
            for _ in range(2):
                with urllib.request.urlopen(f"{address}/completions", body, SECONDS) as answer:
                    assert json.load(answer)["usage"]["completion_tokens"] == 3
            with urllib.request.urlopen(f"{address.removesuffix('/v1')}/metrics", timeout=SECONDS) as answer:
                assert "perfproof_router_placed_total 2" in answer.read().decode()
            router.send_signal(signal.SIGTERM)
            assert router.wait(SECONDS) == 0
        finally:
            router.kill()
            router.communicate()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["route", "127.0.0.1:1", "--policy", "random"], "kv-aware"),
        (["route", "127.0.0.1:1", "127.0.0.1:1"], "twice"),
        (["route", "ftp://x"], "address"),
        (["route", "127.0.0.1:1", "--ttft-limit", "soon"], "500ms"),
        (["serve", "--demo", "--ttft-limit", "1s"], "--workers"),
        (["serve", "--demo", "--workers", "2", "--policy", "random"], "kv-aware"),
        (["route", "127.0.0.1:1", "--host", "0.0.0.0", "--api-key", "short"], "--api-key"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(capsys, arguments, word):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert word in said.err and not said.out and said.err.count("\n") == 1


def test_limits_are_read_in_milliseconds_and_seconds():
    assert [parse_short_time(text, "--x") for text in ("500ms", "1.5s", "0.5us", None)] == [0.5, 1.5, 5e-7, None]
    with pytest.raises(UsageError):
        parse_short_time("0ms", "--x")
