"""`perfproof ab` of two servers from end to end; what is refused in one line."""

import json
import xml.etree.ElementTree as ET

import pytest

from perfproof.core.load import LoadResult
from tests.load.short_blocks import shorten_blocks
from tests.load.tiny_shape import serve_tiny

SHORT = ("--rate", "20", "--duration", "4", "--workload", "short.yaml")


@pytest.fixture
def ab(perfproof, warm_python, monkeypatch, tmp_path):
    shorten_blocks(monkeypatch)
    monkeypatch.setenv("PERFPROOF_STATE", str(tmp_path / "state"))
    (tmp_path / "short.yaml").write_text("prompt: 20\noutput: 8\n")
    return lambda *arguments: perfproof("ab", *arguments)


def test_the_gate_fails_for_a_server_that_is_three_times_slower(ab, tmp_path):
    done = ab("builtin?base=3ms", "builtin?base=9ms", *SHORT, "--gate", "--judge", "TPOT", "--format", "junit")
    assert "above 1 the other server is better" in done.out and "pair 8 of 8" in done.err
    (folder,) = tmp_path.glob("artifacts/*-load-against-*")
    result = LoadResult.model_validate_json((folder / "load.json").read_text())
    assert (result.url, result.against_url) == ("builtin?base=3ms", "builtin?base=9ms")
    verdict = {one.metric: one.verdict for one in result.against}["mean TPOT"]
    assert verdict in ("worse", "unstable")  # a busy machine may disturb blocks
    line = "failed: B is worse than A in mean TPOT 0." if verdict == "worse" else "not decided: mean TPOT 0."
    assert done.err.splitlines()[-1].startswith(f"gate {line}") and done.code == (verdict == "worse")
    (case,) = ET.fromstring(done.out).findall(".//testcase[@name='mean TPOT of B against A']")
    assert case.find("failure" if verdict == "worse" else "skipped") is not None
    (gate,) = ET.fromstring(done.out).findall(".//testcase[@name='the gate']")
    assert gate.find("failure" if verdict == "worse" else "skipped") is not None


def test_serve_commands_are_servers_and_the_document_can_be_printed(ab, tmp_path):
    done = ab("--a", serve_tiny(tmp_path), "--b", serve_tiny(tmp_path, "--token-budget 16"), *SHORT, "--json")
    assert done.code == 0 and done.err == "", done.err
    found = {one["metric"]: one["blocks"] for one in json.loads(done.out)["against"]}
    assert found == dict.fromkeys(("mean TTFT", "mean TPOT", "mean latency", "output tokens per second"), 8)


def test_users_in_a_closed_loop_and_a_file(ab, tmp_path):
    done = ab("builtin?base=3ms", "builtin?base=3ms", "--users", "2", *SHORT[2:], "-o", "page.html", "-q")
    assert done.code == 0 and done.out == "page.html\n"
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert len(list(tmp_path.glob("artifacts/*-load-against-*/load.html"))) == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["builtin", "ls"], "'builtin' is a server and 'ls' is not"),
        (["http://a:1"], "is one server: ab compares two; `perfproof load SERVER` tests one"),
        (["builtin", "builtin", "--effort", "quick"], "--effort means nothing for servers"),
        (["builtin", "builtin", "--env-b", "X=1"], "`perfproof load A --against B` has more options"),
        (["builtin", "builtin", "--no-telemetry"], "--telemetry means nothing for servers"),
        (["builtin", "builtin", "--rate", "2", "--users", "2"], "--users and --rate: choose one"),
        (["builtin", "builtin", "--format", "csv"], "--format csv is not for servers"),
        (["builtin", "builtin", "--judge", "wall", "--gate"], "choose TTFT, TPOT"),
        (["builtin", "builtin", "--judge", "TTFT"], "add --gate"),
        (["builtin", "serve --demo --port 1", "--duration", "9"], "leave --port out"),
        (["ls", "ls", "--rate", "3"], "--rate is for two servers"),
        (["ls", "ls", "--workload", "chat"], "--workload is for two servers"),
    ],
)
def test_what_means_nothing_is_refused_in_one_line(ab, arguments, why):
    refused = ab(*arguments)
    assert refused.code == 2 and refused.out == "" and why in refused.err.splitlines()[-1], refused.err
