"""`perfproof load` from end to end, against the server of known behaviour."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest

from perfproof.core.load import LoadResult
from perfproof.core.schema import schema_text
from perfproof.load.record_file import read_records
from perfproof.report.load.text import render
from tests.load.short_blocks import shorten_blocks
from tests.load.tiny_shape import serve_tiny
from tests.report.page_reader import Page

SHORT = ("--duration", "2", "--prompt-tokens", "30", "--output-tokens", "6")


@pytest.fixture
def load(perfproof, warm_python, monkeypatch, tmp_path):
    shorten_blocks(monkeypatch)
    monkeypatch.setenv("PERFPROOF_STATE", str(tmp_path / "state"))
    return lambda *arguments: perfproof("load", *arguments)


def test_a_test_leaves_a_document_a_page_and_every_request(load, tmp_path):
    done = load("builtin?base=4ms", "--rate", "25", *SHORT, "--price", "3.6", "--strict")
    (folder,) = tmp_path.glob("artifacts/*-load-*")
    result = LoadResult.model_validate_json((folder / "load.json").read_text())
    _, records, wrong = read_records(folder / "requests.jsonl")
    assert not wrong and len(records) == sum(result.whole.outcomes.values()) > 20
    assert all(one.outcome == "ok" and one.output_tokens == 6 for one in records)
    assert result.whole.figure("TPOT").quantiles["p50"].value == pytest.approx(0.004, rel=0.5)
    failed = {one.name for one in result.checks if one.result == "fail"}
    assert failed <= {"client lag", "client saturation", "drift"}, done.out  # a busy machine may cause these
    assert done.code == bool(failed) and ("no headline" in done.out) == bool(failed)
    assert "client wait" in done.out and "per million output tokens" in done.out
    narrow = render(result, width=60)
    assert max(map(len, narrow.splitlines())) <= 60 and "p99" in narrow
    page = (folder / "load.html").read_text()
    assert len(Page(page).find("svg")) >= 4 and "http://" not in page and "src=" not in page


def test_a_search_answers_with_a_rate_its_interval_and_a_curve(load, tmp_path):
    done = load(
        "builtin?base=4ms&slots=1",
        "--slo",
        "latency_p50<60ms",
        "--rate",
        "15",
        *SHORT[2:],
        "--duration",
        "0.6",
        "--json",
    )
    result = json.loads(done.out)
    slo = result["slo"]
    assert slo["low"] <= slo["rate"] <= slo["high"] and len(slo["steps"]) >= 4
    assert 0 < slo["rate"] < 60  # a slot of 6 x 4 ms serves 42 per second; a short step forgives a little more
    shares = [one["shares"][0] for one in slo["steps"]]
    assert min(shares) < 0.5 <= max(shares)  # rates on both sides of the limit were measured
    (folder,) = tmp_path.glob("artifacts/*-load-*")
    page = (folder / "load.html").read_text()
    assert all(f"{name} against the rate" in page for name in ("latency at 50 %", "within the SLO,", "per second,"))


def test_two_servers_are_compared_in_pairs_of_blocks(load):
    done = load(
        "builtin?base=3ms", "--against", "builtin?base=9ms", "--rate", "20", "--json", *SHORT[2:], "--duration", "4"
    )
    found = {one["metric"]: one for one in json.loads(done.out)["against"]}
    assert found["mean TPOT"]["verdict"] in ("worse", "unstable") and found["mean TPOT"]["blocks"] == 8
    assert found["mean TPOT"]["ratio"] < 0.6


def test_two_serve_commands_are_started_compared_and_ended(load, tmp_path):
    one, other = serve_tiny(tmp_path), f"perfproof {serve_tiny(tmp_path, '--token-budget 16')}"
    done = load(one, "--against", other, "--rate", "12", "--duration", "4", *SHORT[2:])
    assert done.code == 0, done.err
    starts = [line for line in done.err.splitlines() if line.startswith("starting ")]
    assert [one in starts[0], other in starts[1], len(starts)] == [True, True, 2] and "pair 8 of 8" in done.err
    (folder,) = tmp_path.glob("artifacts/*-load-against-*")
    result = LoadResult.model_validate_json((folder / "load.json").read_text())
    assert (result.url, result.against_url) == (one, other) and result.whole.outcomes.keys() == {"ok"}
    assert {found.blocks for found in result.against} == {8} and not serving(tmp_path)


def test_an_interrupted_test_ends_its_server(load, tmp_path):
    command = [sys.executable, "-m", "perfproof", "load", serve_tiny(tmp_path), "--rate", "20", "--duration", "60"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command, *SHORT[2:]], cwd=tmp_path, text=True, **pipes) as process:
        assert process.stderr.readline().startswith("starting 'serve ")
        while not any(path.read_text().count("\n") > 1 for path in tmp_path.glob("artifacts/*/requests.jsonl")):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130 and "interrupted" in out, err
    assert not serving(tmp_path)


def serving(folder):
    """Processes that run in the folder, but this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found += [process.name] if os.path.samefile(process / "cwd", folder) else []
        except OSError:
            continue  # it has ended, or is another user's
    return [name for name in found if int(name) != os.getpid()]


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["serve --demo --port 80"], 2, "leave --port out"),
        (["builtin", "--against", "perfproof serve --demo --host=0.0.0.0"], 2, "leave --host out"),
        (["perfproof serve"], 2, "give --model MODEL or --demo"),
        (["serve --model absent --random"], 3, "no folder, no file and no shipped shape"),
        (["127.0.0.1:9", "--rate", "5"], 3, "does not answer"),
        (["ftp://x"], 2, "address"),
        (["builtin?speed=9"], 2, "setting"),
        (["builtin", "--rate", "-1"], 2, "above 0"),
        (["builtin", "--workload", "nothing"], 2, "summarise"),
        (["builtin", "--users", "2", "--slo", "ttft<1s"], 2, "choose one"),
        (["builtin", "--body", "["], 2, "JSON"),
        (["builtin", "--body", '{"top_p": NaN}'], 2, "JSON"),
        (["builtin", "--body", '{"max_tokens": 3}'], 2, "--output-tokens"),
        (["builtin", "--body", '{"n": 2}'], 2, "told apart"),
        (["builtin", "--slo", ""], 2, "empty"),
        (["localhost:1", "--api-key-env", "NOT_SET_ANYWHERE"], 2, "not set"),
    ],
)
def test_what_cannot_be_tested_is_refused_in_one_line(load, arguments, code, word):
    refused = load(*arguments)
    assert refused.code == code and word in refused.err.splitlines()[-1], refused.err


def test_the_self_test_keeps_the_limit_of_this_host(load, monkeypatch, tmp_path):
    from perfproof.load import selftest

    tried = []

    def fake(service, rate, seconds):
        tried.append(rate)
        late = rate > 1200 or (rate == 500 and tried.count(rate) == 1)  # something else held it up once
        return selftest.Trial(rate, 0.1 if late else 0.001, 0.9 if rate > 1200 else 0.3, 0, not late)

    monkeypatch.setattr(selftest, "_try", fake)
    monkeypatch.setattr(selftest, "_look", lambda service, rate, seconds: {"sockets": 3e-4, "reading events": 1e-4})
    done = load("selftest", "--json")
    assert done.code == 0 and json.loads(done.out)["requests_per_second"] == 1000
    assert tried == [125, 250, 500, 500, 1000, 2000, 1500, 1250]
    assert selftest.load().events_per_second == 32_000 and selftest.load().parts["sockets"] == 3e-4
    told = load("selftest")
    assert "us of CPU time per request: sockets 300 (75%), reading events 100 (25%)" in told.out


def test_a_result_of_vllm_is_shown_by_our_definitions(load, tmp_path):
    from tests.load.test_foreign import RESULT

    (tmp_path / "result.json").write_text(json.dumps(RESULT))
    shown = load("import", "result.json")
    assert shown.code == 0 and "no headline" in shown.out and "client wait" in shown.out and "queue_times" in shown.out
    assert json.loads(load("import", "result.json", "--json").out)["outcomes"] == {"error": 1, "ok": 2}


def test_what_a_killed_test_left_is_shown(load, tmp_path):
    whole = '{"index":0,"outcome":"ok","intended":0,"sent":0,"first_token":100000,"last_token":100000,"times":[100000]}'
    (tmp_path / "requests.jsonl").write_text(f'{{"perfproof": "1", "model": "m"}}\n{whole}\n{whole[:30]}')
    shown = load("import", "requests.jsonl")
    assert shown.code == 0 and "1 ok" in shown.out and "cut off" in shown.out and "TTFT" in shown.out
    assert load("import", ".").out == shown.out  # the folder of the test


@pytest.fixture
def recorded(tmp_path):
    """The records of a test, as a model makes them; `change` may touch each of them."""
    from perfproof.load.record_file import RecordFile
    from perfproof.load.what_if import Engine, simulate
    from tests.load.test_what_if import MODEL, requests

    def write(change=lambda record: None):
        file = RecordFile(tmp_path / "requests.jsonl", {"url": "x"})
        for record in simulate(requests((2, 8), seconds=5.0), MODEL, Engine()):
            change(record)
            file.add(record)
        file.close()

    return write


def test_a_recorded_test_is_simulated_with_other_settings_and_called_a_model(load, recorded):
    recorded()
    shown = load("whatif", ".", "--speed", "2", "--replicas", "2", "--policy", "least-loaded")
    assert shown.code == 0 and "a model of requests.jsonl, not a measurement" in shown.out and "(p50)" in shown.out
    assert "what if: speed 2.0, replicas 2, policy least-loaded" in shown.out
    assert "prompts in it" in shown.out and "TTFT p99" in shown.out
    assert "does not fit" not in shown.out and "confirmed" not in shown.out
    said = json.loads(load("whatif", ".", "--prefill", "1", "--handover", "2ms", "--ttft-limit", "50ms", "--json").out)
    assert said["settings"] == {"prefill": "1", "handover": "2ms", "ttft-limit": "50ms"} and said["confirmed"] is None
    assert said["what_if"]["outcomes"]["shed"] > 0 and "were refused" in said["notes"][0]


def test_a_test_of_a_real_server_confirms_the_model_and_stands_beside_it(load, recorded, tmp_path):
    recorded()
    asked = ("whatif", ".", "--speed", "8", "--slots", "64", "--confirm", "builtin?base=8ms&slots=64")
    shown = load(*asked)
    assert shown.code == 0 and "model off by" in shown.out and "confirmed" in shown.out, shown.err
    assert "the range of a figure: " in shown.out and " to " in shown.out
    folder = next(path.parent for path in (tmp_path / "artifacts").glob("*/what-if.json"))
    document = json.loads((folder / "what-if.json").read_text())
    jsonschema.validate(document, json.loads(schema_text("what-if")))
    assert "confirmed: " in document["verdict"] and document["verdict"] in shown.out
    assert document["confirmed"]["outcomes"] == {"ok": 50} and document["what_if"]["outcomes"] == {"ok": 50}
    page = (folder / "what-if.html").read_text()
    assert all(f"{name}:" in page for name in ("measured", "model of it", "what if", "confirmed"))
    assert page.count("<svg") == 3 and (folder / "load.html").is_file() and (folder / "load.json").is_file()


@pytest.fixture
def valid_test():
    return SimpleNamespace(result=SimpleNamespace(checks=[]))


@pytest.fixture
def window_of_equals():
    """Of fifty requests whose first tokens take so many seconds."""
    from perfproof.load.measures import window_of
    from perfproof.load.record import Record

    def window(seconds):
        ends = dict(sent=0.0, first_token=seconds, last_token=seconds + 0.1, end=seconds + 0.1, outcome="ok")
        return window_of(
            [Record(n, 0.0, times=[seconds, seconds + 0.1], tokens=[1, 1], **ends) for n in range(50)], 0.0, 9.0
        )

    return window


@pytest.mark.parametrize(
    ("measured", "checks", "said"),
    [
        (1.05, [], "confirmed: all medians within 10 %, the worst is TTFT (-4.8%)"),
        (1.5, [], "not confirmed: the model's median of TTFT is off by -33.3%"),
        (1.0, ["client lag"], "not confirmed: the second test is not valid (client lag failed)"),
    ],
)
def test_a_model_is_confirmed_by_a_valid_test_that_agrees(valid_test, window_of_equals, measured, checks, said):
    from perfproof.app.what_if import _verdict
    from perfproof.core.documents import Check

    valid_test.result.checks += [Check(name=name, result="fail", detail="99 % within 47 ms") for name in checks]
    windows = {"what if": window_of_equals(1.0), "confirmed": window_of_equals(measured)}
    assert _verdict(windows, valid_test, 0.01).startswith(said)


def test_a_model_that_is_off_by_no_more_than_its_range_says_so(valid_test, window_of_equals):
    from perfproof.app.what_if import LONGER, SHORTER, _verdict

    windows = {"what if": window_of_equals(1.0), "confirmed": window_of_equals(1.5)}
    ends = {SHORTER: window_of_equals(0.8), LONGER: window_of_equals(1.6)}
    said = _verdict(windows | ends, valid_test, 0.01)
    assert said.startswith("confirmed within its range only: the model's median of TTFT is off by -33.3%")
    assert _verdict(windows | ends | {LONGER: window_of_equals(1.4)}, valid_test, 0.01).startswith("not confirmed: ")
    without = {name: window for name, window in (windows | ends).items() if name != SHORTER}
    assert _verdict(without, valid_test, 0.01).startswith("not confirmed: ")


def test_a_model_that_is_wrong_far_from_the_limit_is_not_confirmed_because_its_range_is_wide(
    valid_test, window_of_equals
):
    """A model that is off by a quarter has a range of a quarter each way: then no queue makes it wide."""
    from perfproof.app.what_if import LONGER, SHORTER, _verdict

    windows = {"what if": window_of_equals(1.0), "confirmed": window_of_equals(1.2)}
    ends = {SHORTER: window_of_equals(0.8), LONGER: window_of_equals(1.25)}
    assert _verdict(windows | ends, valid_test, 0.25).startswith("not confirmed: ")
    assert _verdict(windows | ends, valid_test, 0.05).startswith("not confirmed: ")


def test_what_a_replay_cannot_repeat_is_not_called_a_confirmation(load, recorded):
    recorded(lambda record: setattr(record, "turn", record.index % 2))
    refused = load("whatif", ".", "--confirm", "builtin")
    assert refused.code == 2 and "several turns" in refused.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--policy", "kv-aware"), "only with --replicas"),
        (("--prefill", "1"), "--handover"),
        (("--handover", "2ms"), "only with --prefill"),
        (("--replicas", "2", "--policy", "random"), "least-loaded"),
        (("--ttft-limit", "2"), "500ms"),
    ],
)
def test_settings_that_would_change_nothing_are_refused(load, recorded, options, why):
    recorded()
    refused = load("whatif", ".", *options)
    assert refused.code == 2 and why in refused.err and refused.out == ""


def test_a_test_is_named_by_latest_or_its_id_in_every_command(load, tmp_path):
    folder = tmp_path / "artifacts" / "20260101T000000Z-load-e0146a"
    folder.mkdir(parents=True)
    times = list(accumulate([1000, 100_000] * 150))  # steps that no batch explains
    ends = f'"first_token":{times[0]},"last_token":{times[-1]},"end":{times[-1]},"output_tokens":{len(times)}'
    record = f'{{"outcome":"ok","intended":0,"sent":0,{ends},"times":{times}'
    lines = [f'{record},"index":{number}}}' for number in range(3)]
    (folder / "requests.jsonl").write_text("\n".join(['{"perfproof": "1", "model": "m"}', *lines]) + "\n")
    for name in ("latest", "e0146a", "e01", str(folder)):
        shown = load("whatif", name)
        assert shown.code == 0 and shown.out.startswith("the model does not fit"), shown.err
        assert load("import", name).code == 0
    assert "no run 'abc'" in load("whatif", "abc").err and load("import", "abc.json").code == 2


def test_without_a_load_test_the_way_to_one_is_said(load):
    for command in (("whatif", "latest"), ("compare", "latest", "previous")):
        refused = load(*command)
        assert refused.code == 5 and "perfproof load SERVER" in refused.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--rate", "3", "--users", "2"), "--users and --rate: choose one"),
        (("--rate", "3", "--trace", "x.csv"), "--trace and --rate: choose one"),
        (("--think", "1"), "--think means something only with --users"),
        (("--shed",), "--shed means something only with --cap"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(load, options, why):
    refused = load("builtin", *options)
    assert refused.code == 2 and why in refused.err
