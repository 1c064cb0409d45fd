"""Words that look drawn at random: keys whose form nobody has written down yet.

A word of at least 20 characters with more than 4 bits a character is suspected. Long names have that much, too:
kernels, symbols, metrics, paths. What tells them apart is that names are made of words: of the neighbouring letters of
a name many are pairs that are common in words, of random characters about one in ten. If a short key has more of them
by chance, its jumps between small letters, capitals and digits tell: six of ten neighbours, of a name less than four.
Hexadecimal digits have at most 4 bits each, so hashes, revisions and UUIDs are never suspected.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

WORD = re.compile(r"[A-Za-z0-9+/_-]{20,}+={0,2}")
BITS = 4.0
NAMES_SHARE = 0.22  # of neighbours that are common in words: names of kernels 0.3 and more, random base64 0.1
JUMPING = 0.45  # of neighbours that differ in case or kind; such a word may have fewer bits and more common pairs
JUMPING_BITS, JUMPING_SHARE = 3.6, 0.3
LONGEST_SECRET = 512  # longer than any key: encoded data
_PAIRS = """
    ab ac ad ai al am an ar as at be bo ca ce ch ck cl co ct da de di ds ea ec ed ee ef el em en ep er es et ev ex fa
    fi fo fr ge ha he hi ho ic id il im in io is it ke la ld le li ll lo ls ma me mo mp na nc nd ne ng ni no ns nt oc ol
    om on oo op or os ot ou ow pa pe pl po pr pt ra re ri rn ro rr rs rt ry sa se sh si so ss st su ta te th ti to tr ts
    tu ty ue ul um un ur us ut va ve we wh wi"""
COMMON = frozenset(_PAIRS.split())  # eight of ten neighbours in the words of technical prose and code
TIME = re.compile(r"\d{8}T\d{6}Z?|\d{4}-\d\d-\d\d[T_-]\d\d-?\d\d-?\d\d")  # of a run, in its name
DIGEST = re.compile(r"(?<![A-Za-z0-9])(?:[a-z2-7]{51,53}|[A-Z2-7]{51,53})(?![A-Za-z0-9])")  # 256 bits in base32: caches
# A pod of Kubernetes: its name, the hash of its template and five letters, of an alphabet without vowels
POD = re.compile(r"[a-z][a-z0-9-]*-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}")
ENCODED = "base64,"  # a picture within a page
PICTURE = re.compile(  # a PNG in base64, over as many lines as it takes, from its first bytes to its last
    r"iVBORw0KGgo[A-Za-z0-9+/\s]*?(?:lFTkSuQmCC|RU5ErkJggg==|SUVORK5CYII=)"
)
PLATFORM = re.compile("x86_64|aarch64|manylinux")  # the release of a kernel, the name of a wheel
_NO_KEYS = ("_Z", "$s", "_R", "sha256-", "sha384-", "sha512-")  # symbols of compilers, checksums of packages
_CHECKSUM_BEFORE = re.compile(
    r"(?i)(?:sha-?(?:1|2|224|256|384|512)|md5|blake2b|crc32c?|digest|checksum|etag|public[ _-]?key|pub_?key|peer)"
    r"[\"']?\s{0,8}[=:-]\s?[\"']?$"
)


def random_words(text: str) -> Iterator[tuple[int, int]]:
    """Where in the text a word stands that looks random."""
    pictures = [found.span() for found in PICTURE.finditer(text)]
    for found in WORD.finditer(text):
        if not looks_random(found[0]) or text.endswith(ENCODED, 0, found.start()):
            continue
        if _is_checksum_or_uuid(found[0], text, found.start()):
            continue
        if not any(start <= found.start() < end for start, end in pictures):
            yield _with_dots(text, *found.span())


def _with_dots(text: str, start: int, end: int) -> tuple[int, int]:
    """With the other parts of a token such as `id.time.signature`. A part of letters alone ends a file's name."""
    before, behind = _PARTS_BEFORE.search(text, max(0, start - 100), start), _PARTS_BEHIND.match(text, end)
    return before.start() if before else start, behind.end() if behind else end


@lru_cache(maxsize=1 << 16)
def looks_random(word: str) -> bool:
    word = DIGEST.sub("", TIME.sub("", word))
    if not 20 <= len(word) <= LONGEST_SECRET or word.startswith(_NO_KEYS) or _is_snake_case(word):
        return False
    if PLATFORM.search(word) or POD.fullmatch(word):
        return False
    bits, common = bits_per_character(word), _share_of_common_pairs(word)
    if bits > BITS and common < NAMES_SHARE:
        return True
    return bits > JUMPING_BITS and common < JUMPING_SHARE and _share_of_jumps(word) >= JUMPING


_PARTS_BEFORE = re.compile(r"(?:(?<![\w.-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{5,}\.)+$")
_PARTS_BEHIND = re.compile(r"(?:\.(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{5,})+")
_UUID = re.compile(r"(?:MIG-)?(?:GPU-|MIG-)?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?:/\d+/\d+)?")
_HASHED_PART = re.compile(r"(?<![A-Za-z0-9])(?:[0-9a-f]{7,64}|run-\d{8}_\d{6}-[a-z0-9]{8})(?![A-Za-z0-9])")
_PATH = re.compile(r"/?[a-z][a-z._-]+/")  # its first folder is a word
_IMAGE = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "PHN2Zy", "JVBERi")  # PNG, JPEG, GIF, WebP, SVG, PDF in base64


def _is_checksum_or_uuid(word: str, text: str, start: int) -> bool:
    """A device's UUID has a pseudonym of its own; checksums and the first bytes of images are no keys."""
    if _UUID.fullmatch(word) or word.startswith(_IMAGE) or _CHECKSUM_BEFORE.search(text, max(0, start - 16), start):
        return True
    if len(word) == 76 and text[start - 1 : start] in ("", "\n") and text[start + 76 : start + 77] in ("", "\n", "\r"):
        return True  # a line of data as MIME breaks it
    rest = _HASHED_PART.sub("", word)
    if "/" not in word or (rest == word and not _PATH.match(word)):
        return False
    return all(len(part) < 20 or not looks_random(part) for part in rest.split("/"))


def bits_per_character(word: str) -> float:
    counts = Counter(word).values()
    return -sum(count / len(word) * math.log2(count / len(word)) for count in counts)


def _share_of_common_pairs(word: str) -> float:
    """Small to capital is the seam between two words, or chance: no pair."""
    pairs = (word[at : at + 2] for at in range(len(word) - 1))
    return sum(pair.lower() in COMMON and not (pair[0].islower() and pair[1].isupper()) for pair in pairs) / len(word)


def _share_of_jumps(word: str) -> float:
    """Share of neighbours of different kinds: small letter, capital, digit. It is 0 if one of the kinds is missing."""
    kinds = ["a" if one.islower() else "A" if one.isupper() else "0" if one.isdigit() else "" for one in word]
    if "0" not in kinds or min(kinds.count("a"), kinds.count("A")) < 0.15 * len(word):
        return 0.0
    return sum(a != b and bool(a and b) for a, b in pairwise(kinds)) / (len(word) - 1)


def _is_snake_case(word: str) -> bool:
    """tilesize128x256_2cta_h_bz_TNT: at least four parts, each small, capital or short. Keys are not cut like that."""
    parts = [part for part in word.split("_") if part]
    return len(parts) > 3 and all(
        part.islower() or part.isupper() or part.isdigit() or len(part) <= 6 for part in parts
    )
