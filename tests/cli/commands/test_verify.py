"""`perfproof verify` from end to end: the gate, what it says, writes and returns; once with everything real."""

import json
import math
import subprocess
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import jsonschema
import pytest

from perfproof.app import session
from perfproof.bench import process
from perfproof.bench import run as bench
from perfproof.bench.forms import two_environments
from perfproof.core import options
from perfproof.core.documents import RatioResult, TargetResult, VariantResult
from perfproof.core.options import Effort
from perfproof.core.schema import schema_text
from perfproof.history.folders import list_runs, load_run
from perfproof.stats import verdicts
from tests.history.measured_runs import started
from tests.pairs.full_pair import TEXT

SPREAD = (-0.004, -0.002, 0.0, 0.002, 0.004)
FEW = dict(couples=1, quads=8, most_quads=8, seconds=0.0, new_interpreters=False)


def git(*arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    return subprocess.run(["git", *identity, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def result(name, ratio, verdict="faster", variant="optimized", **fields):
    judged = RatioResult(
        verdict=verdict,
        ratio=ratio,
        low=ratio * math.exp(-0.006),
        high=ratio * math.exp(0.006),
        units=[math.log(ratio) + one for one in SPREAD],
        launches=5,
        beta=0.002,
    )
    sides = {"baseline": VariantResult(times={"call": 1e-3}), variant: VariantResult(times={"call": 1e-3 / ratio})}
    values = {"status": "ok", "verdict": verdict, "variants": sides, "ratios": {variant: judged}, "path": f"{name}.py"}
    return TargetResult(target=name, **values | fields)


@pytest.fixture
def gate(perfproof, tmp_path, monkeypatch):
    """A clean repository, and a bench that gives what `gate.ratios` (today) and `gate.paired` (by side) say."""
    found = SimpleNamespace(ratios={}, paired={}, tried=[], folder=tmp_path)

    def run_targets(planned, chosen, facts, seed, notify, *_):
        for plan in planned:
            value = found.ratios.get(plan.pair.name, 2.0)
            one = result(plan.pair.name, value) if isinstance(value, float) else value
            yield bench.Finished(one, [{"seconds": 1e-3}], "")

    def run_apart(a, b, chosen, facts, seed, notify, *_):
        side = a.pair.borrowed["b"].rpartition(":")[2]
        found.tried.append((a.pair.siblings["<b>"].stem, side))
        value = found.paired.get(side, 1.0)
        one = result(a.pair.name, value, "same", "b") if isinstance(value, float) else value
        yield bench.Finished(one, [], "")

    monkeypatch.setattr(bench, "run_targets", run_targets)
    monkeypatch.setattr(two_environments, "run_apart", run_apart)
    found.call = lambda *arguments: perfproof("verify", *arguments, "--device", "cpu", "--no-telemetry")
    found.perfproof = perfproof
    return found


def write_pairs(folder, *names):
    for name in names:
        (folder / f"{name}.py").write_text(TEXT)
    (folder / ".gitignore").write_text("artifacts/\n")
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "pairs")


def expect(gate, *names):
    write_pairs(gate.folder, *names)
    files = [f"{name}.py" for name in names]
    assert gate.perfproof("run", *files, "--device", "cpu", "--no-telemetry").code == 0
    done = gate.perfproof("expectations", "update", "latest", "-m", "as it is")
    assert done.code == 0, done.err


def test_an_unchanged_target_is_the_same_and_nothing_is_tried(gate):
    expect(gate, "one")
    done = gate.call()
    assert done.code == 0 and not gate.tried and "1 same; exit code 0" in done.out
    (line,) = [line for line in done.out.splitlines() if line.startswith("same")]
    assert "2.00x (1 day)" in line and line.endswith("one") and line.count(" %") == 2
    (folder,) = [path for path in list_runs("artifacts") if "-verify-" in path.name]
    document = json.loads((folder / "verify.json").read_text())
    assert document["run"] == load_run(folder).run and document["outcomes"][0]["screening"]["days"] == 1


def test_what_is_allowed_for_the_verification_is_allowed_for_its_measurement(gate, monkeypatch):
    expect(gate, "one")
    refused = []
    monkeypatch.setattr(session, "refuse_unfit", lambda machine, allowed: refused.append("W122" in allowed))
    gate.call("--effort", "final", "--shared")
    assert refused == [True, True]


def test_a_regression_is_confirmed_named_and_written_for_ci(gate):
    expect(gate, "one", "two")
    gate.ratios, gate.paired = {"one": 1.7}, {"optimized": 0.85}
    (gate.folder / "summary.md").write_text("before\n")
    done = gate.call("--junit", "gate.xml", "--summary", "summary.md")
    assert done.code == 1 and gate.tried == [("one", "optimized")]
    assert "1 regression, 1 same; exit code 1" in done.out and "optimized takes 17.6 % longer" in done.out
    assert "next: perfproof report run " in done.out
    summary = (gate.folder / "summary.md").read_text()
    assert (
        summary.startswith("before\n### perfproof verify: 1 of 2 failed: one\n")
        and "| **regression** | one |" in summary
    )
    suite = ET.parse(gate.folder / "gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert suite.find("testcase/failure").get("type") == "regression"
    evidence = load_run(next(path for path in list_runs("artifacts") if "-verify-one-" in path.name))
    assert evidence.options["ab"]["revisions"] == [git("rev-parse", "HEAD"), "worktree"]


def test_a_gain_that_is_a_slower_baseline_is_a_regression(gate):
    expect(gate, "one")
    gate.ratios, gate.paired = {"one": 2.4}, {"baseline": 0.83}
    done = gate.call()
    assert done.code == 1 and gate.tried == [("one", "optimized"), ("one", "baseline")]
    assert "baseline takes 20.5 % longer" in done.out


def test_an_improvement_fails_nothing_and_is_not_recorded_by_itself(gate):
    expect(gate, "one")
    (file,) = (gate.folder / "expectations").glob("*.json")
    before = file.read_text()
    gate.ratios, gate.paired = {"one": 2.4}, {"optimized": 1.2}
    done = gate.call()
    assert done.code == 0 and "1 improvement" in done.out and "perfproof expectations update" in done.out
    assert file.read_text() == before


def test_a_changed_environment_is_said_with_its_fields(gate):
    expect(gate, "one")
    (file,) = (gate.folder / "expectations").glob("*.json")
    document = json.loads(file.read_text())
    for fields in document["environments"].values():
        fields["software.torch"] = "1.0"
    file.write_text(json.dumps(document))
    gate.ratios = {"one": 1.7}
    done = gate.call()
    assert done.code == 0 and "1 environment" in done.out and "software.torch: 1.0 -> " in done.out


def test_many_that_move_together_have_one_cause_that_is_said_once(gate):
    names = [f"p{number}" for number in range(6)]
    expect(gate, *names)
    gate.ratios = dict.fromkeys(names[:5], 1.6)
    done = gate.call()
    assert done.code == 0 and "environment: 5 of 6 moved down together" in done.out
    assert len({name for name, _ in gate.tried}) == 3 and "5 environment, 1 same" in done.out
    gate.paired = {"optimized": 0.8}
    done = gate.call()
    assert done.code == 1 and "5 regression" in done.out and "moved down together" not in done.out


def test_many_that_move_together_stay_open_where_no_paired_run_clears_the_program(gate):
    names = [f"p{number}" for number in range(6)]
    expect(gate, *names)
    gate.ratios = dict.fromkeys(names[:5], 1.6)
    done = gate.call("--budget", "1")
    assert done.code == 3 and "5 inconclusive, 1 same" in done.out and "moved down together" not in done.out


def test_new_and_missing_targets(gate):
    expect(gate, "one")
    (gate.folder / "two.py").write_text(TEXT)
    done = gate.call("one.py", "two.py")
    assert done.code == 0 and "1 new, 1 same" in done.out
    gate.ratios = {"one": TargetResult(target="one", status="failed-verification", reason="wrong answer")}
    done = gate.call()
    assert done.code == 1 and "1 missing" in done.out and "wrong answer" in done.out
    gate.ratios = {"one": TargetResult(target="one", status="crashed", reason="it died")}
    assert gate.call().code == 4
    (gate.folder / "one.py").unlink()
    done = gate.call()
    assert done.code == 1 and "not among the targets" in done.out


def test_an_unstable_result_is_inconclusive(gate):
    expect(gate, "one")
    gate.ratios = {"one": result("one", 2.0, "unstable")}
    done = gate.call("--junit", "gate.xml")
    assert done.code == 3 and "1 inconclusive" in done.out
    assert ET.parse(gate.folder / "gate.xml").getroot()[0].get("errors") == "1"


def test_a_pull_request_goes_straight_to_the_paired_run(gate):
    write_pairs(gate.folder, "one")
    done = gate.call("one.py", "--base", "HEAD")
    assert (
        done.code == 0 and gate.tried == [("one", "optimized"), ("one", "baseline")] and "paired with HEAD" in done.out
    )
    assert "1 same" in done.out and not any("-verify-one-" not in path.name for path in list_runs("artifacts"))
    gate.paired = {"optimized": 0.9}
    assert gate.call("one.py", "--base", "HEAD").code == 1


def test_a_start_up_that_its_own_interval_calls_worse_is_confirmed_alone_and_not_among_many(gate):
    names = ["one", *(f"other{number}" for number in range(9))]
    write_pairs(gate.folder, *names)
    starts = [math.exp(0.02 * one) for one in (-1.5, -1, -0.6, -0.2, 0, 0, 0.2, 0.6, 1, 1.5)]
    slower = started(starts, [1.027 * one for one in starts])
    gate.paired = {"optimized": result("one", 1.0, "worse", "b", ratios={"b": slower})}
    alone = gate.call("one.py", "--base", "HEAD")
    assert slower.verdict == "worse" and alone.code == 1 and "1 regression" in alone.out
    among = gate.call(*(f"{name}.py" for name in names), "--base", "HEAD")
    assert among.code == 3 and "regression" not in among.out


def test_a_target_that_the_base_does_not_hold_is_new_and_fails_nothing(gate):
    write_pairs(gate.folder, "one")
    (gate.folder / "two.py").write_text(TEXT)
    done = gate.call("two.py", "--base", "HEAD")
    assert done.code == 0 and "its file is not in HEAD" in done.out and "1 new" in done.out and not gate.tried


def test_a_base_that_is_no_revision_is_a_wrong_use(gate):
    write_pairs(gate.folder, "one")
    done = gate.call("one.py", "--base", "nobodys/branch")
    assert done.code == 2 and "'nobodys/branch' is no revision" in done.err and done.err.count("\n") == 1


def test_a_spent_budget_leaves_a_flag_open(gate):
    expect(gate, "one")
    gate.ratios = {"one": 1.7}
    done = gate.call("--budget", "1")
    assert done.code == 3 and "raise --budget" in done.out and not gate.tried


def test_a_canary_runs_beside_the_targets_and_has_no_row(gate):
    expect(gate, "one", "two")
    document = json.loads(gate.call("one.py", "--canary", "two", "--json").out)
    assert document["canary"] == "two" and [one["target"] for one in document["outcomes"]] == ["one"]
    assert load_run(gate.folder / "artifacts" / document["run"]).planned == ["one", "two"]


def test_json_is_the_published_document_and_progress_goes_elsewhere(gate):
    expect(gate, "one")
    gate.ratios, gate.paired = {"one": 1.7}, {"optimized": 0.85}
    done = gate.call("--json")
    document = json.loads(done.out)
    jsonschema.validate(document, json.loads(schema_text("verification")))
    assert "one: optimized at" in done.err and document["exit_code"] == done.code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        ((), 5, "expects nothing yet"),
        (("--base", "HEAD"), 2, "--base needs the targets"),
        (("one.py", "--canary", "nobody"), 5, "--canary: no target 'nobody'"),
        (("nothing.py",), 5, "no file 'nothing.py'"),
        (("one.py", "--junit", "no/such/folder.xml"), 2, "its folder does not exist"),
        (("one.py", "--effort", "much"), 2, "--effort"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(gate, arguments, code, why):
    write_pairs(gate.folder, "one")
    done = gate.call(*arguments)
    assert done.code == code and why in done.err and done.err.count("\n") == 1 and not list_runs("artifacts")


@pytest.fixture
def few_samples(monkeypatch):
    """Real workers with few samples; what a busy machine does to those is not what is tested."""
    monkeypatch.setitem(options.EFFORTS, "quick", Effort("quick", 1, 1, **FEW | {"couples": 5}))
    monkeypatch.setitem(options.EFFORTS, "final", Effort("final", 1, 1, **FEW | {"couples": 5}))
    monkeypatch.setattr(process, "CHECK_SECONDS", 0.1)
    monkeypatch.setattr(verdicts, "MOST_INVALID", 1.0)
    monkeypatch.setattr(verdicts, "TWIN_PROBABILITY", 1 - 1e-12)


def test_a_real_regression_is_found_from_end_to_end(perfproof, few_samples, warm_interpreters, tmp_path):
    """All is measured but the day, and no noise hides the slow-down: the optimized side does eight times as much."""

    def a_day(planned, *_):
        sizes = planned[0].pair.workload_cpu or planned[0].pair.workload
        yield bench.Finished(result("one", 9.0, sizes=sizes), [{"seconds": 1e-3}], "")

    loop = "    for _ in range(4):\n        torch.addcmul(a, b, c)\n    return torch.addcmul(a, b, c)\n"
    small = TEXT.replace("2**22", "2**13")
    write_pairs(tmp_path)
    (tmp_path / "one.py").write_text(small.replace("    return torch.addcmul(a, b, c)\n", loop))
    git("add", ".")
    git("commit", "-q", "-m", "pair")
    common = ("--effort", "quick", "--device", "cpu", "--no-telemetry")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "run_targets", a_day)
        assert perfproof("run", "one.py", *common).code == 0
    done = perfproof("expectations", "update", "latest", "-m", "as it is")
    assert done.code == 0, done.err
    text = (tmp_path / "one.py").read_text()
    (tmp_path / "one.py").write_text(text.replace("range(4)", "range(39)"))
    done = perfproof("verify", *common, "--json")
    (outcome,) = json.loads(done.out)["outcomes"]
    assert outcome["outcome"] == "regression" and done.code == 1, outcome
    assert outcome["screening"]["difference"] < -1 and outcome["trials"][0]["ratio"] < 0.5
    assert git("worktree", "list").count("\n") == 0
