"""Passwords that a sentence or a prompt tells: "the password is …", "Mot de passe : …", "log in with svc / …"."""

import re
from collections.abc import Iterator

from perfproof.core.entropy import looks_random
from perfproof.core.secret_names import PHRASE, is_hidden, is_measure_or_path, is_no_value, names_a_secret
from perfproof.core.secret_words import FOREIGN_HINTS, FOREIGN_PASSWORDS
from perfproof.core.text_pieces import find_from
from perfproof.triage.redaction.ordinary_words import is_ordinary

PASSWORD_WORDS = (
    r"pass ?words?|passwd|pass ?phrases?|pass ?codes?|(?<![A-Za-z])(?:db_?)?(?:pw|pwd)|(?i:PGPASS)\w*|(?<![A-Za-z])clave(?=\s*[:=]|\s(?:es|del?|para)\s)"
    rf"|{FOREIGN_PASSWORDS}"
)
_PIN = (  # codes that open something; not an exit code, an error code
    r"(?<![A-Za-z])(?:pin|otp|puk|(?-i:TAN)|(?:2fa|mfa)(?: code)?|passcode|geheimzahl|(?:freischalt|aktivierungs|sicherheits|bestätigungs|einmal|zugangs)-?code"
    r"|(?:one[- ]time|verification|security|confirmation|access|login|door|gate|rack|alarm|unlock|entry|safe|activation|invit(?:e|ation)|pairing|reset|auth(?:entication)?|sms) code(?: \(?\w{2,12}\)?)?"
    r"|(?:your|ihr|dein|votre|ton|tu|su|il tuo|seu|uw|je) code|code (?:de |d')?(?:vérification|sécurité|confirmation|secret|accès)|código de (?:verificación|seguridad|acceso|verificação|segurança)|codice di (?:verifica|sicurezza|accesso))(?![a-z])"
)
_KEY = (
    r"(?:api|access|secret|private|signing|encryption|master|session|hmac|license|ssh|wandb|auth|shared|symmetric|decryption|wi-?fi|wlan|wpa2?|network|radius|tacacs)"
    r"[ _-]?keys?|(?:access|auth|api|bearer|refresh|bot|hf|session)[ _-]tokens?|(?:client|shared|app|signing|webhook|session|jwt|oauth|consumer|common)[ _-]secret|community(?: string)?"
)
_PHRASE = r"pass ?phrase|mnemonic|seed(?: phrase)?(?=\W{1,4}(?:[a-z]{3,8} ){11})|seed phrase|recovery (?:phrase|codes?|keys?)|backup codes?|seed words|security answer"
_IS = (
    r"(?:\s*(?:[:：=→]|=>|->|:=)\s*|\s*\|\s*|</t[dh]>\s*<t[dh]>"
    r"|\s+(?:is|was|now|are|c['’]est|on|será|lautet|ist|est|es|é|e'|è|jest|to|är|er|on|is:|это|(?:has been |was )?(?:set|changed|reset) to|equals)\s+(?:now )?"
    r"|(?:是|は|为|은|는|이|가|=)\s*)"
)
_OF = (  # "the password for the cluster is …"
    r"(?:\s+(?:for|of|on|für|von|de|to|pour|para|per|from|dla|voor|auf|del|du)\s+[^\n]{1,60}?"
    r"(?=[:：](?:\s|$)|\s(?:is|was|lautet|ist|est|es|è|é|jest|c['’]est)\s))?"
)
_VALUE = r"(?:(?P<mark>[\"'`“„«])(?P<quoted>[^\"'`”“»\n]{3,80})[\"'`”“»]|(?P<word>\d{3}[ -]\d{3}(?!\d)|[^\s\"'`“”<>|,;「」]{4,128}))"
_BRACKET = r"(?:\s*\([^)\n]{1,20}\))?"
_STRONG = re.compile(rf"(?i:{PASSWORD_WORDS}){_BRACKET}[\"'`]?{_OF}(?:{_IS}){_VALUE}", re.IGNORECASE)
_SENTENCE = re.compile(r"\s(?:is|was|are)\s+[a-z]+$")  # the password is stored
_GOES_ON = re.compile(r"(?<=[^\W\d_])\s+[^\W\d_]")
_WEAK = re.compile(rf"(?<![\w$-])(?:\w{{1,30}}_|[a-z]{{2,20}}(?=P))?(?i:{PASSWORD_WORDS})\s+{_VALUE}", re.IGNORECASE)
_ASKED = re.compile(
    rf"(?i:{PASSWORD_WORDS}|{_KEY})(?!_)[^:\n]{{0,60}}?(?:[:：]|[=-]>|→| [=—–-](?= ))(?:[^\n]{{0,40}}[:：])?(?:[ \t]+|(?<=[\"')\]][:：]))[\"'`]?(?P<word>[^\s\"'`]{{4,128}})[\"'`]?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_MARKED = re.compile(r"(?:[:：>→]|[=—–-](?= ))[ \t]*\S+[ \t]*$", re.MULTILINE)
# In a sentence about a password, what stands in quotes is the password, on either side of the word
_QUOTED = re.compile(r"(?:(?<!\w)[\"'`“„«]|[「『])(?P<quoted>[^\s\"'`”“»,;」』]{4,64})(?:[\"'`”“»](?!\w)|[」』])")
_CODE = re.compile(r"[={}<>|\\\0]|\w[(\[]|--\w|: [\"']|^\s*(?:#|//|\*)")
# "set the password to …": the preposition of each language
_SET_TO = re.compile(
    rf"(?i:{PASSWORD_WORDS})[\"'`]?\s+(?:\w{{1,12}}\s+)?(?:to|as|auf|zu|à|en|a|por|como|para|in|naar|op|till|til|na|на|olarak)\s+{_VALUE}(?=[\s.,;!)]|$)",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"(?i:credentials?|creds|zugangsdaten|anmeldedaten|identifiants|credenciales|credenziali|inloggegevens|[^\W\d_-]*-?zugang|dostęp|acceso|accès|accesso|acesso|toegang|доступ|erişim|přístup|hozzáférés|access|log(?:in|ging in|ged in|on)(?:\s+(?:as|with|using|is|data))*|user(?:name)?\s*/\s*pass(?:word|wd)?|account)"
    r"(?:\s+(?:for|of|on|to|für|zu|zum|zur|pour|au|à|para|per|al|ao|voor|do|dla|na|к|k) [^\n:]{1,40}(?=:))?\s*[:=]?\s+(?:are |is |user )?[\"'`]?[A-Za-z][\w.@-]{1,40}(?:\s?[/|]\s?|:)(?P<word>[^\s\"'`,;/]{5,80})"
)
_DIGITS = re.compile(
    rf"(?i:{_PIN})(?:{_OF}{_IS}|\s+(?:for [\w ]{{1,30}}:\s*)?|=)[\"'`]?(?P<word>(?-i:[A-Z]-)?\d{{3,4}}[ -]\d{{3,4}}|(?-i:[A-Z]-)?\d{{4,8}}|(?-i:(?=[A-Z-]*\d)[A-Z0-9]{{3,8}}(?:-[A-Z0-9]{{3,8}}){{1,4}}))(?!\w)",
    re.IGNORECASE,
)
_BESIDE_KEY = re.compile(
    rf"(?i:{_KEY}){_BRACKET}(?:{_IS}|\s+)[\"'`]?(?:0x)?(?P<word>[^\s\"'`<>,;]{{8,200}})", re.IGNORECASE
)
_HEX_KEY = re.compile(
    r"(?P<before>[A-Za-z]+[ _.-])?(?<![A-Za-z])(?i:key(?: (?:for|of|from) [\w./@-]{1,40})?|secret|iv|seed|salt|private-(?:mac|hash)|(?:password|passwd|ntlm?|lm) hash|schlüssel|clé|clave|llave|chiave)(?:\s*\([^)\n]{1,20}\))?"
    r"(?:\s*(?:[:=]|->|=>)\s*|\s+(?:is|ist|est|es)\s*:?\s+|\s+)[\"'`]?(?:0x)?(?P<word>(?:[0-9A-Fa-f]{2}){16,})(?![0-9A-Za-z])"
)
_WORDS = re.compile(
    rf"(?i:{_PHRASE}){_OF}(?:{_IS})[\"'`]?(?P<word>[A-Za-z0-9]{{3,16}}(?:[ -][A-Za-z0-9]{{3,16}}){{1,24}})",
    re.IGNORECASE,
)
_FOUR_GROUPS = re.compile(  # as Google makes them for one program
    r"(?i:pass(?:word|wd|wort)?|pw|pwd)[\"']?\s?[:=]\s?[\"']?(?P<word>[a-z]{4}(?: [a-z]{4}){3})(?!\w)"
)
_PRAGMA = re.compile(r"(?i:pragma\s+(?:\w+\.)?(?:hex)?(?:re)?key)\s*=\s*[\"']*(?:x')?(?P<word>[^\s\"';]{4,200})")
_BYTES = re.compile(
    r"(?i:key|secret|iv|seed)\w*\s*(?:\[\w*\])?\s*=\s*(?:\{|bytes\(\[|\[)\s*(?P<word>(?:0x[0-9A-Fa-f]{1,2}\s*,?\s*){8,})"
)
_NOUN_HEAD = re.compile(PASSWORD_WORDS)
_NOUN = re.compile(rf"(?<![a-z0-9_-])(?:{PASSWORD_WORDS})(?![a-z0-9_-])")
# What stands behind "password" in a sentence that tells none
_PLAIN = frozenset(
    """
    success welcome sorry thanks done placeholder placeholders redacted benchmarks medium low high strict
    a about access accepted account after again against all allowed already also always an and any are argument arguments as
    ask asked at auth authentication authenticate author be because been before being but by callback can cannot case change
    changes check column columns complexity config configuration confirm confirmation contains could credentials database
    dialog did disabled do does doesn't else empty enabled encryption enter entered entry env environment error example
    exists expiry fail fails false field fields file files first for format free from function generator given good had
    hash hashed hashes hashing has have helper here hidden hint history host how if import in incorrect input instead into
    invalid is isn't it its key keys know length less like list login logins long longer lost make manager managers map
    match matches may method mismatch missing mode module must name named need needed needs never new next no none not
    null object of off ok old on once one only option options or other out parameter parameters page policies policy
    prompt prompts protected protection provided provider read recovery reset required requirements retry rotation
    rules same screen secret security server service set setting settings should shown skipped so spray stdin stolen
    storage store strength string strings sync system than that the their them then there they this three times to too
    token true two type undefined unknown unset unsupported until update used user username users using valid validation
    value values variable verification via wait was wasn't weak were what when where whether which while who why will
    with within without work works would wrong yes yet you your
    lautet ist sind wird werden geändert gesetzt abgelaufen gespeichert korrekt vergessen zurückgesetzt deaktiviert est sont été modifié expiré oublié enregistré
    es son fue caducada cambiada olvidada guardada corretta scaduta errata obbligatoria obrigatória inválida incorreta verlopen onjuist vereist ongeldig krävs felaktigt
    wymagane nieprawidłowe wygasło неверный обязателен истёк изменён изменен auf zur zum und oder der die das den dem ein eine dans pour avec une los las para con per con della
    printed logged exposed leaked rotated masked cached synced shared sent kept left read written stale weak strong safe default
    tail head grep egrep awk sed cut sort uniq wc tee xargs less cat jq column nologin
    erforderlich falsch fehlt nicht richtig leer wurde ungültig requis incorrecto incorrecta requerida obligatorio vacía
    """.split()
)
_ENDINGS = re.compile(r"(?i)(?:ed|ing|tion|tions|ment|able|less|ly|ity|ness|ance|ence|ated|ers|ive|ful|ous)$")
_CALL = re.compile(r"[A-Za-z_][\w.]*[(\[]")
_VARIABLE = re.compile(r"\$\{?\w*$")  # "$PASSWORD" | docker login
_TRAILING = re.compile(r"[.,;:!?)\]}\\]+$")
_HARMLESS_KEYS = frozenset(
    "cache sort primary hash graph foreign partition dispatch lookup public pub commit tree git sha sha256 md5 digest content "
    "file object etag checksum fingerprint kernel for autotune host".split()
)


PASSWORD, KEY, PAIR, PIN, PHRASES, HEX, PRAGMA, BYTES = (1 << number for number in range(8))
HINTS = (  # what a line must hold (small letters) for the expressions of each of these to be tried
    ("pass", "pw", *FOREIGN_HINTS),
    ("key", "token", "secret", "community"),
    (
        "cred",
        "login",
        "logging in",
        "logged in",
        "logon",
        "account",
        "user",
        "zugangsdaten",
        "identifiants",
        "inloggegevens",
        "zugang",
        "dostęp",
        "acces",
        "accès",
        "acesso",
        "toegang",
        "доступ",
        "erişim",
        "přístup",
        "hozzáférés",
    ),
    ("pin", "otp", "code", "puk", "2fa", "mfa", "tan", "código", "codice", "geheimzahl"),
    ("phrase", "mnemonic", "recovery", "backup", "seed", "answer"),
    ("key", "secret", "salt", "hash", "private-mac", "iv", "seed", "schl", "cl", "llave", "chiave"),
    ("pragma",),
    ("0x",),
)
_LONG_HEX = re.compile(r"[0-9A-Fa-f]{32}")


def passwords_in_prose(text: str, chosen: int) -> Iterator[tuple[int, int]]:
    """Places of passwords that a sentence tells, in one line; `chosen` are the groups of expressions to try."""
    if chosen & PASSWORD:
        for found in _from_nouns(_STRONG, text):
            if not _VARIABLE.search(text, max(0, found.start() - 40), found.start()) and not _goes_on(found):
                yield from _if_password(found, weak=_SENTENCE.search(found[0]) is not None)
        if not _CODE.search(text) and _NOUN.search(text.lower()):
            for found in _QUOTED.finditer(text):
                if not is_ordinary(found["quoted"]) and not names_a_secret(found["quoted"]):
                    yield from _if_password(found, weak=False)
        for found in _from_nouns(_SET_TO, text):
            if found["quoted"] or not is_ordinary(found["word"].rstrip(".,;!)")):
                yield from _if_password(found, weak=True)
        yield from (found.span("word") for found in _FOUR_GROUPS.finditer(text))
    if chosen & PAIR:
        for found in _PAIR.finditer(text):
            yield from _if_password(found, weak=True)
    if chosen & (PASSWORD | KEY):
        for found in _WEAK.finditer(text):
            if not _goes_on(found):
                yield from _if_password(found, weak=True)
        for found in _ASKED.finditer(text) if _MARKED.search(text) else ():
            yield from _if_password(found, weak=True)
    if chosen & PIN:
        yield from (found.span("word") for found in _DIGITS.finditer(text))
    if chosen & PHRASES:
        for found in _WORDS.finditer(text):
            if not (is_plain(found["word"].split()[0]) and len(found["word"].split()) < 4):
                yield found.span("word")
    if chosen & PRAGMA:  # of an encrypted SQLite database
        yield from (found.span("word") for found in _PRAGMA.finditer(text))
    if chosen & BYTES:
        yield from (found.span("word") for found in _BYTES.finditer(text))
    if chosen & KEY:
        for found in _BESIDE_KEY.finditer(text):
            if is_mixed(found["word"]) and not _CALL.match(found["word"]) and not found["word"].startswith("$"):
                yield found.span("word")
    if chosen & HEX and _LONG_HEX.search(text):
        yield from _hex_keys(text)


def _goes_on(found: re.Match[str]) -> bool:
    """La password è stata cambiata: a plain word behind a verb, and more words behind it."""
    word = found["word"]
    if not word or not word.isalpha() or not word.islower():
        return False
    behind_a_verb = found.string[found.start("word") - 2].isalpha()
    return behind_a_verb and _GOES_ON.match(found.string, found.end()) is not None


def speaks_of_a_password(low: str) -> bool:
    """Whether a line, in small letters, holds a word for a password."""
    return _NOUN.search(low) is not None


def _from_nouns(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return find_from(_NOUN_HEAD, pattern, text, text.lower())


def _hex_keys(text: str) -> Iterator[tuple[int, int]]:
    for found in _HEX_KEY.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()].lower()
        if (found["before"] or "").strip(" _.-").lower() not in _HARMLESS_KEYS and "cache" not in line:
            yield found.span("word")


def _if_password(found: re.Match[str], weak: bool) -> Iterator[tuple[int, int]]:
    groups = found.groupdict()
    if groups.get("quoted") is not None:
        sure = not weak and found.re is not _QUOTED
        if not is_no_value(groups["quoted"]) and (sure or looks_like_password(groups["quoted"], weak)):
            yield found.span("quoted")
        return
    word = groups["word"]
    end = found.end("word") - (len(word) - len(_TRAILING.sub("", word)) if not word.endswith("!") else 0)
    start = found.start("word")
    bare = found.string[start:end]
    number = found.re is _STRONG and re.fullmatch(r"\d{4,12}|\d{3}[ -]\d{3}", bare)  # the code is 8841
    if len(bare) >= 4 and (number or looks_like_password(bare, weak)):
        yield start, end


def looks_like_password(word: str, weak: bool = True) -> bool:
    """Not a word of a sentence, a call, a variable, a measure or a path. `weak`: nothing but its place says what it is."""
    if is_no_value(word) or is_hidden(word) or "\0" in word or is_plain(word, weak) or _CALL.match(word):
        return False
    if (
        word.startswith(("$", "%", "{{", "<", "--", "http", "os.", "self.", "//", "@"))
        or "://" in word
        or is_measure_or_path(word)
    ):
        return False
    if re.fullmatch(
        r"[\W_]+|[A-Z][A-Z_]+_[A-Z_]+|[\w-]+\.(?:py|txt|json|ya?ml|cpp|so|h|log|toml|cfg|md)(?::\d+)?", word
    ):
        return False
    return (
        not weak
        or is_mixed(word, 4)
        or PHRASE.fullmatch(word) is not None
        or (word.isalpha() and len(word) >= 5 and not _ENDINGS.search(word) and not is_ordinary(word))
    )


_COLUMN = re.compile(r"(?:[a-z]{2,12}_){1,3}(?:id|ids|key|keys|name|code|type|at|count|path|file|url)")  # of a table


def is_plain(word: str, weak: bool = True) -> bool:
    """A word of a sentence; `weak`: also one that only ends like one."""
    low = word.lower().strip(".,;:!?()[]'\"`")
    return (
        low in _PLAIN
        or low.startswith("http/")
        or _COLUMN.fullmatch(low) is not None
        or (weak and low.isascii() and low.isalpha() and len(low) > 4 and _ENDINGS.search(low) is not None)
    )


def is_mixed(word: str, fewest: int = 8) -> bool:
    """Letters with digits or signs, or a random word."""
    if len(word) < fewest or is_measure_or_path(word):
        return False
    letters = any(letter.isalpha() for letter in word)
    return (letters and any(letter.isdigit() or letter in "!#$%&*+?@^~" for letter in word)) or looks_random(word)
