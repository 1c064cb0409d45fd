"""The Triton kernels mean what the torch ones mean, and compile for the GPUs they are for."""

import os
import sys

import pytest

from tests.warm_python import WarmPython

pytest.importorskip("triton")


def run(one_warm_python: WarmPython, module: str, **variables: str) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"} | variables
    done = one_warm_python.run(
        [sys.executable, "-m", module], capture_output=True, text=True, timeout=500, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_every_kernel_gives_what_its_torch_form_gives(one_warm_python):
    said = run(one_warm_python, "tests.engine.triton_cases", TRITON_INTERPRET="1")
    assert len(said) == 18 + 1 + 2 * 9 + 2 and "rows int8=True" in said


def test_every_kernel_compiles_for_a_hopper_gpu(one_warm_python, tmp_path):
    said = run(one_warm_python, "tests.engine.triton_compiling", TRITON_CACHE_DIR=str(tmp_path))
    linears = ["few_rows_linear 16", "few_rows_linear 8", "few_rows_linear 4", "norm_rows", "gate_rows"]
    attends = [f"attend_part {kept}" for kept in ("*bf16", "*i8", "*fp64", "whole")]
    assert said == [*linears, "rotate_heads", *attends, "join_parts", "attend_tile"]
