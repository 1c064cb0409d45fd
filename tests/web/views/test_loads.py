"""Load tests in the dashboard: the list, and a page for each that runs, has ended, or was killed."""

import re
import subprocess
import sys
import time

import pytest

from perfproof.core.load import SloResult, SloStep, SloTerm
from perfproof.web.load_tests import running_loads
from tests.report.page_reader import Page
from tests.web.conftest import client_of
from tests.web.sample_site import finish_load, kill_load, make_load, name_of


@pytest.fixture
def killed(tmp_path):
    return kill_load(tmp_path, make_load(tmp_path, 5))


@pytest.fixture
def finished(tmp_path):
    said = {"headline": "B against A: mean TPOT better", "url": "host:8000", "against_url": "other:1"}
    return finish_load(tmp_path, make_load(tmp_path, 6, slug="load-against", against="other:1"), **said)


def test_a_running_test_is_followed_and_shown_without_script_too(tmp_path):
    name = make_load(tmp_path)
    for address in (f"/loads/{name}", "/live"):
        text = client_of(tmp_path).get(address).text
        assert f'data-events="/live/{name}/events"' in text and "/assets/live.js" in text and "<noscript>" in text
        assert "3 requests so far, 1.48 answered per second" in text and "TTFT p50 20.0 ms" in Page(text).text
        assert "m at host:8000" in Page(text).text and re.search(r'value="0\.20', text)


def test_a_killed_test_is_partial_and_says_what_it_had_measured(tmp_path, killed):
    answer = client_of(tmp_path).get(f"/loads/{killed}")
    text = Page(answer.text).text
    assert "Partial: this test ended before its result was written" in text and "3 requests so far" in text
    assert f"perfproof load import {killed}" in text and "data-events" not in answer.text
    assert "Nothing runs now" in client_of(tmp_path).get("/live").text


def test_a_finished_test_has_its_headline_its_measures_and_its_report(tmp_path, finished):
    client = client_of(tmp_path)
    page = Page(client.get(f"/loads/{finished}").text)
    assert "B against A: mean TPOT better" in page.text and "TTFT" in page.text and "against other:1" in page.text
    links = {one.attributes["href"] for one in page.find("a")}
    for address in (f"/artifacts/{finished}/load.html", f"/artifacts/{finished}/"):
        assert address in links and client.get(address).status_code == 200
    assert f'href="/loads/{finished}"' in client.get(f"/artifacts/{finished}/").text


def a_search(*steps):
    term = SloTerm(metric="TTFT", quantile=0.99, limit=0.2, text="ttft_p99<200ms")
    told = dict(seconds=4.0, output_tokens_per_second=900.0, token_goodput=880.0)
    made = [
        SloStep(rate=rate, requests=400, shares=[share], verdict=verdict, aborted=why, request_goodput=rate, **told)
        for rate, share, verdict, why in steps
    ]
    return SloResult(terms=[term], rate=116.0, low=110.0, high=124.0, sentence="116 req/s", steps=made)


def test_a_search_has_a_row_for_each_tried_rate_with_its_outcome(tmp_path):
    attack = "</td><script>alert(1)</script>"
    found = a_search((68.0, 1.0, "open", ""), (116.0, 0.995, "meets", ""), (197.0, 0.91, "misses", attack))
    name = finish_load(tmp_path, make_load(tmp_path), slo=found)
    text = client_of(tmp_path).get(f"/loads/{name}").text
    page = Page(text)
    tables = [one for one in page.find("table") if "Share of requests that met each limit" in one.text]
    rows = [[cell.text for cell in row.children] for row in tables[0].children[2].children]
    assert [row[:3] for row in rows] == [["68", "unclear", "400"], ["116", "meets", "400"], ["197", "misses", "400"]]
    assert "ttft_p99<200ms" in tables[0].text and rows[1][5] == "99.50 %" and "alert" in rows[2][-1]
    assert "Rates" in page.text and "<script>alert" not in text


def test_a_test_at_one_rate_has_no_table_of_rates(tmp_path, finished):
    nothing = finish_load(tmp_path, make_load(tmp_path, 8), slo=a_search())
    for name in (finished, nothing):
        assert "<h2>Rates" not in client_of(tmp_path).get(f"/loads/{name}").text


def test_an_import_has_no_server_and_no_report(tmp_path):
    name = finish_load(tmp_path, make_load(tmp_path, slug="load-import"))
    (tmp_path / name / "load.html").unlink()
    text = Page(client_of(tmp_path).get(f"/loads/{name}").text).text
    assert "Its report" not in text and "Its files" in text and " at " not in text.partition(", workload")[0]


def test_the_overview_and_the_list_say_what_runs_what_is_partial_and_what_was_found(tmp_path, killed, finished):
    running = make_load(tmp_path, 7)
    client = client_of(tmp_path)
    for address in ("/", "/loads"):
        page = Page(client.get(address).text)
        body = next(one for one in page.one("table", class_="runs list").children if one.tag == "tbody")
        said = [" ".join(row.text.split()) for row in body.children]
        assert ["running" in said[0], "mean TPOT better" in said[1], "partial" in said[2]] == [True] * 3, said
        assert {f"/loads/{name}" for name in (killed, finished, running)} <= {
            one.attributes["href"] for one in page.find("a")
        }
    overview = client.get("/").text
    assert overview.count("Running now") == 1 and "There are no runs yet" not in overview
    assert "1 to 1 of 1 load tests" in " ".join(client.get("/loads?q=against").text.split())


def test_a_result_that_cannot_be_read_is_said(tmp_path, killed):
    (tmp_path / killed / "load.json").write_text("{")
    client = client_of(tmp_path)
    assert "cannot be read" in client.get("/").text and client.get(f"/loads/{killed}").status_code == 400


def test_what_is_no_load_test_is_not_there(tmp_path):
    make_load(tmp_path)
    client = client_of(tmp_path)
    for name in ("nothing", name_of(1, "load"), "..%2fx"):
        assert client.get(f"/loads/{name}").status_code == 404


def test_names_of_servers_and_models_are_words(tmp_path):
    attack = "</p><script>alert(1)</script>"
    name = make_load(tmp_path, model=attack, url=f"{attack}?password=hunter2-hunter2")
    for address in (f"/loads/{name}", "/live", "/"):
        text = client_of(tmp_path).get(address).text
        assert "<script>alert" not in text and "hunter2" not in text, address


def test_a_test_is_shown_while_it_runs_and_as_partial_when_it_was_killed(tmp_path):
    words = [
        "load",
        "builtin?base=1ms",
        "--rate",
        "30",
        "--duration",
        "600",
        "--prompt-tokens",
        "9",
        "--output-tokens",
        "3",
    ]
    command = [sys.executable, "-m", "perfproof", *words, "--artifacts-dir", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        client = client_of(tmp_path)
        wait_until(lambda: "requests so far" in client.get("/loads").text, process)
        (name,) = running_loads(tmp_path)
        text = Page(client.get(f"/loads/{name}").text).text
        assert "known at builtin?base=1ms" in text and "answered per second" in text and "TPOT p50" in text
        process.kill()
    kill_load(tmp_path, name)
    assert "Partial: this test ended" in Page(client.get(f"/loads/{name}").text).text


def wait_until(happens, process):
    while not happens():
        assert process.poll() is None
        time.sleep(0.05)
