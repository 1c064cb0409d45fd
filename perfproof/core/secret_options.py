"""Secrets among the words of a command: behind an option (`--wandb-key VALUE`), or where a tool takes them.

The same rules hold for a line of text and for a list of words: what the one hides, the other would find.
"""

import re
from collections.abc import Iterator

from perfproof.core.secret_names import (
    ANY,
    COUNTED,
    NAME,
    NUMBER,
    is_hidden,
    is_measure_or_path,
    is_no_value,
    proof_needed,
)

OPTION_HINTS = ("pass", "pwd", "pw", "psk", "pin", "key", "token", "secret", "credential", "signature", "cookie")
FEWEST_DIGITS = 6  # of a number behind `--token`; a smaller one counts or names tokens
_GAP = r"(?:\s+|['\"],\s*['\"]?)"  # between two words, in a shell or in a list
_IN_TEXT = re.compile(
    rf"-(?<![\w-]-)-?+(?P<name>(?i:{NAME}))"
    r"(?:(?:=|\s+|['\"],\s*)(?P<mark>['\"])(?P<quoted>[^\"'\n<]{4,})(?P=mark)"
    r"|(?:=|\s+|['\"],\s*['\"])(?P<word>(?!-)[^\s<\"']{6,}))"
)
_OPTION = re.compile(rf"--?(?!-)(?i:{NAME})")
_USER_OPTIONS = ("-u", "--user", "--proxy-user")
_USER = r"(?![\w.-]{1,80}\.py:)[A-Za-z][\w.@+-]{0,80}"
_PASSWORD = r"(?!//|\d+(?:[\s\"'<;,|]|$))[^\s<\"']{4,}"  # neither the rest of an address nor a port
_USER_AND_PASSWORD = re.compile(rf"{_USER}:(?P<secret>{_PASSWORD})")
_BEHIND = {"sshpass": "-p", "mongo": "-p", "mongosh": "-p", "mongodump": "-p", "redis-cli": "-a"}
_GLUED = {  # -pPASSWORD
    **dict.fromkeys(("mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "sshpass"), re.compile(
        r"-p(?P<secret>[^\s<\"'=-][^\s<\"']{3,})")),
    "curl": re.compile(rf"-u{_USER}:(?P<secret>{_PASSWORD})"),
}  # fmt: skip
TOOLS = frozenset({*_BEHIND, *_GLUED})
LONGEST_PATH = 64  # of its end: any text may be asked for


def _among_words(tools: str, option: str) -> str:
    return rf"(?<![\w-])(?:{tools})(?=[\s\"'])[^\n|;&]{{0,300}}?[\s\"']{option}"


FORMS = {  # as in perfproof.core.secrets: a kind and hints -> what it looks like
    (
        "command-password",
        "-u -auth -cred",
    ): rf"(?<![\w-])(?:-u|--user|--proxy-user|--?auth|--?cred(?:ential)?s?)(?:=[\"']?|{_GAP}[\"']?)"
    rf"{_USER}:(?P<secret>{_PASSWORD})",
    ("command-password", "curl"): _among_words("curl", rf"-u{_USER}:(?P<secret>{_PASSWORD})"),
    ("command-password", "sshpass mongo"): _among_words(
        "sshpass|mongo(?:sh|dump)?", rf"-p{_GAP}[\"']?(?P<secret>(?!-)[^\s<\"']{{4,}})"
    ),
    ("command-password", "redis-cli"): _among_words("redis-cli", rf"-a{_GAP}[\"']?(?P<secret>(?!-)[^\s<\"']{{4,}})"),
    ("command-password", "mysql mariadb sshpass"): _among_words(
        "mysql(?:dump|admin)?|mariadb(?:-dump)?|sshpass", r"-p(?P<secret>[^\s<\"'=-][^\s<\"']{3,})"
    ),
}


def in_text(text: str) -> Iterator[tuple[int, int]]:
    """Where the value of an option is a secret."""
    for found in _IN_TEXT.finditer(text):
        part = "word" if found["quoted"] is None else "quoted"
        if _is_value(found["name"], found[part]):
            yield found.span(part)


def is_option(word: str) -> bool:
    """Whether the word behind this one may be a secret."""
    if word in _USER_OPTIONS:
        return True
    return _OPTION.fullmatch(word) is not None and proof_needed(word) is not None


def tool_of(word: str) -> str:
    """The tool that a word calls, if it is one that takes passwords; "" otherwise."""
    name = word[-LONGEST_PATH:].rpartition("/")[2]
    return name if name in TOOLS else ""


def in_word(tool: str, before: str, word: str) -> tuple[int, int] | None:
    """Which part of a word of a command is a secret: `before` is the word before it, `tool` what is called."""
    if is_hidden(word):
        return None
    if word.startswith("-"):
        glued = _GLUED[tool].fullmatch(word) if tool in _GLUED else None
        return glued.span("secret") if glued else None
    if before in _USER_OPTIONS:
        found = _USER_AND_PASSWORD.fullmatch(word)
        return found.span("secret") if found else None
    if (tool and _BEHIND.get(tool) == before) or (is_option(before) and _is_value(before, word)):
        return 0, len(word)
    return None


def _is_value(name: str, value: str) -> bool:
    """An option is given for a purpose: where its name is not harmless, any word behind it will do."""
    proof = proof_needed(name)
    if proof is None or value.startswith("-") or is_no_value(value):
        return False
    family, level = proof
    if family == "cookie":
        return "=" in value
    if level == NUMBER:
        return value.isdigit() and 4 <= len(value) <= 8
    if value.isdigit():
        return family not in COUNTED or len(value) >= FEWEST_DIGITS
    return level == ANY or not is_measure_or_path(value)
