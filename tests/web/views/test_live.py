"""The page that follows runs."""

import json
import os

from perfproof.web.views import live
from tests.web.conftest import client_of
from tests.web.sample_site import kill_load, make_load, make_running, name_of


def test_what_runs_is_shown_without_script_too(tmp_path):
    name = make_running(tmp_path)
    text = client_of(tmp_path).get("/live").text
    assert f'data-events="/live/{name}/events"' in text
    assert "b: 1.66x so far" in text
    assert "1 of 2 done; b: plain: 1 of 5" in text and 'value="0.6"' in text and "<noscript>" in text


def test_a_bar_of_unknown_length_is_not_empty(tmp_path):
    name = make_running(tmp_path)
    news = {"done": 0, "total": 1, "target": "b", "phase": "measuring", "share": None}
    (tmp_path / name / "progress.jsonl").write_text(json.dumps(news) + "\n")
    text = client_of(tmp_path).get("/live").text
    assert '<progress max="1" aria' in text and "b: measuring" in text


def test_a_run_without_news_for_long_may_have_been_killed(tmp_path):
    name = make_running(tmp_path)
    file = tmp_path / name / "progress.jsonl"
    os.utime(file, (0, 0))
    assert "it may have been killed" in client_of(tmp_path).get("/live").text


def test_a_run_that_is_over_has_no_events(tmp_path):
    make_running(tmp_path)
    client = client_of(tmp_path)
    for name in (name_of(1, "x"), "..%2fx", "nothing"):
        assert client.get(f"/live/{name}/events").status_code == 404


def test_there_is_a_limit_to_pages_that_follow(tmp_path, monkeypatch):
    name = make_running(tmp_path)
    monkeypatch.setattr(live, "MOST_STREAMS", 0)
    assert client_of(tmp_path).get(f"/live/{name}/events").status_code == 503


def test_a_load_test_that_is_over_has_no_events(tmp_path):
    name = kill_load(tmp_path, make_load(tmp_path))
    assert client_of(tmp_path).get(f"/live/{name}/events").status_code == 404


def test_nothing_runs_now(client):
    assert "Nothing runs now" in client.get("/live").text
