"""Passwords that people choose, by their form alone: words of no manual, a capital and a digit, joined by signs.

`boerenkool-Worst8` and `Gooseberry.Fool.3` need no label: in three million characters of code and manuals hardly any
other word is written like that. Models, versions, modules and hosts have words of the field, sizes or no capitals.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from perfproof.triage.redaction.ordinary_words import is_ordinary
from perfproof.triage.redaction.told_passwords import form_of

_TOKEN = re.compile(
    r"(?<![\w./:@=\\-])(?=[^\s\d]{0,60}\d)[A-Za-z0-9]+(?:[-_.!*&+#][A-Za-z0-9]+){1,3}[!*#]?(?![\w/(\\:@=-]|\.\w)"
)
_SIGNS = re.compile(r"[-_.!*&+#]")
_WORD = re.compile(r"[A-Za-z]{4,}\d{0,2}|\d[a-z]{3,}")
_SIZE = re.compile(r"\d\.\d|(?<![A-Za-z])v\d|\d+[bBkKMGxX](?![a-z])|[a-z][A-Z][a-z]")  # 3.1, v2, 70B, DenseNet
_OF_MODELS = frozenset(
    "instruct chat base large small medium turbo vision coder preview distill awq gptq gguf mini nano ultra lite flash"
    " turing ampere hopper volta lovelace quadro geforce tesla error exception".split()
)


def chosen_passwords(text: str) -> Iterator[tuple[int, int]]:
    """Where such a word stands."""
    for found in _TOKEN.finditer(text):
        if _is_chosen(found[0]):
            yield found.span()


@lru_cache(maxsize=1 << 14)
def _is_chosen(token: str) -> bool:
    parts = [part for part in _SIGNS.split(token) if part]
    words = [part.strip("0123456789") for part in parts if _WORD.fullmatch(part)]
    if len(words) < 2 or _SIZE.search(token) or not any(re.match("[A-Z][a-z]", part) for part in parts):
        return False
    if any(word.lower() in _OF_MODELS for word in words) or all(map(is_ordinary, words)):
        return False
    return form_of(token) == 3 and not ("." in token and token[0].islower())  # jinja2.Undefined
