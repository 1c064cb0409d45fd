"""`perfproof compare` from end to end, on two real runs recorded here: one with a planted loss."""

import json
import shutil

import jsonschema
import pytest

from perfproof.core.schema import schema_text
from tests.history.measured_runs import EARLIER, LATER, RECORDED


@pytest.fixture
def compare(perfproof, tmp_path):
    """compare(...) in a folder whose artifacts are the two recorded runs."""
    shutil.copytree(RECORDED, tmp_path / "artifacts")
    return lambda *arguments: perfproof("compare", *arguments)


def test_two_runs_are_compared_with_intervals_marks_and_causes(compare):
    done = compare("previous", "latest")
    assert done.code == 0 and done.err == ""
    (body,) = [line for line in done.out.splitlines() if line.endswith("body optimized")]
    assert body.startswith("worse") and "0.83x [0." in body
    assert "cause: source changed" in done.out and "commit 90a87051d551 ->" in done.out
    assert "geometric mean, this suite: 0.9" in done.out and "geometric mean, a workload like these: 0.9" in done.out
    assert "name a --canary" in done.out


def test_the_gate_fails_on_a_loss_and_not_the_other_way_round(compare):
    assert compare(EARLIER, LATER, "--gate").code == 1
    assert compare(LATER, EARLIER, "--gate").code == 0


def test_json_is_the_published_document(compare):
    done = compare("21ac06", "c9b0af", "--json", "--judge", "time")
    document = json.loads(done.out)
    jsonschema.validate(document, json.loads(schema_text("comparison")))
    assert document["judged"] == "time" and document["rows"][0]["time"]["low"] and document["a"].endswith("21ac06")


def test_machines_that_differ_are_refused_with_the_differing_fields(compare, tmp_path):
    file = tmp_path / "artifacts" / LATER.name / "run.json"
    document = json.loads(file.read_text())
    document["machine"]["fingerprint"], document["machine"]["software"]["torch"] = "0" * 16, "9.9"
    file.write_text(json.dumps(document))
    done = compare("previous", "latest")
    assert done.code == 2 and done.out == "" and done.err.count("\n") == 1
    assert "software.torch: 2.13.0+cpu -> 9.9" in done.err and "--across" in done.err
    across = compare("previous", "latest", "--across")
    assert across.code == 0 and "machines differ in software.torch" in across.out


def test_a_failed_row_stays_in_the_count_and_withholds_the_mean(compare, tmp_path):
    file = tmp_path / "artifacts" / LATER.name / "run.json"
    document = json.loads(file.read_text())
    document["targets"][1] = {"target": "steady", "status": "crashed", "reason": "it died"}
    file.write_text(json.dumps(document))
    done = compare("previous", "latest")
    assert done.code == 0 and "geometric mean withheld: 1 of 2 rows" in done.out and "crashed in" in done.out
    assert compare("previous", "latest", "--gate").code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("latest", "latest"), 2, "compared with itself"),
        (("latest", "nothing"), 5, "no run 'nothing'"),
        (("previous", "latest", "--judge", "luck"), 2, "choose speed-up or time"),
        (("previous", "latest", "--canary", "nobody"), 2, "choose another"),
        (("previous", "latest", "--artifacts-dir", "empty"), 5, "no runs in empty"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(compare, arguments, code, why):
    done = compare(*arguments)
    assert done.code == code and why in done.err and done.err.count("\n") == 1


def test_a_damaged_run_is_refused_by_name(compare, tmp_path):
    (tmp_path / "artifacts" / LATER.name / "run.json").write_text("{")
    done = compare("previous", "latest")
    assert done.code == 2 and LATER.name in done.err
