"""`perfproof ab` from end to end: what is measured, saved, printed and returned; what is refused in one line."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from perfproof.app.ab.asked import two_revisions
from perfproof.app.ab.checkouts import remarks_on
from perfproof.core.documents import RatioResult, TargetResult
from perfproof.core.options import PROGRAM_EFFORTS, ProgramEffort
from perfproof.history.folders import list_runs, load_run
from perfproof.machine.worktrees import checked_out
from perfproof.report.formats import html
from tests.pairs.full_pair import TEXT

TILED = "\n\ndef optimized_tiled(a, b, c):\n    return torch.addcmul(c, b, a)\n"


@pytest.fixture
def ab(perfproof, monkeypatch):
    """ab(...) with few runs and no sampler beside them."""
    monkeypatch.setitem(PROGRAM_EFFORTS, "quick", ProgramEffort(5, 5, 0.0))
    return lambda *arguments: perfproof("ab", *arguments, "--effort", "quick", "--no-telemetry", "--device", "cpu")


def saved():
    return load_run(list_runs("artifacts")[-1])


def git(*arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    return subprocess.run(["git", *identity, *arguments], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def repository(perfproof, tmp_path):
    """The current folder is a repository: `amount` is 0 in the first commit, 1 in the second, 2 as it is."""
    git("init", "-q", "-b", "main")
    for amount in (0, 1):
        (tmp_path / "amount.py").write_text(f"AMOUNT = {amount}\n")
        git("add", "amount.py")
        git("commit", "-q", "-m", f"amount {amount}")
    (tmp_path / "amount.py").write_text("AMOUNT = 2\n")
    return tmp_path


def state():
    return git("status", "--porcelain", "--untracked-files=no"), git("worktree", "list"), git("branch", "-a")


def test_two_programs_are_measured_saved_and_shown(ab):
    done = ab("--a", "sleep 0.01", "--b", "sleep 0.06")
    assert done.code == 0
    assert any(
        line.startswith("slower") and line.endswith("sleep 0.01 against sleep 0.06") for line in done.out.splitlines()
    )
    assert "cpu " in done.out and "memory " in done.out and "blocks of 4 runs" in done.err
    assert done.out.splitlines()[-1].startswith("next: perfproof ")
    run, folder = saved(), list_runs("artifacts")[-1]
    (target,) = run.targets
    assert run.state == "finished" and target.verdict == "slower" and (folder / target.samples).is_file()
    assert run.options["ab"]["a"] == "sleep 0.01" and (folder / "outputs" / "a.stdout").is_file()


def test_two_commands_need_no_option_names_and_the_result_speaks_in_their_labels(ab):
    done = ab("sleep 0.01", "sleep 0.06", "--label-a", "short", "--label-b", "long nap")
    (target,) = saved().targets
    assert done.code == 0 and target.labels == {"baseline": "short", "b": "long nap"}
    assert saved().options["ab"]["a"] == "sleep 0.01" and saved().options["targets"] == []
    assert "long nap" in done.out and "than short (" in done.out
    head = next(line for line in done.out.splitlines() if line.startswith("verdict"))
    assert "short" in head and "long nap" in head and "baseline" not in head


def test_one_command_is_compared_in_two_environments_without_option_names(ab):
    done = ab("sh -c 'sleep $NAP'", "--env-a", "NAP=0.01", "--env-b", "NAP=0.06")
    assert done.code == 0 and saved().targets[0].labels == {"baseline": "NAP=0.01", "b": "NAP=0.06"}


@pytest.mark.parametrize(
    ("written", "pairs", "commands"),
    [
        (("one.py", "two.py"), ("one.py", "two.py"), (None, None)),
        (("one.py:optimized", "absent.py"), ("one.py:optimized", "absent.py"), (None, None)),
        (("ch01:batched_gemm", "ch01"), ("ch01:batched_gemm", "ch01"), (None, None)),
        (("python one.py", "python two.py"), (), ("python one.py", "python two.py")),
        (("./old", "./old -q"), (), ("./old", "./old -q")),
        (("true", "false"), (), ("true", "false")),
        (("true", "no-such-program"), (), ("true", "no-such-program")),
        (("sleep 1",), (), ("sleep 1", None)),
        (("ch01:batched_gem", "no-such-program"), ("ch01:batched_gem", "no-such-program"), (None, None)),
    ],
)
def test_a_name_of_a_pair_is_a_pair_and_anything_else_that_can_be_started_is_a_command(
    written, pairs, commands, pair_files, tmp_path, monkeypatch
):
    from perfproof.app.ab.asked import Asked, with_commands

    monkeypatch.chdir(tmp_path)
    pair_files("one")
    (tmp_path / "old").write_text("#!/bin/sh\n")
    (tmp_path / "old").chmod(0o755)
    asked = with_commands(Asked(written))
    assert (asked.targets, (asked.a, asked.b)) == (pairs, commands)


def test_the_gate_fails_where_b_is_slower_and_only_there(ab):
    failed = ab("--a", "sleep 0.01", "--b", "sleep 0.06", "--gate")
    said = "gate failed (wall time, delta 1 %): sleep 0.06 is slower than sleep 0.01 by more than 1 %: 0."
    assert failed.code == 1 and failed.err.splitlines()[-1].startswith(said)
    passed = ab("--a", "sleep 0.06", "--b", "sleep 0.01", "--gate", "-q")
    said = "gate passed (wall time, delta 1 %): sleep 0.01 against sleep 0.06: faster "
    assert passed.code == 0 and passed.err.splitlines()[-1].startswith(said)
    assert passed.out.count("\n") == 1


HEAVY = f"{sys.executable} -c 'import time; bytearray(60_000_000); time.sleep(0.2); print(1)'"
LIGHT = f"{sys.executable} -c 'import time; bytearray(20_000_000); time.sleep(0.2); print(1)'"


def test_a_guard_fails_on_memory_and_without_one_the_line_says_that_it_grew(ab, perfproof):
    told = ab(LIGHT, HEAVY, "--gate", "--delta", "60%")
    assert told.code == 0 and " more memory (" in told.err and told.err.endswith("add --guard memory\n")
    failed = ab(LIGHT, HEAVY, "--gate", "--delta", "60%", "--guard", "memory", "-o", "x.xml", "-o", "x.md")
    assert failed.code == 1 and "gate failed (wall time, guarding peak memory, delta 60 %): " in failed.err
    assert "is worse in memory (" in Path("x.xml").read_text()
    assert Path("x.md").read_text().startswith("### perfproof: gate failed (wall time")
    assert failed.out.endswith("x.xml\nx.md\n")
    assert ab(HEAVY, LIGHT, "--gate", "--delta", "60%", "--guard", "memory").code == 0
    again = perfproof("report", "latest", "--gate", "--guard", "tps")
    assert again.code == 2 and "also measured cpu, memory; choose one of these" in again.err


def test_one_commit_on_both_sides_is_said_in_the_gate_line(ab, repository):
    done = ab("true", "--rev", "main", "--rev", "HEAD", "--gate", "--strict")
    assert done.code == 3 and "main and HEAD are both " in done.out and "nothing was compared" in done.err


def test_a_strict_gate_passes_what_is_decided(ab):
    assert ab("--a", "sleep 0.06", "--b", "sleep 0.01", "--gate", "--strict", "-q").code == 0


def test_json_prints_the_document_and_nothing_else(ab):
    done = ab("--a", "sleep 0.01", "--b", "sleep 0.06", "--json", "--label-a", "short", "--label-b", "long")
    assert json.loads(done.out)["targets"][0]["target"] == "short against long" and done.err == ""


def test_every_further_command_is_compared_with_the_first_and_the_intervals_hold_together(ab):
    done = ab("sleep 0.01", "sleep 0.06", "sleep 0.05")
    assert done.code == 0
    run = saved()
    assert run.planned == ["sleep 0.01 against sleep 0.06", "sleep 0.01 against sleep 0.05"]
    assert [target.target for target in run.targets] == run.planned
    assert {target.ratios["b"].level for target in run.targets} == {0.985}
    assert {also.level for target in run.targets for also in target.also.values()} == {0.985}
    assert "sleep 0.06 is " in done.out and "sleep 0.05 is " in done.out and "98.5 % interval" in done.out
    assert (list_runs("artifacts")[-1] / "outputs/2/b.stdout").exists()


def test_commands_that_look_alike_are_told_apart_by_their_number(ab):
    ab("true", "sh -c 'exit 0'", "true")
    assert saved().planned == ["true (1) against sh -c 'exit 0'", "true (1) against true (3)"]


def test_a_command_that_fails_ends_its_own_comparison_only(ab):
    done = ab("true", "false", "sleep 0.01")
    assert done.code == 4 and [target.status for target in saved().targets] == ["crashed", "ok"]


def test_one_command_alone_is_timed_without_a_verdict(ab):
    done = ab("sleep 0.01")
    said = " ".join(done.out.split())
    assert done.code == 0 and "sleep 0.01 takes " in said and " % interval " in said and "CPU time " in said
    assert "verdict" not in said and "torch" not in said
    (target,) = saved().targets
    wall = target.variants["baseline"].timings["wall"]
    assert target.is_alone and target.verdict is None and not target.ratios
    assert wall.least <= wall.mean <= wall.most and wall.low <= wall.mean <= wall.high
    assert (wall.blocks, wall.runs) == (5, 5)


def test_a_metric_of_one_command_alone_is_shown(ab):
    done = ab("echo tps 150", "--metric", "tps:higher=regex:tps (.+)")
    assert done.code == 0 and "tps 150" in done.out


def test_one_command_that_fails_gives_exit_code_4(ab):
    done = ab("sh -c 'echo broken >&2; exit 3'")
    assert done.code == 4 and "broken" in done.out


@pytest.mark.parametrize("format", ["md", "junit", "html"])
def test_every_format_shows_a_command_that_was_timed_alone(ab, perfproof, tmp_path, format):
    ab("true")
    assert perfproof("report", "run", "latest", "--format", format, "-o", "page").code == 0
    assert "true takes " in (tmp_path / "page").read_text()


def test_one_program_in_two_environments(ab):
    done = ab("--a", "sh -c 'sleep $NAP'", "--env-a", "NAP=0.01", "--env-b", "NAP=0.06")
    assert done.code == 0 and saved().targets[0].verdict == "slower"
    assert saved().planned == ["sh -c 'sleep $NAP': NAP=0.01 against NAP=0.06"]


def test_a_metric_is_judged_and_shown(ab):
    spec = "tps:higher=json:stats.tps"
    programs = [f'echo \'{{"stats": {{"tps": {value}}}}}\'' for value in (100, 150)]
    done = ab("--a", programs[0], "--b", programs[1], "--metric", spec, "--judge", "tps")
    (target,) = saved().targets
    assert done.code == 0 and target.verdict == "better" and target.ratios["b"].ratio == pytest.approx(1.5)
    assert "100" in done.out and "150" in done.out and "wall " in done.out


def test_a_failing_program_gives_exit_code_4_and_says_why(ab):
    done = ab("--a", "true", "--b", "sh -c 'echo broken >&2; exit 7'")
    assert done.code == 4 and "exited with 7" in done.out
    assert saved().targets[0].output_tail == "broken"


def test_shell_syntax_is_refused_and_never_executed(ab, tmp_path):
    done = ab("--a", "touch one && touch two", "--b", "true")
    assert done.code == 2 and "only a shell understands" in done.err and done.err.count("\n") == 1
    assert not (tmp_path / "one").exists() and not list_runs("artifacts")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "nothing to compare"),
        (["sleep 1", "--gate"], "--gate needs something to compare with"),
        (["sleep 1", "--label-b", "x"], "--label-b needs a second command"),
        (["one.py", "sleep 1"], "is a pair and 'sleep 1' is not"),
        (["python", "one.py", "--rev", "HEAD~1", "--rev", "HEAD"], "quote a command, as in 'python one.py'"),
        (["sleep", "1", "sleep", "2"], "quote each command"),
        (["true", "true", "true", "--env-b", "X=1"], "need one or two commands: 3 were given"),
        (["true", "true", "--b", "true", "--label-b", "x"], "need one or two commands: 3 were given"),
        (["true", "--a", "true"], "give one or the other"),
        (["--b", "true"], "--b: only for whole programs"),
        (["--a", "no-such-program", "--b", "true"], "there is no program"),
        (["--a", "true", "--b", "true", "--judge", "tps"], "--judge 'tps' is unknown"),
        (["true", "true", "--judge", "cpu", "--judge", "memory"], "--judge is given twice: one quantity gives the"),
        (["true", "true", "--delta", "1%", "--delta", "2%", "--delta", "3%"], "--delta is given 3 times: it takes"),
        (["true", "true", "--guard", "memory"], "--guard is for a gate: add --gate"),
        (["true", "true", "--strict"], "--strict is for a gate: add --gate"),
        (["true", "true", "--gate", "--guard", "tps"], "--guard 'tps' is unknown: choose cpu, memory"),
        (["true", "true", "--gate", "--guard", "wall"], "--guard wall: the gate judges that already"),
        (["true", "true", "-o", "a.md", "-o", "a.pdf"], "a PDF is printed from a saved run"),
        (["true", "true", "-o", "a.md", "-o", "a.md"], "-o a.md is given twice"),
        (["true", "true", "-o", "a.md", "-o", "a.xml", "--format", "csv"], "--format and 2 times -o"),
        (["--a", "true", "--b", "true", "--metric", "tps=1"], "is not understood"),
        (["--a", "true", "--b", "true", "--env-a", "1X=2"], "write NAME=VALUE"),
        (["--a", "true", "--b", "true", "--cwd", "nowhere"], "is no folder"),
        (["--a", "true", "--b", "true", "x.py"], "give one or the other"),
        (["--a", "true", "--rev", "HEAD"], "--rev needs two revisions, not 1"),
        (["--a", "true", "--rev", "HEAD", "--rev", "worktree"], "needs a git repository"),
        (["x.py"], "nothing to compare"),
        (["x.py", "y.py", "--env-b", "X=1"], "one thing at a time"),
        (["x.py", "--env-b", "X=1", "--prepare", "true"], "--prepare: only for whole programs"),
        (["one.py", "--env-b", "OMP_NUM_THREADS=4"], "--threads"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(ab, pair_files, arguments, why, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    pair_files("one")
    done = ab(*arguments)
    assert done.code == 2 and why in done.err and done.err.count("\n") == 1
    assert not list_runs("artifacts")


def test_two_pair_files_go_through_the_bench_as_one_pair(ab, fake_bench, tmp_path):
    (tmp_path / "old.py").write_text(TEXT)
    (tmp_path / "new.py").write_text(TEXT + TILED)
    done = ab("old.py", "new.py:tiled")
    (call,) = fake_bench.calls
    pair = call.planned[0].pair
    assert done.code == 0 and saved().planned == ["old optimized against new optimized_tiled"]
    assert pair.borrowed == {"baseline": "<a>:optimized", "b": "<b>:optimized_tiled"}
    assert {path.name for path in pair.siblings.values()} == {"old.py", "new.py"}


def test_pair_files_that_do_other_work_are_refused(ab, fake_bench, tmp_path):
    (tmp_path / "old.py").write_text(TEXT)
    (tmp_path / "new.py").write_text(TEXT.replace("elements=1_003", "elements=1_001"))
    done = ab("old.py", "new.py")
    assert done.code == 2 and "`smoke`" in done.err and not fake_bench.calls


def test_one_program_at_two_revisions(ab, repository):
    before = state()
    code = "import amount, time; print(amount.AMOUNT); time.sleep(amount.AMOUNT / 20)"
    done = ab("--a", f"{sys.executable} -c '{code}'", "--rev", "HEAD~1", "--rev", "worktree")
    folder = list_runs("artifacts")[-1]
    assert done.code == 0 and saved().targets[0].verdict == "slower"
    assert [(folder / "outputs" / f"{side}.stdout").read_text() for side in "ab"] == ["0\n", "2\n"]
    assert "W140" in done.out and saved().planned[0].endswith(": HEAD~1 against worktree") and state() == before
    assert saved().targets[0].labels["baseline"].startswith("HEAD~1 (")  # the name stays the same over commits
    assert "\n-AMOUNT = 0\n+AMOUNT = 2\n" in (folder / "changes.diff").read_text()
    assert "<ins>+ AMOUNT = 2</ins>" in html.render(saved(), folder)


def test_a_program_imports_its_own_revision_of_a_package_that_is_installed_too(ab, repository, tmp_path, monkeypatch):
    for name, text in {
        "installed/amount.py": "AMOUNT = 7\n",
        "tools/show.py": "import amount\nprint(amount.AMOUNT)\n",
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "installed"))
    assert ab(f"{sys.executable} tools/show.py", "--rev", "HEAD~1", "--rev", "worktree").code == 0
    folder = list_runs("artifacts")[-1]
    assert [(folder / "outputs" / f"{side}.stdout").read_text() for side in "ab"] == ["0\n", "2\n"]


def test_a_file_of_the_working_tree_that_both_revisions_have_is_refused(ab, repository, tmp_path):
    """Both would run the same code, and the answer would be that nothing has changed."""
    here = tmp_path / "amount.py"
    revisions = ("--rev", "HEAD~1", "--rev", "HEAD")
    for arguments in (
        [f"{sys.executable} {here}"],
        [f"{sys.executable} -c 1 --file={here}"],
        [f"{sys.executable} -m amount", "--env-a", f"PYTHONPATH={here}"],
    ):
        done = ab(*arguments, *revisions)
        assert done.code == 2 and "both revisions would use that one" in done.err and "write amount.py" in done.err
    assert ab(f"{sys.executable} amount.py", *revisions).code == 0


def test_a_program_that_a_revision_lacks_is_copied_there_and_imports_what_the_revision_has(
    ab, repository, tmp_path, monkeypatch
):
    """A whole path would import the modules beside it, those of the working tree, at both revisions."""
    monkeypatch.setenv("SAID", str(tmp_path / "said"))
    show = "import os\nimport amount\nprint(amount.AMOUNT, file=open(os.environ['SAID'], 'a'))\n"
    (tmp_path / "show.py").write_text(show)
    revisions = ("--rev", "HEAD~1", "--rev", "HEAD")
    done = ab(f"{sys.executable} show.py", *revisions, "--notes")
    assert done.code == 0 and "there is no show.py at" in done.out, done.err
    assert set((tmp_path / "said").read_text().split()) == {"0", "1"}
    by_whole_path = ab(f"{sys.executable} {tmp_path / 'show.py'}", *revisions)
    assert by_whole_path.code == 2 and "what it imports: write show.py" in by_whole_path.err


def test_a_file_of_data_may_be_taken_by_its_whole_path(ab, repository, tmp_path):
    (tmp_path / "rows.txt").write_text("1 2 3\n")
    reads = f"{sys.executable} -c \"print(open('{tmp_path / 'rows.txt'}').read())\" {tmp_path / 'rows.txt'}"
    done = ab(reads, "--rev", "HEAD~1", "--rev", "HEAD", "--notes")
    assert done.code == 0 and "rows.txt of the working tree is used at both revisions" in done.out


def test_programs_that_print_the_same_are_said_to_and_others_fail_the_gate(ab):
    same = ab("echo 1", "echo  1", "-q", "--gate")
    assert "Both print the same." in same.out and "print different" not in same.err
    slow = f"{sys.executable} -c 'import time; time.sleep(0.05); print(1)'"
    other = ab(slow, "echo 2", "-q", "--gate")
    assert other.code == 1 and "But the two print different things." in other.out
    assert "gate failed (wall time, delta 1 %): the two print different things (1 against 2)" in other.err
    timed = ab("echo took 1.2 s", "echo took 1.1 s", "-q", "--gate")
    assert "print different" not in timed.err + timed.out
    meant = ab(slow, "echo 2", "-q", "--gate", "--output-may-differ")
    assert meant.code == 0 and "gate passed" in meant.err


def test_the_tree_is_untouched_after_a_failure(ab, repository):
    before = state()
    assert ab("--a", "false", "--rev", "HEAD~1", "--rev", "HEAD").code == 4
    assert ab("--a", "true", "--rev", "HEAD~1", "--rev", "nothing").code == 2
    assert ab("absent.py", "--rev", "HEAD~1", "--rev", "HEAD").code == 2
    assert state() == before


def test_a_pair_is_read_at_both_revisions(ab, repository, monkeypatch):
    from perfproof.bench.forms import two_environments

    (repository / "pair.py").write_text(TEXT)
    git("add", "pair.py")
    git("commit", "-q", "-m", "pair", "pair.py")
    (repository / "pair.py").write_text(TEXT.replace("torch.addcmul(a, b, c)", "a + b * c"))
    seen = {}

    def run_apart(a, b, options, facts, seed, notify, *_):
        seen.update(a=a, b=b, package=facts.has_package("amount"), texts=[one.pair.path.read_text() for one in (a, b)])
        yield from ()

    monkeypatch.setattr(two_environments, "run_apart", run_apart)
    before = state()
    assert ab("pair.py", "--rev", "HEAD", "--rev", "worktree").code == 0
    assert "addcmul" in seen["texts"][0] and "addcmul" not in seen["texts"][1]
    first, second = (setting.variables["PYTHONPATH"].split(os.pathsep)[0] for setting in (seen["a"], seen["b"]))
    assert first != second == str(repository) and seen["package"] and state() == before


def test_revisions_may_differ_in_a_module_that_the_pair_imports(ab, repository, monkeypatch):
    from perfproof.bench.forms import two_environments

    seen = []

    def run_apart(a, b, *_):
        seen.extend([a, b])
        yield from ()

    monkeypatch.setattr(two_environments, "run_apart", run_apart)
    (repository / "pair.py").write_text(TEXT.replace("import torch", "import amount\nimport torch", 1))
    git("add", "pair.py")
    git("commit", "-q", "-m", "pair", "pair.py")
    (repository / "amount.py").write_text("AMOUNT = 7\n")
    assert ab("pair.py", "--rev", "HEAD", "--rev", "worktree").code == 0
    assert len({setting.pair.modules["amount"] for setting in seen}) == 2


def test_revisions_that_have_the_same_files_are_remarked_on(repository):
    git("stash", "-q")
    git("tag", "same")
    with checked_out(repository, ["HEAD", "same"]) as trees:
        assert [code for code, _ in remarks_on(trees)] == ["W165"] and "any difference is noise" in remarks_on(trees)[
            0
        ][1]
    with checked_out(repository, ["HEAD", "worktree"]) as trees:
        assert "same files" in remarks_on(trees)[0][1]
    with checked_out(repository, ["HEAD~1", "HEAD"]) as trees:
        assert remarks_on(trees) == ()
    git("stash", "pop", "-q")
    with checked_out(repository, ["HEAD", "worktree"]) as trees:
        assert remarks_on(trees) == ()


def test_a_script_by_its_whole_path_is_refused_though_no_module_lies_beside_it(ab, repository):
    (repository / "bench").mkdir()
    script = repository / "bench" / "run.py"
    script.write_text("import sys\nsys.path.insert(0, 'x')\nimport amount\n")
    done = ab(f"{sys.executable} {script}", "--rev", "HEAD~1", "--rev", "HEAD")
    assert done.code == 2 and "write bench/run.py" in done.err and done.err.count("\n") == 1
    data = repository / "bench" / "notes.py"  # a file that the program reads, by its whole path
    script.unlink()
    data.write_text("x = 1\n")
    assert ab(f"wc -l {data}", "--rev", "HEAD~1", "--rev", "HEAD").code == 0


def test_a_pair_that_was_not_there_yet_measures_the_older_revisions_too(ab, repository, monkeypatch):
    from perfproof.bench.forms import two_environments

    seen, told = [], []

    def run_apart(a, b, options, facts, seed, notify, notes, *_):
        seen.extend([a, b])
        told.extend(notes)
        yield from ()

    monkeypatch.setattr(two_environments, "run_apart", run_apart)
    before = state()
    (repository / "new").mkdir()
    (repository / "new" / "pair.py").write_text(TEXT.replace("import torch", "import amount\nimport torch", 1))
    assert ab("new/pair.py", "--rev", "HEAD~1", "--rev", "HEAD").code == 0
    assert len({setting.pair.modules["amount"] for setting in seen}) == 2
    assert [code for code, _ in told] == ["W165", "W146"] and state() == before
    assert "amount.py" in told[0][1] and "working tree" in told[1][1]


def test_a_pair_that_is_nowhere_is_refused(ab, repository):
    done = ab("pair.py", "--rev", "HEAD~1", "--rev", "HEAD")
    assert done.code == 2 and "nor in the working tree" in done.err and done.err.count("\n") == 1


def test_ctrl_c_leaves_neither_work_trees_nor_programs(repository, warm_python):
    before, program = state(), f"sleep 751.{os.getpid()}"  # no other run of this test has this one
    command = [sys.executable, "-m", "perfproof", "ab", "--a", program, "--rev", "HEAD~1", "--rev", "HEAD"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 200
    while program not in running() and time.monotonic() < deadline:
        time.sleep(0.2)  # every look starts a process
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=200)
    assert process.returncode == 130 and saved().state == "interrupted"
    assert state() == before
    while program in running() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert program not in running()


def running():
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout.splitlines()


def test_a_saved_comparison_is_made_again_with_what_is_given(ab, perfproof, repository):
    assert ab("sleep 0.001", "sleep 0.02", "--label-b", "long", "--gate").code == 1
    again = perfproof("rerun", "latest", "--effort", "quick", "--notes")
    assert again.code == 1 and "long is " in again.out and "gate failed (wall time, delta 1 %): long " in again.err
    first, second = (load_run(folder) for folder in list_runs("artifacts"))
    assert second.options["ab"] == first.options["ab"] and second.planned == first.planned


def test_a_revision_that_has_moved_since_is_pointed_out(ab, perfproof, repository):
    assert ab("cat amount.py", "--rev", "HEAD~1", "--rev", "HEAD").code == 0
    git("commit", "-q", "-a", "-m", "amount 2")
    again = perfproof("rerun", "latest")
    moved = load_run(list_runs("artifacts")[0]).targets[0].labels["b"].replace("HEAD ", "HEAD~1 ")
    assert again.code == 0 and f"now these are {moved} and HEAD (" in again.err
    assert load_run(list_runs("artifacts")[0]).planned == saved().planned


@pytest.fixture
def apart(monkeypatch):
    """Pairs at two revisions have the ratio that the later file says: `# ratio 0.5`."""
    from perfproof.bench.forms import two_environments
    from perfproof.bench.run import Finished

    told = []

    def run_apart(a, b, options, facts, seed, notify, notes, answered, sizes, comparisons, answers_may_differ):
        told.append({"comparisons": comparisons, "may_differ": answers_may_differ, "budget": options.budget})
        value = float(b.pair.path.read_text().rpartition("# ratio ")[2])
        judged = RatioResult(verdict="slower" if value < 1 else "faster", ratio=value, low=value * 0.9, high=value)
        result = TargetResult(target=a.pair.name, status="ok", verdict=judged.verdict, ratios={"b": judged})
        yield Finished(result, [], "")

    monkeypatch.setattr(two_environments, "run_apart", run_apart)
    return told


@pytest.fixture
def three_pairs(repository):
    """bench/sort gets slower in the last commit, bench/join faster, and bench/other does other work."""
    (repository / "bench").mkdir()
    for last in (False, True):
        for name, ratio in (("sort", 0.5), ("join", 2.0), ("other", 1.0)):
            text = TEXT.replace("elements=1_003", "elements=1_001") if last and name == "other" else TEXT
            (repository / "bench" / f"{name}.py").write_text(f"{text}\n# last {last}\n# ratio {ratio}\n")
        git("add", "bench")
        git("commit", "-q", "-m", "bench", "bench")
    return repository


def test_several_pairs_at_two_revisions_have_one_gate_one_table_and_one_exit_code(ab, perfproof, three_pairs, apart):
    before = state()
    done = ab("bench", "--rev", "HEAD~1", "--rev", "HEAD", "--gate", "--budget", "30")
    assert done.code == 1 and state() == before
    assert [one.gate for one in saved().targets] == ["pass", "not decided", "fail"]  # join, other, sort
    assert [name.partition(": ")[0] for name in saved().planned] == ["bench/join", "bench/other", "bench/sort"]
    rows = [
        line.split() for line in done.out.splitlines() if line.endswith(("bench/join", "bench/sort", "bench/other"))
    ]
    assert [(row[0], row[-1]) for row in rows if row[0] != "not"] == [("pass", "bench/join"), ("fail", "bench/sort")]
    line = done.err.splitlines()[-1]
    assert line.startswith("gate failed (time, delta 1 %): 1 of 3 targets: bench/sort: HEAD (")
    assert "not decided: bench/other" in line
    assert apart == 2 * [{"comparisons": 3, "may_differ": False, "budget": 10.0}]
    suite = ET.fromstring(perfproof("report", "latest", "--format", "junit").out).find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")  # one is refused
    assert "| fail | slower |" in perfproof("report", "latest", "--format", "md").out
    assert ">gate: fail<" in perfproof("report", "latest", "--format", "html", "-o", "-").out


def test_a_gate_over_several_pairs_passes_if_each_does(ab, three_pairs, apart):
    done = ab("bench/join.py", "bench/join.py", "--rev", "HEAD~1", "--rev", "HEAD", "--gate")
    assert done.code == 0 and len(saved().targets) == 1  # one file is one pair
    assert ab("bench/join.py", "bench/join.py:baseline", "--rev", "HEAD~1", "--rev", "HEAD").code == 0
    assert [name.partition(": ")[0] for name in saved().planned] == ["bench/join", "bench/join:baseline"]
    sizes = ab("bench/join.py", "bench/sort.py", "--rev", "HEAD~1", "--rev", "HEAD", "--set", "n=3")
    assert sizes.code == 2 and "--set is for one pair" in sizes.err


def test_a_reference_may_change_on_purpose_between_two_revisions(ab, repository, apart):
    (repository / "pair.py").write_text(f"{TEXT}# ratio 2\n")
    git("add", "pair.py")
    git("commit", "-q", "-m", "pair", "pair.py")
    other = TEXT.replace("a.double() + b.double() * c.double()", "a.double() - b.double() * c.double()")
    assert other != TEXT
    (repository / "pair.py").write_text(f"{other}# ratio 2\n")
    refused = ab("pair.py", "--rev", "HEAD", "--rev", "worktree")
    assert refused.code == 2 and "`reference`" in refused.err and "--output-may-differ" in refused.err
    meant = ab("pair.py", "--rev", "HEAD", "--rev", "worktree", "--output-may-differ", "--gate")
    assert meant.code == 0 and apart[-1]["may_differ"]
    files = ab("pair.py", "pair.py", "--output-may-differ")
    assert files.code == 2 and "two pair files have one oracle" in files.err


@pytest.mark.parametrize(
    ("given", "revisions"),
    [
        (["main", "HEAD"], ("main", "HEAD")),
        (["main..topic"], ("main", "topic")),
        (["v1.2.."], ("v1.2", "HEAD")),
        (["..topic"], ("HEAD", "topic")),
        (["main"], ("main",)),
        (["a..b..c"], ("a..b..c",)),
        ([], ()),
    ],
)
def test_two_revisions_may_be_written_as_git_does(given, revisions):
    assert two_revisions(given) == revisions


def test_answers_that_change_on_purpose_are_measured_and_said_not_to_be_compared(
    ab, repository, brief_runs, warm_interpreters
):
    """The whole way, with workers: the last commit gives another answer."""
    pair = "import random\nimport amount\n\n\ndef inputs():\n    return [random.random() for _ in range(500)]\n"
    for side in ("baseline", "optimized"):
        pair += f"\n\ndef {side}(xs):\n    return sum(xs) + amount.AMOUNT\n"
    (repository / "pair.py").write_text(pair)
    meant = ab("pair.py", "--rev", "HEAD~1", "--rev", "HEAD", "--budget", "1", "--output-may-differ")
    (one,) = saved().targets
    assert meant.code == 0 and one.status == "ok" and one.ratios
    assert "Answers may differ (--output-may-differ): the two were not compared." in " ".join(meant.out.split())
    check = next(check for check in one.checks if check.name == "matches the other side")
    assert check.result == "not-run" and "on purpose" in check.detail


@pytest.fixture
def functions(repository):
    """`work.total` doubles its work in the last commit; `work.fixed` takes no arguments."""
    (repository / "helper.py").write_text("TIMES = 1\n")
    for times in (1, 20):
        text = f"import helper\n\ndef total(x):\n    for _ in range({times}):\n        s = sum(x) * helper.TIMES\n"
        (repository / "work.py").write_text(f"{text}    return s\n\n\ndef fixed():\n    return sum(range(100))\n")
        git("add", "work.py", "helper.py")
        git("commit", "-q", "-m", f"times {times}")
    return repository


TWO = ("--rev", "HEAD~1", "--rev", "HEAD")


def test_one_function_at_two_revisions_without_a_pair(ab, functions, brief_runs, warm_interpreters):
    """The whole way, with workers: each revision imports its own module, and the answers are compared."""
    before = state()
    done = ab("work:total", *TWO, "--args", "[random.random() for _ in range(500)]", "--budget", "1")
    (one,) = saved().targets
    assert done.code == 0 and one.status == "ok" and one.ratios["b"].ratio < 0.5, done.out + done.err
    assert one.target == "work:total([random.random() for _ in range(500)]): HEAD~1 against HEAD"
    checks = {check.name: check.result for check in one.checks}
    assert checks["matches the other side"] == checks["values change"] == "pass"
    assert state() == before and "W144" not in {said.code for said in one.warnings}
    assert "+    for _ in range(20):" in (list_runs("artifacts")[-1] / "changes.diff").read_text()
    (functions / "work.py").write_text((functions / "work.py").read_text().replace("return s\n", "return s + 1\n"))
    wrong = ab("work:total", "--rev", "HEAD", "--rev", "worktree", "--args", "[random.random() for _ in range(500)]")
    assert wrong.code == 1 and "wrong answer: worktree at the same inputs as HEAD" in " ".join(wrong.out.split())


def test_a_function_that_always_gets_the_same_values_has_a_ratio_and_no_verdict(
    ab, functions, brief_runs, warm_interpreters
):
    done = ab("work:fixed", *TWO, "--budget", "1", "--gate")
    (one,) = saved().targets
    assert done.code == 0 and (one.status, one.verdict, one.gate) == ("ok", "indicative", "not decided"), done.out
    assert "every call gets the same values" in one.ratios["b"].note and "let --args draw" in one.ratios["b"].note


DRAWN = ("--args", "[random.randrange(9) for _ in range(500)]")


def test_two_functions_of_the_project_are_compared_without_a_pair(ab, functions, brief_runs, warm_interpreters):
    (functions / "fast.py").write_text("def total(x):\n    return sum(x)\n\n\ndef first(x):\n    return x[0]\n")
    done = ab("work:total", "fast:total", *DRAWN, "--budget", "1")
    (one,) = saved().targets
    assert done.code == 0 and one.status == "ok" and one.ratios["b"].ratio > 2, done.out + done.err
    assert one.target == f"work:total against fast:total ({DRAWN[1]})" and one.labels["b"] == "fast:total"
    assert {side: (file.path, file.name) for side, file in one.functions.items()} == {
        "baseline": ("work.py", "total"),
        "b": ("fast.py", "total"),
    }
    wrong = ab("work:total", "fast:first", *DRAWN)
    assert wrong.code == 1 and "wrong answer: first" in " ".join(wrong.out.split()), wrong.out
    for other, said in (("fast:nothing", "fast has no nothing"), ("fast:totl", "did you mean total?")):
        done = ab("work:total", other, *DRAWN)
        assert done.code == 2 and said in done.err, done.err
    assert "--args" in ab("work:total", "fast:total").err
    unknown = ab("work:total", "fast:total", "--args", "titles([one for one in range(3)])")
    assert unknown.code == 2 and "nothing is called titles" in unknown.err and "--setup 'from work.data" in unknown.err
    three = ab("work:total", "fast:total", "fast:first", *DRAWN)
    assert three.code == 2 and "two functions are compared at a time" in three.err
    same = ab("work:total", "fast:total", "--args", "[1, 2, 3]")
    assert same.code == 1 and "let --args draw" in " ".join(same.out.split()), same.out


def test_a_function_is_compared_with_itself_or_with_another_function(ab, functions):
    for more in ((), ("--rev", "HEAD"), (*TWO, "work:fixed"), (*TWO, "--set", "n=3"), (*TWO, "--env-b", "X=1")):
        done = ab("work:total", *more)
        assert done.code == 2 and "--rev" in done.err and done.err.count("\n") == 1, (more, done.err)
    for arguments in (("sleep 0.01", "sleep 0.02"), ("work:total2:x", *TWO), ("nothing_of_ours:f", *TWO)):
        done = ab(*arguments, "--args", "3")
        assert done.code == 2 and "--args: only for a function" in done.err, (arguments, done.err)
    done = ab("work:totl", *TWO)
    assert done.code == 2 and "work has no totl at HEAD~1" in done.err and not list_runs("artifacts")
