"""Records whose places say what stands there: messages of hospitals (HL7), images (DICOM), payments (MT), vCards."""

import re
from collections.abc import Iterator

_HL7 = re.compile(r"^(?P<segment>PID|NK1|GT1|IN1|MRG)\|(?P<fields>[^\n]*)", re.MULTILINE)
_HL7_PERSONAL = {  # fields of a person, counted from 1: numbers, names, birth, address, telephones
    "PID": (2, 3, 4, 5, 6, 7, 9, 11, 13, 14, 18, 19, 20, 21),
    "NK1": (2, 4, 5, 6, 16, 30, 31, 32),
    "GT1": (2, 3, 4, 5, 6, 7, 8, 12, 19),
    "IN1": (2, 16, 18, 19, 36),
    "MRG": (1, 4, 7),
}
_DICOM = re.compile(
    r"^\s*\((?:0010,[0-9a-fA-F]{4}\) (?!CS|US|DS|IS|AS)[A-Z]{2}|[0-9a-fA-F]{4},[0-9a-fA-F]{4}\) PN)"
    r" \[(?P<value>[^\]\n]{3,})\]",
    re.MULTILINE,
)
_MT = re.compile(r"^:5[0-9][A-Z]?:(?:/[^\n]*\n)?(?P<lines>(?:(?![:\-])[^\n]+\n){1,4})", re.MULTILINE)
_VCARD = re.compile(r"^(?:N|FN|ADR|NICKNAME|BDAY|TEL|ORG\.NAME)(?:;[^:\n]*)?:(?P<value>[^\n]{3,})", re.MULTILINE)
_CELL = re.compile(r"[^;\n]*[^;\s][^;\n]*")


def find_in_records(text: str) -> Iterator[tuple[int, int]]:
    """Where personal data stands in such a record."""
    for found in _HL7.finditer(text) if "|" in text else ():
        at = found.start("fields")
        for number, field in enumerate(found["fields"].rstrip("\r").split("|"), start=1):
            if number in _HL7_PERSONAL[found["segment"]] and len(field) > 3 and "\0" not in field:
                yield at, at + len(field)
            at += len(field) + 1
    if "(0010,00" in text:
        yield from (found.span("value") for found in _DICOM.finditer(text) if "\0" not in found["value"])
    if "\n:5" in text and ":20:" in text:
        for found in _MT.finditer(text):
            for line in re.compile(r"[^\n]+").finditer(text, *found.span("lines")):
                yield line.span()
    if "BEGIN:VCARD" in text or "VERSION:" in text or text.startswith("N:"):
        for found in _VCARD.finditer(text):
            yield from (cell.span() for cell in _CELL.finditer(text, *found.span("value")) if len(cell[0].strip()) > 2)
