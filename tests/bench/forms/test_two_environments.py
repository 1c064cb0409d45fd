"""Sides that live in launches of their own: who is asked what, and that the environments really differ."""

import tempfile

import pytest

from perfproof.bench.forms.two_environments import LaunchApart, Setting, WorkerApart, merged, refuse_fixed, run_apart
from perfproof.bench.forms.two_files import join
from perfproof.core.errors import UsageError
from perfproof.core.options import EFFORTS, Effort, RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair
from tests.bench.ranks.ranked_pair import LAST, instead
from tests.pairs.full_pair import TEXT

SMALL = Effort("quick", 1, 1, couples=5, quads=10, most_quads=20, seconds=0.02, new_interpreters=False)
TINY = Effort("quick", 1, 1, couples=1, quads=5, most_quads=5, seconds=0.01, new_interpreters=False)
REPEATS = """\
def optimized(a, b, c):
    for _ in range(int(os.environ.get("REPEATS", "1"))):
        out = torch.addcmul(a, b, c)
    return out
"""

ALONE = """\
import os
from pathlib import Path

import torch

def replace(x):
    for file in Path(os.environ["OTHER"]).glob("*/answers at *"):
        file.write_bytes(b"")
    return x.sum(1)

def answer(x): return {answer} if "OTHER" in os.environ else x.sum(1)
def inputs(): return torch.randn(50, 40)
def baseline(x): return answer(x)
def optimized(x): return answer(x)
"""


class FakeWorker:
    def __init__(self, name):
        self.name, self.asked, self.closed = name, [], False

    def ask(self, command, deadline, **fields):
        self.asked.append((command, fields))
        checks = [{"name": "precision", "result": "fail" if self.name == "B" else "pass", "detail": self.name}]
        return {"checks": checks, "errors": {"baseline": self.name}, "calls": {"baseline": 1}, "from": self.name}

    def close(self):
        self.closed = True


class FakeLaunch:
    def __init__(self, name, tmp_path):
        self.name, self.scratch, self.forked = name, tmp_path, []

    def fork(self):
        self.forked.append(FakeWorker(self.name))
        return self.forked[-1]


@pytest.fixture
def launch(tmp_path):
    return LaunchApart([FakeLaunch("A", tmp_path), FakeLaunch("B", tmp_path)], [{"path": "a.py"}, {"path": "b.py"}])


def opened(launch, sides):
    worker = WorkerApart(launch)
    worker.ask("open", 1.0, spec={"path": "?", "device": "cpu"}, sides=sides, cpus=[0])
    return worker


@pytest.mark.parametrize(
    ("side", "name", "path"), [("baseline", "A", "a.py"), ("twin", "A", "a.py"), ("b", "B", "b.py")]
)
def test_a_side_is_opened_in_its_own_interpreter_with_its_own_files(launch, side, name, path):
    with opened(launch, [side]) as worker:
        assert worker.ask("run", 1.0, samples=[])["from"] == name
    (fake,) = [fake for one in launch.launches for fake in one.forked]
    assert fake.closed and fake.asked[0][1]["spec"] == {"path": path, "device": "cpu"}
    assert fake.asked[0][1]["sides"] == [side]


def test_both_sides_are_verified_each_in_its_own_setting(launch):
    reply = opened(launch, ["baseline", "b"]).ask("verify", 1.0)
    assert [check["result"] for check in reply["checks"]] == ["fail"]
    assert reply["errors"] == {"baseline": "A"}


def test_start_up_opens_the_interpreter_of_the_side_that_is_named(launch):
    worker = opened(launch, [])
    assert worker.ask("startup", 1.0, side="b")["from"] == "B"
    assert not launch.launches[0].forked


def test_a_check_that_failed_in_either_setting_has_failed():
    one = {"checks": [{"name": "x", "result": "fail"}], "errors": {}, "calls": {}}
    other = {"checks": [{"name": "x", "result": "pass"}, {"name": "y", "result": "pass"}], "errors": {}, "calls": {}}
    for replies in ([one, other], [other, one]):
        assert {check["name"]: check["result"] for check in merged(replies)["checks"]} == {"x": "fail", "y": "pass"}


def test_what_the_harness_sets_itself_is_refused():
    refuse_fixed({"NVIDIA_TF32_OVERRIDE": "1"})
    with pytest.raises(UsageError, match="--threads"):
        refuse_fixed({"OMP_NUM_THREADS": "4"})


def test_one_pair_in_two_environments(monkeypatch, tmp_path):
    monkeypatch.setitem(EFFORTS, "quick", SMALL)
    start = TEXT.index("def optimized")
    text = TEXT[:start] + REPEATS + TEXT[TEXT.index("\n\ndef cost") :]
    text = text.replace("import torch", "import os\n\nimport torch", 1).replace("2**22", "2**16")
    (tmp_path / "pair.py").write_text(text)
    pair = read_pair(tmp_path / "pair.py", "pair", "tests")
    joined = join(pair, "optimized", pair, "optimized", "pair: as it is against REPEATS=9")
    options = RunOptions(effort="quick")
    settings = Setting(joined, {}), Setting(joined, {"REPEATS": "9"})
    (done,) = run_apart(*settings, options, read_facts("cpu"), "5eed", lambda news: None)
    result = done.result
    assert (result.status, result.verdict) == ("ok", "slower"), result.reason
    assert result.ratios["b"].rung == "in-turn-corrected" and result.ratios["b"].high < 0.5
    assert all(check.result != "fail" for check in result.checks) and set(result.variants) == {"baseline", "b"}


@pytest.mark.parametrize(
    ("answer", "status"),
    [("x.sum(1) * 1.01", "failed-verification"), ("x.flip(1).sum(1)", "ok"), ("replace(x)", "failed-verification")],
)
def test_without_a_reference_the_second_side_has_to_answer_what_the_first_does(
    warm_interpreters, monkeypatch, tmp_path, answer, status
):
    """A wrong answer of both functions of a revision, an honest other order, and a side that replaces the answers."""
    monkeypatch.setitem(EFFORTS, "quick", TINY)
    (tmp_path / "pair.py").write_text(ALONE.format(answer=answer))
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    pair = read_pair(tmp_path / "pair.py", str(tmp_path / "pair.py"), "tests", own=True)
    joined = join(pair, "optimized", pair, "optimized", "pair")
    settings = Setting(joined, {}), Setting(joined, {"OTHER": str(tmp_path / "scratch")})
    (done,) = run_apart(*settings, RunOptions(effort="quick"), read_facts("cpu"), "5eed", lambda news: None)
    across = [check for check in done.result.checks if check.name == "matches the other side"]
    assert done.result.status == status, done.result.reason
    assert [check.result for check in across] == ["pass" if status == "ok" else "fail"]


def test_ranks_are_measured_in_two_environments_and_on_another_number_of_them(warm_interpreters, monkeypatch, tmp_path):
    monkeypatch.setitem(EFFORTS, "quick", TINY)
    often = "int(os.environ.get('REPEATS', '1')) * (ranks == 3)"
    slow = f"    for _ in range({often}):\n        dist.all_reduce(out.clone())\n"
    (tmp_path / "ranked.py").write_text(instead("dist.all_reduce(out)\nreturn out").replace(LAST, slow + LAST))
    pair = read_pair(tmp_path / "ranked.py", "ranked", "tests")
    joined = join(pair, "optimized", pair, "optimized", "ranked")
    settings = Setting(joined, {}), Setting(joined, {"REPEATS": "30"})
    options = RunOptions(effort="quick")
    (done,) = run_apart(*settings, options, read_facts("cpu"), "5eed", lambda news: None, sizes={"ranks": 3})
    result = done.result
    assert result.status == "ok", result.reason
    assert result.ranks.count == 3 and all(len(row["ranks"]) == 3 for row in done.samples)
    assert result.ratios["b"].ratio < 0.5, "30 all-reduces more, if both the variable and the number arrived"
    assert all(check.result != "fail" for check in result.checks)
