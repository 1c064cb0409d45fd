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


def test_the_state_says_which_target_for_how_long_what_is_left_and_what_is_done():
    drawn = []
    news = told_of(3, draw=drawn.append)
    news.notify(NEWS)
    assert drawn == ["[1/3] ch01:x 0 s, 12 s left: measuring (45 %)"]


def test_the_state_moves_with_time_and_never_promises_less_than_nothing(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("perfproof.app.news.time.monotonic", lambda: clock[0])
    drawn = []
    news = told_of(3, draw=drawn.append)
    news.notify(Progress("ch01:x", "verifying", 0.0, None))
    clock[0] += 2
    news.notify(Progress("ch01:x", "measuring 1 of 8, 1.66x so far", 0.125, 10.0))
    for seconds in (3, 30):
        clock[0] += seconds
        news.tick()
    assert drawn[-2] == "[1/3] ch01:x 5 s, 7 s left: measuring 1 of 8, 1.66x so far (12 %)"
    assert drawn[-1] == "[1/3] ch01:x 35 s: measuring 1 of 8, 1.66x so far (12 %)"
    news.notify(Progress("ch01:y", "verifying", 0.0, None))
    assert drawn[-1] == "[1/3] ch01:y 0 s: verifying", "the next target begins at nought"


def test_between_targets_there_is_no_state():
    drawn = []
    news = told_of(3, draw=drawn.append)
    news.notify(NEWS)
    news.finished(SKIPPED)
    news.tick()
    assert drawn[-1] == ""


def test_with_several_targets_a_line_says_how_far_the_run_is_and_leaves_the_result_to_the_table():
    said = []
    news = told_of(3, say=said.append)
    news.notify(NEWS)
    news.finished(SKIPPED)
    assert said == ["ch01:x: 8 launches", "[1/3] ch01:x: skipped (500 ms)"]


def test_with_one_target_the_result_follows_and_is_not_said_before():
    said = []
    told_of(1, say=said.append).finished(SKIPPED)
    assert said == []


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


def test_a_plan_without_a_share_does_not_delay_the_first_share(tmp_path):
    news = told_of(1)
    with news.published_in(tmp_path):
        news.notify(Progress("ch01:x", "measuring", None, None, line="ch01:x: 8 launches"))
        news.notify(Progress("ch01:x", "measuring 1 of 8", 0.125, 70.0, ratio=1.5))
        told = [json.loads(one) for one in (tmp_path / "progress.jsonl").read_text().splitlines()]
    assert [one["share"] for one in told] == [None, 0.125]


def test_news_that_cannot_be_written_do_not_end_a_run(tmp_path):
    news = told_of(3)
    with news.published_in(tmp_path / "gone"):
        news.notify(NEWS)
