"""Columns: of a CSV by its header, and of what squeue, ps or lsblk print by the words above it."""

import re
from collections.abc import Iterator
from functools import lru_cache

from perfproof.core.secret_names import names_a_secret
from perfproof.triage.redaction.keys import PERSONAL, kind_of_key, may_stand_under, plain_key
from perfproof.triage.redaction.meanings import PLAIN_NAMES
from perfproof.triage.redaction.prose import is_plain, speaks_of_a_password

SECRET = "column"
_HEADS = {
    "USER": "user", "USERNAME": "user", "OWNER": "user", "NODELIST": "host", "NODELIST(REASON)": "host", "HOST": "host",
    "HOSTNAME": "host", "HOSTNAMES": "host", "NODE": "host", "SERIAL": "serial", "NODES_LIST": "host",
    "PASSWORD": SECRET, "PASS": SECRET, "PASSWD": SECRET, "PW": SECRET, "TOKEN": SECRET, "SECRET": SECRET,
}  # fmt: skip
_HEAD = r"(?:№|[^\W\d%#][\w.%#()/+*-]*)"
_HEADER = re.compile(  # two words or more: in capitals, far apart, or all in small letters; no sentence is written like that
    rf"^[ \t]*(?:%?[A-Z][A-Z0-9_%().+*/-]*(?:[ \t]+%?[A-Z(][A-Z0-9_%().+*/-]*)+|{_HEAD}(?: {_HEAD})?(?:(?:[ ]{{2,}}|\t+){_HEAD}(?: {_HEAD})?)+|[a-z]+(?:[ \t]+[a-z]+)+)[ \t\r]*$",
    re.MULTILINE,
)
_NO_CELL = re.compile(r"\d{1,5}|\([^)]*\)|[-*?~]+|.*\0.*|N/A|None|root|All", re.DOTALL)
_HEAD_WORD = re.compile(r"\S+(?: [a-zà-ÿа-яё]\S*)*")
_APART, _WORD = re.compile(r"\S+(?: \S+)*"), re.compile(r"\S+")
_SENTENCE = {"THE", "OF", "OR", "AND", "IN", "TO", "IS"}
_RULER = re.compile(r"[ \t]*[-=]{2,}(?:[ \t]+[-=]{2,})+[ \t\r]*$", re.MULTILINE)
_PAIRS = re.compile(r"(?:\n[ \t]*\S+[ \t]{2,}\S[^\n]*)*")
MOST_ROWS, LONGEST_HEAD = 2000, 32
_NAME = r"[^\W\d_][\w.-]{0,24}+(?: [\w.-]{1,12}+)?+"
_SEPARATED = re.compile(rf"^[ \t]*\|?[ \t]*{_NAME}(?:[ ]*[|,;\t][ ]*{_NAME}){{1,20}}[ ]*\|?[ \t\r]*$", re.MULTILINE)


def csv_columns(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a cell of a telling column stands, and its kind: a secret's, or that of an identity."""
    header = text.partition("\n")[0].lstrip("\ufeff")
    separator = max(",;\t|", key=header.count)
    if separator not in header:
        return
    columns: dict[int, str] = {}
    heads: list[str] = []
    for line in re.finditer(r"[^\n]+", text):
        cells = list(_cells(line[0], separator))
        kinds = column_kinds([cell for _, _, cell in cells])
        if (
            kinds
            and (not columns or len(kinds) >= max(2, len(columns)))
            and not (
                separator == "|" and len(kinds) == 1 and sum(bool(cell) for _, _, cell in cells) == 2
            )  # label | value
            and all(re.fullmatch(r"[^\W\d][^\d]*\d{0,2}", cell) or not cell for _, _, cell in cells)
        ):
            columns = kinds
            heads = [
                "full name" if plain_key(cell) in PLAIN_NAMES and at in kinds else cell
                for at, (_, _, cell) in enumerate(cells)
            ]
            continue
        for at, kind in columns.items() if line[0].strip(" \t\r|:+-=") else ():
            if at < len(cells):
                start, end, cell = cells[at]
                if _is_cell(heads[at], kind, cell):
                    yield line.start() + start, line.start() + end, kind


def _is_cell(head: str, kind: str, cell: str) -> bool:
    post = plain_key(head) in ("zip", "zip_code", "postcode", "plz") and re.fullmatch(r"\d{4,6}", cell)
    secret = kind == SECRET and re.fullmatch(r"\d{4,8}", cell)  # a PIN
    if plain_key(head) in ("city", "town", "ciudad", "ville", "ort") and not re.search(
        r"\d{3}", cell
    ):  # 00160 Helsinki
        return False
    if len(cell) < 3 or "\0" in cell or (_NO_CELL.fullmatch(cell) and not post and not secret):
        return False
    return kind == SECRET or kind not in ("user", "person", "phone") or may_stand_under(head, kind, cell)


def column_kinds(heads: list[str]) -> dict[int, str]:
    """The kind of each telling column. `name` is a person's if another column is about people."""
    kinds = {at: kind for at, head in enumerate(heads) if (kind := column_kind(head))}
    if any(kind in PERSONAL for kind in kinds.values()):
        kinds |= {at: "person" for at, head in enumerate(heads) if plain_key(head) in PLAIN_NAMES}
    return kinds


def column_kind(head: str) -> str | None:
    head = head.strip()
    if not re.fullmatch(r"[\w .\[\]%#()/-]{2,40}", head):
        return None
    plain = plain_key(head)
    if plain in ("pw", "pass", "pin", "token", "psk", "pwd") or plain.endswith(
        ("_pin", "_pw", "secret_answer", "_tan")
    ):
        return SECRET
    if names_a_secret(head) or speaks_of_a_password(plain.replace("_", " ")):  # haslo_jednorazowe
        return SECRET
    return kind_of_key(head)


@lru_cache(maxsize=4)  # secrets and people are looked for in the same text
def columns(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple(_columns(text))


def _columns(text: str) -> Iterator[tuple[int, int, str]]:
    """The same within any text: under words with blanks, `|`, commas or tabs between if one names a secret or a person."""
    yield from printed_columns(text)
    for head in _SEPARATED.finditer(text):
        mark = max(",;\t|", key=head[0].count)
        kinds = set(column_kinds(head[0].split(mark)).values())
        if SECRET not in kinds and "user" not in kinds and not kinds & set(PERSONAL):
            continue
        end, width = head.end(), len(list(_cells(head[0], mark)))
        while row := re.compile(r"\r?\n[^\n]+").match(text, end):
            if len(list(_cells(row[0].strip("\r\n"), mark))) != width and row[0].strip(" \t\r\n|+-:="):
                break
            end = row.end()
        for start, stop, kind in csv_columns(text[head.start() : end]):
            if kind != SECRET or not re.search(r"\s", text[head.start() + start : head.start() + stop]):
                yield head.start() + start, head.start() + stop, kind


def printed_columns(text: str) -> Iterator[tuple[int, int, str]]:
    """Under a header of words with blanks between."""
    read = 0  # what was read as rows is no header
    for head in _HEADER.finditer(text):
        words = list(_HEAD_WORD.finditer(head[0]))
        if head.start() < read or any(len(word[0]) > LONGEST_HEAD for word in words):
            continue
        kinds = {at: kind for at, word in enumerate(words) if (kind := _printed_kind(word[0]))}
        apart = "  " in head[0].strip() or "\t" in head[0].strip()
        kinds = {
            at: kind
            for at, kind in kinds.items()
            if words[at][0].strip("*").upper() in _HEADS
            or (apart and kind != "host")
            or _RULER.match(text, head.end() + 1)
            if kind != "host" or words[at][0].isupper()
        }
        if _SENTENCE & {word[0] for word in words}:
            continue
        if _are_names_and_values([word[0] for word in words]):
            read = _PAIRS.match(text, head.end()).end()  # type: ignore[union-attr]  # it matches nothing, too
            continue
        if not 2 <= len(words) <= 16 or not kinds or (head[0].islower() and set(kinds.values()) != {SECRET}):
            continue
        at, rows, ruler = head.end() + 1, 0, None
        if (below := _RULER.match(text, at)) and len(spans := [one.span() for one in _WORD.finditer(below[0])]) == len(
            words
        ):
            at, ruler = below.end() + 1, spans
        while at < len(text) and rows < MOST_ROWS:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            cells = _cells_under(ruler, text[at:end]) if ruler else _cells_below(words, text[at:end])
            if not cells:
                break
            for column, kind in kinds.items():
                start, stop = cells[column] if column < len(cells) else (0, 0)
                cell = text[at + start : at + stop]
                if _is_cell(words[column][0], kind, cell) and not (kind == SECRET and is_plain(cell)):
                    yield at + start, at + stop, kind
            at, rows = end + 1, rows + 1
            read = at


def _are_names_and_values(heads: list[str]) -> bool:
    """`Key  Value`: the first holds names, whatever it is called."""
    return [head.lower() for head in heads] in (["key", "value"], ["token", "count"], ["key", "type"])


def _printed_kind(word: str) -> str | None:
    return _HEADS.get(word.strip("*").upper()) or column_kind(word.strip("*"))


def _cells_below(heads: list[re.Match[str]], row: str) -> list[tuple[int, int]]:
    """The cells of a row, one for each head; none if the row is no part of the table."""
    for pattern in (_APART, _WORD):  # cells of several words have two blanks between
        cells = [cell.span() for cell in pattern.finditer(row)]
        if len(cells) == len(heads):
            return cells
    if len(cells) < len(heads):
        return []
    return [
        *cells[: len(heads) - 1],
        cells[-1] if len(heads) > 3 else cells[len(heads) - 1],
    ]  # the last may be a command


def _cells_under(ruler: list[tuple[int, int]], row: str) -> list[tuple[int, int]]:
    """The words of a row that stand under each part of `---- ------`; a row may leave some out."""
    words = [word.span() for word in _WORD.finditer(row)]
    return (
        [next(((start, end) for start, end in words if start < last and end > first), (0, 0)) for first, last in ruler]
        if words
        else []
    )


def _cells(line: str, separator: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    while at <= len(line):
        quoted = re.compile(r'\s*"(?P<cell>(?:[^"]|"")*)"\s*').match(line, at)
        if quoted and (quoted.end() == len(line) or line[quoted.end()] == separator):
            yield quoted.start("cell"), quoted.end("cell"), quoted["cell"]
            at = quoted.end() + 1
            continue
        end = line.find(separator, at)
        end = len(line) if end < 0 else end
        cell = line[at:end]
        start = at + len(cell) - len(cell.lstrip())
        yield start, start + len(cell.strip()), cell.strip()
        at = end + 1
