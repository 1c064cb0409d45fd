"""Progress of a run: lines for the caller to show, and a file in its folder while it runs."""

import json

from perfproof.app.news import News
from perfproof.bench.run import Progress
from perfproof.core.documents import TargetResult

NEWS = Progress("ch01:x", "measuring", 0.45, 12.3, line="ch01:x: 8 launches", ratio=1.5)
SKIPPED = TargetResult(target="ch01:x", status="skipped", reason="no GPU", seconds=0.5)


def told_of(total, **to):
    news = News(**to)
    news.total = total
    return news


def test_the_state_says_which_target_how_far_and_how_long():
    assert told_of(3).state(NEWS) == "[1/3] ch01:x: measuring 45 %, 12 s left"


def test_lines_stay_and_the_state_is_drawn():
    said, drawn = [], []
    news = told_of(3, say=said.append, draw=drawn.append)
    news.notify(NEWS)
    news.finished(SKIPPED)
    assert said == ["ch01:x: 8 launches", "[1/3] skipped ch01:x (500 ms): no GPU"]
    assert drawn == ["[1/3] ch01:x: measuring 45 %, 12 s left"]


def test_while_a_run_runs_its_folder_says_how_far_it_is(tmp_path):
    file = tmp_path / "progress.jsonl"
    news = told_of(3)
    with news.published_in(tmp_path):
        news.notify(NEWS)
        news.finished(SKIPPED)
        told = [json.loads(one) for one in file.read_text().splitlines()]
    assert [(one["done"], one["total"], one["target"], one["phase"]) for one in told] == [
        (0, 3, "ch01:x", "measuring"),
        (1, 3, "ch01:x", "done"),
    ]
    assert (
        told[0]["share"] == 0.45
        and told[0]["left"] == 12.3
        and told[0]["ratio"] == 1.5
        and told[1]["line"].endswith("no GPU")
    )
    assert not file.exists(), "a run that has ended is not in progress"


def test_news_that_cannot_be_written_do_not_end_a_run(tmp_path):
    news = told_of(3)
    with news.published_in(tmp_path / "gone"):
        news.notify(NEWS)
