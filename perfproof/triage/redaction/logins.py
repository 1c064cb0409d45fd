"""Logins that are made of names: `jhoffmann`, `anna.keller`, `kellera`. They are found without any label."""

import re
import sys
from collections.abc import Iterator
from functools import lru_cache

from perfproof.triage.redaction.family_names import FAMILY_NAMES
from perfproof.triage.redaction.given_names import GIVEN_NAMES
from perfproof.triage.redaction.name_likeness import likeness
from perfproof.triage.redaction.ordinary_words import NO_USER, is_ordinary

FEWEST = 6  # letters of a family name behind an initial; 7 behind two
LIKE = 1.0  # the sum of the likeness of both parts of `first.last`
UNLIKE = -0.8  # the least likeness beside a known name
_TOKEN = re.compile(r"(?<![\w.@/-])[a-z]++(?:[._-][a-z]+)?\d{0,4}(?![\w@(=/-]|\.\w)")
_MODELS = frozenset("adam albert bert roberta marian oscar".split())
_ALSO_WORDS = frozenset(
    "walker turner tucker kaiser watson shapiro jenkins hudson gibson palmer parker lorenz ".split()
)
_ENDINGS = frozenset(  # of files, and of hosts
    "py md so cu cc sh js ts go rs jl gz db pt h c o a in conf cfg ini json yaml yml toml txt log csv html xml sql lock service socket target timer mount slice"
    " tar zip zst bz2 xz rpm deb whl bin dat npy npz onnx safetensors gguf ckpt pth pkl parquet pem key crt pub bak old tmp swp pid sock repo list rules cpp hpp cuh"
    " com org net edu gov lan local internal intern corp home cloud dev app site info biz test int ptx cubin sass ko dll exe".split()
)
_MODULES = frozenset(sys.stdlib_module_names) | frozenset(
    "torch numpy scipy jax triton cupy nvidia vllm self cls args".split()
)


def logins_of_names(text: str) -> Iterator[tuple[int, int]]:
    """Where a word stands that is made of a name, as a login is."""
    for found in _TOKEN.finditer(text):
        if len(found[0]) > FEWEST and _is_made_of_a_name(found[0]):
            yield found.span()


@lru_cache(maxsize=1 << 16)
def _is_made_of_a_name(word: str) -> bool:
    word = word.rstrip("0123456789")
    first, mark, last = word.partition(next((one for one in "._-" if one in word), "."))
    if mark and last:
        if mark == "." and _are_two_names(first, last):
            return True
        if first in GIVEN_NAMES and first not in _MODELS:
            return last in FAMILY_NAMES or (len(last) <= 2 and last not in _ENDINGS)
        if first in FAMILY_NAMES:
            return last in GIVEN_NAMES or len(last) == 1
        return len(first) <= 2 and last in FAMILY_NAMES
    if is_ordinary(word):
        return False
    if len(word) > FEWEST and word in FAMILY_NAMES and word not in _ALSO_WORDS:
        return True
    parts = ((word[at:], FEWEST + at - 1) for at in (1, 2))
    if any(len(part) >= fewest and part in FAMILY_NAMES for part, fewest in parts):
        return True
    if len(word) > FEWEST and word[:-1] in FAMILY_NAMES and word[-1] not in "sne":
        return True
    return any(word[:at] in GIVEN_NAMES and word[at:] in FAMILY_NAMES for at in range(3, len(word) - 3))


def _are_two_names(first: str, last: str) -> bool:
    """`rakesh.bhattacharya`; no file, no module, no host, no attribute of a program."""
    if min(len(first), len(last)) < 3 or last in _ENDINGS or {first, last} & (NO_USER | _MODULES | _MODELS):
        return False
    if is_ordinary(first) or is_ordinary(last):
        return False
    if first in GIVEN_NAMES or last in FAMILY_NAMES:
        return min(likeness(first), likeness(last)) > UNLIKE
    return (
        min(len(first), len(last)) > 3
        and min(likeness(first), likeness(last)) > 0
        and likeness(first) + likeness(last) > LIKE
    )
