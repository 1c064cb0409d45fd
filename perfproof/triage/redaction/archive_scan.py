"""Look through a finished archive for what must not be in it: the last door, and it fails closed.

Every member is unpacked, those within members too; bytes are searched for each known value in every encoding, texts for
anything of the form of a secret or an address. A member that cannot be looked through counts as a leak: nobody knows
what it holds.
"""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfproof.triage.redaction.identities import Identity, find_identities
from perfproof.triage.redaction.json_syntax import spoken
from perfproof.triage.redaction.literals import encoded_forms, is_telling, standing_in
from perfproof.triage.redaction.redactor import masked, secrets_in
from perfproof.triage.redaction.repeats import search_long
from perfproof.triage.redaction.unpacking import Limits, Member, members

MOST_LEAKS = 100  # named; one would be enough to refuse


@dataclass(frozen=True)
class Leak:
    """Where something is left. It never says what: the report of a leak must not be one."""

    member: str
    kind: str  # known value, a kind of secret, or not looked through
    form: str = "plain"
    why: str = ""

    def __str__(self) -> str:
        said = f"{self.member}: {self.kind}"
        return said + (f" ({self.form})" if self.form != "plain" else "") + (f": {self.why}" if self.why else "")


def scan_archive(path: Path, known: Sequence[str] = (), limits: Limits | None = None) -> list[Leak]:
    """[] when nothing was found and everything was looked through."""
    search = _Search(known)
    found: list[Leak] = []
    for member in members(Path(path), limits or Limits()):
        found += dict.fromkeys(search.leaks_in(member))
        if len(found) >= MOST_LEAKS:
            break
    return found[:MOST_LEAKS]


class _Search:
    """The known values in all forms, made once."""

    def __init__(self, known: Sequence[str]) -> None:
        telling = sorted({value for value in known if is_telling(value)})
        self._words = [value.lower() for value in telling]
        self._bytes: list[tuple[str, bytes]] = []
        for value in telling:
            forms = encoded_forms(value)
            self._bytes += [(form, text.encode("utf-8", "surrogatepass")) for form, text in forms.items()]
            if len(value) >= 5:
                encodings = ("utf-16-le", "utf-16-be")
                self._bytes += [(name, value.encode(name, "surrogatepass")) for name in encodings]

    def leaks_in(self, member: Member) -> Iterator[Leak]:
        shown = self._shown_name(member)
        if shown != member.name:
            yield Leak(shown, "known value or secret", "in its name")
        if member.why:
            yield Leak(shown, "not looked through", why=member.why)
            return
        data = member.data
        if self._holds_a_word(data.decode("latin-1")):
            yield Leak(shown, "known value")
        for form, wanted in self._bytes:
            if wanted in data:
                yield Leak(shown, "known value", form)
        for text in _texts(data):
            yield from self._leaks_in_text(shown, text)

    def _leaks_in_text(self, shown: str, text: str) -> Iterator[Leak]:
        if self._holds_a_word(text):
            yield Leak(shown, "known value")
        yield from (Leak(shown, secret.kind) for secret in secrets_in(text))
        yield from (Leak(shown, identity.kind) for identity in search_long(masked(text), _by_form))

    def _holds_a_word(self, text: str) -> bool:
        pattern = standing_in(text, self._words)
        return pattern is not None and pattern.search(text) is not None

    def _shown_name(self, member: Member) -> str:
        """Its name, unless that is the leak."""
        known = self._holds_a_word(member.name)
        return f"member {member.number}" if known or secrets_in(member.name) else member.name


def _by_form(text: str) -> Iterator[Identity]:
    """What a label tells was judged text by text: here the keys and numbers of a whole file stand beside each other."""
    return find_identities(text, labels=False)


def _texts(data: bytes) -> Iterator[str]:
    """The data as text, in each encoding in which it may be one. Binary data has no text to judge by its form."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield _without_escapes(data.decode("utf-16", "replace"))
    elif b"\0" not in data[:4096]:
        yield _without_escapes(data.decode("utf-8", "replace"))


def _without_escapes(text: str) -> str:
    """As whoever opens the file reads it: an escape is no letter of the word behind it."""
    start = text[:64].lstrip().lower()
    if start.startswith(("{", "[", '"')):
        return spoken(text)
    return html.unescape(text) if start.startswith(("<!doctype html", "<html")) else text
