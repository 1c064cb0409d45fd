"""Secrets and personal data as many programs write them: nearly all of a collection is hidden, each in its own file.

A line is one file: `¶` is a line break, `⟦…⟧` marks what must go, `{h:32}` stands for 32 drawn characters.
"""

import random
import re
import string
import uuid
from pathlib import Path

import pytest

from perfproof.triage.redaction import Redactor

CORPUS = Path(__file__).parent / "corpus"
RECALL = {"collected_secrets.txt": 0.98, "collected_people.txt": 0.98}
WORDS = ("falcon", "Winter", "meadow", "Dragon", "copper", "Lisbon", "banana", "Quartz", "harbor", "Saturn", "pepper")
LETTERS = {
    "h": "0123456789abcdef", "H": "0123456789ABCDEF", "d": string.digits, "a": string.ascii_letters + string.digits,
    "b": string.ascii_letters + string.digits + "+/", "u": string.ascii_letters + string.digits + "-_",
    "up": string.ascii_uppercase + string.digits, "l": string.ascii_lowercase + string.digits,
    "U": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}  # fmt: skip


def drawn(rng: random.Random, said: str) -> str | None:
    if said == "pw":
        word, number = rng.choice(WORDS), rng.randrange(100, 9999)
        return rng.choice((f"{word}{number}", f"{word}!{number}", "-".join(rng.sample(WORDS, 3)).lower()))
    if said == "pwe":
        return f"{rng.choice(WORDS)}{rng.randrange(100, 9999)}"
    if said == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    kind, _, length = said.partition(":")
    if kind not in LETTERS or not length.isdigit():
        return None
    return rng.choice("0123456789abcdef" if kind in "hbua" else LETTERS[kind]) + "".join(
        rng.choices(LETTERS[kind], k=int(length) - 1)
    )


def is_left(value: str, text: str) -> bool:
    """Most of it in one piece."""
    size = max(min(len(value), 5), -(-len(value) * 6 // 10))
    return any(value[at : at + size] in text for at in range(len(value) - size + 1))


@pytest.mark.parametrize("name", RECALL)
def test_nearly_all_of_a_collection_is_hidden(name):
    rng = random.Random(8)
    leaked, lines = [], (CORPUS / name).read_text(encoding="utf-8").split("\n")[:-1]
    for line in lines:
        text = re.sub(r"\{([A-Za-z]+(?::\d+)?)\}", lambda found: drawn(rng, found[1]) or found[0], line)
        text = text.replace("¶", "\n")
        done = Redactor(b"key").text(re.sub("[⟦⟧]", "", text) + "\n")
        if any(is_left(value, done) for value in re.findall("⟦(.*?)⟧", text, re.DOTALL)):
            leaked.append(line)
    assert len(leaked) <= (1 - RECALL[name]) * len(lines), leaked
