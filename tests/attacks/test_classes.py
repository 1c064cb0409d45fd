"""Classes of unfair pairs, with honest look-alikes: files written from the class alone, without sight of the checks.

A folder of classes/ is a class; its files are attacks, those in its honest/ are fair. EXPECTED.md says for each what is
wrong or why it is fair. An attack is stopped, or gains nothing, or is remarked on; an honest pair is never stopped.
"""

import os
import time
from pathlib import Path

import pytest

from perfproof.bench import resources
from perfproof.core.errors import ContractError
from perfproof.worker.verify import distribution
from tests.conftest import BRIEF, SMALL
from tests.repeating import up_to

HERE = Path(__file__).parent / "classes"
GAIN = 1.5  # one brief launch on a busy machine says no more

STOPPED = ("arguments", "controls", "precision", "reference", "extremes", "layout", "sampling")
# What each file of "waiting" has to be remarked on with.
REMARKS = {
    "sleeping_baseline": "W127",
    "polling_baseline": "W127",
    "lock_held_twice": "W127",
    "setup_in_the_first_call": "W129",
    "sync_left_out": "W127",
}
# What is not stopped, because `inputs` never draws it or it is no part of a result, and is said instead.
SAID = {
    "letters_by_table": "`text` with letters beyond ASCII",
    "sums_of_two_bytes": "`image` with a large whole number",
    "journal_written_later": "does not leave the file",
    "rest_of_a_block": "arguments with another length",
    "key_that_may_be_missing": "`records` without a key",
    "offset_never_read": "with another digit",
    "anomaly_mode_left_on": "baseline turns on torch's anomaly mode",
}
# Tried and not stopped, with the reason.
GAPS = {
    "declared_fp16_cuts_a_series": "its error is within what the declared format explains",
    "duplicates_by_rounding": "no transformation of drawn values brings two points so close",
    "warm_start_of_an_iteration": "the answer is right; what is kept only shortens the next call",
    "slow_on_purpose": "its own prediction is as large as its ratio; only its tier is wrong",
    "memory_at_import": "both sides load the file, so both pay for what it takes",
    "startup_table_at_import": "both sides load the file, so both pay for what it does",
}
DRAWN = "pairs_in_any_memory"  # an honest pair that has a test of its own
SLOW = ("startup_import_for_both", "startup_work_in_prepare", "startup_table_by_numpy")  # twenty interpreters each


def attacks(*classes: str) -> list[Path]:
    found = [path for name in classes for path in sorted((HERE / name).glob("*.py"))]
    return [path for path in found if path.stem not in {*GAPS, *SLOW, *SAID}]


def honest() -> list[Path]:
    return [path for path in sorted(HERE.glob("*/honest/*.py")) if path.stem not in (*SLOW, DRAWN)]


def only_verified() -> list[Path]:
    """Honest pairs of classes that the verification stops, but for the first of each, or two: samples are checked again
    when they are timed.
    """
    found = {name: [path for path in honest() if path.parts[-3] == name] for name in STOPPED}
    return [path for name, paths in found.items() for path in paths[2 if name == "sampling" else 1 :]]


def named(path: Path) -> str:
    return str(path.relative_to(HERE).with_suffix(""))


@pytest.fixture(autouse=True)
def few_starts(monkeypatch):
    monkeypatch.setattr(resources, "STARTS", 2)


@pytest.mark.parametrize("path", attacks(*STOPPED), ids=named)
def test_an_attack_on_the_verification_is_stopped_before_it_is_timed(run_attack, run_pair, path):
    try:
        result = run_attack(path)
    except ContractError:
        return
    assert result.status in ("refused", "failed-verification", "crashed"), result.verdict
    assert result.status != "crashed" or "NotIndependent" in result.reason
    assert run_pair.samples == []


@pytest.mark.parametrize("path", attacks("remembering", "start_and_memory"), ids=named)
def test_what_is_remembered_or_hidden_gains_nothing(run_attack, memory_left_out, path):
    """A second try is allowed, with more launches: other work on the core looks like a gain. Starts need none."""
    for effort in (BRIEF, BRIEF if path.stem.startswith("startup") else SMALL):
        try:
            result = run_attack(path, effort=effort)
        except ContractError:
            return
        judged = result.ratios.get("optimized")
        if judged is None or (judged.ratio or 0.0) < GAIN or any(one.code == "W121" for one in result.warnings):
            return
    assert (judged.ratio or 0.0) < GAIN


@pytest.mark.parametrize("name", SAID)
def test_what_drawn_values_do_not_show_is_said(run_attack, few_outputs_checked, memory_left_out, name):
    (path,) = HERE.glob(f"*/{name}.py")
    result = run_attack(path, others=True)
    assert result.status == "ok", result.reason
    assert any(SAID[name] in one.text for one in result.warnings if one.code == "W147")


def test_an_honest_pair_is_not_remarked_on_for_what_it_never_draws(run_attack, few_outputs_checked, memory_left_out):
    result = run_attack(HERE / "extremes" / "honest" / f"{DRAWN}.py", others=True)
    assert result.status == "ok", result.reason
    assert not {"W147", "W126"} & {one.code for one in result.warnings}


@pytest.mark.parametrize("path", attacks("waiting"), ids=named)
@up_to(3)
def test_a_baseline_that_waits_and_a_first_call_that_sets_up_are_remarked_on(
    run_attack, few_outputs_checked, memory_left_out, path, tmp_path
):
    """Three tries: one brief launch has a single share of waiting, and the disk decides how long fsync waits."""
    if path.stem == "sync_left_out" and not a_sync_waits(tmp_path):
        pytest.skip("fsync does not wait here: a baseline that calls it does not wait either")
    result = run_attack(path)
    assert result.status == "ok", result.reason
    assert REMARKS[path.stem] in {one.code for one in result.warnings}


def a_sync_waits(folder: Path) -> bool:
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(20):
        with (folder / "synced").open("wb") as file:
            file.write(bytes(2000))
            file.flush()
            os.fsync(file.fileno())
    return time.process_time() - cpu < 0.3 * (time.perf_counter() - wall)


@pytest.mark.parametrize("path", only_verified(), ids=named)
def test_an_honest_pair_passes_the_verification(run_attack, verified_only, path):
    result = run_attack(path)
    assert result.status == "ok", result.reason
    assert {check.result for check in result.checks} <= {"pass", "not-run"}
    sampled = any(check.name.startswith(distribution.NAME) for check in result.checks)
    assert sampled or all(variant.error.calls_checked for variant in result.variants.values())


@pytest.mark.parametrize("path", [path for path in honest() if path not in only_verified()], ids=named)
def test_an_honest_pair_is_not_stopped(run_attack, few_outputs_checked, path):
    """A second try is allowed: a check that reads time may be misled by other work on the core."""
    result = run_attack(path)
    if result.status != "ok":
        result = run_attack(path)
    assert result.status == "ok", result.reason


def test_every_file_is_described():
    text = (HERE / "EXPECTED.md").read_text()
    assert [path.stem for path in HERE.rglob("*.py") if path.stem not in text] == []


def test_every_gap_is_a_file():
    stems = {path.stem for path in HERE.glob("*/*.py")}
    assert set(GAPS) | set(SAID) | set(REMARKS) <= stems
