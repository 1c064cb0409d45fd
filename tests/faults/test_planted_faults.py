"""Programs with one known fault each: the rule that names it comes first, and a healthy program is left alone.

Faults that a CPU shows are recorded here and now. Those of a GPU are read from `recorded/`, made on such a machine by
`python tests/faults/record_on_gpu.py tests/faults/recorded`.
"""

from functools import cache
from pathlib import Path

import pytest

from perfproof.core.diagnosis import Diagnosis
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import gather
from tests.faults.gpu_faults import COUNTED, HEALTHY, TRACED

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
RIGHT_FIRST = 0.9

ON_A_CPU = {
    "input_bound": "input_bound",
    "small_operators": "small_kernels",
    "wrong_precision": "wrong_precision",
    "allocator_churn": "allocator_churn",
    "profiler_overhead": "profiler_overhead",
    "graph_breaks": "graph_breaks",
    "recompiles": "recompiles",
    "exposed_communication": "comm_exposed",
    "straggler_rank": "straggler",
    "known_overlap": "straggler",
    "gil_bound": "gil_bound",
    "throttled": "throttling",
}
ON_A_GPU = {**TRACED, **COUNTED}
DENIED = ("No such file or directory: 'py-spy'", "Permission Denied", "Operation not permitted", "ptrace")


@cache
def diagnosed(folder: Path) -> Diagnosis:
    milliseconds = folder / "unprofiled_step_ms.txt"
    unprofiled = float(milliseconds.read_text()) * 1e6 if milliseconds.exists() else None
    return diagnose(gather([path for path in sorted(folder.iterdir()) if path != milliseconds], unprofiled))


def diagnosis_of(name: str, planted) -> Diagnosis:
    folder, said = planted
    files = list((folder / name).glob("*")) if (folder / name).exists() else []
    if name == "gil_bound" and not files and any(why in said for why in DENIED):
        pytest.skip("py-spy is not here, or may not watch its own child")
    assert files, f"{name} was not recorded: {said[-2000:]}"
    return diagnosed(folder / name)


def recording_of(name: str) -> Path:
    path = RECORDED / (f"{name}.csv" if name in COUNTED else f"{name}.json.gz")
    if not path.exists():
        pytest.skip("recorded trace missing: run python tests/faults/record_on_gpu.py tests/faults/recorded")
    return path


def above_low(diagnosis: Diagnosis) -> list[str]:
    return [finding.rule for finding in diagnosis.findings if finding.confidence != "low"]


@pytest.mark.parametrize(("fault", "rule"), ON_A_CPU.items())
def test_the_fault_is_named_above_low(fault, rule, planted):
    diagnosis = diagnosis_of(fault, planted)
    assert rule in above_low(diagnosis), [(one.rule, one.confidence, one.share) for one in diagnosis.findings]


def test_the_right_rule_comes_first_in_nine_of_ten(planted):
    folder, _ = planted
    seen = {name: diagnosed(folder / name) for name in ON_A_CPU if any((folder / name).glob("*"))}
    wrong = {name: above_low(one)[:1] for name, one in seen.items() if above_low(one)[:1] != [ON_A_CPU[name]]}
    assert len(seen) >= len(ON_A_CPU) - 1  # py-spy may not be allowed
    assert len(wrong) <= (1 - RIGHT_FIRST) * len(seen), wrong


def test_a_healthy_program_is_left_alone(planted):
    assert above_low(diagnosis_of("healthy", planted)) == []


@pytest.mark.parametrize(("fault", "rule"), ON_A_GPU.items())
def test_the_fault_of_a_gpu_is_named_first(fault, rule):
    diagnosis = diagnose(gather([recording_of(fault)]))
    assert above_low(diagnosis)[:1] == [rule], [(one.rule, one.confidence, one.share) for one in diagnosis.findings]


def test_a_healthy_program_of_a_gpu_is_left_alone():
    assert above_low(diagnose(gather([recording_of(HEALTHY)]))) == []


def test_every_fault_has_its_program():
    named = {*ON_A_CPU, *ON_A_GPU, HEALTHY, "healthy"}
    assert {name for name in named if not (HERE / f"{name}.py").exists()} == set()
