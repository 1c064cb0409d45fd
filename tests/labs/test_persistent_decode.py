"""The lab of the kernel that stays: its tokens are those of the plain decoder, through Triton's interpreter as well.

The interpreter is chosen when Triton is imported, so this file is also the program of a child process.
"""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

LAB = Path(__file__).parents[2] / "labs" / "persistent_decode"
SIZES = dict(rows=2, prompt=2, answer=2, layers=2, hidden=64, ffn=24, vocab=19, dtype="float64")
MUTANTS = {
    "values of another layer": ("keys = cache + layer * 2 * KV_HEADS * longest * D", "keys = cache"),
}


def drawn(first):
    torch.manual_seed(3)
    names = ("layers", "hidden", "ffn", "vocab", "dtype", "answer")
    weights, answer = first.constants(**{name: SIZES[name] for name in names})
    return first.inputs(**SIZES, weights=weights), weights, answer


def load(name):
    sys.path.insert(0, str(LAB))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(LAB))


def interpret(folder: Path) -> dict:
    """In the child: is the kernel right, and is each mutant of it wrong?"""
    torch.set_num_threads(1)
    first, text = load("step_01_compiled"), (LAB / "step_04_persistent.py").read_text()
    given, found = drawn(first), {}
    right = first.reference(*given)
    for name, (old, new) in ({"the kernel": ("", "")} | MUTANTS).items():
        assert old in text
        stem = f"variant_{len(found)}"
        (folder / f"{stem}.py").write_text(text.replace(old, new, 1))
        sys.path.insert(0, str(folder))
        module = importlib.import_module(stem)
        module.BLOCK_N, module.BLOCK_T = 64, 2  # few turns of the loops, but more than one of each
        found[name] = torch.equal(module.optimized(module.prepare_optimized(*given), *given), right)
    return found


def compile_kernel() -> str:
    """In the child: for a Hopper GPU, at a small size, because compiling takes seconds."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    module = load("step_04_persistent")
    constants = dict(LAYERS=2, HEADS=2, KV_HEADS=1, D=16, H=32, F=32, V=32, N=8, T=8)
    constants |= dict(H_WIDTH=32, Q_WIDTH=32, F_WIDTH=32)
    whole = dict.fromkeys(("prompts", "answers"), "*i64") | dict.fromkeys(("length", "answer", "longest"), "i32")
    names = module.decode_rows.arg_names
    signature = {name: "constexpr" if name in constants else whole.get(name, "*fp32") for name in names}
    signature["eps"] = "fp32"
    source = ASTSource(fn=module.decode_rows, signature=signature, constexprs=constants)
    made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 8})
    assert made.metadata.shared <= 227 * 1024
    return made.asm["ptx"]


def child(what: str, folder: Path, **variables: str) -> dict:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"} | variables
    environment |= {"TRITON_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "tests.labs.test_persistent_decode", what, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=500, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_the_kernel_gives_the_tokens_of_the_plain_decoder_and_its_mutants_do_not(warm_python, tmp_path):
    pytest.importorskip("triton")
    found = child("interpret", tmp_path, TRITON_INTERPRET="1")
    assert found == {"the kernel": True} | dict.fromkeys(MUTANTS, False)


def test_the_kernel_compiles_for_a_hopper_gpu_and_waits_only_inside_a_program(warm_python, tmp_path):
    pytest.importorskip("triton")
    ptx = child("compile", tmp_path)["ptx"]
    assert "bar.sync" in ptx and "atom." not in ptx


def test_the_step_in_torch_gives_them_too():
    first = load("step_01_compiled")
    given = drawn(first)
    right = first.reference(*given)
    assert torch.equal(first.baseline(first.prepare_baseline(*given), *given), right)


def test_a_bucket_of_the_context_gives_the_same_tokens_as_the_whole_cache():
    decoding = load("_decoding")
    prompts, weights, answer = drawn(load("step_01_compiled"))
    state = decoding.State(weights, len(prompts), prompts.shape[1] + answer)
    steps = {end: decoding.eager_step(state, end) for end in (3, state.longest)}

    def bucketed(place):
        return steps[3 if place < 3 else state.longest](state.token, state.place, state.cache)

    right = load("step_01_compiled").reference(prompts, weights, answer)
    assert torch.equal(decoding.decode(bucketed, state, prompts, answer), right)


def test_a_cache_on_the_host_is_attended_layer_by_layer():
    pair = load("step_05_offload_pinned")
    torch.manual_seed(0)
    queries, cache = pair.inputs(**pair.smoke)
    found = pair.baseline(pair.prepare_baseline(queries, cache), queries, cache)
    torch.testing.assert_close(found.double(), pair.reference(queries, cache), rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    place = Path(sys.argv[2])
    sys.path.insert(0, str(LAB))
    print(json.dumps(interpret(place) if sys.argv[1] == "interpret" else {"ptx": compile_kernel()}))
