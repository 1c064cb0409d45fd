"""Workloads of every day, one of each kind that was once rejected: they are verified and measured.

The files are those of benchmarks/everyday, where there are many more (false_rejections.py runs all of them).
"""

from pathlib import Path

import pytest

from tests.conftest import BRIEF

HERE = Path(__file__).parents[2] / "benchmarks" / "everyday"
KINDS = {
    "optimizer as an argument": "a10_set_to_none",
    "gradient accumulation": "a11_accumulation",
    "bf16 on a CPU": "a39_bf16_matmul",
    "JSON": "b02_json_rows_sum",
    "set as a result": "b21_set_intersection",
    "generator as a result": "b24_chunk_generator",
    "file beside the pair": "b28_file_beside",
    "module beside the pair": "b29_shared_helper",
    "running sums of numbers of Python": "b33_accumulate",
    "workers of a DataLoader": "b39_dataloader_workers",
    "seeded generator as an argument": "c03_generator_noise",
    "quantised tensor": "c08_quantize",
    "sparse tensor": "a33_sparse_csr",
    "jagged tensor": "a32_nested_jagged",
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_everyday_workload_is_measured(run_pair, kind):
    result = run_pair(HERE / f"{KINDS[kind]}.py", effort=BRIEF, fast=True)  # at its smoke sizes
    assert result.status == "ok", result.reason
    assert result.verdict is not None
