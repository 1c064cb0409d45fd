"""Labels and their values, whatever holds them together: a colon, an arrow, dots, a bar, an element, a line break.

for pair in pairs(text, wanted): pair.label, text[pair.start : pair.end]    # the value stands at the start of its field
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from perfproof.triage.redaction.meanings import LONGEST

# One set of characters comes first: the search skips all others quickly
_MARK = re.compile(
    r"[:=|>\t.…·,–—：＝→⇒-](?:(?<=\t)\t*|(?<=[→⇒：＝…])|(?<=[^=!<>+*/-]=)[=>]?(?<!==)|(?<=[^:/]:)(?![:/])=?|(?<=[^|]\|)(?!\|)|(?<=[-\w]>)(?=[^\s<>]|[ \t]+\S)"
    r"|(?<=[.·])(?: ?[.·]){2,}|(?P<weak>(?<=[\w\"'`)*] [-–—]) |(?<=[\"'],)[ \t]*(?=[\"'])))[ \t]*"
)
_BRACKET = re.compile(r"\s?\([^()]{1,20}\)$")
_CLOSERS = " \t\"'`*_)]}\\-=."
_LABEL = re.compile(r"(?:[\w.'’/-]| (?! ))*[^\W\d_]")  # read backwards
_ELEMENT = re.compile(r"<(?P<closing>/)?(?:[\w.-]+:)?(?P<label>[^\W\d][\w.-]*)(?:\s[^<>]*)?$")
_OPENER = re.compile(r"(?:[A-Za-z_][\w.]*\(|!!?\w+ )?(?:\\?(?P<quote>[\"'`“„«])|[*({]|\[(?!hidden-)){0,3}")
_ENDS = {"“": "”", "„": "“", "«": "»"}
_BELOW = re.compile(
    r"[>|]?[ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t]*(?:[-*][ \t]+)?(?=(?!\"\"\"|''')[^\s:={}<#-][^\n:={}<]*(?:\n|$))"
)
_NAMED = re.compile(  # name: X, value: Y; <key>X</key><string>Y</string>; key="X" value="Y"
    r"(?<!\w)(?i:name|key|property|variable|field|label|attribute|k)(?:\\?[\"']?\s*[:=]\s*\\?[\"']?|>\s*)(?P<label>[^\W\d][\w .-]{1,60}?)(?:\\?[\"'])?"
    r"(?:\s*</[\w-]+>\s*<(?i:(?:[\w-]+-)?(?:value|val|string))>|\s*[,;]?\s*(?:-\s+)?\{?\s*\\?[\"']?(?i:value|val|default|v|content|text)\\?[\"']?\s*[:=]\s*)(?=\S)"
)
# <input type="password" id="x" value="Y">, {"name": "X", "scope": "all", "value": "Y"}: others stand between, in any order
_HELD = re.compile(r"(?<![\w-])(?i:value|val|content|default|data)\\?[\"']?\s*[:=]\s*(?=\\?[\"'])(?P<value>\\?[\"'])")
_TOLD = re.compile(
    r"(?<![\w-])(?i:name|key|type|id|property|variable|field|label|param|parameter|header|setting|option)\\?[\"']?\s*[:=]\s*\\?[\"'](?P<label>[^\W\d][\w .-]{1,60}?)\\?[\"']"
)
_OPTION = re.compile(r"(?<![\w-])--?(?P<label>[^\W\d][\w-]+) (?=[^\s-])")
_INSERT = re.compile(
    r"(?i:insert\s+(?:ignore\s+)?into)\s+\S+\s*\((?P<names>[^()]+)\)\s*(?i:values)\s*(?P<rows>(?:\([^()]*\)\s*,?\s*)+)"
)
_COPY = re.compile(
    r"(?i:copy)\s+\S+\s*\((?P<names>[^()]+)\)\s+(?i:from\s+stdin)[^\n]*\n(?P<rows>(?:(?!\\\.)[^\n]*\n?)*)"
)
_ROW, _VALUE = re.compile(r"\([^()]*\)"), re.compile(r"[NE]?'(?P<text>[^']*)'|\"(?P<other>[^\"]*)\"|[^\s,()]+")
_PARENT = re.compile(  # author: {name: …, [user] name = …, <author><name>
    r"(?P<label>[^\W\d][\w -]{0,40})(?:[\"']?\s*[:=]\s*[\[{(]+[^{}()\[\]]{0,120}|[\"']?\][ \t]*\r?\n(?:[^\[\n]*\n){0,4}[^\[\n]*|>\s*<[^<>]*)$"
)
_HEAD = re.compile(r"(?P<indent>[ \t]*)(?:-[ \t]+)?[\"']?(?P<label>[^\W\d][\w .-]{0,60}?)[\"']?:[ \t]*")
_INDENT = re.compile(r"[ \t]*(?:-[ \t]+)?")
_ATTRIBUTE = re.compile(  # <Data Name="SubjectUserName">…
    r"<\w+ [^<>]{0,80}?(?i:name|key|id|label|field)=[\"'](?P<label>[^\W\d][\w .-]{1,60})[\"'][^<>]*>(?=[^<\s])"
)
_CELL = re.compile(r"<t[dh][^<>]*>\s*(?P<label>[^<>\n]{2,60}?):?\s*</t[dh]>\s*<t[dh][^<>]*>\s*(?=[^<\s])")


class Pair(NamedTuple):
    label: str
    before: int  # where the label stands
    start: int  # of the value
    end: int  # of the field in which it stands
    quoted: bool = False
    weak: bool = False  # a dash or a comma may stand between any two words


def pairs(text: str, wanted: Callable[[str], bool]) -> Iterator[Pair]:
    """Those with a label that is wanted."""
    for label, before, end, weak in _labels(text):
        if wanted(label):
            yield from _at(text, label, before, end, weak)
    for words, pattern in (
        (("--", " -"), _OPTION),
        (("al", "ontent", '"v"', "'v'", " v: ", " v="), _NAMED),
        (("<t",), _CELL),
        (("</",), _ATTRIBUTE),
    ):
        if any(word in text for word in words):
            for found in pattern.finditer(text):
                if wanted(found["label"]):
                    yield from _at(text, found["label"], found.start("label"), found.end(), False)
    yield from _in_objects(text, wanted)
    yield from inserted(text)


@lru_cache(maxsize=4)  # secrets and people are looked for in the same text
def _labels(text: str) -> tuple[tuple[str, int, int, bool], ...]:
    """What stands before each mark: the label, where it begins, where the mark ends, and whether the mark is weak."""
    found = []
    for mark in _MARK.finditer(text):
        label, before, first = _label_before(text, mark)
        variable = text[before - 1 : before] == "$" or text[before - 2 : before] == "${"
        if label and not (variable and "=" not in mark[0]):  # ${KEY:?not set}
            found.append((label, before, mark.end(), not first and (mark["weak"] is not None or "|" in mark[0])))
    return tuple(found)


def _in_objects(text: str, wanted: Callable[[str], bool]) -> Iterator[Pair]:
    """The value of an element or an object that one of its other fields names."""
    for held in _HELD.finditer(text) if "al" in text or "ontent" in text or "ata" in text else ():
        first = max(text.rfind(mark, max(0, held.start() - 300), held.start()) for mark in "<{")
        if first < 0 or text.find(">" if text[first] == "<" else "}", first, held.start()) >= 0:
            continue
        last = text.find(">" if text[first] == "<" else "}", held.end(), held.end() + 300)
        for told in _TOLD.finditer(text, first, last if last > 0 else held.start()):
            if wanted(told["label"]):
                yield from _at(text, told["label"], told.start("label"), held.start("value"), False)


def inserted(text: str) -> Iterator[Pair]:
    """Columns and values of a statement of SQL, and of a dump."""
    for found in _INSERT.finditer(text) if "nsert" in text or "NSERT" in text else ():
        names = [name.strip(' `"\n[]') for name in found["names"].split(",")]
        for row in _ROW.finditer(text, found.start("rows"), found.end("rows")):
            for name, value in zip(names, _VALUE.finditer(text, row.start(), row.end()), strict=False):
                group = value.lastgroup or 0
                if value[group]:
                    yield Pair(name, found.start("names"), *value.span(group), quoted=group != 0)
    for found in _COPY.finditer(text) if "stdin" in text or "STDIN" in text else ():
        names = [name.strip(' `"\n') for name in found["names"].split(",")]
        for row in re.compile(r"[^\n]+").finditer(text, found.start("rows"), found.end("rows")):
            for name, cell in zip(names, re.compile(r"[^\t\n]+").finditer(text, *row.span()), strict=False):
                if cell[0] != "\\N":
                    yield Pair(name, found.start("names"), *cell.span(), quoted=True)


def parent_of(text: str, before: int) -> str:
    """The label of the object in which a label stands: of `name` in `author: {name: …` it is `author`."""
    above = text[max(0, before - 300) : before]
    found = _PARENT.search(above[-200:])
    return found["label"] if found else _head_of(above.split("\n"))


def _head_of(lines: list[str]) -> str:
    """Of YAML: the nearest line above that is less indented, if nothing stands behind its colon."""
    indent = _INDENT.match(lines[-1]).end()  # type: ignore[union-attr]  # it matches nothing, too
    for line in reversed(lines[:-1]):
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            head = _HEAD.fullmatch(line.rstrip())
            return head["label"] if head else ""
    return ""


def _label_before(text: str, mark: re.Match[str]) -> tuple[str, int, bool]:
    """The label, where it stands, and whether it begins its line."""
    at = max(text.rfind("\n", 0, mark.start()) + 1, mark.start() - LONGEST)
    before = text[at : mark.start()]
    if mark[0].endswith(">") and "<" in before:
        element = _ELEMENT.search(before) if "</" in text[mark.end() : mark.end() + 200] else None  # vector<Handle> x;
        return (element["label"], at + element.start(), False) if element and not element["closing"] else ("", 0, False)
    if before[-1:] == ")":  # phone (home): …
        before = _BRACKET.sub("", before)
    before = before.rstrip(_CLOSERS)
    found = _LABEL.match(before[::-1])
    if not found:
        return "", 0, False
    start = len(before) - found.end()
    return before[start:], at + start, not before[:start].strip(" \t*•-#>|")


def _at(text: str, label: str, before: int, at: int, weak: bool) -> Iterator[Pair]:
    below = None if weak else _BELOW.match(text, at)
    opener = _OPENER.match(text, below.end() if below else at)
    quote, start = (opener["quote"], opener.end()) if opener else (None, at)
    stop = text.find("\n", start)
    stop = len(text) if stop < 0 else stop
    if quote:
        closing = text.find(_ENDS.get(quote, quote), start, stop)
        stop = stop if closing < 0 else closing - (text[closing - 1] == "\\")
    elif opener and "(" in opener[0][1:]:  # the argument of a call
        return
    if stop > start:
        yield Pair(label, before, start, stop, quote is not None, weak)
