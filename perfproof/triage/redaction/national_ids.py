"""Numbers that a state gives a person, and telephone numbers as they are written within a country, by their form alone.

A form that other numbers have as well needs a checksum, a valid date or both. What has none stands behind a label.
"""

import re
from collections.abc import Callable, Iterator

from perfproof.core.text_pieces import Pieces

_NOT_BEFORE, _NOT_BEHIND = r"(?<![\w.,:/+-])", r"(?!\w|[.,:/-]\d)"


def _digits(value: str) -> list[int]:
    return [int(one) for one in value if one.isdigit()]


def _weighted(weights: list[int], modulus: int) -> Callable[[str], bool]:
    return lambda value: sum(a * b for a, b in zip(_digits(value), weights, strict=False)) % modulus == 0


def _luhn(value: str) -> bool:
    total = sum(sum(divmod(digit * (1 + at % 2), 10)) for at, digit in enumerate(reversed(_digits(value))))
    return total % 10 == 0 and len(set(_digits(value))) > 2


def _is_cpf(value: str) -> bool:
    """Brazil: two digits, each of a weighted sum of those before."""
    digits = _digits(value)
    for size in (9, 10):
        rest = sum(digit * (size + 1 - at) for at, digit in enumerate(digits[:size])) * 10 % 11 % 10
        if rest != digits[size]:
            return False
    return len(set(digits)) > 1


def _letter(letters: str) -> Callable[[str], bool]:
    """The last letter is that of the number before it."""
    return lambda value: letters[int("".join(map(str, _digits(value)))) % len(letters)] == value[-1].upper()


def _is_nie(value: str) -> bool:
    """Spain: the first letter of a foreigner's number counts as a digit."""
    return _letter("TRWAGMYFPDXBNJZSQVHLCKE")(str("XYZ".index(value[0])) + value[1:])


def _is_resident_id(value: str) -> bool:
    """China: the last character checks the 17 digits before it."""
    weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
    total = sum(a * b for a, b in zip(_digits(value[:17]), weights, strict=True))
    return "10X98765432"[total % 11] == value[-1].upper() and value[6:8] in ("19", "20")


def _is_nir(value: str) -> bool:
    digits = re.sub(r"\D", "", value.upper().replace("2A", "19").replace("2B", "18"))
    return len(digits) == 15 and 97 - int(digits[:13]) % 97 == int(digits[13:])


def _is_rut(value: str) -> bool:
    """Chile."""
    number, _, check = value.replace(".", "").partition("-")
    total = sum(int(one) * (2 + at % 6) for at, one in enumerate(reversed(number)))
    return "0K987654321"[total % 11] == check.upper()


def _is_day(day: str, month: str) -> bool:
    return 1 <= int(day) <= 31 and 1 <= int(month) <= 12


_VERHOEFF = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)


def _is_aadhaar(value: str) -> bool:
    """India: the check of Verhoeff, over the dihedral group."""
    check = 0
    for at, digit in enumerate(reversed(_digits(value))):
        other = int(_VERHOEFF[at % 8][digit])
        turned = check >= 5
        check = (5 if turned != (other >= 5) else 0) + ((check - other if turned else check + other) % 5)
    return check == 0


def _is_born(first: int, second: int) -> Callable[[str], bool]:
    """The digits at these places are a day and a month."""
    return lambda value: _is_day(*(("".join(map(str, _digits(value))))[at : at + 2] for at in (first, second)))


_PERSON: tuple[tuple[str, Callable[[str], bool] | None], ...] = (
    (r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", None),  # Italy
    (r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d|[A-Z&Ñ]{4}\d{6}(?=[A-Z\d]*[A-Z])[A-Z\d]{3}", None),  # Mexico
    (r"\d{3}\.\d{3}\.\d{3}-\d{2}", _is_cpf),
    (r"\d{8}-?[A-HJ-NP-TV-Z]", _letter("TRWAGMYFPDXBNJZSQVHLCKE")),  # Spain
    (r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", _is_nie),
    (r"[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", _is_nir),
    (r"[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]", _is_resident_id),
    (r"756\.\d{4}\.\d{4}\.\d{2}", None),  # Switzerland
    (r"(?:19|20)?\d{6}[-+]\d{4}", lambda value: _luhn(re.sub(r"\D", "", value)[-10:]) and _is_day(value[-7:-5], value[-9:-7])),  # Sweden
    (r"\d{6}[-+A]\d{3}[0-9A-FHJ-NPR-Y]", lambda value: _is_day(value[:2], value[2:4]) and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(value[:6] + value[7:10]) % 31] == value[-1]),
    (r"\d{6}-[1-4]\d{6}", lambda value: _is_day(value[4:6], value[2:4])),  # Korea
    (r"\d{6}-\d{2}-\d{4}", lambda value: _is_day(value[4:6], value[2:4])),  # Malaysia
    (r"\d{2}[0156]\d{3}/\d{4}", lambda value: int("".join(map(str, _digits(value)))) % 11 == 0),  # Czechia, Slovakia
    (r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", None),  # Belgium
    (r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]|\d{7,8}-[kK]", _is_rut),
    (r"(?:20|23|24|27)-\d{8}-\d", _weighted([5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11)),  # Argentina
    (r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d{2} ?\d{2} ?\d{2} ?[A-D]", None),  # United Kingdom
    (r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}", _is_aadhaar),
    (r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", None),  # India, of the taxes
    (r"\d{3}-\d{3}-\d{3} \d{2}", None),  # Russia
)  # fmt: skip
# Telephone numbers without a country's code: an area in brackets, or a zero first and groups behind it
_PHONE = (
    r"\(0?\d{1,5}\) ?\d{2,5}(?:[ -]\d{2,5}){1,3}|0[1-9](?:[ .-]\d{2}){4}|0[1-9]\d{0,4}(?: ?/ ?|[ .-])\d{2,4}(?:[ .-]?\d{2,4}){1,4}"
    r"|0[1-9]\d{1,3}[ /-]\d{5,9}"
)
_DATE_OR_POST = re.compile(r"\d{5}-\d{4}|\d{1,2}([-./])\d{1,2}\1\d{2,4}(?!\d).*")
_COUNTS = re.compile(r"\d{4}(?: \d{4}){2,}")  # a row of a table
_FORMS = re.compile(
    rf"{_NOT_BEFORE}(?=[A-Z\d(])(?:{'|'.join(f'(?P<n{number}>{form})' for number, (form, _) in enumerate(_PERSON))}|(?P<phone>{_PHONE}))"
    rf"{_NOT_BEHIND}(?! ?(?:[KMG]i?B|[mun]s|%))"
)
# In a line that speaks of calling somebody, any group of digits that is long enough
_CALLS = re.compile(
    r"(?i)(?<![^\W\d_])(?:tel|tél|telf|tlf|phone|mobil[ei]?|mobiel|cell|handy|call|ring|sms|whatsapp|number|nummer|número|numéro|numero|numer|номер|звон\w*|тел|моб|cep|gsm|móvil|celular|telefon\w*|téléphone|puhelin|kom|hotline|erreich\w*|joign\w*|llam\w*|chiam\w*|lig(?:ue|ar)"
    r"|bel(?:len)?|anruf\w*|appel\w*|zadzwo\w*|dzwoń\w*|ara\w{0,4}|hubungi|wa)(?![^\W\d_])|电话|手机|電話|携帯|번호|전화|연락"
)
_CALLED = re.compile(
    r"(?<![\w.,:/+#-])\d{2,5}(?:[ -]\d{2,5}){1,4}(?!\w|[.,:/-]\d| ?(?:[KMGT]i?B|[mun]?s\b|%|tokens?|steps?|GPU|W\b|C\b))|(?<![\w.,:/+#-])(?:1[3-9]\d{9}|[6-9]\d{9})(?![\w.])"
)


def find_numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """Where such a number stands, and its kind."""
    for found in _FORMS.finditer(text):
        kind = found.lastgroup or ""
        if kind == "phone":
            if (
                9 <= len(_digits(found[0])) <= 12
                and not _COUNTS.fullmatch(found[0])
                and not _DATE_OR_POST.fullmatch(found[0])
            ):
                yield *found.span(), "phone"
            continue
        check = _PERSON[int(kind[1:])][1]
        if check is None or check(found[0]):
            yield *found.span(), "person"
    for start, line in Pieces(text).where(_CALLED):
        if _CALLS.search(line):
            for found in _CALLED.finditer(line):
                if (
                    8 <= len(_digits(found[0])) <= 12
                    and not _DATE_OR_POST.fullmatch(found[0])
                    and not re.match(r"(?:19|20)\d\d[ -]", found[0])
                ):
                    yield start + found.start(), start + found.end(), "phone"
