"""One target from file to verdict: what an honest pair gets, and what each way of going wrong becomes."""

from dataclasses import replace

import pytest

from perfproof.bench import resources, target
from perfproof.bench.record import ProcessRecord
from perfproof.core.documents import TargetResult, VariantResult
from tests.conftest import BRIEF, SMALL
from tests.repeating import up_to

HONEST = '''
    """Add with one call.

    The loop dispatches four times; the sum once.
    """
    import torch

    workload = dict(n=4000)
    workload_cpu = dict(n=4000)
    smoke = dict(n=77)
    tolerance = dict(rtol=1e-5, atol=1e-5)  # four float32 additions
    tier = "idiomatic"

    def inputs(n):
        return torch.randn(n), torch.randn(n)

    def reference(x, y):
        return x.double() + 4 * y.double()

    def baseline(x, y):
        for _ in range(4):
            x = x + y
        return x

    def optimized(x, y):
        return torch.add(x, y, alpha=4)

    def cost(n):
        return dict(flops=4 * n, bytes=12 * n, baseline_bytes=48 * n)
'''


# Two processes: enough to see what is found, too few for an interval.
TINY = replace(SMALL, name="quick", launches=1, most_launches=1, couples=1, quads=10, most_quads=10)


def passed(result, name):
    return [check.result for check in result.checks if check.name == name] == ["pass"]


def test_an_honest_pair_is_verified_measured_and_judged(run_pair):
    result = run_pair(HONEST)
    assert (result.status, result.verdict) == ("ok", "faster"), result.reason
    ratio = result.ratios["optimized"]
    assert ratio.low is not None and 1 < ratio.low < ratio.ratio < ratio.high
    assert ratio.launches == 5 and ratio.processes == 10 and len(ratio.units) == 5
    assert {check.result for check in result.checks} == {"pass"}
    for name in ("timed outputs", "clock audit", "isolation", "precision", "finished on return", "nothing patched"):
        assert passed(result, name), name
    assert result.variants["baseline"].times["call"] > result.variants["optimized"].times["call"] > 0
    assert result.variants["optimized"].error.calls_checked >= 3 * 2 + 10
    assert result.cost["bytes"] == 12 * 4000
    assert result.pool["sets"] >= 2
    rows = run_pair.samples
    assert {row["side"] for row in rows} == {"baseline", "optimized", "twin"}
    assert {(row["launch"], row["slot"]) for row in rows} == {(n, slot) for n in range(5) for slot in (1, -1)}
    assert all(row["end_ns"] > row["start_ns"] and row["seconds"] > 0 and row["calls"] >= 1 for row in rows)
    assert len({row["calls"] for row in rows}) > 1, "the length of a sample has to be random"


OTHER_VARIANTS = """    def optimized_same(x, y):
        return baseline(x, y)

    def optimized_slow(x, y):
        return [baseline(x, y) for _ in range(3)][0]

"""


def test_every_variant_is_judged_and_the_first_gives_the_verdict(run_pair):
    """The same code is not called different, and a slower variant is called slower."""
    result = run_pair(HONEST.replace("    def cost(n)", f"{OTHER_VARIANTS}    def cost(n)"))
    assert list(result.ratios) == ["optimized", "optimized_same", "optimized_slow"]
    assert result.verdict == result.ratios["optimized"].verdict == "faster"
    assert result.ratios["optimized_same"].verdict in ("same", "inconclusive", "unstable"), result.ratios
    assert result.ratios["optimized_slow"].verdict == "slower" and result.ratios["optimized_slow"].ratio < 0.6
    assert result.ratios["optimized"].level == pytest.approx(1 - 0.03 / 3)
    for kind, ratio in result.ratios.items():
        assert ratio.baseline / ratio.variant == pytest.approx(ratio.ratio, rel=1e-12)
        assert result.variants[kind].times["call"] == ratio.variant
    assert result.variants["baseline"].times["call"] == result.ratios["optimized"].baseline


EVERY_TWELFTH = """calls.append(1)
        for _ in range(1 + 300 * (len(calls) % 12 == 0)):
            result = torch.add(x, y, alpha=16)
        return result"""


@up_to(2)
def test_a_cost_that_every_twelfth_call_pays_is_in_the_ratio(run_pair):
    """Eleven calls take an eighth of the baseline's time or so; the twelfth takes 300 times as long as they."""
    sixteen = HONEST.replace("range(4)", "range(16)").replace("4 * y.double()", "16 * y.double()")
    sometimes = sixteen.replace("return torch.add(x, y, alpha=4)", EVERY_TWELFTH)
    result = run_pair(sometimes.replace("    def inputs(n)", "    calls = []\n\n    def inputs(n)"))
    assert result.status == "ok", result.reason
    ratio = result.ratios["optimized"]
    assert ratio.ratio < 0.9 < 1.5 < ratio.typical, ratio
    assert result.verdict == "unstable" and "typical calls and all calls together disagree" in ratio.note


def test_values_that_come_again_leave_no_verdict(run_pair):
    few = HONEST.replace(
        "torch.randn(n), torch.randn(n)", "torch.full((n,), float(torch.randint(6, ()))), torch.ones(n)"
    )
    result = run_pair(few, effort=TINY)
    assert (result.status, result.verdict) == ("ok", "indicative"), result.reason
    assert "of the calls saw values that had come before" in result.ratios["optimized"].note
    assert "W121" in {warning.code for warning in result.warnings}


def test_a_baseline_that_keeps_state_between_calls_is_told_what_to_do(run_pair):
    """As a model in the file that every call trains: right in its first calls, and then another one."""
    kept = HONEST.replace("    def inputs(n)", "    calls = []\n\n    def inputs(n)").replace(
        "        for _ in range(4):\n",
        "        calls.append(1)\n        for _ in range(4 if len(calls) < 40 else 5):\n",
    )
    result = run_pair(kept, effort=TINY)
    assert result.status == "failed-verification" and "timed outputs: baseline" in result.reason
    assert "keeps state between calls" in result.reason and "`mutates`" in result.reason


def test_a_file_that_every_draw_writes_again_is_refused_in_one_line(run_pair):
    text = HONEST.replace(
        "return torch.randn(n), torch.randn(n)",
        "torch.save(torch.randn(n), 'x.pt')\n        return 'x.pt', torch.randn(n)",
    )
    text = text.replace("x.double()", "torch.load(x).double()").replace("torch.add(x,", "torch.add(torch.load(x),")
    text = text.replace("        for _ in range(4):\n", "        x = torch.load(x)\n        for _ in range(4):\n")
    result = run_pair(text, effort=TINY)
    assert result.status == "crashed"
    assert "`inputs` gave the path 'x.pt' twice: write every draw to a file of its own" in result.reason


def test_what_the_first_call_sets_up_is_measured_and_said(run_pair):
    lazy = HONEST.replace(
        "return torch.add(x, y, alpha=4)",
        "time.sleep(0 if ready else 0.15)\n        ready.append(1)\n        return torch.add(x, y, alpha=4)",
    ).replace("    import torch\n", "    import time\n\n    import torch\n\n    ready = []\n", 1)
    result = run_pair(lazy, effort=TINY)
    assert result.status == "ok", result.reason
    assert result.variants["optimized"].first_call_seconds > 0.14 > result.variants["baseline"].first_call_seconds
    assert result.variants["optimized"].times["call"] < 0.01, "it is not in the times"
    (said,) = [warning.text for warning in result.warnings if warning.code == "W129"]
    assert said.startswith("optimized: the first call takes ")


def test_a_baseline_that_waits_instead_of_working_is_told(run_pair):
    waits = HONEST.replace(
        "        for _ in range(4):\n            x = x + y\n        return x",
        "        time.sleep(0.003)\n        return x + 4 * y",
    )
    result = run_pair(waits.replace("    import torch\n", "    import time\n\n    import torch\n", 1), effort=TINY)
    assert result.status == "ok", result.reason
    assert result.variants["baseline"].cpu_share < 0.3 < result.variants["optimized"].cpu_share
    assert "W127" in {warning.code for warning in result.warnings}


def test_calls_that_are_long_in_the_first_process_alone_are_measured_in_all(run_pair, monkeypatch):
    """Calls near the limit are above it in one process and below it in the next: the twin was left out by the first."""
    seen: list[ProcessRecord] = []
    monkeypatch.setattr(
        ProcessRecord, "is_long", property(lambda record: (seen or seen.append(record) or seen)[0] is record)
    )
    assert run_pair(HONEST, effort=TINY).status == "ok"


def test_quick_effort_speaks_of_one_launch(run_pair):
    quick = replace(SMALL, name="quick", launches=1, most_launches=1, couples=5)
    result = run_pair(HONEST, effort=quick)
    assert result.verdict == "faster" and result.ratios["optimized"].launches == 1
    assert "W105" in {warning.code for warning in result.warnings}
    assert ("isolation", "not-run") in {(check.name, check.result) for check in result.checks}


def test_new_interpreters_run_every_side_in_a_process_of_its_own(run_pair):
    final = replace(SMALL, name="final", new_interpreters=True, quads=10, most_quads=10)
    result = run_pair(HONEST, effort=final)
    assert result.verdict == "faster", result.ratios["optimized"].note
    assert result.ratios["optimized"].rung == "in-turn-corrected"
    assert passed(result, "isolation")
    assert "would not be seen" in result.ratios["optimized"].note


def test_a_memory_claim_is_judged_by_memory(run_pair):
    large = HONEST.replace("n=4000", "n=250_000")
    hungry = large.replace('tier = "idiomatic"', 'tier = "idiomatic"\n    claim = "memory"')
    result = run_pair(hungry, effort=TINY)
    ratio = result.ratios["optimized"]
    assert (result.verdict, ratio.claim) == ("better", "memory"), (ratio, result.reason)
    assert result.also["time"].claim == "time" and result.also["time"].ratio, "what it is paid with is judged too"
    assert ratio.baseline / ratio.variant == pytest.approx(ratio.ratio, rel=1e-12)
    peaks = [result.variants[side].memory.peak_bytes for side in ("baseline", "optimized")]
    assert peaks[1] == pytest.approx(1_000_000, rel=0.1), "one result of 1 MB"
    assert peaks[0] == pytest.approx(2_000_000, rel=0.1), "the result and one temporary"


def test_a_startup_claim_counts_preparation_and_what_the_file_does_when_it_is_imported(run_pair, monkeypatch):
    monkeypatch.setattr(resources, "STARTS", 2)
    prepared = HONEST.replace('tier = "idiomatic"', 'tier = "idiomatic"\n    claim = "startup"').replace(
        "    def baseline(x, y)",
        "    def prepare_baseline(x, y):\n        import time\n        time.sleep(0.3)\n\n    def baseline(_, x, y)",
    )
    prepared = prepared.replace("    import torch\n", "    import time\n\n    import torch\n\n    time.sleep(0.2)\n", 1)
    result = run_pair(prepared, effort=TINY)
    ratio = result.ratios["optimized"]
    assert (ratio.claim, ratio.verdict) == ("startup", "indicative"), "two starts a side give no interval"
    assert 0.2 < result.variants["optimized"].startup_seconds < 0.39, "the file is loaded once"
    assert 0.5 < result.variants["baseline"].startup_seconds < 0.69
    assert ratio.baseline / ratio.variant == pytest.approx(ratio.ratio, rel=1e-12)


def test_an_energy_claim_without_a_counter_did_not_run(run_pair):
    result = run_pair(HONEST.replace('tier = "idiomatic"', 'tier = "idiomatic"\n    claim = "energy"'), effort=TINY)
    assert result.verdict is None and result.ratios == {}
    assert ("claim", "not-run") in {(check.name, check.result) for check in result.checks}


def test_a_latency_pair_is_timed_call_by_call(run_pair):
    result = run_pair(HONEST.replace('tier = "idiomatic"', 'tier = "idiomatic"\n    clock = "latency"'), effort=TINY)
    assert result.ratios["optimized"].clock == "latency"
    assert set(result.variants["baseline"].times) == {"latency"}


def test_what_is_mutated_is_verified_and_restored(run_pair):
    step = '''
        """Step in place.

        Fewer temporaries.
        """
        import torch

        workload = workload_cpu = dict(n=3000)
        smoke = dict(n=7)
        tolerance = dict(rtol=1e-5, atol=1e-5)  # float32
        tier = "idiomatic"
        mutates = ("w",)

        def inputs(n):
            return torch.randn(n), torch.randn(n)

        def reference(w, g):
            w -= 0.1 * g.double()
            return w.abs()

        def baseline(w, g):
            w.copy_(w - 0.1 * g)
            return w.abs()

        def optimized(w, g):
            w.sub_(g, alpha=0.1)
            return w.abs()

        def cost(n):
            return dict(bytes=12 * n)
    '''
    assert run_pair(step, effort=TINY).status == "ok"
    lazy = run_pair(step.replace("w.sub_(g, alpha=0.1)\n            return w.abs()", "return (w - 0.1 * g).abs()"))
    assert lazy.status == "failed-verification" and "wrong answer" in lazy.reason


def test_a_function_that_needs_longer_than_it_may_is_a_timeout(run_pair):
    result = run_pair(HONEST.replace("return torch.add", "import time; time.sleep(100); return torch.add"), timeout=3)
    assert result.status == "timeout" and "--timeout" in result.reason and result.ratios == {}


def test_what_a_crashing_target_printed_last_is_in_its_result(run_pair):
    loud = HONEST.replace("return torch.add", "print('last words'); raise RuntimeError('boom'); return torch.add")
    result = run_pair(loud)
    assert result.status == "crashed" and result.reason.startswith("RuntimeError: boom (")
    assert "pair.py:" in result.reason and "in optimized" in result.reason, "the user's own line"
    assert "last words" in result.output_tail and "RuntimeError: boom" in result.output_tail


def test_no_number_of_a_target_that_failed_is_reported(run_pair):
    wrong = run_pair(HONEST.replace("alpha=4", "alpha=5"))
    assert wrong.status == "failed-verification" and wrong.verdict is None and wrong.ratios == {}
    assert "optimized at smoke sizes" in wrong.reason


def test_inputs_of_the_wrong_number_are_said_in_one_line(run_pair):
    result = run_pair(HONEST.replace("return torch.randn(n), torch.randn(n)", "return torch.randn(n)"))
    assert result.status == "crashed" and "`inputs` returned 1 values, the functions take 2" in result.reason


def test_inputs_of_another_length_at_every_draw_are_verified(run_pair):
    counted = "torch.tensor([4.0 * row.sum() for row in x])"
    text = HONEST.replace("import torch", "import random\n\n    import torch", 1)
    rows = "[torch.randint(9, (k,)) for k in random.sample(range(1, 60), 3)]"
    text = text.replace("return torch.randn(n), torch.randn(n)", f"return {rows}, n")
    text = text.replace("x.double() + 4 * y.double()", f"{counted}.double() + y")
    for line in ("for _ in range(4):\n            x = x + y\n        return x", "return torch.add(x, y, alpha=4)"):
        text = text.replace(line, f"return {counted} + y")
    result = run_pair(text, effort=TINY)
    assert result.status == "ok", result.reason


DEFINITE = '''
    """Solve by Cholesky's factors.

    Half the operations of a general solver, where the matrix is positive definite.
    """
    import torch

    workload = workload_cpu = dict(n=40)
    smoke = dict(n=7)
    tolerance = dict(rtol=1e-3, atol=1e-3)  # float32, condition numbers of some tens
    tier = "idiomatic"

    def inputs(n):
        root = torch.randn(n, n)
        return root @ root.T / n + torch.eye(n), torch.randn(n, 1)

    def reference(a, b):
        factor = torch.linalg.cholesky(a.double())  # raises where it is not definite
        return torch.cholesky_solve(b.double(), factor)

    def baseline(a, b):
        return torch.linalg.solve(a, b)

    def optimized(a, b):
        return torch.cholesky_solve(b, torch.linalg.cholesky(a))

    def cost(n):
        return dict(flops=n**3, bytes=4 * n * n)
'''


def test_arguments_with_a_structure_keep_it_because_they_are_only_ever_drawn(run_pair):
    result = run_pair(DEFINITE, effort=TINY)
    assert result.status == "ok", result.reason


def test_a_variant_that_ends_on_values_never_drawn_is_measured_and_that_is_noted(run_pair):
    result = run_pair(
        """
        import os
        import numpy

        def inputs():
            return numpy.random.rand(2000)

        def baseline(x):
            return numpy.abs(x).sum()

        def optimized(x):
            return x.sum() if x.min() >= 0 else os._exit(1)
        """,
        effort=BRIEF,
        own=True,
        others=True,
    )
    assert result.status == "ok", result.reason
    assert [one.kind for one in result.warnings if one.text == target.NO_OTHERS] == ["note"]


def test_work_on_import_is_said_if_it_takes_as_long_as_many_calls():
    def said(load_seconds, call_seconds):
        sides = {side: VariantResult(times={"call": call_seconds}) for side in ("baseline", "optimized")}
        result = TargetResult(target="one", status="ok", variants=sides)
        return [(one.code, one.kind) for one in target._on_import(load_seconds, result)]

    assert said(0.2, 1e-4) == [("W129", "warning")]
    assert said(0.2, 1e-2) == said(0.005, 1e-6) == []
