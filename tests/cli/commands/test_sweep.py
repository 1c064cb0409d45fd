"""`perfproof sweep`: a grid measured point by point, saved in one document, shown, drawn, and resumed."""

import gzip
import json
from types import SimpleNamespace

import pytest

from perfproof.bench import run as bench
from perfproof.history.folders import list_runs, load_run
from tests.cli.conftest import finished, next_words
from tests.pairs.full_pair import write_new


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """A bench that measures nothing: `stop` names the point at which the person presses Ctrl-C, `fails` is a status."""
    write_new("mine", tmp_path)
    fake = SimpleNamespace(planned=[], options=None, seeds=[], stop=None, fails={})

    def run_targets(planned, options, facts, seed, notify, *_):
        fake.options = options
        fake.seeds.append(seed)
        for plan in planned:
            if plan.pair.name == fake.stop:
                raise KeyboardInterrupt
            fake.planned.append((plan.pair.name, plan.sizes))
            yield finished(plan, fake.fails.get(plan.pair.name, "ok"), sizes=plan.sizes)

    monkeypatch.setattr(bench, "run_targets", run_targets)
    return fake


def size_of(tmp_path):
    from perfproof.pairs.contract import read_pair

    return next(iter(read_pair(tmp_path / "mine.py", "mine", "tests").workload))


@pytest.fixture
def axis(measured, tmp_path):
    return size_of(tmp_path)


def saved():
    return load_run(list_runs("artifacts")[-1])


def test_a_grid_is_measured_saved_shown_and_drawn(perfproof, measured, axis):
    done = perfproof("sweep", "mine.py", "--set", f"{axis}=3,5")
    assert done.code == 0, done.err
    assert measured.planned == [(f"mine[{axis}=3]", {axis: 3}), (f"mine[{axis}=5]", {axis: 5})]
    assert "2.00x [1.90, 2.10]" in done.out and "sweep.svg" in done.out
    assert done.out.splitlines()[-1].startswith("next: perfproof run mine.py --set ")
    run, folder = saved(), list_runs("artifacts")[-1]
    assert run.options["sweep"] == {"target": "mine", "axes": {axis: [3, 5]}, "reduced": {}, "written": "mine.py"}
    assert run.planned == [target.target for target in run.targets] == [f"mine[{axis}=3]", f"mine[{axis}=5]"]
    assert (folder / "sweep.svg").read_text().startswith("<?xml")
    assert all(gzip.decompress((folder / target.samples).read_bytes()) for target in run.targets)
    assert len({target.samples for target in run.targets}) == 2


def test_json_is_the_document_and_nothing_else(perfproof, measured, axis):
    done = perfproof("sweep", "mine.py", "--set", f"{axis}=3,5", "--json")
    assert done.err == "" and json.loads(done.out)["options"]["sweep"]["axes"] == {axis: [3, 5]}
    assert done.out == (list_runs("artifacts")[-1] / "run.json").read_text()


def test_quiet_is_the_best_point_in_one_line(perfproof, measured, axis):
    done = perfproof("sweep", "mine.py", "--set", f"{axis}=3,5", "-q")
    assert done.err == "" and done.out.count("\n") == 1 and "2.00x faster" in done.out


def test_the_next_command_of_a_sweep_works_as_it_stands(perfproof, measured, axis):
    done = perfproof("sweep", "mine.py", "--set", f"{axis}=3,5")
    assert perfproof(*next_words(done.out)).code == 0
    measured.stop = f"mine[{axis}=5]"
    stopped = perfproof("sweep", "mine.py", "--set", f"{axis}=3,5")
    measured.stop = None
    assert perfproof(*next_words(stopped.out)).code == 0


def test_the_picture_goes_where_it_is_asked_for(perfproof, measured, axis, tmp_path):
    assert perfproof("sweep", "mine.py", "--set", f"{axis}=3,5", "-o", "out.svg").code == 0
    assert (tmp_path / "out.svg").read_text().startswith("<?xml")
    refused = perfproof("sweep", "mine.py", "--set", f"{axis}=3", "-o", "out.png")
    assert refused.code == 2 and ".svg" in refused.err


def test_a_search_is_quick_unless_more_is_asked_for_and_the_budget_is_the_whole_sweeps(perfproof, measured, axis):
    perfproof("sweep", "mine.py", "--set", f"{axis}=3", "--budget", "2m")
    assert (measured.options.effort, measured.options.budget) == ("quick", 120.0)
    perfproof("sweep", "mine.py", "--set", f"{axis}=3", "--effort", "standard")
    assert (measured.options.effort, measured.options.budget) == ("standard", None)


def test_an_interrupted_sweep_goes_on_where_it_stopped(perfproof, measured, axis):
    measured.stop = f"mine[{axis}=5]"
    done = perfproof("sweep", "mine.py", "--set", f"{axis}=3,5,7", "--effort", "standard")
    assert done.code == 130 and "perfproof sweep --resume" in done.out.splitlines()[-1]
    first = saved()
    measured.stop, measured.planned = None, []
    done = perfproof("sweep", "--resume", first.run)
    assert done.code == 0 and [name for name, _ in measured.planned] == [f"mine[{axis}=5]", f"mine[{axis}=7]"]
    assert measured.options.effort == "standard" and measured.seeds == [first.seed] * 2
    run, folder = saved(), list_runs("artifacts")[-1]
    assert run.run != first.run and [target.target for target in run.targets] == run.planned
    assert all((folder / target.samples).is_file() and (folder / target.log).is_file() for target in run.targets)


def test_points_that_failed_are_measured_again_when_resumed(perfproof, measured, axis):
    measured.fails = {f"mine[{axis}=3]": "crashed"}
    assert perfproof("sweep", "mine.py", "--set", f"{axis}=3,5").code == 4
    measured.fails, measured.planned = {}, []
    assert perfproof("sweep", "--resume", "latest").code == 0
    assert [name for name, _ in measured.planned] == [f"mine[{axis}=3]"]


def test_a_file_that_has_changed_is_not_resumed(perfproof, measured, axis, tmp_path):
    perfproof("sweep", "mine.py", "--set", f"{axis}=3")
    with (tmp_path / "mine.py").open("a") as file:
        file.write("\n# another thought\n")
    done = perfproof("sweep", "--resume", "latest")
    assert done.code == 2 and "has changed since" in done.err


def test_a_run_that_is_no_sweep_cannot_be_resumed(perfproof, measured, axis):
    perfproof("run", "mine.py")
    done = perfproof("sweep", "--resume", "latest")
    assert done.code == 2 and "is no sweep" in done.err


def test_a_target_or_a_run_to_resume_is_named_never_both(perfproof, measured):
    neither, both = perfproof("sweep"), perfproof("sweep", "mine.py", "--resume", "latest")
    assert neither.code == 2 and "name one target" in neither.err
    assert both.code == 2 and "mine.py and --resume latest exclude each other" in both.err


def test_several_targets_and_broken_files_are_refused(perfproof, measured, tmp_path):
    done = perfproof("sweep", "ch01")
    assert done.code == 2 and "a sweep takes one" in done.err
    (tmp_path / "mine.py").write_text('"""A lesson."""\n')
    done = perfproof("sweep", "mine.py", "--set", "n=1")
    assert done.code == 2 and done.err.startswith("perfproof: mine.py: ")


def test_a_real_sweep_verifies_and_judges_every_point(perfproof, brief_runs):
    """The whole way: workers, verification at each point's own sizes, a judged result."""
    done = perfproof("sweep", "ch01:batched_gemm", "--set", "count=2,5", "--fast", "--device", "cpu", "--json")
    assert done.code == 0, done.err
    targets = json.loads(done.out)["targets"]
    assert [target["sizes"]["count"] for target in targets] == [2, 5]
    assert {target["status"] for target in targets} == {"ok"}
    assert all(target["ratios"]["optimized"]["ratio"] > 0 for target in targets)
