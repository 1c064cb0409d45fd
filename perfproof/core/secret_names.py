"""Names that a secret stands behind, and what has to stand there: DB_PASS=…, X-Auth-Token: …, --wandb-key ….

Machine learning speaks of tokens, keys and passes that open nothing: those words are listed, and every other token, key
or pass is suspected. How much a value must look like a secret depends on how sure the name is.
"""

import re
from functools import lru_cache

from perfproof.core.entropy import looks_random
from perfproof.core.secret_words import FOREIGN_KEYS, FOREIGN_PASSWORDS

ANY, MIXED, DRAWN, NUMBER = (
    "any",
    "letters and digits",
    "drawn at random",
    "four to eight digits",
)  # what a value has to be behind a name
SHORTEST = 4
FEWEST_MIXED = {"pass": 6}  # letters and digits; of other names 8
_FAMILY = (
    rf"{FOREIGN_PASSWORDS}|{FOREIGN_KEYS}|"
    r"passwords?|authtok|passwd|passphrase|passcode|pwd|pw|psk|pin|otp|pass|secret"
    r"|token|credentials?|signature|cookie|sess(?:ion)?id|keys?|api|signing|auth|pat|sas"
)
_END = r"(?:[_-]?(?:id|base|\d{1,2}))?"
LONGEST = 80  # of what stands before
NAMES_END = rf"(?:{_FAMILY}){_END}"  # quickly found; name_around tells the whole of it
NAME = rf"[\w.-]{{0,{LONGEST}}}{NAMES_END}"
_SPACED = r"[A-Za-z]{1,20} "  # "forward pass", "API key": the word before decides
_SPACED_BEFORE = re.compile(rf"{_SPACED}$")
_TAIL = re.compile(rf"(?P<spaced>{_SPACED})?(?P<name>{NAME})$", re.IGNORECASE)
_FOREIGN_KEY = re.compile(FOREIGN_KEYS)
_GLANCE = re.compile(rf"{NAMES_END}$")  # nearly every text is no name: quickly tried, on its last characters
_PARTS = re.compile(rf"(?P<before>.*?)(?P<word>{_FAMILY})(?P<end>{_END})", re.IGNORECASE)
_SEAM = re.compile(r"[_.\-\s]+|(?<=[a-z0-9])(?=[A-Z])")
COUNTED = ("token", "key", "pass", "pwd")  # a number behind these is an index, a count or a time
PHRASE = re.compile(r"[a-z]{3,12}(?:[-_.][a-z]{3,12}){2,7}\d{0,4}[!?]?")  # correct-horse-battery
_LETTER, _DIGIT = re.compile("[A-Za-z]"), re.compile(r"\d|(?<=\w)[!#%^&*](?=\w)")

# What may stand before `token`, `key` or `pass` where it opens nothing
_HARMLESS = {
    "token": "eos bos pad cls sep unk mask image video audio text stop start begin end max min num n new special "
    "next prev previous last first per each every total prompt completion input output generated draft "
    "target accepted decode prefill class distill dist register prefix suffix fim think tool added extra "
    "sub by of single one a the this current seq sequence sink reasoning padding separator unknown word",
    "key": "sort cache primary foreign partition group row column col dispatch hash map dict index lookup config "
    "public kernel shape tune autotune autotuner metric event state past query attention attn num n by "
    "pub graph code compile memo idx object store dedup bucket routing message msg translation i18n label "
    "dim batch dataset sample json yaml toml field parameter param tensor weight layer module rope plan "
    "tuning benchmark case test result series sha256 sha1 md5 digest checksum fingerprint version tree "
    "device stream node edge join order filter block prefix lora model guard shortcut arrow function fn "
    "op operator backend stat counter unit legend",
    "pass": "forward backward fwd bwd first second third final last single multi two one grad post pre joint fx "
    "compile compiler fusion lowering optim optimization optimizer opt render training train inference "
    "decode prefill val eval validation pattern matcher custom rewrite analysis warmup profile profiling "
    "replay measure measurement by num n per this each every "
    "the a of",
}
HARMLESS = {family: frozenset(words.split()) for family, words in _HARMLESS.items()}
# What stands before them where they open a door, whatever the value looks like
_DOORS = {
    "token": r"auth|access|api|hf|hub|git\w*|session|refresh|bearer|bot|deploy|personal|user|(?<![a-z])id|csrf|xsrf"
    r"|security|private|service|secret|client|admin|login",
    "key": r"api|access|private|(?:pre-?)?shared|account|secret|signing|encryption|license|auth|master|admin",
    "pass": r"db|database|smtp|mysql|pg|postgres|redis|mongo|sql|user|root|admin|e?mail|ftp|ssh|proxy|login|sudo|ldap"
    r"|mq|rabbit|broker|http|auth|basic|require|remote|imap|pop3?|irc|sasl|relay|client|server|master|host|key|store|vault|web|app|my|api|become|bind|ssl|wifi|registry|svc",
    "pwd": r"db|sql|user|admin|root|login|my",
}
DOORS = {family: re.compile(rf"(?i:{words})[_.\-\s]?$") for family, words in _DOORS.items()}

_NO_VALUE = re.compile(
    r"raise|return|print|continue|break|await|yield|assert"
    r"|(?:str|bytes|int|bool|float|object|Any|SecretStr|string|String)(?: ?\|.*)?"
    r"|(?:TEXT|STRING|STR|VALUE|TOKEN|KEY|API_KEY|PASSWORD|SECRET|PATH|FILE|NAME|ID|INTEGER|INT|FLOAT|URL|USER)"
    r"|(?:0x)?0+|[A-Z]{2}0{8,}|\$[a-z_]\w*(?:->|\[|\{).*|![a-zA-Z]\w*(?: [|>]-?)?"  # a tag of YAML: !vault
    r"|\*+[A-Za-z]+\*+|\?[a-z]{2,12}|HTTP/\d(?:\.\d)?"  # ***REDACTED***, ${PASSWORD:?set
    r"|[\w-]{0,12}?(?:x{4,}|\*{4,})\w{0,4}\W*"  # hf_xxxxxxxx
    r"|os\.environ/\w+|[A-Z]{2,10}-\d{1,6}"  # of LiteLLM, of a tracker
    r"|~/[\w.+@/-]+|[\w-]+:/[\w.+-]+(?:/[\w.+-]+)+"  # a file
    r"|(?i:changeme|change[-_]me|:?-?changeme|passwords?|passwd)"
    r"|(?i:none|null|true|false|yes|required|missing|unset|empty|x{4,}"
    r"|(?:your|my|insert|put|replace|enter)[-_ ](?:[a-z]+[-_ ])*"
    r"(?:key|token|password|secret|value|here|placeholder))|\*+|\.{3,}|\(\w+\)?|\$[A-Z_]+|\$[{(].*|\{\w*\}|\{\{.*"
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_ANNOTATION = re.compile(r"[A-Z][A-Za-z]+\[[A-Za-z\[\]., |]*\]?[,)=]*")  # keys: List[Key], of Python
# args.token, self.password: an attribute of a program's own object
_OF_CODE = re.compile(
    r"(?:args|self|cls|cfg|conf|config|opts?|options|settings|params|kwargs|request|os|env|this|credentials)\.[\w.]+|[a-z_]\w*\.[A-Z][A-Z_]+"
)
_HEXADECIMAL = re.compile(r"(?=\d*[A-Fa-f])[0-9A-Fa-f]{16,}(?:-[0-9A-Fa-f]{4,}){0,4}")
_QUANTITY = re.compile(
    r"[-+]?[\d.,]{1,15}(?:[eE][-+]?\d+)?(?:[a-zµ]{0,6}|[A-Za-zµ]{0,4})(?:/[A-Za-z]{1,8})?%?[.,;)]*"
)  # 12.5ms, 4096tok/s
_PATH = re.compile(r"(?:~|\.{0,2})/[\w.+@-]+(?:/[\w.+@-]*)*")
_CALL = re.compile(
    r"[A-Za-z_]\w*(?:\.\w+)*(?:\(.*\)|\[[\"']?|\()$|[A-Za-z_]\w*\.\w+[(\[]"
)  # getpass.getpass(), os.environ["X"]
_WORD_END = re.compile(r"[\s<\"']")


def names_a_secret(name: str) -> bool:
    """HF_TOKEN, options.env.MY_API_KEY: for a value that is shown apart from its name."""
    return proof_needed(name) is not None


@lru_cache(maxsize=1 << 14)
def labels_a_secret(label: str) -> bool:
    """The same of a short text that comes again and again."""
    return names_a_secret(label)


def is_secret(name: str, value: str) -> bool:
    """Whether the value that stands behind a name is to be hidden."""
    if not names_a_secret(name):
        return False
    return holds(name, value) or holds(name, _WORD_END.split(value, maxsplit=1)[0])


def holds(name: str, value: str) -> bool:
    """The same of a value as it stands, be it one word or several."""
    proof = proof_needed(name)
    if proof is None or len(value) < SHORTEST or is_no_value(value):
        return False
    family, level = proof
    if level == NUMBER:
        return re.fullmatch(r"\d{4,8}", value) is not None
    if (family == "token" or level != ANY) and ("(" in value or value.replace(".", "").isdigit()):
        return False
    said = value.rstrip(",;)")
    if said == _SEAM.split(name)[-1] or said.lower().rstrip("0123456789") in (
        name.lower(),
        _SEAM.sub("", name).lower(),
    ):  # self.password = password
        return False
    if family in ("pwd", "pw") and ("(" in value or _PATH.match(value) or re.match(r"[A-Za-z]:[\\/]|/", value)):
        return False
    if _CALL.match(value) or _ANNOTATION.fullmatch(value):
        return False
    if family == "cookie":
        return "=" in value
    if level == ANY:
        return True
    if level == DRAWN:
        return _HEXADECIMAL.fullmatch(value) is not None or looks_random(value)
    if family in ("api", "signing", "auth", "pat", "sas") and re.search(r"[/:.]", value):
        return False
    if family == "pass" and PHRASE.fullmatch(value):
        return True
    return _is_mixed(value, FEWEST_MIXED.get(family, 8)) and not is_measure_or_path(value)


def proof_needed(name: str) -> tuple[str, str] | None:
    """The family of a name and what the value behind it has to look like; None for a name that says nothing."""
    if not _GLANCE.search(name[-20:].lower()):
        return None
    return _proof_needed(name[-LONGEST - 40 :])  # any text may be asked for, however long


@lru_cache(maxsize=4096)
def _proof_needed(name: str) -> tuple[str, str] | None:
    tail = _TAIL.search(name)
    parts = _PARTS.fullmatch(tail["name"].lstrip("-")) if tail else None
    if tail is None or parts is None:
        return None
    word, before = parts["word"].lower(), parts["before"] or tail["spaced"] or ""
    family = word if word == "pass" else word.removesuffix("s")
    if _FOREIGN_KEY.fullmatch(word):
        return family, MIXED
    level = _LEVELS[family](before, parts["word"], parts["end"]) if family in _LEVELS else ANY
    return (family, level) if level else None


def name_around(text: str, start: int, end: int) -> str:
    """The whole name of which the last part stands from `start` to `end`."""
    first = start
    while first > max(0, start - LONGEST) and (text[first - 1].isalnum() or text[first - 1] in "_.-"):
        first -= 1
    spaced = _SPACED_BEFORE.search(text, max(0, first - 21), first) if first == start else None
    return text[spaced.start() if spaced else first : end]


def is_no_value(value: str) -> bool:
    """None, null, "true" and the like, also with what ends an argument behind it: `api_key=None, retries=2`."""
    said = value.rstrip(",;)]}")
    if said.rstrip().endswith((":", "?")) or _VARIABLE.fullmatch(said):  # getpass("Password: "), getenv("API_KEY")
        return names_a_secret(said.rstrip(": ?"))
    return _NO_VALUE.fullmatch(said) is not None or _OF_CODE.fullmatch(said) is not None or is_hidden(value)


def is_measure_or_path(value: str) -> bool:
    return _QUANTITY.fullmatch(value) is not None or (_PATH.fullmatch(value) is not None and not looks_random(value))


def is_hidden(value: str) -> bool:
    """Whether a secret was replaced here already; Markdown escapes the bracket."""
    return value.removeprefix("\\").startswith("[hidden")


def _of_a_token(before: str, word: str, end: str) -> str:
    if not before or before.endswith(" "):
        return "" if end.lower().endswith("id") or _last_word(before) in HARMLESS["token"] else MIXED
    capitals = before == before.upper() and word == word.upper()
    if _last_word(before) in HARMLESS["token"]:
        return MIXED if capitals and not end else ""
    return ANY if capitals or DOORS["token"].search(before) else MIXED


def _of_a_key(before: str, word: str, end: str) -> str:
    if DOORS["key"].search(before):
        return MIXED if before.endswith(" ") else ANY  # "an API key: …" is prose, too
    if (
        word.lower() == "keys"
        or before.endswith(" ")
        or not before
        or not _is_apart(before, word)
        or _last_word(before) in HARMLESS["key"]
    ):
        return ""
    return MIXED if before == before.upper() and word == word.upper() else DRAWN


def _of_a_pass(before: str, word: str, end: str) -> str:
    if _last_word(before) in HARMLESS["pass"]:
        return ""
    if not before or before.endswith(" "):
        return MIXED if word in ("pass", "Pass") and not end else ""  # PASS: test_conv2d
    capitals = before == before.upper() and word == word.upper()
    if DOORS["pass"].search(before) or (capitals and _is_apart(before, word)):
        return ANY
    return MIXED if _is_apart(before, word) else ""


def _of_a_pwd(before: str, word: str, end: str) -> str:
    if before and not before.endswith(" "):
        return ANY if _is_apart(before, word) or DOORS["pwd"].search(before) else ""
    return "" if word == "PWD" else ANY  # the folder in which a shell works


def _of_a_pw(before: str, word: str, end: str) -> str:
    if not before or before.endswith(" ") or _is_apart(before, word) or (before + word).isupper():
        return ANY
    return ANY if DOORS["pass"].search(before) or DOORS["pwd"].search(before) else ""


def _of_a_pin(before: str, word: str, end: str) -> str:
    return NUMBER if (not before or before.endswith(" ") or _is_apart(before, word)) and not end else ""


def _of_capitals(before: str, word: str, end: str) -> str:
    """JENKINS_API=…, of the environment: in other names these words tell nothing."""
    return MIXED if before.endswith("_") and (before + word).isupper() and not end else ""


def _of_a_cookie(before: str, word: str, end: str) -> str:
    return ANY if (before.lower() in ("", "set-") or before.endswith(" ")) and not end else ""


_LEVELS = {
    "token": _of_a_token,
    "key": _of_a_key,
    "pass": _of_a_pass,
    "pwd": _of_a_pwd,
    "pw": _of_a_pw,
    "psk": _of_a_pw,
    "pin": _of_a_pin,
    "otp": _of_a_pin,
    "cookie": _of_a_cookie,
    **dict.fromkeys(
        ("api", "signing", "auth", "pat", "sas"), lambda before, word, end: _of_capitals(before, word, end)
    ),
    "signature": lambda before, word, end: DRAWN,
    "sessionid": lambda before, word, end: DRAWN,
    "sessid": lambda before, word, end: DRAWN,
}


def _last_word(before: str) -> str:
    parts = [part for part in _SEAM.split(before) if part]
    return parts[-1].lower() if parts else ""


def _is_apart(before: str, word: str) -> bool:
    """db_pass, dbPass; not bypass."""
    return before[-1:] in tuple("_.- ") or (before[-1:].islower() and word[:1].isupper())


def _is_mixed(value: str, fewest: int) -> bool:
    """Letters and digits: `token: therefore` is a word of a text."""
    return len(value) >= fewest and bool(_DIGIT.search(value)) and bool(_LETTER.search(value))
