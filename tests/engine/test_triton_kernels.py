"""The Triton kernels mean what the torch ones mean, and compile for the GPUs they are for."""

import os
import sys

import pytest

pytest.importorskip("triton")


def test_every_kernel_gives_what_its_torch_form_gives(one_warm_python):
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    command = [sys.executable, "-m", "tests.engine.triton_cases"]
    done = one_warm_python.run(command, capture_output=True, text=True, timeout=500, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    said = done.stdout.splitlines()
    assert len(said) == 18 + 1 + 2 * 9 + 2 and "rows int8=True" in said


def test_every_kernel_compiles_for_a_hopper_gpu(monkeypatch, tmp_path):
    """In this process, which may have loaded Triton and torch's compiler already: that takes as long as to compile."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    from tests.engine.triton_compiling import compile_all

    linears = ["few_rows_linear 16", "few_rows_linear 8", "few_rows_linear 4", "norm_rows", "gate_rows"]
    attends = [f"attend_part {kept}" for kept in ("*bf16", "*i8", "*fp64", "whole")]
    assert list(compile_all()) == [*linears, "rotate_heads", *attends, "join_parts", "attend_tile"]
