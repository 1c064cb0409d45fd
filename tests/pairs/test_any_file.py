"""Whatever is in a file, it is read as a pair or refused with one line; nothing else is ever raised."""

import re
import warnings

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from perfproof.core.errors import ContractError
from perfproof.pairs.contract import read_pair
from perfproof.pairs.pair import Pair
from tests.pairs.full_pair import TEXT

RICH = '''\
"""Fuse the norm, so that each element crosses memory once.

Six kernels move 36 bytes for every element, one moves 4: the model says 9x.
"""
import torch
import triton
import triton.language as tl

EPS = 1e-6
ROWS, COLS = 2**14, 4 * 1024

workload = dict(rows=ROWS, cols=COLS, dtype="bfloat16")
workload_cpu = {**workload, "rows": 16}
smoke = dict(workload, rows=5, cols=777)
sweep = dict(rows=[1, 2], cols=[ROWS // 2, -(-COLS % 3)])
tolerance = {"bfloat16": dict(rtol=1e-2, atol=1e-3), "float32": dict(rtol=0, atol=1 / 3)}  # two roundings
tier, claim, clock = "idiomatic", "time", "kernel"
constant = ("weight",)
mutates = ["x"]
needs = dict(cuda=9.0, sm="90a", gpus=2, packages=["kvikio"])
menu = ("training", "input-bound")
tour = True


def inputs(rows, cols, dtype, *, scale=float("inf")):
    return torch.randn(rows, cols), torch.randn(cols)


def reference(x, weight):
    return torch.nn.functional.rms_norm(x.double(), weight.shape, weight.double(), EPS)


def baseline(x, weight):
    return (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS)) * weight


@triton.jit
def rmsnorm_row(x_ptr, weight_ptr, out_ptr, cols, eps, BLOCK: tl.constexpr):
    tl.store(out_ptr, tl.load(x_ptr))


def prepare_optimized_fused(x, weight):
    return [weight.clone() for _ in range(2)]


def optimized(x, weight):
    out = torch.empty_like(x)
    rmsnorm_row[(x.shape[0],)](x, weight, out, x.shape[1], EPS, BLOCK=triton.next_power_of_2(x.shape[1]))
    return out


def optimized_fused(packed, x, weight):
    return x


def cost(rows, cols, dtype):
    return dict(flops=4 * rows * cols, bytes=rows * cols * 4, baseline_bytes=rows * cols * 36)
'''
BORROWING = re.sub(r"def (inputs|reference|baseline)\(.*\n    return .*\n", r'\1 = "step_01"\n', RICH)

PIECES = [
    "(", ")", "[", "]", "{", "}", ":", ",", "=", "**", "*", "\n", "    ", '"', '"""', "#", "\\", "lambda: ", "async ",
    "if 1:\n", "dict(", "float('inf')", "10**10**10", "0x" + "f" * 400, "1e999", "-", "not ", "x.", "None", "nan",
    "'\\ud800'", "\u2028", "\x0c", "\r", "\t", "é", "sys._getframe", "import sys", "from . import x", "workload",
    "optimised", "prepare_x", "step_01", "del ", "global x", "yield", "match 1:\n case _: pass", "a := 1", "*args",
    "**kwargs", "/, ", "f'{1}'", "b'1'", "1j", "...",
]  # fmt: skip

VALUES = [
    "None", "True", "0", "-1", "1e999", "0.5", "10**10**10", "2**300", "'text'", "'float16'", "'step_01'", "'\\ud800'",
    "()", "[]", "{}", "{1, 2}", "[[1]]", "dict(a=1)", "dict(**x)", "dict(rtol=0)", "torch.float16", "f(1)",
    "float('inf')", "lambda: 1", "1 / 0", "'a' * 9**9", "x", "...", "b''", "1j", "(yield)", "[i for i in x]",
]  # fmt: skip

texts = st.sampled_from([TEXT, RICH, BORROWING])
anywhere = st.integers(0, 100_000)


def parts_of(text, unit):
    """The text in pieces: statements, lines, or tokens."""
    if unit == "statements":
        return re.split(r"(?m)^(?=\S)", text)
    return text.splitlines(keepends=True) if unit == "lines" else re.findall(r"\w+|\s+|.", text)


@st.composite
def mutated(draw):
    """A valid file with a few statements, lines or tokens deleted, doubled, swapped or replaced."""
    unit = draw(st.sampled_from(["statements", "lines", "tokens"]))
    parts = parts_of(draw(texts), unit)
    steps = st.tuples(st.integers(0, 4), anywhere, anywhere, st.sampled_from(PIECES))
    for kind, one, other, piece in draw(st.lists(steps, min_size=1, max_size=3)):
        i, j = one % len(parts), other % len(parts)
        if kind == 0 and len(parts) > 1:
            del parts[i]
        elif kind == 1:
            parts.insert(j, parts[i])
        elif kind == 2:
            parts[i], parts[j] = parts[j], parts[i]
        elif kind == 3:
            parts[i] = piece
        else:
            parts.insert(i, piece)
    return "".join(parts).encode("utf-8", "surrogatepass")


@st.composite
def misused(draw):
    """A valid file with a few words exchanged for others of its words, or values for others: mostly still Python."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            words = list(re.finditer(r"\b[a-z_]+\b", text))
            old, new = words[draw(anywhere) % len(words)], words[draw(anywhere) % len(words)][0]
        else:
            values = list(re.finditer(r"(?<==)[^=\n]+?(?=[,)#\n])", text))
            old, new = values[draw(anywhere) % len(values)], draw(st.sampled_from(VALUES))
        text = text[: old.start()] + new + text[old.end() :]
    return text.encode("utf-8", "surrogatepass")


@st.composite
def spliced(draw):
    """A valid file with random bytes or text in it."""
    text = draw(texts).encode()
    at = draw(anywhere) % len(text)
    insert = draw(
        st.one_of(st.binary(max_size=20), st.text(max_size=20).map(lambda t: t.encode("utf-8", "surrogatepass")))
    )
    return text[:at] + insert + text[at + draw(st.integers(0, 30)) :]


@st.composite
def nested(draw):
    """A declaration that is nested deeply, or names a name that names a name."""
    depth = draw(st.integers(1, 3000))
    opening, closing = draw(
        st.sampled_from([("(", ")"), ("[", "]"), ("{1:", "}"), ("dict(a=", ")"), ("-", ""), ("1+", ""), ("f(", ")")])
    )
    chain = "".join(f"n{i} = [n{i - 1}, n{i - 1}]\n" for i in range(1, min(depth, 200)))
    line = draw(
        st.sampled_from(
            [f"sweep = {opening * depth}1{closing * depth}\n", f"n0 = 1\n{chain}needs = n{min(depth, 200) - 1}\n"]
        )
    )
    return draw(texts).replace("tier", line + "tier", 1).encode()


unstructured = st.one_of(
    st.binary(max_size=200), st.text(max_size=200).map(lambda t: t.encode("utf-8", "surrogatepass"))
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("lab")
    (made / "step_01.py").write_text(RICH)
    return made


def test_the_files_that_are_mutated_are_valid(folder):
    for text in (TEXT, RICH, BORROWING):
        (folder / "step_02.py").write_text(text)
        assert isinstance(read_pair(folder / "step_02.py", "labs/lab:step_02", "labs/lab"), Pair)
    assert 'inputs = "step_01"' in BORROWING


@settings(
    max_examples=600,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)
@given(data=st.one_of(misused(), misused(), misused(), mutated(), mutated(), spliced(), nested(), unstructured))
@example(data=b"")
@example(data=b"\xff\xfe")
@example(data=b"-" * 100_000 + b"1")
def test_any_file_is_read_or_refused_with_one_line(folder, data):
    path = folder / "step_02.py"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            pair = read_pair(path, "labs/lab:step_02", "labs/lab")
        except ContractError as error:
            message = str(error)
            assert len(message.splitlines()) == 1 and message.isprintable()
            assert ".py" in error.where and error.what
        else:
            repr(pair).encode()  # what was read can be printed and saved
