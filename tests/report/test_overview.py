"""Many runs at a glance."""

from perfproof.history.index.keys import SAME
from perfproof.history.index.rows import entry_of
from perfproof.report.overview import overview
from tests.report.sample_runs import everything, judged, run, target


def dated(day, *targets, **fields):
    return run(*targets, **fields).model_copy(update={"run": f"run-{day}", "started": f"2025-01-0{day}T00:00:00Z"})


def test_the_newest_result_of_a_target_counts_and_kinds_of_machines_stay_apart():
    runs = [
        dated(1, target("a", judged("faster"))),
        dated(2, target("a", judged("slower", 0.5, 0.4, 0.6)), target("b")),
        dated(3, target("a"), machine={"kind": "other"}),
    ]
    found = overview(runs)
    assert [(one.target, one.kind, one.word, one.run) for one in found.latest] == [
        ("a", "other", "faster", "run-3"),
        ("a", "xeon-2c", "slower", "run-2"),
        ("b", "xeon-2c", "faster", "run-2"),
    ]
    assert [one.run for one in found.runs] == ["run-3", "run-2", "run-1"]


def test_a_row_knows_its_series_as_the_index_writes_it():
    result = target("a").model_copy(update={"sizes": {"n": 4, "dtype": "bf16"}})
    document = run(result)
    (one,), (indexed,) = overview([document]).latest, entry_of(document.model_dump(mode="json")).results
    assert one.series == {name: indexed[name] for name in SAME if name != "target"}
    (crashed,) = overview([run(target("a", status="crashed"))]).latest
    assert crashed.series == {}


def test_losses_and_failures_are_counted_beside_the_gains():
    counts = {count.word: count.number for count in overview([everything()]).counts}
    assert counts["slower"] == counts["same"] == counts["crashed"] == counts["skipped"] == 1 and counts["faster"] == 2


def test_a_target_without_a_ratio_says_why_and_draws_nothing():
    (one,) = overview([run(target("a", status="timeout", reason="300 s"))]).latest
    assert (one.ratio, one.mark, one.note) == ("", "", "300 s")
