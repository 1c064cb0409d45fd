"""Times from the samples of a saved run: real ones, and files that are damaged or not ours."""

import gzip
import json
import math

import pytest

from perfproof.history.folders import load_run
from perfproof.history.launch_times import log_times, mean_and_error
from tests.history.measured_runs import EARLIER, judged, target, write_samples


def sample(order, seconds, valid=(True,) * 4, rung="plain", kind="optimized"):
    """The rows of one quad."""
    sides = ("baseline" if letter == "A" else kind for letter in order)
    return [
        {"launch": 0, "couple": 0, "rung": rung, "kind": kind, "side": side, "seconds": value, "valid": good}
        for side, value, good in zip(sides, seconds, valid, strict=True)
    ]


def write(folder, rows, slots=(1, -1)):
    (folder / "samples").mkdir()
    text = "".join(json.dumps(row | {"slot": slot}) + "\n" for slot in slots for row in rows)
    (folder / "samples" / "body.jsonl.gz").write_bytes(gzip.compress(text.encode()))


def test_the_units_of_a_single_launch_are_its_couples():
    body = load_run(EARLIER).targets[0]
    units = log_times(EARLIER, body, "baseline")
    mean, error = mean_and_error(units)
    assert len(units) == 5 and 0 < error < 1
    assert math.exp(mean) > body.variants["baseline"].times["call"], "long samples count in a mean, not in a median"
    assert log_times(EARLIER, body, "nobody") == []
    body.ratios["optimized"].rung = "in-turn"
    assert log_times(EARLIER, body, "baseline") == []


def test_the_time_of_a_launch_is_the_mean_of_the_samples_that_the_verdict_uses(tmp_path):
    rows = [
        sample("AABB", (1.0, 3.0, 2.0, 2.0)),
        sample("BBAA", (1.0, 1.0, 9.0, 9.0), valid=(True, True, True, False)),  # all four are left out
        sample("ABBA", (2.0, 1.0, 1.0, 2.0)),
    ]
    write(tmp_path, [row for quad in rows for row in quad])
    assert log_times(tmp_path, target(), "baseline") == pytest.approx([math.log(2.0)])
    assert log_times(tmp_path, target(), "optimized") == pytest.approx([math.log(1.5)])


@pytest.mark.parametrize("rung", ["stay", "plain"])
def test_only_samples_that_follow_their_own_side_count_where_those_are_judged(tmp_path, rung):
    rows = [*sample("AABB", (9.0, 3.0, 9.0, 2.0), rung=rung), *sample("ABBA", (9.0, 9.0, 9.0, 9.0), rung=rung)]
    write(tmp_path, rows)
    stay = target(ratios={"optimized": judged(rung="stay")})
    assert log_times(tmp_path, stay, "baseline") == pytest.approx([math.log(3.0)])
    assert log_times(tmp_path, stay, "optimized") == pytest.approx([math.log(2.0)])


@pytest.mark.parametrize(("rung", "measured"), [("corrected", "plain"), ("in-turn-corrected", "in-turn")])
def test_what_switching_does_is_taken_off_where_that_was_judged(tmp_path, rung, measured):
    rows = [
        *sample("AABB", (1.0, 1.0, 2.0, 1.0), rung=measured),
        *sample("AABB", (1.0, 1.0, 2.0, 1.0), rung=measured),
        *sample("AABB", (1.0, 1.0, 2.0, 1.0), rung=measured),
    ]
    write(tmp_path, rows)
    corrected = target(ratios={"optimized": judged(rung=rung)})
    assert log_times(tmp_path, corrected, "optimized") == pytest.approx([0.0])
    assert log_times(tmp_path, target(), "optimized") != pytest.approx([0.0])


def test_the_baseline_beside_a_variant_is_measured_in_its_own_quads(tmp_path):
    rows = [*sample("AABB", (1.0, 1.0, 1.0, 1.0)), *sample("AABB", (5.0, 5.0, 1.0, 1.0), kind="optimized_b")]
    write(tmp_path, rows)
    both = target(ratios={"optimized": judged(), "optimized_b": judged()})
    assert log_times(tmp_path, both, "baseline") == pytest.approx([0.0])
    assert log_times(tmp_path, both, "baseline", "optimized_b") == pytest.approx([math.log(5.0)])


@pytest.mark.parametrize("rung", ["plain", "in-turn", "alone", "lead-in", "10 ms", "50 ms", "corrected"])
def test_every_rung_that_a_document_may_name_can_be_read(tmp_path, rung):
    write_samples(tmp_path, "body", 2e-3, ratio=4.0, rung=rung)
    named = target(ratios={"optimized": judged(rung=rung)})
    mean, _ = mean_and_error(log_times(tmp_path, named, "baseline"))
    assert math.exp(mean) == pytest.approx(2e-3)
    assert math.exp(mean_and_error(log_times(tmp_path, named, "optimized"))[0]) == pytest.approx(5e-4)


def test_a_couple_that_lacks_a_process_gives_no_time_beside_one_that_has_both(tmp_path):
    write(tmp_path, sample("AABB", (1.0, 1.0, 1.0, 1.0)))
    half = [row | {"couple": 1, "slot": 1} for row in sample("AABB", (5.0, 5.0, 5.0, 5.0))]
    file = tmp_path / "samples" / "body.jsonl.gz"
    both = gzip.decompress(file.read_bytes()) + "".join(json.dumps(row) + "\n" for row in half).encode()
    file.write_bytes(gzip.compress(both))
    assert log_times(tmp_path, target(), "baseline") == [0.0]


def test_launches_of_one_process_each_give_its_time(tmp_path):
    write(tmp_path, sample("ABBA", (2.0, 1.0, 1.0, 2.0)), slots=(1,))
    assert log_times(tmp_path, target(), "baseline") == pytest.approx([math.log(2.0)])


def test_four_units_have_no_error():
    assert mean_and_error([1.0, 2.0, 3.0, 4.0]) == (2.5, None)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not gzip",
        gzip.compress(b"[1]\n"),
        gzip.compress(b"{}\n{"),
        gzip.compress(b"\xff"),
        gzip.compress(b'{"launch": "x", "couple": 0, "slot": 1}\n'),
        gzip.compress(b'{"launch": 0, "couple": 0, "slot": 1, "kind": "optimized", "rung": "plain", "seconds": 1.0}\n'),
    ],
)
def test_samples_that_cannot_be_read_are_no_samples(tmp_path, content):
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "body.jsonl.gz").write_bytes(content)
    assert log_times(tmp_path, target(), "baseline") == []


def test_a_document_cannot_name_a_file_outside_its_folder(tmp_path):
    secret = tmp_path / "outside.jsonl.gz"
    secret.write_bytes((EARLIER / "samples" / "body.jsonl.gz").read_bytes())
    (tmp_path / "run").mkdir()
    for name in (str(secret), "../outside.jsonl.gz", None):
        assert log_times(tmp_path / "run", target(samples=name), "baseline") == []
