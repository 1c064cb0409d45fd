"""`perfproof sweep -- COMMAND`: every point against the first, saved, shown, drawn and resumed."""

import json
import sys
from pathlib import Path

import pytest

from perfproof.bench.programs import compare
from perfproof.bench.run import Finished
from perfproof.core.documents import RatioResult, TargetResult, VariantResult, Warning
from perfproof.history.folders import list_runs, load_run
from perfproof.report.html.pictures import sweep_figure
from perfproof.web.catalogue import Catalogue
from tests.cli.conftest import next_words

COMMAND = ("--", "python3", "job.py", "{n}")


@pytest.fixture
def programs(monkeypatch, tmp_path):
    """A bench of programs that starts none: `ratios` has the ratio of each command b."""
    (tmp_path / "job.py").write_text("print(1)\n")
    fake = {"plans": [], "ratios": {}, "stop": None, "warnings": {}, "claim": "time"}

    def run_programs(plan, notify):
        if plan.b.label == fake["stop"]:
            raise KeyboardInterrupt
        fake["plans"].append(plan)
        ratio = fake["ratios"].get(plan.b.label, 2.0)
        verdict = "faster" if ratio > 1 else "slower"
        judged = RatioResult(verdict=verdict, ratio=ratio, low=0.9 * ratio, high=1.1 * ratio, baseline=2.0)
        judged.variant, judged.clock, judged.claim = 2.0 / ratio, plan.judged, fake["claim"]
        also = {"memory": RatioResult(verdict="same", ratio=1.0, baseline=2.0**20, variant=2.0**20, claim="memory")}
        result = TargetResult(
            target=plan.name,
            status="ok",
            verdict=verdict,
            ratios={"b": judged},
            also=also,
            warnings=fake["warnings"].get(plan.b.label, []),
            variants={"baseline": VariantResult(times={"wall": 2.0}), "b": VariantResult(times={"wall": 1.0})},
            program={
                side: {"command": list(one.arguments), "variables": dict(one.variables)}
                for side, one in (("a", plan.a), ("b", plan.b))
            },
        )
        yield Finished(result, [{"seconds": 1.0}], "log", {"outputs/a.stdout": "1\n"})

    monkeypatch.setattr(compare, "run_programs", run_programs)
    return fake


def saved():
    return load_run(list_runs("artifacts")[-1])


def test_every_value_is_compared_with_the_first_and_the_best_comes_as_a_sentence(perfproof, programs):
    programs["ratios"] = {"n=2": 1.5, "n=4": 3.0}
    done = perfproof("sweep", "--set", "n=1,2,4", *COMMAND)
    assert done.code == 0, done.err
    assert [plan.a.arguments[-1] + plan.b.arguments[-1] for plan in programs["plans"]] == ["12", "14"]
    assert "best of 3 points: n=4 is 3.00x faster than n=1" in " ".join(done.out.split())
    table = [line.split() for line in done.out.splitlines()]
    assert ["1", "base", "2.00", "s", "2.00", "s", "1.00", "MiB"] in table
    assert any(line[:3] == ["4", "faster", "3.00x"] for line in table)
    run, folder = saved(), list_runs("artifacts")[-1]
    assert [target.sizes for target in run.targets] == [{"n": "2"}, {"n": "4"}]
    assert (folder / "sweep.svg").read_text().startswith("<?xml")
    assert (folder / "outputs/point-2/a.stdout").read_text() == "1\n"
    assert "Sweep over n" in str(sweep_figure(run))


def test_the_next_command_is_the_ab_of_the_best_point(perfproof, programs):
    done = perfproof("sweep", "--set", "n=1,2", "--metric", "t:higher=regex:(.)", "--judge", "t", *COMMAND)
    words = next_words(done.out)
    assert words[:3] == ["ab", "python3 job.py 1", "python3 job.py 2"] and words[-2:] == ["--judge", "t"]
    assert perfproof(*words).code == 0


def test_a_variable_of_the_environment_is_swept(perfproof, programs):
    done = perfproof("sweep", "--set", "a=Ring,Tree", "--env", "NCCL_ALGO={a}", "--", "python3", "job.py")
    assert done.code == 0, done.err
    (plan,) = programs["plans"]
    assert (plan.a.variables, plan.b.variables) == ({"NCCL_ALGO": "Ring"}, {"NCCL_ALGO": "Tree"})
    assert next_words(done.out)[:2] == ["ab", "python3 job.py"] and "NCCL_ALGO=Tree" in done.out


def test_a_sweep_that_gains_nothing_says_so(perfproof, programs):
    programs["ratios"] = {"n=2": 0.5, "n=4": 0.8}
    done = perfproof("sweep", "--set", "n=1,2,4", "-q", *COMMAND)
    assert done.out.startswith("no point is shown to be better than n=1") and "n=4" in done.out


def test_a_grid_of_two_axes_has_its_base_in_the_picture(perfproof, programs):
    done = perfproof("sweep", "--set", "n=1,2", "--set", "m=7,8", "--json", *COMMAND, "{m}")
    assert len(json.loads(done.out)["targets"]) == 3
    assert ">base<" in (list_runs("artifacts")[-1] / "sweep.svg").read_text()
    assert "base" in str(sweep_figure(saved()))


def test_the_budget_is_shared_over_the_points(perfproof, programs):
    perfproof("sweep", "--set", "n=1,2,4", "--budget", "100", *COMMAND)
    first, second = (plan.budget for plan in programs["plans"])
    assert first <= 50 < second <= 100


def test_an_interrupted_sweep_goes_on_with_its_outputs(perfproof, programs):
    programs["stop"] = "n=4"
    stopped = perfproof("sweep", "--set", "n=1,2,4", "--warmup", "3", *COMMAND)
    assert stopped.code == 130
    programs["stop"], programs["plans"] = None, []
    done = perfproof(*next_words(stopped.out))
    assert done.code == 0, done.err
    assert [(plan.b.label, plan.warmup) for plan in programs["plans"]] == [("n=4", 3)]
    folder = list_runs("artifacts")[-1]
    assert [target.sizes["n"] for target in saved().targets] == ["2", "4"]
    assert (folder / "outputs/point-1/a.stdout").is_file()


def test_a_script_that_has_changed_is_not_resumed(perfproof, programs, tmp_path):
    perfproof("sweep", "--set", "n=1,2", *COMMAND)
    (tmp_path / "job.py").write_text("print(2)\n")
    refused = perfproof("sweep", "--resume", "latest")
    assert refused.code == 2 and "job.py has changed" in refused.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "n=1,2", "--fast", *COMMAND), "smoke"),
        (("--set", "n=1,2", "--judge", "x", *COMMAND), "--judge"),
        (("--set", "n=1,2", "--env", "X", *COMMAND), "--env"),
        (("--set", "n=1,2", "--", "no-such-program", "{n}"), "no-such-program"),
        (("--metric", "t:higher=regex:(.)", "job.py"), "--metric"),
        (("--env", "X=1", "job.py"), "--env"),
        (("--resume", "latest", *COMMAND), "--resume"),
        (("job.py", "other.py"), "takes one"),
    ],
)
def test_what_does_not_fit_together_is_refused_before_anything_is_measured(perfproof, programs, words, said):
    refused = perfproof("sweep", *words)
    assert refused.code == 2 and said in refused.err and not programs["plans"]
    assert not list_runs("artifacts")


def test_a_real_command_is_swept(perfproof, tmp_path):
    (tmp_path / "job.py").write_text("import sys; print('rate', 10 * int(sys.argv[1]))\n")
    metric = "rate:higher=regex:rate (.*)"
    done = perfproof(
        *("sweep", "--set", "n=1,3", "--metric", metric, "--judge", "rate", "--budget", "1", "--warmup", "0"),
        *("--json", "--", sys.executable, "-I", "-S", "job.py", "{n}"),
    )
    assert done.code == 0, done.err
    (target,) = json.loads(done.out)["targets"]
    assert target["ratios"]["b"]["ratio"] == pytest.approx(3.0) and set(target["also"]) == {"wall", "cpu", "memory"}


DIFFERENT = Warning(code="W140", text="the two print different things (1 against 2): see outputs/a.stdout")


def test_a_parameter_that_changes_what_is_printed_is_a_size_of_the_work(perfproof, programs):
    programs["ratios"], programs["warnings"] = {"n=2": 0.5, "n=4": 0.25}, {"n=2": [DIFFERENT], "n=4": [DIFFERENT]}
    done = perfproof("sweep", "--set", "n=1,2,4", *COMMAND)
    said = " ".join(done.out.split())
    assert done.code == 0 and "every point prints something else than n=1, so n is a size of the work" in said
    assert "nearest" not in said and "next:" not in said and "slower" not in said
    table = [line.split() for line in done.out.splitlines()]
    assert ["n", "wall", "memory"] in table and ["4", "8.00", "s", "1.00", "MiB"] in table
    picture = (list_runs("artifacts")[-1] / "sweep.svg").read_text()
    assert "8.00 s" in picture and "wall time of one run" in picture and "above 1x is better" not in picture
    assert perfproof("sweep", "-q", "--set", "n=1,2,4", *COMMAND).out.startswith("every point prints something else")
    shown = perfproof("history").out
    assert "other work" in shown and "slower" not in shown
    verdicts = [(one.word, one.ratio) for one in Catalogue(Path("artifacts")).refresh().latest]
    assert verdicts == [("other work", None)] * 2


def test_points_that_print_the_same_are_still_judged_beside_one_that_does_not(perfproof, programs):
    programs["ratios"], programs["warnings"] = {"n=2": 9.0, "n=4": 3.0}, {"n=2": [DIFFERENT]}
    done = perfproof("sweep", "--set", "n=1,2,4", *COMMAND)
    said = " ".join(done.out.split())
    assert "best of 2 points: n=4 is 3.00x faster" in said and "1 point printed something else than n=1" in said
    assert next_words(done.out)[:3] == ["ab", "python3 job.py 1", "python3 job.py 4"]


def test_a_rate_is_judged_although_the_points_print_different_things(perfproof, programs):
    programs["warnings"], programs["claim"] = {"n=2": [DIFFERENT]}, "metric"
    done = perfproof("sweep", "--set", "n=1,2", "--metric", "t:higher=regex:(.)", "--judge", "t", *COMMAND)
    assert "best of 2 points: n=2" in " ".join(done.out.split())
