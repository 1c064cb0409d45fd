"""Whose machine it is: addresses, hosts, users, homes, serial numbers and UUIDs, by their form or by the name before.

What only looks like one stays: version numbers of four parts, C++ scopes, loopback and netmasks, and the addresses of
public sites that every installation mentions.
"""

import ipaddress
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from perfproof.core.secret_names import names_a_secret
from perfproof.core.text_pieces import Pieces
from perfproof.triage.redaction.literals import is_telling
from perfproof.triage.redaction.ordinary_words import NO_USER, is_ordinary
from perfproof.triage.redaction.people import find_people
from perfproof.triage.redaction.public_sites import is_public
from perfproof.triage.redaction.tables import SECRET, columns

HEX = "[0-9A-Fa-f]"
UUID = rf"{HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{12}}"
# Two parts are enough for the first; the others are words of programs, too: threading.local, scipy.io, System.Net
_LABELS, _ONE = r"(?:\.[A-Za-z0-9-]+)", r"\.(?:com|org|edu|gov|mil)"
_OTHER = (
    r"\.(?:net|io|ai|dev|cloud|internal|intern|local|lan|corp|intra|intranet|private|priv|home|arpa|localdomain|hpc|cluster|mgmt|site|infra|office|consul|int|de|uk|fr|cn|jp|kr|at|be|cz|dk|fi|gr|hu|ie|it|no|pt|ro|ru|sk"
    r"|tr|ua|bg|hr|si|lt|lv|ee|il|ma|za|ng|ke|br|ar|cl|mx|pe|ca|au|nz|sg|hk|tw|th|vn|sa|ae|qa|ir|pk|lu"
    r"|tn|gh|az|mk|mt|cy|kz|uz|kg|tj|mn|np|lk|bd|kh|fj|tz|ug|rw|ly|dz|jo|iq|kw|om|bh|ye|pa|cr|ni|hn|sv|gt|uy|ve|ci|sn|cm|mz|zm|zw|bw|mu|mg|li|mc"
)
# Countries whose letters are a word, an attribute or a file's ending too: a number or a hyphen has to stand before
_WORDLIKE = r"(?:is|in|id|my|me|to|la|am|do|rs|md|ge|ba|by|et|eg|ph|lb|bo|ec|us|mm|ml|cc|co|tv|py|so|sh|ps)"
_FILES = r"(?:py|rs|sh|md|so|pl|cc|ps|cu|js|ts|go|jl|gz|db|pt|conf|cfg|ini|json|ya?ml|toml|txt|log|csv|html|xml|sql|cpp|hpp|cuh?|java|rb|php|lua|ipynb|exe|dll|service|c|h)"
TOP = rf"{_LABELS}*{_ONE}|{_LABELS}+{_OTHER}|eu|nl|ch|se|pl|es)"
_MODULES = "torch|triton|tl|np|numpy|jax|jnp|nn|self|functools|pytest|cuda|app|ctx"
_FORMS = {
    # the letter of an escape, \n, is none of the name behind it; x@w.T and @torch.compile are Python
    "mail": r"(?:(?<![\w.+\\-])|(?<=\\[nrtbfv]))(?P<value>\w[\w.+-]*(?:@|%40)"
    rf"(?!(?:{_MODULES})\.)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:[a-z]{{2,24}}|[A-Z]{{2,24}}))(?![\w(-])",
    "uuid": rf"(?<![\w-])(?P<value>(?:MIG-GPU-|GPU-|MIG-|SWX-){UUID}(?:/\d+/\d+)?)(?![\w-])",
    "mac": rf"(?<![\w:-])(?P<value>{HEX}{{2}}(?::{HEX}{{2}}){{5,19}}|{HEX}{{2}}(?:-{HEX}{{2}}){{5}})(?![\w:-])",
    "guid": rf"(?<![\w:])(?P<value>{HEX}{{4}}(?::{HEX}{{4}}){{3}})(?![\w:])"
    rf"|(?i:guid)\W{{1,30}}(?P<value2>0x{HEX}{{16}})",
    "address": r"(?<![\w.])(?P<value>\d{1,3}(?:\.\d{1,3}){3})(?![\w]|\.\d)"
    rf"|(?<![\w:.])(?P<value2>(?i:[23]{HEX}{{3}}|fe[89ab]{HEX}|f[cd]{HEX}{{2}}):[0-9A-Fa-f:]*[0-9A-Fa-f:])(?![\w:])",
    "serial": r"\b(?i:(?:\w+_)?serial(?:[ _-]?(?:number|no|num))?|asset[ _-]?tag|board[ _-]?id)\b"
    r"(?:\\?[\"'])?\s*(?:[:=>]|is\b)\s*(?:\\?[\"'])?(?P<value>(?=[\w-]*\d)[\w-]{6,})",
    "user": r"(?:/home/|/Users/|[A-Za-z]:\\+(?:Users|Documents and Settings)\\+"
    r"|\\+[\w.-]+\\+(?:home|homes|users|profiles|userdata|redirected)\$?\\+"
    r"|/export/home/|/u/|/Volumes/|/media/|/run/media/)(?P<value>[\w.][\w.-]*)(?=[/\\\s\"':,;)>]|$)"
    r"|\b(?i:(?:sudo_)?user=|logname=|user[ _]?name\s?[=:]\s?)[\"']?(?P<value2>[A-Za-z_][\w.-]{2,31})(?![\w.(-])"
    r"|://(?P<value3>[^\s/:@<\"'\0]+)(?=(?::[^\s/@]*)?@)"
    r"|/var/(?:spool/)?(?:cron|mail)/(?:crontabs/|tabs/)?(?P<value4>[\w.-]+)",
    "host": rf"(?<![\w.-])(?P<value>[A-Za-z0-9][A-Za-z0-9-]*(?:{TOP})|[A-Za-z0-9]+-[A-Za-z0-9-]+\.(?:local|lan|home|internal|fritz\.box|localdomain))(?![\w(-]|\.\w)"
    r"|\b(?i:host[ _-]?name|nodename|node[ _-]?name|master_addr|slurmd_nodename)\b(?:\\?[\"'])?\s*[:=]\s*(?:\\?[\"'])?"
    r"(?P<value2>[A-Za-z0-9][\w.-]*)(?![\w(])"
    r"|(?P<value3>[A-Za-z0-9][\w.-]*):\d+:\d+ \[\d+\] NCCL "
    # behind ://, before a port or an address, any country will do
    r"|://(?:[^\s/@\"'<>]*@)?(?P<value4>(?:[A-Za-z0-9-]+\.)+[a-z]{2,24})(?=[:/?\s\"'<>),;]|$)"
    rf"|(?<![\w./@-])(?P<value5>(?:[A-Za-z0-9-]+\.)+(?!{_FILES}:)[a-z]{{2,24}})(?=:\d{{2,5}}(?![\d:]))"
    r"|(?<![\w./@-])(?P<value6>(?:[A-Za-z0-9-]+\.)+[a-z]{2,24})(?=:\d{1,3}(?:\.\d{1,3}){3}(?!\d))"
    rf"|(?<![\w./@-])(?P<value7>(?=[A-Za-z0-9]+-|[A-Za-z]+\d+\.)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\.{_WORDLIKE})(?![\w(/-]|\.\w)"
    rf"|(?<![\w./@-])(?P<value9>[a-z]+\d+\.[a-z]+-[a-z-]+\.(?!{_FILES}\b)[a-z]{{2,6}})(?![\w(/-]|\.\w)"
    r"|(?<![\w./@-])(?P<value8>(?:[A-Za-z0-9-]+\.){1,3}(?:ac|co|or|go|edu|gov|com|net|org|[a-z]+-[a-z]+)\.(?:[a-bd-np-z][a-z]|co))(?![\w(/-]|\.\w)",
}
_PATTERNS = tuple((kind, re.compile(form)) for kind, form in _FORMS.items())
_TOPS = re.findall(r"\w+", re.sub(r"\(\?:|A-Za-z0-9", " ", TOP))
_GLANCES = {  # what is quickly tried, and must match in every line that holds one
    "mail": re.compile("@|%40"),
    "uuid": re.compile(rf"-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-"),
    "mac": re.compile(rf"[:-]{HEX}{{2}}[:-]{HEX}{{2}}[:-]{HEX}{{2}}[:-]"),
    "guid": re.compile(rf":{HEX}{{4}}:{HEX}{{4}}:"),
    "address": re.compile(rf"\.\d{{1,3}}\.\d{{1,3}}\.\d|:(?<={HEX}{{4}}:)[0-9A-Fa-f:]"),
    "host": re.compile(rf"\.(?:{'|'.join(_TOPS)}|{_WORDLIKE})(?![\w-])|://|\.[a-z]{{2,24}}:\d"),
}
_HINTS = {
    "guid": ("guid",),
    "serial": ("serial", "asset", "board"),
    "user": (
        "/home/",
        "/users/",
        "\\users\\",
        "settings\\",
        "\\home",
        "/u/",
        "/media/",
        "user",
        "logname",
        "://",
        "/var/",
    ),
    "host": ("host", "node", "master_addr", " nccl "),
}
_VERSION_BEFORE = re.compile(
    r"(?i:version\W*|==|[<>~]=\s?|\bv|cu1\d\s+|(?:nvidia|lib|cuda|cudnn|nccl|driver|vbios|firmware)[\w.-]*[\s=:-]+|\.so\.|[\w]-)$"
)

_VERSION_BEHIND = re.compile(r"\s+(?:is |was )?(?:the |a )?version\b")


class Identity(NamedTuple):
    start: int
    end: int
    kind: str


def find_identities(text: str, labels: bool = True) -> Iterator[Identity]:
    """Where somebody's name, number or address stands; they may overlap, and pseudonyms are not among them."""
    pieces = Pieces(text)
    yield from (Identity(*found) for found in find_people(text, labels))
    yield from (Identity(*found) for found in columns(text) if found[2] != SECRET)
    for kind, pattern in _PATTERNS:
        for start, line in _worth_a_look(pieces, kind):
            for match in pattern.finditer(line):
                group = match.lastgroup or "value"
                if _is_meant(kind, match[group], line, match.start(group)):
                    yield Identity(start + match.start(group), start + match.end(group), kind)


def _worth_a_look(pieces: Pieces, kind: str) -> Iterable[tuple[int, str]]:
    """The lines in which the expression has to be tried."""
    found = set(pieces.where(_GLANCES[kind])) if kind in _GLANCES else set()
    return sorted(found | set(pieces.with_any(_HINTS.get(kind, ()))))


_ROLE = re.compile(
    r"(?:[\w.+-]*[-_.+]|enterprise|customer|tech)?(?:no-?reply|do-?not-?reply|support|security|info|contact|help|dev|devel|users|announce|abuse|postmaster"
    r"|webmaster|notifications?|sales|admin|ci|bot|builds?|maintainers?|owner|list|team|hello|press|jobs)(?:[-_.+][\w.+-]*)?"
)


def _is_meant(kind: str, value: str, text: str, start: int) -> bool:
    if kind == "address":
        behind = text[start + len(value) : start + len(value) + 24]
        return _VERSION_BEHIND.match(behind) is None and _is_address(value, text[max(0, start - 48) : start], behind)
    if kind == "host" and value.endswith((".example", ".invalid", ".test")):  # nobody's
        return False
    if kind == "host":
        if "." not in value or text[:start].rstrip("\"' ").endswith(("=", ":")):  # told by the name before
            return is_telling(value) and not is_ordinary(value) and not is_public(value)
        return is_telling(value) and not is_public(value)
    if kind == "mac":
        return len(set(re.sub(r"[:-]", "", value))) > 1
    if kind == "user" and is_ordinary(value) and not text[:start].endswith(("/", "\\")):  # user=backup
        return False
    if kind == "user":
        if value.lower() in NO_USER or names_a_secret(value):  # host:user:password, the heads of a file
            return False
        return is_telling(value) and value not in ("git", "shared") and not value.startswith("user-")
    return kind != "mail" or not _is_everybodys(value)


def _is_everybodys(mail: str) -> bool:
    """Whether it belongs to no person: a project's address (`noreply@github.com`), a cipher (`aes256-gcm@openssh.com`)."""
    name, _, site = mail.replace("%40", "@").lower().rpartition("@")
    if site.endswith((".service", ".timer", ".socket", ".mount", ".target", ".slice")):  # vllm@prod.service
        return True
    if site.endswith((".example", ".invalid", ".test")) and _ROLE.fullmatch(name):
        return True
    return name == "git" or site in ("openssh.com", "libssh.org") or (is_public(site) and bool(_ROLE.fullmatch(name)))


def _is_address(value: str, before: str, behind: str) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    if address.is_loopback or address.is_unspecified or value.startswith("255."):
        return False
    if value.endswith(".0") and re.match(r"/(?:[89]|1\d|2\d)(?!\d)", behind):  # 10.12.0.0/16 is everybody's
        return False
    if re.fullmatch(r"\d(?:\.\d){3}", value):  # 1.2.5.8 is a version
        return False
    return ":" in value or not _VERSION_BEFORE.search(before)
