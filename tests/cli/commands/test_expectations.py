"""`perfproof expectations` from end to end: a recorded real run becomes a day, and what is refused stays unwritten."""

import json
import shutil
import subprocess
import sys

import pytest

from perfproof.machine.git import read_git
from tests.history.measured_runs import EARLIER, LATER, RECORDED


def git(*arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    return subprocess.run(["git", *identity, *arguments], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def expectations(perfproof, tmp_path):
    """expectations(...) in a clean repository that holds the targets of the two recorded runs."""
    shutil.copytree(RECORDED, tmp_path / "artifacts")
    for name in ("body.py", "steady.py"):
        (tmp_path / name).write_text("# a pair\n")
    (tmp_path / ".gitignore").write_text("artifacts/\n")
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "targets")
    for folder in (EARLIER, LATER):
        edit(
            tmp_path / "artifacts" / folder.name,
            lambda document: document["git"].update(commit=git("rev-parse", "HEAD")),
        )
    return lambda *arguments: perfproof("expectations", *arguments)


def edit(folder, change):
    document = json.loads((folder / "run.json").read_text())
    change(document)
    (folder / "run.json").write_text(json.dumps(document))


def stored(tmp_path):
    return json.loads((tmp_path / "expectations" / "xeon-2c.json").read_text())


def test_an_update_appends_a_day_and_a_second_one_another(expectations, tmp_path):
    done = expectations("update", "previous", "-m", "first")
    assert done.code == 0 and "body: optimized 1.970x faster, day 1" in done.out and "commit it" in done.out
    assert expectations("update", "latest", "-m", "second, slower").code == 0
    days = stored(tmp_path)["targets"]["body"]["days"]
    assert [day["message"] for day in days] == ["first", "second, slower"] and all(day["qualified"] for day in days)
    assert days[1]["ratios"]["optimized"]["ratio"] < days[0]["ratios"]["optimized"]["ratio"]


def test_an_update_without_a_message_is_refused(expectations, tmp_path):
    for arguments in ((), ("-m", "  ")):
        done = expectations("update", "latest", *arguments)
        assert done.code == 2 and "-m 'WHY'" in done.err and done.err.count("\n") == 1
    assert not (tmp_path / "expectations").exists()


def test_an_update_from_a_changed_tree_is_refused(expectations, tmp_path):
    (tmp_path / "body.py").write_text("# changed\n")
    done = expectations("update", "latest", "-m", "why")
    assert done.code == 2 and "not clean: body.py" in done.err and not (tmp_path / "expectations").exists()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda document: document["git"].update(dirty=True), "changed since the commit"),
        (lambda document: document["options"].update(fast=True), "--fast"),
        (lambda document: document.update(state="interrupted"), "interrupted"),
    ],
)
def test_an_unqualified_run_is_refused(expectations, tmp_path, change, why):
    edit(tmp_path / "artifacts" / LATER.name, change)
    done = expectations("update", "latest", "-m", "why")
    assert done.code == 2 and "not qualified" in done.err and why in done.err
    assert not (tmp_path / "expectations").exists()


def test_a_run_without_a_result_that_can_be_expected_is_not_recorded_and_says_what_helps(expectations, tmp_path):
    def unstable(document):
        for target in document["targets"]:
            target["verdict"] = "unstable"
            for judged in target["ratios"].values():
                judged["verdict"] = "unstable"

    edit(tmp_path / "artifacts" / LATER.name, unstable)
    done = expectations("update", "latest", "-m", "a busy day")
    assert done.code == 3 and done.out == "" and done.err.count("\n") == 1
    assert done.err.startswith("nothing recorded: body: its verdict is unstable") and "quieter machine" in done.err
    assert not list((tmp_path / "expectations").glob("*.json"))


def test_an_ab_is_refused_with_what_gates_a_program(expectations, tmp_path):
    edit(tmp_path / "artifacts" / LATER.name, lambda document: document["options"].update(ab={}))
    done = expectations("update", "latest", "-m", "why")
    assert done.code == 2 and done.err.count("\n") == 1
    assert "expectations are of pairs" in done.err and "perfproof ab" in done.err and "--rev" in done.err
    assert "clean commit" not in done.err


def test_a_run_with_changed_files_names_them(expectations, tmp_path):
    edit(
        tmp_path / "artifacts" / LATER.name,
        lambda document: document["git"].update(dirty=True, changed=["body.py", "other.py"]),
    )
    done = expectations("update", "latest", "-m", "why")
    assert done.code == 2 and "changed since the commit: body.py, other.py; measure again on a clean" in done.err


def test_a_recorded_file_of_expectations_does_not_make_the_tree_unclean(expectations, tmp_path):
    assert expectations("update", "previous", "-m", "first", "--expectations-dir", "kept").code == 0
    git("add", "kept")
    assert read_git(tmp_path)["dirty"] is False
    assert expectations("update", "latest", "-m", "second").code == 0
    (tmp_path / "kept" / "numbers.json").write_text("{}")
    git("add", "kept/numbers.json")
    assert read_git(tmp_path)["changed"] == ["kept/numbers.json"]


def test_two_runs_of_one_date_are_one_day(expectations, tmp_path):
    for folder, hour in ((EARLIER, 10), (LATER, 11)):
        when = f"2026-11-02T{hour}:00:00Z"
        edit(tmp_path / "artifacts" / folder.name, lambda document, when=when: document.update(started=when))
    assert "day 1\n" in expectations("update", "previous", "-m", "one").out
    assert "day 1 (run 2 of 2026-11-02, one day)" in expectations("update", "latest", "-m", "two").out
    shown = expectations("show", "body").out
    assert "1 day from 2 runs, verify can see" in shown and " at elements=1000, " in shown
    assert "nothing to remove" in expectations("prune", "--keep", "1").out
    missed = expectations("show", "bodi")
    assert missed.code == 5 and "did you mean body?" in missed.err


def test_a_run_is_recorded_once(expectations):
    assert expectations("update", "latest", "-m", "why").code == 0
    assert "recorded already" in expectations("update", "latest", "-m", "why").err


def test_a_canary_has_to_be_a_recorded_target(expectations, tmp_path):
    assert expectations("update", "latest", "-m", "why", "--canary", "nobody").code == 2
    assert list((tmp_path / "expectations").iterdir()) == []
    assert expectations("update", "latest", "-m", "why", "--canary", "steady").code == 0
    assert stored(tmp_path)["canary"] == "steady"


def test_show_lists_every_day_and_what_the_gate_can_see(expectations):
    expectations("update", "21ac06", "-m", "the first day")
    done = expectations("show", "body")
    assert done.code == 0 and "verify can see" in done.out and "the first day" in done.out and "steady" not in done.out
    (line,) = expectations("show", "--json").out.splitlines()
    assert set(json.loads(line)["targets"]) == {"body", "steady"}


def test_diff_says_what_an_update_would_bring(expectations):
    expectations("update", "21ac06", "-m", "first")
    done = expectations("diff", "latest")
    assert done.code == 0 and "body optimized: 1.64x, expected 1.97x (1 day): -16.9 % flagged" in done.out
    assert "steady optimized: 1.002x" in done.out and "within what days differ by" in done.out
    document = json.loads(expectations("diff", "latest", "--json").out)
    assert [one["screening"]["flagged"] for one in document["outcomes"]] == [True, False]


def test_prune_removes_old_days_only_when_it_is_meant(expectations, tmp_path):
    edit(tmp_path / "artifacts" / EARLIER.name, lambda document: document.update(started="2026-11-02T10:00:00Z"))
    edit(tmp_path / "artifacts" / LATER.name, lambda document: document.update(started="2026-11-03T10:00:00Z"))
    expectations("update", "21ac06", "-m", "first")
    expectations("update", "latest", "-m", "second")
    assert "1 of 2 days removed" in expectations("prune", "--keep", "1", "--dry-run").out
    assert len(stored(tmp_path)["targets"]["body"]["days"]) == 2
    (tmp_path / "steady.py").unlink()
    done = expectations("prune", "--keep", "1", "--gone")
    assert done.code == 0 and "steady: removed, 2 days" in done.out
    assert [day["message"] for day in stored(tmp_path)["targets"]["body"]["days"]] == ["second"]
    assert "nothing to remove" in expectations("prune").out


OVERLAPPING = """
import sys, time
from pathlib import Path
from perfproof.cli.app import main
from perfproof.history import expectations

here, other, wanted, *arguments = sys.argv[1:]
real = getattr(expectations, wanted)

def slow(*given):
    # what was loaded is old as soon as the other has loaded as well; a lock keeps the other from that, so wait a while
    found = real(*given)
    Path(f"{here}.loaded").touch()
    begun, end = None, time.monotonic() + 60
    while not Path(f"{other}.loaded").exists() and time.monotonic() < end:
        if begun is None and Path(f"{other}.begun").exists():
            begun = time.monotonic()
        if begun is not None and time.monotonic() > begun + 1.0:
            break
        time.sleep(0.01)
    return found

setattr(expectations, wanted, slow)
Path(f"{here}.begun").touch()
sys.exit(main(arguments))
"""


def at_once(folder, *calls):
    """Two real processes, each the command of (function to hold up after loading, arguments)."""
    (folder / "marks").mkdir()
    marks = [str(folder / "marks" / name) for name in "ab"]
    both = [
        subprocess.Popen(
            [sys.executable, "-c", OVERLAPPING, *order, wanted, "expectations", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for (wanted, *arguments), order in zip(calls, (marks, marks[::-1]), strict=True)
    ]
    for process in both:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err


def test_two_updates_at_once_are_both_recorded(expectations, tmp_path):
    at_once(
        tmp_path,
        ("record", "update", EARLIER.name, "-m", "one"),
        ("record", "update", LATER.name, "-m", "the other"),
    )
    days = stored(tmp_path)["targets"]["body"]["days"]
    assert [day["message"] for day in days] == ["one", "the other"] and len(stored(tmp_path)["environments"]) == 2
    assert [path.name for path in (tmp_path / "expectations").iterdir()] == ["xeon-2c.json"]


def test_an_update_while_another_prunes_is_not_lost(expectations, tmp_path):
    (tmp_path / "steady.py").unlink()
    git("commit", "-q", "-a", "-m", "steady is gone")
    expectations("update", EARLIER.name, "-m", "first")
    at_once(tmp_path, ("prune", "prune", "--gone"), ("record", "update", LATER.name, "-m", "second"))
    days = stored(tmp_path)["targets"]["body"]["days"]
    assert [day["message"] for day in days] == ["first", "second"]


def test_a_folder_that_cannot_be_written_is_refused_in_one_line(expectations, tmp_path):
    (tmp_path / "taken").write_text("a file, no folder")
    done = expectations("update", "latest", "-m", "why", "--expectations-dir", "taken")
    assert done.code == 2 and "cannot write taken" in done.err and done.err.count("\n") == 1


def test_without_expectations_there_is_nothing_to_show(expectations):
    for arguments in (("show",), ("prune",), ("show", "--kind", "other")):
        done = expectations(*arguments)
        assert done.code == 5 and "no expectations in" in done.err and done.err.count("\n") == 1
    expectations("update", "latest", "-m", "why")
    assert expectations("show", "nobody").code == 5
