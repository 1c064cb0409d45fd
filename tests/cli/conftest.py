"""Run commands in this process, in an empty folder, with a bench that measures nothing."""

import shlex
from types import SimpleNamespace

import pytest

from perfproof.bench import run as bench
from perfproof.cli.app import main
from perfproof.core.documents import RatioResult, TargetResult, VariantResult
from tests.pairs.full_pair import write_new

REASON = "it was {}"


@pytest.fixture
def perfproof(capsys, monkeypatch, tmp_path):
    """perfproof("run", "x.py") gives code, out and err."""
    monkeypatch.chdir(tmp_path)
    for name in ("PERFPROOF_FAST", "PERFPROOF_DEBUG", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return call


@pytest.fixture
def pair_files(tmp_path):
    """Pair files of a user's own: pair_files("a", "b")."""

    def write(*names):
        for name in names:
            write_new(name, tmp_path)
        return [f"{name}.py" for name in names]

    return write


def next_words(out):
    """The arguments of the command that the last line suggests."""
    line = out.splitlines()[-1]
    assert line.startswith("next: "), line
    program, *words = shlex.split(line.removeprefix("next: ").rpartition("then: ")[2], comments=True)
    assert program == "perfproof", line
    return words


def finished(plan, status="ok", **fields):
    """What a bench would hand over for a target."""
    judged = RatioResult(verdict="faster", ratio=2.0, low=1.9, high=2.1, baseline=2e-3, variant=1e-3, launches=8)
    values = {
        "verdict": "faster",
        "variants": {"baseline": VariantResult(times={"call": 2e-3}), "optimized": VariantResult(times={"call": 1e-3})},
        "ratios": {"optimized": judged},
    }
    values = values if status == "ok" else {"reason": REASON.format(status)}
    values |= {"source_sha256": plan.pair.source_sha256, "seconds": 1.5} | fields
    result = TargetResult(target=plan.pair.name, status=status, **values)
    return bench.Finished(result, [{"seconds": 1e-3}], f"log of {plan.pair.name}")


@pytest.fixture
def fake_bench(monkeypatch):
    """Put the outcome of each target in `fake_bench.outcomes`: a status, or an exception to raise in its place."""
    fake = SimpleNamespace(outcomes={}, calls=[], closed=0)

    def run_targets(planned, options, facts, seed, notify, *_):
        fake.calls.append(SimpleNamespace(planned=planned, options=options, facts=facts, seed=seed))
        try:
            for plan in planned:
                notify(bench.Progress(plan.pair.name, "measuring", 0.5, 3.0, line=f"plan of {plan.pair.name}"))
                outcome = fake.outcomes.get(plan.pair.name, "ok")
                if isinstance(outcome, BaseException):
                    raise outcome
                yield finished(plan, outcome)
        finally:
            fake.closed += 1

    monkeypatch.setattr(bench, "run_targets", run_targets)
    return fake
