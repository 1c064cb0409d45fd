"""`perfproof serve`: the demo from its first line to its graceful end, and what is refused at once."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import httpx
import pytest

from perfproof.cli.app import main
from perfproof.cli.serving import needed_secret
from perfproof.core.errors import NothingMatched, UsageError
from perfproof.engine.server.settings import ServeSettings, from_text, to_text

SECONDS = 240


@pytest.fixture
def demo(tmp_path):
    """The process and the address that it printed."""
    command = [sys.executable, "-m", "perfproof", "serve", "--demo", "--port", "0", "--step-log", "steps.jsonl"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PERFPROOF_STATE": str(tmp_path / "state")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=tmp_path, text=True, env=environment, **pipes)
    yield process, process.stdout.readline().strip()
    process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()


def wait_for(address, process):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:  # the socket listens at once; it answers when the model is trained
            return httpx.get(f"{address.removesuffix('/v1')}/health", timeout=SECONDS)
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError(process.stderr.read())


def test_the_demo_answers_logs_its_steps_and_ends_after_the_answers_under_way(demo, tmp_path):
    process, address = demo
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", address)
    assert wait_for(address, process).status_code == 200
    asked = {"model": "perfproof-demo", "prompt": "The cache ", "temperature": 0, "max_tokens": 30}
    answer = httpx.post(f"{address}/completions", json=asked, timeout=SECONDS).json()
    assert answer["usage"]["completion_tokens"] <= 30 and answer["choices"][0]["text"].isascii()
    long = asked | {"max_tokens": 600, "ignore_eos": True, "stream": True, "stream_options": {"include_usage": True}}
    with httpx.stream("POST", f"{address}/completions", json=long, timeout=SECONDS) as stream:
        lines = stream.iter_lines()
        next(lines)
        process.send_signal(signal.SIGTERM)
        rest = [line for line in lines if line]
    assert rest[-1] == "data: [DONE]" and json.loads(rest[-2][6:])["usage"]["completion_tokens"] == 600
    assert process.wait(SECONDS) == 0
    steps = [json.loads(line) for line in (tmp_path / "steps.jsonl").read_text().splitlines()]
    assert sum(step["sampled"] for step in steps) == answer["usage"]["completion_tokens"] + 600
    assert steps[-1]["blocks_used"] == 0
    assert len(list((tmp_path / "state" / "demo").glob("*.weights"))) == 1  # for the next start


@pytest.mark.parametrize(
    "words, word",
    [
        ([], "--demo"),
        (["--demo", "--model", "x"], "one of the two"),
        (["--demo", "--api-key", "short"], "--api-key"),
        (["--demo", "--port", "0", "--host", "203.0.113.1"], "cannot listen"),
    ],
)
def test_what_makes_no_sense_is_one_line(words, word, capsys):
    assert main(["serve", *words]) == 2
    said = capsys.readouterr().err
    assert word in said and said.count("\n") == 1


def test_a_model_that_is_nowhere_is_refused_before_anything_listens(capsys):
    assert main(["serve", "--model", "absent"]) == NothingMatched.exit_code
    said = capsys.readouterr()
    assert said.out == "" and "no shipped shape" in said.err and said.err.count("\n") == 1


def test_any_other_address_needs_a_key():
    for alone in ("127.0.0.1", "::1"):
        assert needed_secret(None, alone, "--api-key") is None
    made = needed_secret(None, "0.0.0.0", "--api-key")
    assert made is not None and len(made) >= 16 and made != needed_secret(None, "0.0.0.0", "--api-key")
    assert needed_secret("k" * 16, "0.0.0.0", "--api-key") == "k" * 16
    with pytest.raises(UsageError, match="--api-key"):
        needed_secret("with a space in it", "0.0.0.0", "--api-key", spaces=False)


def test_settings_survive_the_way_to_the_process():
    settings = ServeSettings(model="m", key="k" * 20, longest=9, quantise=4)
    assert from_text(to_text(settings)) == settings
