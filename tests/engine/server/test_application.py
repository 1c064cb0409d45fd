"""The server as its clients see it: the openai package, plain HTTP, and clients that behave badly."""

import http.client
import importlib
import json
import math
import socket
import threading
import time
from contextlib import suppress

import httpx
import pytest

from perfproof.engine.engine import Engine
from perfproof.engine.server.asked import HONOURED, LABELS, NEUTRAL, Refused, chat, completion
from perfproof.engine.tokenizer import ByteTokenizer
from tests.engine.server.running_server import LONGEST, running

SECONDS = 60
HTTP = httpx.Client(timeout=SECONDS, verify=False)  # no certificate is read: no address here is an https one
GREEDY = {"model": "tiny", "temperature": 0}


@pytest.fixture(scope="module")
def site():
    with running(most_body=100_000) as made:
        yield made


@pytest.fixture(scope="module")
def openai():
    """Imported when a test needs it: that takes a second, and every process that collects tests reads this file."""
    return importlib.import_module("openai")


@pytest.fixture(scope="module")
def client(site, openai):
    with openai.OpenAI(base_url=f"{site.url}/v1", api_key="unused", max_retries=0, timeout=SECONDS) as made:
        yield made


def post(site, path="/v1/completions", **fields):
    return HTTP.post(f"{site.url}{path}", json={**GREEDY, **fields})


def all_is_given_back(site):
    site.until(lambda: site.engine.blocks.used == 0 and not site.engine.is_busy and not site.thread.streams)


def test_a_stream_has_the_text_and_the_usage_of_the_whole_answer(client, site):
    asked = {**GREEDY, "prompt": "a b c", "max_tokens": 12}
    whole = client.completions.create(**asked)
    events = list(client.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
    assert whole.choices[0].text and "".join(event.choices[0].text for event in events if event.choices) == (
        whole.choices[0].text
    )
    assert all(event.usage is None and "usage" in event.model_fields_set for event in events[:-1])
    assert events[-1].choices == [] and events[-2].choices[0].finish_reason == whole.choices[0].finish_reason
    assert (events[-1].usage.prompt_tokens, events[-1].usage.completion_tokens) == (5, whole.usage.completion_tokens)
    assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens
    all_is_given_back(site)


def test_a_chat_answers_whole_and_as_a_stream(client):
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    whole = client.chat.completions.create(**GREEDY, messages=messages, max_completion_tokens=6)
    events = list(client.chat.completions.create(**GREEDY, messages=messages, max_completion_tokens=6, stream=True))
    assert events[0].choices[0].delta.role == whole.choices[0].message.role == "assistant"
    assert "".join(event.choices[0].delta.content or "" for event in events) == whole.choices[0].message.content
    assert events[-1].choices[0].finish_reason == "length" and all(event.usage is None for event in events)


def test_every_event_has_the_usage_so_far_if_that_is_asked(client):
    options = {"include_usage": True, "continuous_usage_stats": True}
    events = client.completions.create(**GREEDY, prompt="abc", max_tokens=5, stream=True, stream_options=options)
    counts = [event.usage.completion_tokens for event in events]
    assert counts == sorted(counts) and counts[0] >= 1 and counts[-1] == 5


def test_an_equal_beginning_is_found_in_the_cache_and_a_salt_keeps_apart(site):
    prompt = "the same beginning, " * 4
    first, second, salted = (
        post(site, prompt=prompt, max_tokens=2, **more).json() for more in ({}, {}, {"cache_salt": "x"})
    )
    cached = [one["usage"]["prompt_tokens_details"]["cached_tokens"] for one in (first, second, salted)]
    assert cached[0] == cached[2] == 0 and cached[1] > 50
    assert first["choices"] == second["choices"] == salted["choices"]


def test_a_stop_string_ends_the_answer_and_is_not_part_of_it(site):
    text = post(site, prompt="xyz", max_tokens=40).json()["choices"][0]["text"]
    stop = text[10:12]
    assert len(stop) == 2
    stopped = post(site, prompt="xyz", max_tokens=40, stop=[stop, "never this"]).json()["choices"][0]
    assert stopped["text"] == text[: text.find(stop)] and stopped["finish_reason"] == "stop"


def test_models_health_and_metrics(client, site):
    assert [one.id for one in client.models.list()] == ["tiny"]
    assert client.models.retrieve("tiny").created > 0
    assert HTTP.get(f"{site.url}/health").status_code == 200
    post(site, prompt="count me", max_tokens=3)
    text = HTTP.get(f"{site.url}/metrics").text
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    label = '{model_name="tiny"}'
    assert float(values[f"vllm:generation_tokens_total{label}"]) >= 3
    assert values[f"vllm:num_requests_running{label}"] == "0"
    assert int(values[f"vllm:time_to_first_token_seconds_count{label}"]) >= 1
    assert all(math.isfinite(float(value)) for value in values.values())


@pytest.mark.parametrize(
    "body, status, word",
    [
        (b"{", 400, "JSON"),
        (b"", 400, "JSON"),
        (b"[1]", 400, "object"),
        (b'{"prompt": "\xff\xfe"}', 400, "UTF-8"),
        (b'{"prompt": "\\ud800"}', 400, "surrogate"),
        (b"[" * 50_000, 400, "JSON"),
        (b'{"prompt": "a", "max_tokens": 1e3}', 400, "max_tokens"),
        (b'{"prompt": "a", "max_tokens": 99999999999999999999}', 400, str(LONGEST)),
        (b'{"prompt": "a", "max_tokens": -1}', 400, "max_tokens"),
        (b'{"prompt": "a", "model": "gpt-9"}', 404, "gpt-9"),
        (b'{"prompt": ""}', 400, "empty"),
        (b'{"prompt": ["a", "b"]}', 400, "one prompt"),
        (b'{"prompt": [1, 300]}', 400, "vocabulary"),
        (b'{"prompt": [1, -3]}', 400, "token ids"),
        (b'{"prompt": {"a": 1}}', 400, "prompt"),
        (b'{"prompt": "a", "temperature": NaN}', 400, "temperature"),
        (b'{"prompt": "a", "temperature": -1}', 400, "temperature"),
        (b'{"prompt": "a", "top_p": -0.1}', 400, "top_p"),
        (b'{"prompt": "a", "stop": [""]}', 400, "stop"),
        (b'{"prompt": "a", "stop": 0}', 400, "stop"),
        (b'{"prompt": "a", "stop_token_ids": ""}', 400, "stop_token_ids"),
        (b'{"prompt": "a", "stream_options": []}', 400, "stream_options"),
        (b'{"prompt": "a", "cache_salt": {}}', 400, "cache_salt"),
        (b'{"prompt": "a", "n": 2}', 400, "n is not supported"),
        (b'{"prompt": "a", "logprobs": 5}', 400, "logprobs"),
        (b'{"prompt": "a", "frequency_penalty": 0.5}', 400, "frequency_penalty"),
        (b'{"prompt": "a", "stream": "yes"}', 400, "stream"),
        (b'{"prompt": "a", "stream": 1.0}', 400, "stream"),
        (b'{"prompt": "a", "stream_options": {"include_usage": true}}', 400, "stream: true"),
        (b'{"prompt": "a", "stream": true, "stream_options": {"usage": true}}', 400, "stream_options.usage"),
        (b'{"prompt": "a", "temprature": 0}', 400, "temprature is not supported"),
        (b'{"prompt": "a", "max_completion_tokens": 3}', 400, "max_completion_tokens is not supported"),
        (b'{"prompt": "a", "echo": true}', 400, "only false"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_served_gets_a_clear_answer(site, body, status, word):
    answer = HTTP.post(f"{site.url}/v1/completions", content=body)
    assert answer.status_code == status and word in answer.json()["error"]["message"]


def test_values_that_change_nothing_are_accepted(site):
    neutral = {
        "n": 1,
        "frequency_penalty": 0.0,
        "presence_penalty": 0,
        "logprobs": None,
        "user": "someone",
        "top_k": -1,
        "top_p": 0,
        "max_tokens": None,
        "metadata": {"team": "a"},
        "stream_options": None,
    }
    assert post(site, prompt="a", **neutral).json()["usage"]["completion_tokens"] <= 16


@pytest.mark.parametrize(
    "messages",
    [
        None,
        [],
        ["hi"],
        [{"role": "robot", "content": "a"}],
        [{"role": "user", "content": [{"type": "image_url"}]}],
        [{"role": "user", "content": [{"type": "text", "text": 3}]}],
        [{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {}}]}],
        [{"role": "user", "content": "a", "name": "someone"}],
        [{"role": "assistant", "content": "a", "tool_calls": [{"id": "1"}]}],
    ],
)
def test_messages_that_are_none_are_refused(site, messages):
    assert post(site, "/v1/chat/completions", messages=messages).status_code == 400


def test_the_messages_of_an_earlier_answer_can_be_sent_back(client):
    first = client.chat.completions.create(
        **GREEDY, messages=[{"role": "user", "content": "a"}], max_completion_tokens=3
    )
    sent = [{"role": "user", "content": "a"}, first.choices[0].message, {"role": "user", "content": "b"}]
    assert client.chat.completions.create(**GREEDY, messages=sent, max_tokens=2).usage.completion_tokens <= 2


def test_both_names_of_the_longest_answer_are_refused_together(site):
    asked = {"messages": [{"role": "user", "content": "a"}], "max_tokens": 2, "max_completion_tokens": 3}
    answer = post(site, "/v1/chat/completions", **asked)
    assert answer.status_code == 400 and "old name" in answer.json()["error"]["message"]


@pytest.mark.parametrize("kind", ["completion", "chat.completion"])
def test_no_documented_field_is_dropped_without_a_word(kind):
    """Every field of the openai package gets a value of a form that means something else than its default."""
    documented = importlib.import_module(f"openai.types.{kind}_create_params").CompletionCreateParamsBase
    own = {"prompt": "a"} if kind == "completion" else {"messages": [{"role": "user", "content": "a"}]}

    def read(**fields):
        tokenizer = ByteTokenizer()
        return completion(own | fields, tokenizer) if kind == "completion" else chat(own | fields, tokenizer, 100)

    others = documented.__annotations__.keys() - {*HONOURED, *LABELS, *own, "max_completion_tokens"}
    assert len(others) >= 7
    for name in others:
        for value in (7, "x", {"a": 1}, [1], True):
            if value not in NEUTRAL.get(name, ()):
                with pytest.raises(Refused) as refused:
                    read(**{name: value})
                assert refused.value.parameter == name
        read(**{name: None})


@pytest.mark.parametrize(
    "call, error, code",
    [
        (lambda c: c.completions.create(model="other", prompt="a"), "NotFoundError", "model_not_found"),
        (lambda c: c.models.retrieve("other"), "NotFoundError", "model_not_found"),
        (
            lambda c: c.completions.create(**GREEDY, prompt="a", max_tokens=9999),
            "BadRequestError",
            "context_length_exceeded",
        ),
        (lambda c: c.completions.create(**GREEDY, prompt="a", n=2), "BadRequestError", None),
    ],
)
def test_errors_have_the_form_and_the_codes_that_openai_publishes(client, openai, call, error, code):
    with pytest.raises(getattr(openai, error)) as raised:
        call(client)
    assert raised.value.code == code and raised.value.type == "invalid_request_error"
    assert set(raised.value.body) == {"message", "type", "param", "code"} and raised.value.param is not None


def test_a_body_of_100_mb_is_refused_before_it_is_read(site):
    head = b"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 104857600\r\n\r\n"
    with socket.create_connection(("127.0.0.1", site.port), SECONDS) as connection:
        connection.sendall(head)  # and nothing of the body
        assert b" 413 " in connection.recv(1000)


def test_a_client_that_writes_its_whole_large_body_still_reads_the_refusal(site):
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=SECONDS)
    connection.request("POST", "/v1/completions", b"x" * 20_000_000)  # it reads nothing before the end of the body
    answer = connection.getresponse()
    assert answer.status == 413 and b"larger than" in answer.read()
    connection.close()


def test_a_body_without_a_length_is_refused_when_it_is_too_long(site):
    pieces = (b"x" * 10_000 for _ in range(30))
    with suppress(httpx.WriteError):  # the server may close the connection while we are writing
        assert HTTP.post(f"{site.url}/v1/completions", content=pieces).status_code == 413
    assert post(site, prompt="still here", max_tokens=1).status_code == 200


def test_a_client_that_goes_away_frees_its_blocks_at_once(client, site, monkeypatch):
    step = Engine.step
    monkeypatch.setattr(Engine, "step", lambda self, stops=None: time.sleep(0.01) or step(self, stops))
    before = site.thread.metrics.finished["abort"]
    stream = client.completions.create(
        **GREEDY, prompt="go", max_tokens=390, stream=True, extra_body={"ignore_eos": True}
    )
    next(iter(stream))
    stream.close()
    all_is_given_back(site)
    assert site.thread.metrics.finished["abort"] == before + 1


def test_a_client_that_never_reads_is_no_burden_to_others(site):
    body = json.dumps({**GREEDY, "prompt": "a", "max_tokens": 390, "stream": True, "ignore_eos": True}).encode()
    head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", site.port), SECONDS) as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        silent.sendall(head + body)
        assert post(site, prompt="meanwhile", max_tokens=3).status_code == 200
        all_is_given_back(site)  # the answer is in buffers: no block waits for this client


def test_a_page_of_another_site_is_refused_and_a_local_name_is_not(site):
    assert HTTP.get(f"{site.url}/v1/models", headers={"origin": "http://evil.example"}).status_code == 403
    assert HTTP.get(f"{site.url}/v1/models", headers={"host": "evil.example"}).status_code == 403
    assert HTTP.get(f"{site.url}/v1/models", headers={"host": "localhost"}).status_code == 200


def test_with_a_key_every_request_but_health_needs_it():
    with running(key="k" * 20) as site:
        assert HTTP.get(f"{site.url}/v1/models").status_code == 401
        assert HTTP.get(f"{site.url}/metrics").status_code == 401
        assert HTTP.get(f"{site.url}/v1/models", headers={"authorization": "Bearer " + "k" * 19}).status_code == 401
        given = {"authorization": "Bearer " + "k" * 20, "host": "model.example"}
        assert HTTP.get(f"{site.url}/v1/models", headers=given).status_code == 200
        assert HTTP.get(f"{site.url}/health").status_code == 200


def test_a_full_queue_answers_429_and_the_others_are_served(monkeypatch):
    gate = threading.Event()
    step = Engine.step
    monkeypatch.setattr(Engine, "step", lambda self, stops=None: gate.wait(SECONDS) and step(self, stops))
    with running({"most_running": 1}, queue=1) as site:
        answers = []
        asking = [
            threading.Thread(target=lambda: answers.append(post(site, prompt="a", max_tokens=2))) for _ in range(2)
        ]
        for one in asking:
            one.start()
        site.until(lambda: len(site.thread.streams) == 2)
        refused = post(site, prompt="a")
        assert refused.status_code == 429 and int(refused.headers["retry-after"]) >= 1
        gate.set()
        for one in asking:
            one.join(SECONDS)
        assert [answer.status_code for answer in answers] == [200, 200]


def test_an_engine_that_fails_answers_its_clients_and_says_so_in_health(monkeypatch):
    def fail(self, stops=None):
        raise RuntimeError("device lost")

    with running() as site:
        monkeypatch.setattr(Engine, "step", fail)
        broken = post(site, prompt="a")
        assert broken.status_code == 500 and "device lost" in broken.json()["error"]["message"]
        assert HTTP.get(f"{site.url}/health").status_code == 503
        assert post(site, prompt="a").status_code == 503


def test_out_of_blocks_the_requests_take_turns_and_all_end():
    with running({"blocks": 30, "most_running": 8}) as site:
        answers = []
        asked = {"max_tokens": 40, "ignore_eos": True}
        asking = [
            threading.Thread(target=lambda n=n: answers.append(post(site, prompt=f"{n}" * 30, **asked)))
            for n in range(5)
        ]
        for one in asking:
            one.start()
        for one in asking:
            one.join(SECONDS)
        assert [one.json()["usage"]["completion_tokens"] for one in answers] == [40] * 5
        too_long = post(site, prompt="a" * 100, max_tokens=40)
        assert too_long.status_code == 400 and "120" in too_long.json()["error"]["message"]
        assert "vllm:num_preemptions_total" in HTTP.get(f"{site.url}/metrics").text
