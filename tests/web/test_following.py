"""Progress as events: what was said, what is said next, and the end."""

import asyncio
import json

import pytest

from perfproof.core.errors import NothingMatched
from perfproof.web import following
from tests.web.sample_site import make_load, make_running, name_of


@pytest.fixture
def running(tmp_path, monkeypatch):
    monkeypatch.setattr(following, "LOOK_SECONDS", 0.0)
    return tmp_path, make_running(tmp_path)


def data_of(event):
    kind, data = event.strip().split("\n")
    return kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def events_of(artifacts, name, then, news_of=following.news_of):
    """Events up to the end; `then` is called once everything that was there has been told."""

    async def collect():
        found = []
        async for event in news_of(artifacts, name):
            if event.startswith(":"):
                then()
            else:
                found.append(data_of(event))
        return found

    return asyncio.run(collect())


def test_a_new_page_is_told_what_was_said_then_what_comes_then_the_end(running):
    artifacts, name = running
    file = artifacts / name / "progress.jsonl"
    more = [{"done": 2, "total": 2, "target": "b", "phase": "done", "share": 1.0, "line": "[2/2] same b"}]

    def then():
        if more:
            with file.open("a") as out:
                out.write(json.dumps(more.pop()) + "\n")
        else:
            file.unlink()

    events = events_of(artifacts, name, then)
    assert [kind for kind, _ in events] == ["news"] * 4 + ["end"]
    assert [news["overall"] for _, news in events[:4]] == [0.25, 0.5, 0.6, 1.0]
    assert [news["line"] for _, news in events[:4]] == ["", "[1/2] faster", "", "[2/2] same b"]


def test_half_a_line_waits_for_its_other_half(running):
    artifacts, name = running
    file = artifacts / name / "progress.jsonl"
    whole = json.dumps({"done": 2, "total": 2, "target": "b", "phase": "done", "share": 1.0}) + "\n"
    file.write_text(whole + whole[:20])
    lines, place = following._lines_from(artifacts, name, None)
    assert len(lines) == 1 and place == len(whole)
    file.write_text(whole + whole)
    lines, place = following._lines_from(artifacts, name, place)
    assert len(lines) == 1 and place == 2 * len(whole)


def test_what_a_line_holds_cannot_become_an_event_or_a_secret(running):
    artifacts, name = running
    bad = {"done": 0, "total": 1, "target": "x\n\nevent: end\ndata: {}", "phase": "\x1b[31m", "share": 0.1, "evil": 1}
    bad["line"] = "password=hunter2-hunter2 " + "y" * 10_000
    (artifacts / name / "progress.jsonl").write_text(f"no json\n[1]\n{{}}\n{json.dumps(bad)}\n")
    file = artifacts / name / "progress.jsonl"
    events = events_of(artifacts, name, file.unlink)
    assert [kind for kind, _ in events] == ["news", "end"]
    news = events[0][1]
    assert "evil" not in news and len(news["line"]) < 3_000 and "hunter2" not in news["line"]


def test_a_ratio_that_is_none_is_not_shown(running):
    artifacts, name = running
    line = {"done": 0, "total": 1, "target": "t", "phase": "p"}
    for ratio, shown in ((1.5, "1.50x"), (None, ""), (0, ""), (-1, ""), ("NaN", ""), ("Infinity", "")):
        (artifacts / name / "progress.jsonl").write_text(json.dumps(line | {"ratio": ratio}) + "\n")
        assert following.last_news(artifacts, name)["ratio"] == shown, ratio


def test_a_huge_file_is_read_from_near_its_end(running, monkeypatch):
    artifacts, name = running
    monkeypatch.setattr(following, "BACKLOG", 1_000)
    file = artifacts / name / "progress.jsonl"
    with file.open("a") as out:
        for number in range(500):
            out.write(json.dumps({"done": number, "total": 1000, "target": "t", "phase": "p"}) + "\n")
    assert following.last_news(artifacts, name)["done"] == 499
    lines, _ = following._lines_from(artifacts, name, None)
    assert len(lines) < 20


def test_a_run_that_is_over_has_no_news(tmp_path):
    assert following.last_news(tmp_path, name_of(1, "x")) is None
    with pytest.raises(NothingMatched):
        following._lines_from(tmp_path, name_of(1, "x"), None)


def test_a_load_test_is_followed_until_its_result_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(following, "LOOK_SECONDS", 0.0)
    name = make_load(tmp_path, requests=2)
    file = tmp_path / name / "requests.jsonl"
    more = [file.read_text().splitlines()[-1]]

    def then():
        if more:
            with file.open("a") as out:
                out.write(f"{more.pop()}\n")
        else:
            (tmp_path / name / "load.json").write_text("{}")

    events = events_of(tmp_path, name, then, following.news_of_load)
    assert [kind for kind, _ in events] == ["news", "news", "end"]
    assert [news["state"][:10] for _, news in events[:2]] == ["2 requests", "3 requests"]
    assert events[0][1]["overall"] == pytest.approx(0.103) and "TPOT p50 5.00 ms" in events[0][1]["figures"]


@pytest.mark.parametrize("make", [make_running, make_load])
def test_the_start_of_a_run_is_an_event(make, tmp_path, monkeypatch):
    monkeypatch.setattr(following, "LOOK_SECONDS", 0.0)

    async def collect():
        found = []
        async for event in following.starts(tmp_path):
            found.append(event)
            if len(found) == 1:
                make(tmp_path)
        return found

    assert asyncio.run(collect())[-1] == "event: start\ndata: {}\n\n"
