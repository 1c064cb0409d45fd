"""Files with planted secrets, planted personal data and harmless lines, in two halves.

The three text files beside this one were written from public formats before the rules they test. Rules are written against
the first half. The second half only counts.
"""

import hashlib
import math
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.triage.redaction.corpus.values import encoded, value

HERE = Path(__file__).parent
SLOT = re.compile(r"<<(@?)([a-z][a-z0-9_]*)(?:\|([a-z]+))?>>")
FILL = re.compile(r"<~([a-z][a-z0-9_]*)>|<<~([a-z][a-z0-9_]*)>>")
COPIES = 9  # of each harmless line
HOST = "{host}"
ANSI = re.compile(r"\x1b\[[0-9;]*m|\\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Item:
    kind: str
    personal: bool
    value: str
    written: str
    template: str  # the line it stands in, for a report of what leaked


@dataclass
class Document:
    name: str
    text: str = ""
    items: list[Item] = field(default_factory=list)
    harmless: list[str] = field(default_factory=list)  # with HOST at the place of a host's name


def corpus(half: int, seed: int = 20240) -> list[Document]:
    """Half 0 or 1. The split is by line and by file, so that no form of the second half is in the first."""
    sorting, rng = random.Random(seed), random.Random(seed + 1 + half)
    documents = []
    for name, blocks in _line_files():
        documents.append(_woven(name, [b for b in blocks if sorting.randrange(2) == half], rng))
    harmless = [line for line in _lines("harmless_lines.txt") if sorting.randrange(2) == half]
    for name, text in _whole_files():
        if sorting.randrange(2) == half:
            document = Document(name)
            document.text = _planted(text, rng, document)
            documents.append(document)
    lines = [_filled(line, rng) for line in harmless for _ in range(COPIES)]
    rng.shuffle(lines)
    targets = [d for d in documents if d.name in ("train.log", "error.log", "history.txt")]
    share = len(lines) // (len(targets) + 1)
    for n, document in enumerate(targets):
        _weave(document, lines[n * share : (n + 1) * share], rng)
    alone = Document("stdout.txt")
    _weave(alone, lines[len(targets) * share :], rng)
    return [*documents, alone]


def formats(half: int, seed: int = 71) -> list[Document]:
    """Planted items and harmless lines of public formats, each once. A line's own hash decides its half."""
    rng = random.Random(seed + half)
    documents = []
    for name, blocks in _line_files("formats_planted.txt"):
        documents.append(_woven(name, [block for block in blocks if _half(block) == half], rng))
    lines = [_filled(line, rng) for line in _lines("formats_harmless.txt") if _half(line) == half]
    rng.shuffle(lines)
    alone = Document("stdout.txt")
    targets = [d for d in documents if d.name in ("env.txt", "nccl.txt", "history.sh", "traceback.txt", "people.txt")]
    share = len(lines) // (len(targets) + 1)
    for n, document in enumerate([*targets, alone]):
        _weave(document, lines[n * share : None if document is alone else (n + 1) * share], rng)
    for document in documents:
        if document not in targets:
            _weave(document, [], rng)
    return [*documents, alone]


def _half(text: str) -> int:
    return hashlib.sha256(text.encode()).digest()[0] % 2


def leaks(item: Item, output: str) -> bool:
    """Half of a secret is a leak, in any encoding that it was written in. Of a person's name each part is."""
    if item.personal:
        parts = item.value.split() if item.kind == "name" else [item.value]
        if item.kind in ("initial",):
            return False
        if item.kind == "fqdn":
            parts = [item.value.split(".")[0]]
        if item.kind == "nodelist":
            parts = re.findall(r"\d{4}", item.value)
        if item.kind == "guidflat":
            return item.value in output
        if item.kind == "migold":
            parts = [item.value[8:44]]
        return any(re.search(rf"(?<![A-Za-z0-9]){re.escape(part)}(?![A-Za-z0-9])", output) for part in parts)
    plain = ANSI.sub("", output)
    for text in {item.value, item.written}:
        share = 0.75 if item.kind in ("pw", "phrase", "phrase12") else 0.5  # words are in other lines, too
        size = max(min(6, len(text)), math.ceil(len(text) * share))
        windows = {text[n : n + size] for n in range(len(text) - size + 1)}
        if any(window in output or window in plain for window in windows if not window.startswith(("\x1b", "\n"))):
            return True
    return False


def spoiled(document: Document, output: str) -> list[str]:
    """The harmless lines that are not in the output any more."""
    there = output.splitlines()
    found = set(there)
    missing = []
    for line in document.harmless:
        if HOST in line:
            pattern = re.compile(r"\S+".join(re.escape(part) for part in line.split(HOST)))
            if not any(pattern.fullmatch(other) for other in there):
                missing.append(line)
        elif line not in found:
            missing.append(line)
    return missing


def _lines(name: str) -> list[str]:
    return [line for line in (HERE / name).read_text("utf-8").split("\n") if line and not line.startswith("# ")]


def _sections(name: str) -> list[tuple[str, str]]:
    text = (HERE / name).read_text("utf-8")
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in re.split(r"^## ", text, flags=re.M)[1:]]


def _line_files(file: str = "planted_lines.txt") -> list[tuple[str, list[str]]]:
    found = []
    for name, text in _sections(file):
        head, *blocks = text.split("%%\n")
        found.append(
            (name, [line for line in head.split("\n") if line] + [b.rstrip("\n") for b in blocks if b.strip()])
        )
    return found


def _whole_files() -> list[tuple[str, str]]:
    return _sections("planted_files.txt")


def _planted(template: str, rng: random.Random, document: Document) -> str:
    def replace(found: re.Match[str]) -> str:
        personal, kind, how = bool(found[1]), found[2], found[3] or ""
        planted = value(kind, rng)
        written = encoded(planted, how)
        line = template[template.rfind("\n", 0, found.start()) + 1 :].split("\n", 1)[0]
        document.items.append(Item(kind, personal, planted, written, f"{document.name}: {line}"))
        return written

    return _filled(SLOT.sub(replace, template), rng)


def _filled(template: str, rng: random.Random) -> str:
    return FILL.sub(lambda found: value(found[1] or found[2], rng), template)


def _woven(name: str, blocks: list[str], rng: random.Random) -> Document:
    document = Document(name)
    document.text = "\n\x00".join(_planted(block, rng, document) for block in blocks)
    return document


def _weave(document: Document, harmless: list[str], rng: random.Random) -> None:
    """Put harmless lines between the blocks. The `\\x00` between blocks does not stay."""
    blocks = document.text.split("\n\x00") if document.text else []
    lines = [line.replace(HOST, f"cn{rng.randrange(1000, 9999)}") for line in harmless]
    document.harmless += harmless
    size = max(1, len(lines) // (len(blocks) + 1))
    out: list[str] = []
    for n, block in enumerate(blocks):
        out += [*lines[n * size : (n + 1) * size], block]
    document.text = "\n".join([*out, *lines[len(blocks) * size :]]) + "\n"
