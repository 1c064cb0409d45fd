"""What changed since yesterday: told apart from what says the same."""

from datetime import UTC, datetime

from perfproof.web.catalogue import Catalogue
from perfproof.web.changed import news_of
from tests.report.sample_runs import judged, run, target
from tests.web.sample_site import name_of, save

NOW = datetime(2025, 1, 10, 18, tzinfo=UTC)


def news(folder, before, after, now=NOW, day=10):
    save(folder, run(*before), name_of(5, "before"))
    save(folder, run(*after), name_of(day, "after"))
    return news_of(Catalogue(folder).refresh(), now)


def test_what_broke_comes_first_then_losses_gains_and_what_is_new(tmp_path):
    before = [target(f"ch01:{name}", judged("faster", 2.0, 1.9, 2.1)) for name in "abcd"]
    after = [
        target("ch01:e"),
        target("ch01:a", judged("faster", 3.0, 2.9, 3.1)),
        target("ch01:b", judged("faster", 1.5, 1.4, 1.6)),
        target("ch01:c", status="crashed", reason="boom"),
        target("ch01:d", judged("faster", 2.01, 1.91, 2.11)),
    ]
    found = news(tmp_path, before, after)
    assert [(one.what, one.now.target) for one in found.changes] == [
        ("broken", "ch01:c"),
        ("worse", "ch01:b"),
        ("better", "ch01:a"),
        ("new", "ch01:e"),
    ]
    assert found.is_yesterday and found.same == 1
    assert found.changes[1].words == "faster 2.00x" and found.changes[0].words == "faster"


def test_another_verdict_with_intervals_that_touch_is_a_change_without_a_direction(tmp_path):
    found = news(
        tmp_path, [target(ratio=judged("faster", 1.1, 1.0, 1.2))], [target(ratio=judged("same", 1.0, 0.9, 1.05))]
    )
    assert [one.what for one in found.changes] == ["changed"]


def test_other_sizes_and_other_machines_are_not_held_against_each_other(tmp_path):
    small, large = (target(ratio=judged("faster", ratio, ratio, ratio), sizes={"n": ratio}) for ratio in (2, 4))
    assert [one.what for one in news(tmp_path, [small], [large]).changes] == ["new"]


def test_without_a_run_since_yesterday_the_last_day_is_shown(tmp_path):
    found = news(tmp_path, [target()], [target("ch01:new")], now=datetime(2025, 3, 1, tzinfo=UTC))
    assert not found.is_yesterday and found.since == "2025-01-10" and [one.what for one in found.changes] == ["new"]


def test_the_results_of_the_first_day_are_counted_and_not_listed_as_changes(tmp_path):
    save(tmp_path, run(target("ch01:a"), target("ch01:b")), name_of(10, "first"))
    found = news_of(Catalogue(tmp_path).refresh(), NOW)
    assert (found.changes, found.first) == ([], 2)


def test_no_runs_are_no_news(tmp_path):
    assert news_of(Catalogue(tmp_path).refresh(), NOW).changes == []
