"""`perfproof.compare` from end to end: what is measured, saved and said; what is refused in one line."""

import subprocess
import sys
import textwrap

import pytest
import torch

import perfproof
from perfproof.bench.forms import two_functions
from perfproof.core.documents import RatioResult, TargetResult
from perfproof.core.errors import UnfitError, UsageError
from perfproof.history.folders import list_runs, load_run


@pytest.fixture(autouse=True)
def in_a_folder(brief_runs, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def compare(f, g, inputs, **more):
    return perfproof.compare(f, g, inputs, **{"effort": "quick", "device": "cpu"} | more)


def slow(x):
    for _ in range(6):
        y = torch.tanh(x)
    return y


def fast(x):
    return torch.tanh(x)


@pytest.fixture
def judged_without_measuring(monkeypatch):
    """What was asked for; the result is that g is twice as fast."""
    asked = []

    def run_target(job, launches, notify, *, timed):
        asked.append(job)
        notify("measuring", 0.5, 1.0)
        ratio = RatioResult(verdict="faster", ratio=2.0, low=1.9, high=2.1, baseline=2e-6, variant=1e-6)
        return TargetResult(target=job.target, status="ok", verdict="faster", ratios={"optimized": ratio}), [], ""

    monkeypatch.setattr(two_functions, "run_target", run_target)
    return asked


def test_two_functions_are_verified_measured_saved_and_said_in_a_sentence(tmp_path):
    answer = compare(slow, fast, lambda: torch.randn(5000), reference=lambda x: x.double().tanh())
    assert answer.status == "ok" and answer.ratio > 1.5, answer
    assert str(answer).startswith("fast ") and "than slow (" in str(answer)
    assert "Answers checked" in str(answer) and "--" not in str(answer)
    assert "W114" not in {warning.code for warning in answer.document.warnings}
    saved = load_run(list_runs("artifacts")[-1])
    assert tmp_path / answer.path == list_runs(tmp_path / "artifacts")[-1] and saved.state == "finished"
    assert saved.targets[0].ratios == answer.document.ratios and saved.targets[0].samples


def test_a_sum_in_another_order_is_right_without_a_reference():
    answer = compare(lambda x: (x * x).sum(), lambda x: torch.dot(x, x), lambda: torch.randn(1 << 16), save=False)
    assert answer.status == "ok" and "Answers checked against those of f" in str(answer)
    assert answer.path is None and not list_runs("artifacts")


def test_a_wrong_answer_gets_no_number_and_no_word_of_the_command_line():
    answer = compare(slow, torch.sigmoid, lambda: torch.randn(5000), save=False)
    assert answer.ratio is None and "failed-verification" in str(answer)
    assert "sigmoid" in str(answer) and "optimized" not in str(answer) and "--" not in str(answer)


def test_given_values_are_drawn_anew_and_that_is_said():
    answer = compare(slow, fast, torch.randn(5000), save=False)
    assert answer.status == "ok" and "drawn anew for every call" in str(answer)
    assert "the same values" not in str(answer) and "values change" not in str(answer)


def test_an_answer_that_is_remembered_does_not_serve_given_values():
    """The attack on the rule above: one answer, kept, would be right if every call got the given values."""

    def remembers(x, kept=[]):  # noqa: B006
        if not kept:
            kept.append(torch.tanh(x))
        return kept[0].clone()

    answer = compare(fast, remembers, torch.randn(5000), save=False)
    assert answer.status != "ok" and answer.ratio is None and "drawn anew" in str(answer)


def test_values_that_cannot_be_drawn_give_an_indication_only():
    answer = compare(sorted, lambda items: sorted(items, key=lambda one: one), [3, 1, 2] * 300, save=False)
    assert (answer.status, answer.verdict) == ("ok", "indicative")
    assert "every call gets the same values" in str(answer)


PROGRAM = """
    import perfproof
    from perfproof.core.options import EFFORTS, Effort
    from inside.work import Counter, fast, times

    EFFORTS["quick"] = Effort("quick", 1, 1, couples=1, quads=10, most_quads=40, seconds=0.04, new_interpreters=False)

    def own(x):
        return times(x, 6)

    for f, g in ((own, fast), (Counter(6).tanh, fast)):
        answer = perfproof.compare(f, g, lambda: __import__("torch").randn(2000), effort="quick", device="cpu")
        print(answer.status, answer.document.labels["baseline"], answer.path)
"""
MODULE = """
    import torch

    def times(x, count):
        for _ in range(count):
            y = torch.tanh(x)
        return y

    def fast(x):
        return torch.tanh(x)

    class Counter:
        def __init__(self, count):
            self.count = count

        def tanh(self, x):
            return times(x, self.count)
"""


def test_functions_of_a_script_and_of_the_project_around_it_are_compared(warm_python, tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "work.py").write_text(textwrap.dedent(MODULE))
    (tmp_path / "script.py").write_text(textwrap.dedent(PROGRAM))
    (tmp_path / "elsewhere").mkdir()
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, cwd=tmp_path / "elsewhere", capture_output=True, text=True, timeout=280, check=True)
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [["ok", "own"], ["ok", "tanh"]]
    assert done.stderr == "", "no progress without a terminal"
    run = load_run(list_runs(tmp_path / "elsewhere" / "artifacts")[-1])
    assert run.command == ["python", str(tmp_path / "script.py")]


def test_what_is_asked_for_reaches_the_bench(judged_without_measuring):
    answer = compare(
        slow,
        fast,
        lambda: (torch.randn(3),),
        tolerance=dict(rtol=1e-2, atol=1e-3),
        lowers_precision="bf16",
        delta=0.05,
        budget=5,
        labels=("before", "after"),
        seed=255,
        threads=1,
        domain=dict(x=(0.0, 9.0)),
        save="kept",
    )
    (job,) = judged_without_measuring
    assert (job.tolerance, job.lowers_precision, job.delta) == (dict(rtol=1e-2, atol=1e-3), "bf16", 0.05)
    assert (job.threads, job.domain) == (1, dict(x=(0.0, 9.0)))
    assert job.budget_end < job.deadline - 200 and job.arguments == ("x",)
    assert str(answer).startswith("after is 2.00x faster than before (2.00 µs → 1.00 µs)")
    assert answer.path.parent.name == "kept" and load_run(answer.path).seed == "ff"


def test_given_values_that_stay_are_constants(judged_without_measuring):
    answer = compare(lambda x, n: x * n, lambda x, n: n * x, (torch.randn(8), 3), save=False)
    assert judged_without_measuring[0].constant == ("n",) and "n stays as given" in str(answer)


def test_the_saved_run_is_shown_and_not_run_again_by_the_command_line(judged_without_measuring, capsys):
    from perfproof.cli.app import main

    compare(slow, fast, lambda: torch.randn(3))
    assert main(["report", "run", "latest", "--format", "md"]) == 0 and "slow against fast" in capsys.readouterr().out
    assert main(["rerun", "latest"]) == 2 and "perfproof.compare" in capsys.readouterr().err


@pytest.mark.parametrize("script", ["frames.py", "pytest", "__main__.py"])
def test_a_comparison_is_named_by_the_script_or_else_by_the_file_of_its_functions(
    judged_without_measuring, monkeypatch, tmp_path, script
):
    (tmp_path / script).write_text("")
    monkeypatch.setattr(sys, "argv", [str(tmp_path / script)])
    compare(slow, fast, lambda: torch.randn(3), save=False)
    file = script if script == "frames.py" else "test_compare.py"
    assert judged_without_measuring[0].target == f"{file}: slow against fast"


def test_a_comparison_in_a_console_has_no_file_in_its_name(judged_without_measuring, monkeypatch):
    monkeypatch.setattr(sys, "argv", [""])
    compare(eval("lambda x: x + 1"), eval("lambda x: 1 + x"), lambda: torch.randn(3), save=False)
    assert judged_without_measuring[0].target == "f against g"


def test_ctrl_c_is_raised_again_and_the_run_is_saved(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(two_functions, "run_target", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare(slow, fast, lambda: torch.randn(3))
    assert load_run(list_runs("artifacts")[-1]).state == "interrupted"


@pytest.mark.parametrize(
    ("keywords", "why"),
    [
        (dict(effort="fast"), "effort='fast' is unknown; there are quick, standard, final"),
        (dict(effort="standart"), "did you mean 'standard'"),
        (dict(efort="quick"), "no parameter 'efort'; did you mean 'effort'"),
        (dict(tolerance=1e-3), "tolerance must be a dict"),
        (dict(tolerance=dict(rtl=1e-3)), "tolerance has the key 'rtl'"),
        (dict(lowers_precision="half"), "lowers_precision is 'half'"),
        (dict(timeout="3x"), "timeout '3x' is no time: write 90, 90s"),
        (dict(budget=-1), "budget=-1 is wrong"),
        (dict(delta=0), "delta=0 is wrong"),
        (dict(labels="ab"), "not two names"),
        (dict(labels=("a", "a")), "not two names"),
        (dict(device="gpu"), "unknown device 'gpu'"),
        (dict(reference=3), "reference is of type int, not a function"),
        (dict(g=3), "g is of type int"),
        (dict(inputs=torch.randn), "inputs() failed (TypeError: "),
        (dict(inputs=slow), "inputs is called without arguments"),
        (dict(inputs=(1, 2)), "f cannot take the 2 values"),
        (dict(threads=0), "threads=0 is wrong"),
        (dict(domain=dict(y=(0, 1))), "domain names 'y', which is no argument"),
        (dict(domain=3), "domain must be a dict of arguments"),
        (dict(seed=-1), "seed=-1 is wrong"),
        (dict(seed="xyz"), "seed='xyz' is wrong"),
        (dict(allow=["x"]), "allow=['x'] is no reason"),
    ],
)
def test_what_makes_no_sense_is_one_line_about_a_parameter(keywords, why):
    with pytest.raises(UsageError) as caught:
        perfproof.compare(**{"f": slow, "g": fast, "inputs": lambda: torch.randn(3), "device": "cpu"} | keywords)
    assert why in str(caught.value) and "\n" not in str(caught.value) and "--" not in str(caught.value)
    assert not list_runs("artifacts")


def test_a_gpu_that_is_not_there_is_said_without_options(monkeypatch):
    monkeypatch.setattr("perfproof.machine.facts.usable_gpus", lambda: ((), "torch is a CPU build"))
    with pytest.raises(UnfitError, match='device="cpu"'):
        compare(slow, fast, lambda: torch.randn(3), device="cuda")


def test_the_parameters_can_be_read_from_its_signature():
    import inspect

    parameters = inspect.signature(perfproof.compare).parameters
    assert {"tolerance", "lowers_precision", "effort", "budget", "device", "reference", "timeout", "labels"} <= set(
        parameters
    )
    assert "inputs" in perfproof.compare.__doc__
