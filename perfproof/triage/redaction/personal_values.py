"""What a label of personal data must have behind it: a name, a login, a telephone number, a date, an id number, a place.

`extent(meaning, field, whole)` says how many characters of a field are such a value; 0 if it holds another thing.
"""

import re
import sys
from collections.abc import Iterator

from perfproof.core.secret_names import is_no_value, names_a_secret
from perfproof.triage.redaction.family_names import FAMILY_NAMES
from perfproof.triage.redaction.given_names import GIVEN_NAMES
from perfproof.triage.redaction.literals import is_telling
from perfproof.triage.redaction.meanings import (
    BIRTH,
    GEO,
    LOGIN,
    NAME,
    NUMBER,
    PHONE,
    PLACE,
    PRIVATE,
    ROLE,
    folded,
)  # fmt: skip
from perfproof.triage.redaction.meanings import (
    meaning as says,
)
from perfproof.triage.redaction.name_likeness import likeness
from perfproof.triage.redaction.ordinary_words import FOLDERS, NO_NAME, NO_USER, is_ordinary

WORD = r"[A-ZÀ-ÖØ-ÞĀ-ſА-ЯЁЄІЇҐΑ-ΩΆ-Ώ](?:[^\W\d_]|['’.-](?=[^\W\d_])|\.(?= [A-Z]))*"
PARTICLE = r"(?:binti|binte|van|von|der|den|de|del|della|da|di|do|dos|du|la|le|al|el|bin|bint|ben|ibn|ter|ten|zu|zur|y|e|und|af|av)"
PERSON = rf"{WORD}(?:,? (?:{PARTICLE} ){{0,2}}{WORD}(?! \d)){{0,3}}"
_LETTER = "[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]"
CJK = f"{_LETTER}{{2,8}}(?:[ 　・]{_LETTER}{{1,6}})?"
_MONTH = r"[^\W\d_]{3,11}\.?"
DATE = (
    rf"\d{{1,4}} ?[-./,] ?\d{{1,2}} ?[-./,] ?\d{{1,4}}|\d{{1,2}}(?:st|nd|rd|th|\.|er|º)?[ -](?:of |de )?{_MONTH},?[ -](?:de |del )?\d{{2,4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{4}}年\d{{1,2}}月\d{{1,2}}日|(?:19|20)\d{{6}}|(?:19|20)\d\d"
)
DIGITS = r"(?=[A-Z0-9]|[a-z]\d{5})(?:[a-z](?=\d{5}))?[A-Z]{0,4}\d?[A-Z0-9]*(?:[ ./-](?=[A-Z]{0,3}\d|[A-Z]{1,2}\b)[A-Z0-9]+){0,8}"
PHONE_NUMBER = r"\+?[\d(][\d ()./-]{4,20}\d"
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herrn?|Frau|M|Mme|Mlle|Sr|Sra|Ing)\.? ){0,3}"
_CASELESS = r"(?:[\u0590-\u05ff]{2,} ?|[\u0600-\u06ff]{2,} ?|[\u0900-\u097f]{2,} ?|[\u0e00-\u0e7f]{2,} ?){2,4}(?<! )"  # scripts without capitals
_NAME = re.compile(rf"{_TITLE}(?:{PERSON}|{CJK}|{_CASELESS})")
_ANY_NAME = re.compile(r"[^\W\d_](?:[^\W\d_]|['’.-])*(?:,? [^\W\d_](?:[^\W\d_]|['’.-])*){0,4}")
_LOGIN = re.compile(r"(?:live:|@)?(?:[A-Za-z][\w-]*\\{1,2})?(?P<login>[A-Za-z_][\w.-]{1,31}\$?)")
_PHONE = re.compile(PHONE_NUMBER)
_BIRTH = re.compile(rf"(?:datetime\.)?(?:date(?:time)?\()?(?:{DATE})")
_NUMBER = re.compile(DIGITS)
_DEGREES = r"-?\d{1,3}\.\d{4,}°?(?: ?[NSEW])?"
_GEO = re.compile(
    rf"{_DEGREES}(?:\s*[,;/ ]\s*{_DEGREES})?(?!\d|\s?[munµ]?s\b|\s?%)|\d{{1,3}}(?: ?°| deg) ?\d{{1,2}}[^\n,;|<]{{0,16}}?[NSEW](?:[, ]+\d{{1,3}}(?: ?°| deg) ?\d{{1,2}}[^\n,;|<]{{0,16}}?[NSEW])?"
    rf"|\d{{1,3}}\.\d{{2,}} ?°? ?[NS],? +\d{{1,3}}\.\d{{2,}} ?°? ?[EW]"
)
_PLACE = re.compile(
    r"(?=[^\n\"<|;]*\d)(?!0x)(?:(?i:ul|al|os|pl|c/|av|rua|via|rue|calle|str|ул|пр|пер|д|г|sok|cad|mah|jl|utca)\.? |)(?:\d{1,5}[A-Za-z]?,? (?!(?i:bytes|bits|of|is|to|in|not)\b)[^\W\d_]|[A-ZÀ-ÞĀ-ſА-ЯΑ-Ω][^\W\d_]+[^\n\"<|;:=()]{0,40}?[ ,]\d)[^\n\"<|;:=()\[\]]{2,80}"
)
_TEXT = re.compile(r"[^\W\d_][^\n\"',;|<={}()\[\]]{2,60}")
_EDGE = re.compile(
    r"@[A-Za-z0-9]|\s*(?:$|[（、，。；,;|\"'`<>)\]}&#(*]|\\)|\s{2,}|\s+[\w.-]+(?: [\w.-]+)?\s?[=:：]|\s+--?\w|[.!?](?:\s|$)|\s[-–—]\s|\s(?:on|at|from|via|for|and|und|et|y)\s"
)
_NEXT_WORD = re.compile(rf"(?<=[\u0590-\u0e7f]|{_LETTER})[ 　（(]+(?P<word>[^\W\d_]+)")
_WEEKDAY = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[A-Z][a-z]{2}\b|\d)")  # Last login: Mon Nov 2
_TYPES = frozenset(
    "str string text varchar char int integer bool boolean float number uuid any object list dict optional field type types date datetime".split()
)
_COMMON = NO_USER | FOLDERS | frozenset(sys.stdlib_module_names) | frozenset(
    """
    training trainer evaluate evaluation inference serving benchmark benchmarks config configs script scripts developer research deploy deployer docker jupyter notebook
    remote github gitlab circleci travis azure aws cloud cluster compute nvidia intel vllm llama mistral qwen transformers deepspeed megatron street avenue road lane
    """.split()
)  # fmt: skip


def extent(meaning: str, field: str, whole: bool = False, weak: bool = False) -> int:
    """Length of the value at the start of a field. `whole`: the field ends where the value does, as a quoted text does."""
    field, hidden, _ = field.partition("\0")
    if not field or (not hidden and is_no_value(field.strip()[:80])):
        return 0
    if weak and meaning in (LOGIN, PRIVATE):
        return 0
    return _JUDGES[meaning](field, whole and not weak)


def _name(field: str, whole: bool) -> int:
    """Behind a label that is always a name's: also a single word, in small letters if it is all of the field."""
    found = _NAME.match(field)
    if re.match(r"[A-Z][a-z]{2,}[A-Z]", field) and not field.startswith(("Mac", "Van", "Del", "Fitz")):  # WebInspector
        return 0
    if found and field[found.end() : found.end() + 1] in ("：", ":"):  # 李娜 电话：…
        found = re.match(CJK.partition("(?:")[0], field)
    if found and is_name(found[0], alone=True) and not re.match(r"[\w(\[=]|::|\.\w", field[found.end() :]):
        return found.end()
    any_name = _ANY_NAME.match(field)
    if (
        any_name and "-" in any_name[0] and any_name[0].islower() and likeness(any_name[0].partition("-")[0]) < 0
    ):  # ci-deployer
        return 0
    if any_name and _EDGE.match(field, any_name.end()) and is_name(any_name[0], alone=True, small=True):
        return any_name.end() if whole or any_name.end() >= len(field.rstrip()) or " " not in any_name[0] else 0
    return 0


def _role(field: str, whole: bool) -> int:
    """Behind "patient", "operator", "teacher" things stand as well: only a name of two words, or a given name."""
    found = _NAME.match(field)
    if found and field[found.end() : found.end() + 1] in ("：", ":"):
        found = re.match(CJK.partition("(?:")[0], field)
    if found and found[0][0] > "\u058f" and (parts := found[0].split(" "))[2:]:  # Arabic and others: the next label
        last = next((at for at, part in enumerate(parts) if at and says(part)), len(parts))
        return len(" ".join(parts[:last]))
    if not found or not (_EDGE.match(field, found.end()) or _is_before_a_label(field, found.end())):
        return 0
    first = folded(re.split(r"[ ,]", found[0])[0])
    alone = (
        first in GIVEN_NAMES
        or first in FAMILY_NAMES
        or (not found[0][0].isascii() and re.fullmatch(CJK, found[0]) is not None)
    )
    return found.end() if is_name(found[0], alone) else 0


def _is_before_a_label(field: str, end: int) -> bool:
    """長谷川 美咲 内線 2214: a name, and the next label without a mark between."""
    found = _NEXT_WORD.match(field, end)
    return found is not None and says(found["word"]) is not None


def _login(field: str, whole: bool) -> int:
    if named := _role(field, whole):
        return named
    found = _LOGIN.match(field)
    if not found or not _EDGE.match(field, found.end()):
        return 0
    login = found["login"].rstrip(".-")
    low = login.lower()
    if (
        len(login) < 3
        or not is_telling(login)
        or low in NO_USER
        or low in _TYPES
        or names_a_secret(low)
        or re.search(r"\.(?:[A-Z]|(?:py|log|txt|json|io|com|org|net|ai|dev|co)$)|__|_[^_]+_", login)
        or is_ordinary(login)
        or (login.istitle() and login.isalpha() and folded(login) not in GIVEN_NAMES | FAMILY_NAMES)  # author: Qwen
    ):
        return 0
    if re.fullmatch(
        r"(?:rank|gpu|cpu|node|worker|step|layer|stage|proc|process|thread|device|task|user|host)[_-]?\d*", low
    ):
        return 0
    return found.end("login") - (len(found["login"]) - len(login))


def _phone(field: str, whole: bool) -> int:
    found = _PHONE.match(field)
    if not found or re.fullmatch(r"\d+\.\d+|\d{4}-\d\d-\d\d.*", found[0]):
        return 0
    return found.end() if 6 <= sum(map(str.isdigit, found[0])) <= 15 else 0


def _birth(field: str, whole: bool) -> int:
    found = _BIRTH.match(field)
    return found.end() if found else 0


def _number(field: str, whole: bool) -> int:
    found = _NUMBER.match(field)
    if not found or not is_number(found[0], fewest=4) or re.match(r"\w|\.\d|::", field[found.end() :]):
        return 0
    return found.end()


def _geo(field: str, whole: bool) -> int:
    found = _GEO.match(field)
    return found.end() if found else 0


def _place(field: str, whole: bool) -> int:
    found = _PLACE.match(field)
    return found.end() if found else 0


def _text(field: str, whole: bool) -> int:
    found = _TEXT.match(field)
    return len(found[0].rstrip()) if found and found[0].strip().lower() not in _TYPES else 0


_JUDGES = {
    NAME: _name, ROLE: _role, LOGIN: _login, PHONE: _phone, BIRTH: _birth, NUMBER: _number, GEO: _geo, PLACE: _place, PRIVATE: _text,
}  # fmt: skip


def is_name(value: str, alone: bool, small: bool = False) -> bool:
    """Words of a name. `alone`: one word is enough; `small`: without a capital, too."""
    words = re.findall(r"[^\W\d_]+", value.lower())
    if not words or "\0" in value or (value.isupper() and value.isascii() and not (alone and len(words) > 1)):
        return False
    if (not alone and len(words) < 2) or _WEEKDAY.match(value):
        return False
    if small and (set(words) & _TYPES or len(words) > 4):
        return False
    return not any(word in NO_NAME for word in words)


def is_number(value: str, fewest: int) -> bool:
    digits = sum(map(str.isdigit, value))
    mixed = digits >= 2 and len(value) >= 8 and not value.isdigit() and " " not in value
    return (digits >= fewest or mixed) and not re.fullmatch(r"0x.*|\d+\.\d+", value)


def parts_to_learn(kind: str, value: str) -> Iterator[str]:
    """What of a login or a name is that person's wherever it stands again: no short word, none of a program."""
    if (
        kind == "user"
        and len(value) >= 5
        and value.lower() not in _COMMON
        and not says(value)
        and not is_ordinary(value)
    ):
        yield value
    if kind == "person" and _ANY_NAME.fullmatch(value):
        for part in (value, *re.split(r",? ", value)):
            if len(part) >= 4 and part[0].isupper() and folded(part) not in _COMMON:
                yield part
