"""Items with marks: ⟦s:…⟧ is a secret, ⟦p:…⟧ is personal, an item without a mark is harmless. `~hex40` is drawn anew.

Items are separated by lines of %%. No secret in them is real: what looks like a key is drawn from a fixed seed.
"""

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "marked"
_MARK = re.compile(r"⟦([sp]):(.*?)⟧", re.DOTALL)
_DRAWN = re.compile(r"~(hex|b64-|AN|an|dig|B32)(\d+)")
_LETTERS = {
    "hex": "0123456789abcdef",
    "b64-": string.ascii_letters + string.digits + "+/",
    "an": string.ascii_letters + string.digits,
    "AN": string.ascii_uppercase + string.digits,
    "dig": string.digits,
    "B32": string.ascii_uppercase + "234567",
}


class Item(NamedTuple):
    text: str
    secrets: tuple[str, ...]
    personal: tuple[str, ...]


def items(name: str) -> Iterator[Item]:
    for number, block in enumerate((FOLDER / name).read_text(encoding="utf-8").split("\n%%\n")):
        text = drawn(block.strip("\n"), f"{name}{number}")
        marks = _MARK.findall(text)
        secrets, personal = ([value for kind, value in marks if kind == wanted] for wanted in "sp")
        yield Item(_MARK.sub(lambda found: found[2], text), tuple(secrets), tuple(personal))


def drawn(block: str, seed: str) -> str:
    """With values instead of what stands for them, such as `~hex40`."""
    rng = random.Random(seed)
    return _DRAWN.sub(lambda found: _drawn(rng, found[1], int(found[2])), block)


def is_left(value: str, text: str) -> bool:
    """A name is left if one of its longer words is."""
    words = re.findall(r"[^\W\d]{4,}", value) if len(value.split()) > 1 else []
    return value in text or any(word in text for word in words)


def _drawn(rng: random.Random, letters: str, length: int) -> str:
    return "".join(rng.choice(_LETTERS[letters]) for _ in range(length))
