"""Columns: of a CSV by its header, and of what squeue, ps or lsblk print by the words above it."""

import re
from collections.abc import Iterator

from perfproof.core.secret_names import names_a_secret
from perfproof.triage.redaction.keys import PERSONAL, kind_of_key
from perfproof.triage.redaction.prose import is_plain

SECRET = "column"
_HEADS = {
    "USER": "user", "USERNAME": "user", "OWNER": "user", "NODELIST": "host", "NODELIST(REASON)": "host", "HOST": "host",
    "HOSTNAME": "host", "HOSTNAMES": "host", "NODE": "host", "SERIAL": "serial", "NODES_LIST": "host",
    "PASSWORD": SECRET, "PASS": SECRET, "PASSWD": SECRET, "PW": SECRET, "TOKEN": SECRET, "SECRET": SECRET,
}  # fmt: skip
_HEADER = re.compile(
    r"^[^\n]*\b(?:USER|NODELIST|OWNER|SERIAL|HOST(?:NAMES?)?|NODE)\b[^\n]*$|^[ \t]*[a-z]+[ \t]+(?:\w+[ \t]+)*(?:password|passwd|secret)(?:[ \t]+\w+)*[ \t]*$",
    re.MULTILINE,
)
_NO_CELL = re.compile(r"\d{1,5}|\([^)]*\)|[-*?~]+|.*\0.*|N/A|None|root|All", re.DOTALL)
MOST_ROWS = 2000
_NAME = r"[^\W\d_][\w.-]{0,24}(?: [\w.-]{1,12})?"
_SEPARATED = re.compile(rf"^[ \t]*\|?[ \t]*{_NAME}(?:[ ]*[|,;\t][ ]*{_NAME}){{1,20}}[ ]*\|?[ \t\r]*$", re.MULTILINE)
_NAMES_ONE = re.compile(
    r"(?i:pass|pw|psk|pin|token|secret|key|name|phone|mail|birth|geburt|dob|iban|street|zip|plz|ssn)[\w ]*[|,;\t\r\n]"
)


def csv_columns(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a cell of a telling column stands, and its kind: a secret's, or that of an identity."""
    header = text.partition("\n")[0].lstrip("\ufeff")
    separator = max(",;\t|", key=header.count)
    if separator not in header:
        return
    columns: dict[int, str] = {}
    for line in re.finditer(r"[^\n]+", text):
        cells = list(_cells(line[0], separator))
        kinds = column_kinds([cell for _, _, cell in cells])
        if (
            kinds
            and (not columns or len(kinds) >= len(columns))
            and all(not re.search(r"\d", cell) for _, _, cell in cells)
        ):
            columns = kinds
            continue
        for at, kind in columns.items():
            if at < len(cells):
                start, end, cell = cells[at]
                if len(cell) >= 3 and "\0" not in cell and not _NO_CELL.fullmatch(cell):
                    yield line.start() + start, line.start() + end, kind


def column_kinds(heads: list[str]) -> dict[int, str]:
    """The kind of each telling column. `name` is a person's if another column is about people."""
    kinds = {at: kind for at, head in enumerate(heads) if (kind := column_kind(head))}
    if any(kind in PERSONAL for kind in kinds.values()):
        kinds |= {at: "person" for at, head in enumerate(heads) if head.strip().lower() in ("name", "names", "nom")}
    return kinds


def column_kind(head: str) -> str | None:
    head = head.strip()
    if not re.fullmatch(r"[\w .\[\]%#()/-]{2,40}", head):
        return None
    plain = re.sub(r"[\s-]+", "_", head.lower())
    if plain in ("pw", "pass", "pin", "token", "psk", "pwd") or names_a_secret(head):
        return SECRET
    return kind_of_key(plain)


def columns(text: str) -> Iterator[tuple[int, int, str]]:
    """The same within any text: under words with blanks, `|`, commas or tabs between if one names a secret or a person."""
    yield from printed_columns(text)
    for head in _SEPARATED.finditer(text) if _NAMES_ONE.search(text) else ():
        mark = max(",;\t|", key=head[0].count)
        kinds = set(column_kinds(head[0].split(mark)).values())
        if SECRET not in kinds and not kinds & set(PERSONAL):
            continue
        end = head.end()
        while row := re.compile(r"\r?\n[^\n]+").match(text, end):
            if row[0].count(mark) != head[0].count(mark):
                break
            end = row.end()
        for start, stop, kind in csv_columns(text[head.start() : end]):
            if kind != SECRET or not re.search(r"\s", text[head.start() + start : head.start() + stop]):
                yield head.start() + start, head.start() + stop, kind


def printed_columns(text: str) -> Iterator[tuple[int, int, str]]:
    """Under a header of words with blanks between."""
    if not any(word in text for word in ("USER", "NODE", "OWNER", "SERIAL", "HOST", "password", "passwd", "secret")):
        return
    for head in _HEADER.finditer(text):
        words = head[0].split()
        kinds = {at: kind for at, word in enumerate(words) if (kind := _HEADS.get(word.strip("*").upper()))}
        if (
            len(words) < 2
            or len(words) > 16
            or not kinds
            or sum(word.upper() == word for word in words) not in (0, *range(len(words) - 3, len(words) + 1))
        ):
            continue
        at, rows = head.end() + 1, 0
        while at < len(text) and rows < MOST_ROWS:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            cells = list(re.compile(r"\S+").finditer(text, at, end))
            if len(cells) < len(words):
                break
            for column, kind in kinds.items():
                cell = cells[-1] if column == len(words) - 1 and len(words) > 3 else cells[column]
                if len(cell[0]) >= 3 and not _NO_CELL.fullmatch(cell[0]) and not (kind == SECRET and is_plain(cell[0])):
                    yield cell.start(), cell.end(), kind
            at, rows = end + 1, rows + 1


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
