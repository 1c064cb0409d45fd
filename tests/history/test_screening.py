"""Screening a run: same, flagged, new, missing, inconclusive; baseline times over a canary; what is shared."""

import pytest

from perfproof.history.screening import gate_sight, screen_run, shared_direction
from tests.history.measured_runs import expected, judged, run, target, write_samples


def screened(today, *days, wanted=None, canary=None, folder=None):
    names = wanted or [one.target for one in today.targets]
    return screen_run(today, folder, expected(*days, **({"folder": folder} if folder else {})), names, canary)


def test_a_run_like_its_days_is_the_same_and_the_gate_says_what_it_sees():
    (row,) = screened(run(target(), day=9), run(target(), day=1), run(target(), day=2))
    seen = row.outcome.screening
    assert row.outcome.outcome == "same" and not row.flagged and seen.days == 2
    assert seen.expected == pytest.approx(2.0) and 0.03 < seen.detectable < 0.09
    assert row.commit == f"{2:040x}" and row.outcome.changed == []


@pytest.mark.parametrize(("ratio", "direction"), [(1.7, -1), (2.3, 1)])
def test_a_change_beyond_what_days_differ_by_is_flagged_in_its_direction(ratio, direction):
    (row,) = screened(run(target(ratio=ratio), day=9), run(target(), day=1), run(target(), day=2))
    assert row.ratio_flagged and row.direction == direction


def test_days_that_differ_much_make_a_patient_gate():
    noisy = [run(target(ratio=ratio), day=day) for day, ratio in enumerate((1.6, 2.0, 2.4, 1.8, 2.2), 1)]
    (row,) = screened(run(target(ratio=1.7), day=9), *noisy)
    assert not row.flagged and row.outcome.screening.detectable > 0.3


def test_runs_of_one_date_are_one_day():
    first = run(target(), day=1)
    second = run(target(), day=1).model_copy(update={"run": "20250101T000000Z-body-ffffff"})
    assert screened(run(target(), day=9), first, second)[0].outcome.screening.days == 1


def test_what_was_never_measured_is_new_also_at_other_sizes():
    day = run(target(), day=1)
    (row,) = screened(run(target("other"), day=9), day)
    assert row.outcome.outcome == "new" and "yet" in row.outcome.reason
    (row,) = screened(run(target(sizes={"elements": 7}), day=9), day)
    assert row.outcome.outcome == "new" and "sizes" in row.outcome.reason


def test_an_expected_target_without_a_result_is_missing():
    today = run(target(status="failed-verification"), target("unknown", status="skipped"), day=9)
    rows = screened(today, run(target(), target("gone"), day=1), wanted=["body", "gone", "unknown"])
    assert [row.outcome.outcome for row in rows] == ["missing", "missing", "new"]
    assert rows[0].outcome.status == "failed-verification" and not any(row.flagged for row in rows)


def test_a_ratio_that_cannot_be_trusted_today_is_inconclusive():
    unstable = target(ratios={"optimized": judged(1.5, verdict="unstable", note="two groups")})
    (row,) = screened(run(unstable, day=9), run(target(), day=1))
    assert row.outcome.outcome == "inconclusive" and row.outcome.screening is None
    assert row.outcome.reason == "two groups; today 1.50x, stored 2.00x"  # for the reader


def test_another_machine_widens_the_gate_and_its_fields_are_named():
    day = run(target(), day=1)
    (here,) = screened(run(target(), day=9), day)
    (there,) = screened(run(target(), day=9, machine={"fingerprint": "e" * 16, "driver": "570.86"}), day)
    assert there.outcome.screening.limit > here.outcome.screening.limit
    assert there.outcome.changed == ["driver: 550.54 -> 570.86"]


def test_every_variant_is_a_row():
    both = {"optimized": judged(2.0), "optimized_b": judged(3.0)}
    rows = screened(run(target(ratios=both), day=9), run(target(), day=1))
    assert [(row.outcome.variant, row.outcome.outcome) for row in rows] == [
        ("optimized", "same"),
        ("optimized_b", "new"),
    ]


def with_samples(folder, seconds):
    """Samples of eight launches around these seconds, for the baseline of each target."""
    for name, value in seconds.items():
        write_samples(folder, name, value)
    return [target(name, seconds=value) for name, value in seconds.items()]


def test_a_change_that_slows_both_sides_shows_against_the_canary(tmp_path):
    before = run(*with_samples(tmp_path, {"body": 1e-3, "canary": 2e-3}), day=1)
    slow_day = run(*with_samples(tmp_path, {"body": 1.2e-3, "canary": 2.4e-3}), day=9)
    row = screened(slow_day, before, canary="canary", folder=tmp_path)[0]
    assert not row.flagged and row.outcome.baseline.difference == pytest.approx(0, abs=1e-9)
    slow_code = run(*with_samples(tmp_path, {"body": 1.2e-3, "canary": 2e-3}), day=9)
    row = screened(slow_code, before, canary="canary", folder=tmp_path)[0]
    assert row.baseline_flagged and not row.ratio_flagged and row.direction == -1


def test_without_a_canary_or_on_another_machine_baseline_times_are_not_run(tmp_path):
    targets = with_samples(tmp_path, {"body": 1e-3, "canary": 2e-3})
    before, today = run(*targets, day=1), run(*targets, day=9)
    assert screened(today, before, folder=tmp_path)[0].outcome.baseline_check == "no canary"
    elsewhere = run(*targets, day=9, machine={"fingerprint": "e" * 16})
    row = screened(elsewhere, before, canary="canary", folder=tmp_path)[0]
    assert row.outcome.baseline is None and "on this machine" in row.outcome.baseline_check


def test_one_cause_is_shared_where_three_and_a_tenth_move_together():
    names = [f"t{number}" for number in range(20)]
    day = run(*(target(name) for name in names), day=1)

    def moved(count, ratio=1.5):
        return run(*(target(name, ratio if place < count else 2.0) for place, name in enumerate(names)), day=9)

    assert shared_direction(screened(moved(2), day)) == 0
    assert shared_direction(screened(moved(3), day)) == -1
    assert shared_direction(screened(moved(3, ratio=2.6), day)) == 1


def test_what_the_gate_will_see_is_known_beforehand():
    known = expected(run(target(), day=1), run(target(), day=2))
    assert 0.03 < gate_sight(known, "body", "optimized") < 0.09
    assert gate_sight(known, "nobody", "optimized") is None
