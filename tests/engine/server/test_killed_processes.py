"""A server of several processes, of which one is killed: what its clients hear, and that the others go on."""

import json
import os
import signal
import threading
import time

import httpx
import pytest
import torch
import torch.distributed as dist

from perfproof.engine import prefill_process, ranks
from perfproof.engine.engine import Engine
from perfproof.engine.plain_decoder import decode_greedily
from perfproof.engine.ranks import LeadingEngine, start_ranks
from perfproof.engine.tensor_parallel import split_model
from perfproof.engine.tokenizer import ByteTokenizer
from tests.engine.server.running_server import engine_settings, serving, tiny_model

HTTP = httpx.Client(timeout=60)
LONG = {"prompt": "go on", "max_tokens": 200, "temperature": 0, "ignore_eos": True, "stream": True}


@pytest.fixture(autouse=True)
def forked(monkeypatch):
    """A fork starts in milliseconds; the product's own start of a new interpreter takes seconds."""
    for module in (prefill_process, ranks):
        monkeypatch.setattr(module.processes, "get_context", lambda _, made=module.processes.get_context: made("fork"))


def ask(site, found, prompt, **fields):
    asked = {"prompt": prompt, "max_tokens": 5, "temperature": 0, "ignore_eos": True} | fields
    found[prompt] = HTTP.post(f"{site.url}/v1/completions", json=asked)


def asking(site, prompts, **fields):
    found = {}
    threads = [threading.Thread(target=ask, args=(site, found, one), kwargs=fields) for one in prompts]
    for one in threads:
        one.start()
    return found, threads


def text_of(prompt, count=5):
    tokens = decode_greedily(*tiny_model(), list(prompt.encode()), count)
    return bytes(token for token in tokens if token < 256).decode(errors="replace")


def test_a_killed_prefill_process_is_replaced_and_no_request_is_lost(tmp_path):
    hang = tmp_path / "hang"

    def make():
        """In the prefill process: its steps stand still while the file is there."""
        engine = Engine(*tiny_model(), engine_settings())
        step = engine.step

        def slow(stops=None):
            while hang.exists():
                time.sleep(0.01)
            return step(stops)

        engine.step = slow
        return engine

    with (
        serving(Engine(*tiny_model(), engine_settings()), prefill=make) as site,
        HTTP.stream("POST", f"{site.url}/v1/completions", json=LONG) as decoding,
    ):
        lines = decoding.iter_lines()
        next(lines)
        hang.touch()
        found, threads = asking(site, ["one", "another", "a third"])
        site.until(lambda: len(site.thread.prefill.pending) == 3)
        gone = site.thread.prefill.process.pid
        os.kill(gone, signal.SIGKILL)
        hang.unlink()
        for one in threads:
            one.join(60)
        assert {name: one.json()["choices"][0]["text"] for name, one in found.items()} == {
            name: text_of(name) for name in found
        }
        events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
        assert events[-1]["choices"][0]["finish_reason"] == "length"
        assert site.thread.prefill.process.pid != gone and HTTP.get(f"{site.url}/health").status_code == 200
        assert 'perfproof:prefill_restarts_total{model_name="tiny"} 1' in HTTP.get(f"{site.url}/metrics").text
        site.until(lambda: site.engine.blocks.used == 0 and not site.thread.prefill.pending)


def test_a_prefill_process_that_never_starts_is_an_error_of_the_server():
    def make():
        raise RuntimeError("no memory left")

    with serving(Engine(*tiny_model(), engine_settings()), prefill=make) as site:
        site.until(lambda: site.thread.failure is not None)
        health = HTTP.get(f"{site.url}/health")
        assert health.status_code == 503 and "no memory left" in health.text
        found: dict = {}
        ask(site, found, "a")
        assert found["a"].status_code == 503


@pytest.fixture
def two_ranks():
    model, weights = tiny_model()

    def make(rank):
        torch.set_num_threads(1)
        return Engine(*split_model(model, weights, rank, 2), engine_settings({"blocks": 60})), ByteTokenizer()

    made = start_ranks(2, "gloo", make)
    engine = LeadingEngine(*split_model(model, weights, 0, 2), engine_settings({"blocks": 60}))
    engine.ranks = made
    with serving(engine) as site:
        made.died = site.thread.fail
        yield site, made
    made.close()
    dist.destroy_process_group()


def test_two_ranks_serve_the_answers_of_one_and_a_killed_rank_is_said_to_every_client(two_ranks):
    site, made = two_ranks
    found, threads = asking(site, ["one", "another", "a third one"])
    with HTTP.stream("POST", f"{site.url}/v1/completions", json=LONG) as cancelled:
        assert next(cancelled.iter_lines()).startswith("data: ")
    for one in threads:
        one.join(60)
    assert {name: one.json()["choices"][0]["text"] for name, one in found.items()} == {
        name: text_of(name) for name in found
    }
    whole = text_of("stop here", 12)
    ask(site, found, "stop here", max_tokens=12, stop=[whole[3:5]])
    assert found["stop here"].json()["choices"][0]["text"] == whole[: whole.find(whole[3:5])]
    with HTTP.stream("POST", f"{site.url}/v1/completions", json=LONG) as stream:
        lines = stream.iter_lines()
        next(lines)
        os.kill(made.children[0].pid, signal.SIGKILL)
        events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    assert events[-1]["error"]["type"] == "server_error" and "failed" in events[-1]["error"]["message"]
    health = HTTP.get(f"{site.url}/health")
    assert health.status_code == 503
    ask(site, found, "later")
    assert found["later"].status_code == 503
