"""`perfproof compare` from end to end, on two real runs recorded here: one with a planted loss."""

import json
import shutil
import subprocess

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
    assert "--canary TARGET" in done.out


def test_no_difference_has_a_word_and_every_word_is_explained_below_the_table(compare):
    done = compare("previous", "latest")
    (steady,) = [line for line in done.out.splitlines() if line.endswith("steady optimized")]
    assert steady.startswith(("same", "no difference")) and f"\n{steady.split('  ')[0]}: " in done.out
    assert "\nworse: " in done.out and "\nbetter: " not in done.out
    rows = json.loads(compare("previous", "latest", "--json").out)["rows"]
    assert [row["verdict"] for row in rows] == ["worse", steady.split("  ")[0]]


def test_without_names_the_newest_run_is_compared_with_the_last_of_its_targets(compare, tmp_path):
    other = tmp_path / "artifacts" / f"{LATER.name[:9]}235959Z-other-00000f"
    shutil.copytree(tmp_path / "artifacts" / EARLIER.name, other)
    edit(other, lambda targets: [one.update(target=f"other {one['target']}") for one in targets])
    assert compare().code == 5 and "rerun" in compare().err  # the newest run has targets that no other has
    between = other.rename(tmp_path / "artifacts" / f"{EARLIER.name[:9]}103310Z-other-00000f")
    done = compare()
    assert done.code == 0 and done.out.startswith("the last two runs of body, steady\n")
    assert f"A {EARLIER.name}" in done.out and f"B {LATER.name}" in done.out and between.name not in done.out
    assert json.loads(compare("--json").out)["a"] == EARLIER.name
    assert compare(EARLIER.name[-6:]).out == compare(EARLIER.name[-6:], "latest").out


def test_the_comparison_can_be_written_to_a_file(compare, tmp_path):
    assert compare("-o", "two.json").out == "two.json\n"
    assert json.loads((tmp_path / "two.json").read_text())["a"] == EARLIER.name
    assert compare("--format", "json").out == compare("--json").out
    assert compare("--gate", "-o", "two.txt").code == 1 and "worse" in (tmp_path / "two.txt").read_text()
    assert compare("-o", "two.md").code == 2


def test_without_names_and_runs_there_is_nothing_to_compare(perfproof):
    refused = perfproof("compare")
    assert refused.code == 5 and "perfproof run" in refused.err


def test_the_gate_fails_on_a_loss_and_not_the_other_way_round(compare):
    lost, passed = compare(EARLIER, LATER, "--gate"), compare(LATER, EARLIER, "--gate")
    assert lost.code == 1 and lost.err == "perfproof: gate failed: body optimized: worse\n"
    assert passed.code == 0 and passed.err == "perfproof: gate passed: 2 rows, none worse\n"


def test_a_run_whose_own_gate_failed_does_not_pass_another(compare, tmp_path):
    def refuse(targets):
        targets[1] |= {"gate": "fail", "warnings": [{"code": "W140", "text": "the two print different things (1, 2)"}]}

    edit(tmp_path / "artifacts" / EARLIER.name, refuse)
    done = compare(LATER, EARLIER.name, "--gate")
    assert done.code == 1 and done.err.startswith("perfproof: gate failed: steady: wrong output in B: the two print")
    assert "wrong output in B: the two print different things" in done.out
    assert compare(LATER, EARLIER.name).code == 0


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


def edit(folder, change):
    document = json.loads((folder / "run.json").read_text())
    change(document["targets"])
    (folder / "run.json").write_text(json.dumps(document))


def make_unstable(ratio):
    ratio["verdict"] = "unstable"


def take_launches(ratio):
    ratio["units"] = ratio["units"][:4]


@pytest.mark.parametrize(
    ("change", "why"),
    [(make_unstable, "unstable in one of the runs"), (take_launches, "fewer than five launches in one of the runs")],
)
def test_the_gate_stays_shut_where_a_row_could_not_be_judged(compare, tmp_path, change, why):
    edit(tmp_path / "artifacts" / EARLIER.name, lambda targets: change(targets[1]["ratios"]["optimized"]))
    assert compare(LATER, "previous").code == 0
    done = compare(LATER, "previous", "--gate")
    assert done.code == 3 and done.err.count("\n") == 1
    assert f"1 of 2 rows could not be judged: steady optimized: {why}" in done.err


def test_the_gate_stays_shut_where_times_have_no_samples(compare, tmp_path):
    shutil.rmtree(tmp_path / "artifacts" / EARLIER.name / "samples")
    done = compare("latest", "previous", "--judge", "time", "--gate", "--json")
    assert done.code == 3 and "2 of 2 rows could not be judged" in done.err and "no samples" in done.err
    assert [row["worse"] for row in json.loads(done.out)["rows"]] == [False, False]


def test_the_gate_says_that_a_row_is_open_also_where_another_is_worse(compare, tmp_path):
    edit(tmp_path / "artifacts" / LATER.name, lambda targets: make_unstable(targets[1]["ratios"]["optimized"]))
    done = compare("previous", "latest", "--gate")
    assert done.code == 3 and "worse" in done.out and "steady optimized: unstable" in done.err


def test_a_canary_is_not_judged_and_is_said_in_the_table(compare):
    done = compare("previous", "latest", "--canary", "body", "--gate")
    (body,) = [line for line in done.out.splitlines() if line.endswith("body optimized")]
    assert done.code == 0 and body.startswith("canary") and "by the canary body" in done.out


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


def test_two_profiles_are_compared_kernel_by_kernel(perfproof, tmp_path):
    for name, kernel in (("a.csv", "old"), ("b.csv", "new")):
        (tmp_path / name).write_text(f'"Kernel_Name","Start_Timestamp","End_Timestamp"\n"{kernel}",1000,3000\n')
    done = perfproof("compare", "a.csv", "b.csv")
    assert done.code == 0 and "gone" in done.out and "added" in done.out
    found = json.loads(perfproof("compare", "a.csv", "b.csv", "--json").out)
    assert [(row["change"], row["name"]) for row in found["rows"]] == [("added", "new"), ("gone", "old")]
    refused = perfproof("compare", "a.csv", "b.csv", "--gate")
    assert refused.code == 2 and "interval" in refused.err


def test_saved_profiles_are_compared_by_id_and_an_unknown_one_is_called_a_profile(perfproof, tmp_path):
    for name, kernel in (("20260101T000000Z-old-aaaaaa", "old"), ("20260102T000000Z-new-bbbbbb", "new")):
        folder = tmp_path / "artifacts" / "profiles" / name
        folder.mkdir(parents=True)
        (folder / "k.csv").write_text(f'"Kernel_Name","Start_Timestamp","End_Timestamp"\n"{kernel}",1000,3000\n')
        (folder / "profile.json").write_text(json.dumps({"program": ["x"], "captures": [{"main_files": ["k.csv"]}]}))
    done = perfproof("compare", "aaaaaa", "bbbbbb")
    assert done.code == 0 and "gone" in done.out and "added" in done.out
    assert perfproof("compare", "aaaaaa").out == done.out, "B is the latest profile"
    missing = perfproof("compare", "aaaaaa", "cccccc")
    assert missing.code == 5 and "no profile 'cccccc'" in missing.err and missing.err.count("\n") == 1


def test_a_git_revision_in_place_of_a_run_names_the_command_that_measures_two(compare, tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "-q", "-b", "trunk"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    done = compare("trunk", "latest")
    assert done.code == 5 and "perfproof ab TARGET --rev trunk --rev HEAD" in done.err
    assert "--rev" not in compare("nothing", "latest").err
