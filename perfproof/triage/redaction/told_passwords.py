"""Passwords in lines that speak of one: behind the word for it stands a word that a person would choose as a password.

The form of the word decides how much its place has to say: `Birnbaum42!` is enough, `kobold77` must end a clause or
follow "is". A line that asks for a password, or ends with a colon, is answered below.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from perfproof.core.secret_names import is_measure_or_path, is_no_value, names_a_secret
from perfproof.core.secret_words import FOREIGN_HINTS
from perfproof.triage.redaction.ordinary_words import is_ordinary
from perfproof.triage.redaction.prose import PASSWORD_WORDS, is_plain
from perfproof.triage.redaction.quiet import Hints, QuietLines

_HINTS = (  # per kind of noun, of which a line must hold one in small letters
    ("pass", "pw", "secrets", "cred", "zugang", "hasł", "hesl", "парол", "jelsz", "kennw", "lösen", "κωδικ", "salt ", "account to", *FOREIGN_HINTS),
    (
        "api key", "api-key", "apikey", "access key", "secret key", "master key", "admin key", "license key", "emergency key", "root key", "service key", "bot key", "staging key", "prod key",
        "access token", "admin token", "bot token", "service token", "login", "schlüssel", "clé", "clef", "llave", "clave", "chave", "chiave", "klucz", "klíč", "kľúč", "kulcs", "anahtar",
        "ключ", "κλειδί", "sleutel", "nyckel", "nøkkel", "nøgle", "avain", "cheie", "jeton", "ficha", "token?", "key?", "wifi", "wi-fi", "wlan", "hotspot", "gettone", "токен", "żeton", "密", "秘", "キー", "鍵", "トークン", "키", "토큰", "مفتاح", "מפתח", "kunci", "khóa",
    ),
    ("code word", "codeword", "memorable", "secret ", "security answer", "first pet", "wort", "mot ", "palabra", "parola", "palavra", "woord", "ord", "słowo", "slovo", "kelime", "слово", "合言葉", "暗号"),
    ("phrase", "frase", "kennsatz", "фраза", "パスフレーズ"),
    ("code", "cód", "codi", "cod ", "kod", "код", "pin", "puk", "geheimzahl", "schloss", "lock", "ombina", "passkey", "cadenas", "candado", "lucchetto", "cadeado", "hangslot", "コード", "코드", "번호", "暗証", "门禁", "비밀", "密码", "口令"),
)  # fmt: skip
# Stems: hasłem, паролю and şifresi are forms of one word; Kundenkennwort is a compound
_STEMS = r"[^\W\d_]{0,14}?(?:kennw(?:o|ö)rt|passw(?:o|ö)rt|wachtwoord|lösenord|adgangskod|passord|salasan)|hasł|hesl|парол|лозинк|jelsz|jelsza|salasõn|şifre|parol|senha|contraseñ|slaptažod|κωδικ|סיסמ|lozink|gesl|fjalëkalim|mật khẩu|kata sandi|密码|密碼|口令|パスワード|暗証番号|비밀번호|비번|암호|كلمة"
_NOUN = re.compile(
    rf"(?<![a-z0-9_.-])(?:{PASSWORD_WORDS}|{_STEMS}|secrets|credentials?|creds|zugangsdaten|salt(?= \S*\d)|account(?= to \S*\d)|pass(?= \S*[\d!#$]))(?!less|\w?[0-9_-])[^\W\d_]{{0,5}}(?![a-z0-9_/-])"
)
# What a key opens only its value tells: it must have digits, and its place must say something
_KEY_NOUN = re.compile(
    r"(?<![a-z0-9_.])(?:api[ -]?keys?|(?:access|secret|master|admin|license|emergency|root|service|bot|staging|prod|test)[ -](?:key|token)s?|[^\W\d_]{0,12}schlüssel|clés?|clef|llave|clave|chave|chiave|klucz|klíč|kľúč|kulcs|anahtar|ключ|κλειδί|[^\W\d_]{0,10}sleutel|nyckel|nøkkel|nøgle|avain|cheie"
    r"|(?:tokens?|keys?)(?=[^\n]*\?)|jeton|ficha|wi-?fi|wlan|hotspot|gettone|токен|żeton|login|密钥|密鑰|秘钥|apiキー|キー|鍵|トークン|키|토큰|مفتاح|מפתח|kunci|khóa)[^\W\d_]{0,5}(?![a-z0-9_/-])"
)
# Words that a person remembers: any word may be one
_WORD_NOUN = re.compile(
    r"(?<![a-z])(?:code ?words?|(?:memorable|secret) (?:words?|answers?|names?|phrase)|security answer|first pet|codewort|losungswort|merkwort|mot de code|mot secret|palabra (?:clave|secreta)|parola chiave|parola d['’]ordine|palavra[- ]chave|palavra secreta"
    r"|kodewoord|kodord|kodeord|słowo kluczowe|heslové slovo|anahtar kelime|кодовое слово|контрольное слово|кодове слово|合言葉|暗号|안전단어)(?![a-z])"
)
_LONG_NOUN = re.compile(
    r"(?<![a-z])(?:pass ?phrases?|passphrase|phrase secrète|phrase de passe|frase (?:secreta|segreta|de paso)|frase d['’]accesso|passphrasen?|kennsatz|парольная фраза|пароль-фраза|パスフレーズ)(?![a-z])"
)
_REST = re.compile(
    r"[ \t]*(?:[:：=]|->|→|is|est|es|è|é|ist)[ \t]+(?P<value>[^\W\d_][^\n:=\0(){}<>\"]{5,60}?)[ \t]*(?:$|[.;,]|\()"
)
_CODE_NOUN = re.compile(
    r"(?<![\w-])(?:pin|codes?|kod|kodu|kode|código|codigo|codice|cod|код|κωδικός|코드|번호|暗証番号|コード|密码|口令)(?![a-z])"
)
_CODE_LIST = re.compile(
    r"(?<![a-z])(?:recovery|backup|scratch|rescue|emergency|one-time|wiederherstellungs|secours|récupération|recuperación|recupero|odzyskiwania)[ -]?(?:codes?|keys?|schlüssel|códigos|codici|kody)|codes? de (?:secours|récupération)|códigos de (?:recuperación|respaldo)|(?:резервн|аварийн)\S+ код"
)
_PIN_NOUN = re.compile(
    r"(?<![a-z])(?:pin|puk|digicode|geheimzahl|[^\W\d_]*t(?:ü|ue)rcode|zugangscode|zutrittscode|gatecode|doorcode|passkey|[^\W\d_]*zahlenschloss|number lock|padlock|(?:safe|lock|tresor|schloss)[^\n]{0,12}?[ck]ombina[tc]ion|cadenas|candado|lucchetto|cadeado|hangslot)(?![a-z])|暗証番号|门禁|비밀번호"
)
_OPENED = re.compile(  # what a code of letters and digits opens; an error has a code, too
    r"acces|acceso|accès|acesso|zugang|zutritt|verif|vérif|doğrul|bestätig|confirm|conferm|portal|login|log in|download|scaric|télécharg|descarg|backup|recovery|reset|activ|aktivi|unlock|einmal|one-time|authenti|sicher|sécur|segur|emergency|copy|drawer|door|puerta|porte|porta|drzwi|tür|raum|salle|sala|room|alarm|safe|tresor|rack|cage|schrank|sim|bram|gate|entr|eingang|ingress|serwerown|salon|kapı|двер|вход|сейф|ドア|扉|入室|门|문|출입"
)
_OPENER = re.compile(
    r"(?<![\w.,:/+#-])(?:[A-Z]?\d{4,8}[A-Z#*]?|\d(?: \d){3,7}|\d{2,4}[ -]\d{2,4}(?:-\d{2})?)(?![\w%]|[.,:/-]\d)"
)
_GROUPED_CODE = re.compile(r"(?<![\w.,:/+#-])(?=[\w-]*\d)[A-Z0-9]{2,6}(?:-[A-Za-z0-9]{2,10}){1,4}(?![\w%-]|[.,:/]\w)")
_PROGRAM = re.compile(r"[{}<>\\\0\t]|\w\(|\w=\S|--\w|://|\w\[|; *$|\$\w")
_QUOTE = re.compile(r"[ \t>]*")
_TOKEN = re.compile(r"[^\s\"'`“”„«»<>|,;()（）「」『』：:，。、→]{4,64}")
_COPULA = re.compile(
    r"(?:[:：=→|]|[-=]>|[-–—] |(?<![^\W\d_])(?:is|was|are|were|be|now|from|to|as|with|using|remains?|stays?|became|becomes|ist|war|lautet|lautete|wird|bleibt|auf|zu|mit|est|était|reste|sera|c['’]est|devient|à|es|era|será|sigue siendo|queda|por|è|era|sarà"
    r"|diventa|é|foi|será|ficou|agora|continua|is nu|was|wordt|naar|är|var|blir|till|er|blev|til|on|oli|jest|było|to|na|je|bylo|bude|lett|este|era|e|это|был|теперь|на|є|був|είναι|ήταν|ise|idi|oldu|olarak|là|adalah|ialah|ni|hai|tha|है|थी|คือ|هي|هو|היא)"
    r"|(?:是|为|為|成|到|は|に|を|은|는|이|가|로|으로))[ \t]*[\"'`“„«(「（]?[ \t]*$",
    re.IGNORECASE,
)
_END = re.compile(
    r"[.!?]?[\"'`”“»)\]）」]*(?:\s*$|\s*[,;，。、)|]|\.\s|\s+[(（-]|\s+(?:입니다|です|だ|ですか|и|and|und|et|y|e|i|oder|or|ou|o)(?!\w))"
)
_TECHNICAL = re.compile(
    r"(?i)[\d.,:/%+-]+\w{0,3}|v?\d+(?:\.\d+)+\S*|\S*\.(?:py|conf|cfg|ini|ya?ml|json|toml|txt|log|sh|md|service|so|h|cpp|key|pem|lan|local|com|org|net|io|de|fr|internal)"
    r"|(?:sha|md|aes|rsa|ed|ecdsa|bcrypt|scrypt|argon|pbkdf|tls|ssl|utf|iso|rfc|cve|cis|nist|cuda|gpu|xid|node|rank|port|http|ipv|rhel|el|win|python|py|oauth|saml|ldap|krb|kerberos|nvidia|rocm|qwen|llama"
    r"|gpt|phi|gemma|mixtral|mistral|bert)[-_]?v?\d+\S*|[a-z]-?\d+[a-z]?|[\w-]+/[\w/.-]*|@\S+|(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)|#\d+"
)
_SIGNED = re.compile(r"(?=.*[^\W\d_]{2})(?:\w[!#$%&*+?@^~]+\w|.*\w[!#$%&*^~]$)")
_JOINED = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)+")
_ANSWER = re.compile(
    r"[ \t]*(?:\[[^\]\n]{1,30}\][ \t]*|\d{1,2}:\d\d(?::\d\d)?[ \t]+)?(?:<?[\w.-]{2,30}>?:[ \t]+|[>*-][ \t]*)?"
)
_ASKS = re.compile(r"(?:[:：?？]|は|は、|는|은|是|为|(?<!\w)(?:is|ist|est|es|è|é|jest|är|er))[ \t\r]*$|[?？]")
_PHRASE = re.compile(r"[\"'`“„«「『](?P<value>[^\"'`“”„«»「」『』\n]{4,60})[\"'`”“»」』]")
_LISTED = re.compile(
    r"[ \t]*(?:[-*•]|\d{1,2}[.)])?[ \t]*`?(?P<value>(?=[\w-]*\d)[A-Za-z0-9]{3,}(?:[- ][A-Za-z0-9]{3,})*)`?[ \t\r]*"
)
_SAID = re.compile(
    r"\"(?:text|content|message|msg|body|comment|answer|question|prompt|note|description|value)\"\s?:\s?\"(?P<value>(?:[^\"\\\n]|\\.){4,4000})\""
)
_GROUPED = re.compile(r"\d[\d ]{2,10}\d(?!\d)[#*]?")
_CHAT = re.compile(
    r"[ \t]*(?:\[[^\]\n]{1,30}\][ \t]*|\d{1,2}:\d\d(?::\d\d)?[ \t]+)(?:<[^<>\n]{2,40}>|[^:\n]{2,40}:)[ \t]+|(?:[A-Z]|[^\W\d_]{3,20}): +"
)
_TELLS = re.compile(
    r"[\"'`]?\s+(?:is|ist|est|es|è|é|jest|är)?\s*(?:the|my|your|our|a|das|mein|le|la|mon|mi|il|o|as|als|comme|como|come|som)\s+(?:the |new |my )?"
)
NEAR = 25  # characters before the word for a password
MESSAGES = 5  # of a chat
MOST_OF_A_LABEL = 40  # characters of a line that is a label of what stands below
ANSWERS = 2  # lines below a question
_QUIET = QuietLines(Hints(_HINTS))
MOST_SAID = 1 << 20  # characters of messages


def told_passwords(text: str) -> Iterator[tuple[int, int]]:
    """Places of passwords, over all lines of a text, and over what is said in messages of JSON."""
    yield from _in_lines(text)
    said = [found.span("value") for found in _SAID.finditer(text)] if '"' in text else []
    spoken = "\n".join(text[start:end] for start, end in said)
    if said and len(spoken) < MOST_SAID:
        starts = list(accumulate((end - start + 1 for start, end in said), initial=0))
        for first, last in _in_lines(spoken):
            number = bisect_right(starts, first) - 1
            moved = said[number][0] - starts[number]
            yield first + moved, last + moved


class _Nouns(NamedTuple):
    """What a line speaks of, each with the place where the word ends; -1 if it does not."""

    length: int
    noun: int
    first: int  # where the word for a password begins
    key: int
    word: int
    long: int
    code: int
    opens: int


def _nouns(line: str, chosen: int) -> Iterator[_Nouns]:
    low = line.lower()
    if not chosen or len(low) != len(line) or _PROGRAM.search(line, _QUOTE.match(line).end()):  # type: ignore[union-attr]
        return
    found = [
        pattern.search(low) if chosen >> number & 1 else None
        for number, pattern in enumerate((_NOUN, _KEY_NOUN, _WORD_NOUN, _LONG_NOUN, _CODE_NOUN))
    ]
    pin = _PIN_NOUN.search(low) if chosen >> 4 & 1 else None
    opens = pin or (found[4] if found[4] and _OPENED.search(low) else None)
    if pin or any(found):
        ends = [one.end() if one else -1 for one in (*found, opens)]
        yield _Nouns(len(line), ends[0], found[0].start() if found[0] else -1, *ends[1:])


def _in_lines(text: str) -> Iterator[tuple[int, int]]:
    for start, said in _QUIET.search(text, _nouns):
        line = text[start : start + said.length]
        yield from ((start + first, start + last) for first, last in _within(line, said))
        yield from _under(text, start + said.length, line.lower().rstrip("\r\n"), said)


def _within(line: str, said: _Nouns) -> Iterator[tuple[int, int]]:
    if said.noun >= 0:
        yield from _before(line, said.first)
        yield from _in_line(line, said.noun, sure=True)
    if said.key >= 0:
        yield from _in_line(line, said.key, sure=False)
    if said.word >= 0:
        yield from _remembered(line, said.word)
    if said.long >= 0 and (rest := _REST.search(line.rstrip(), said.long)):
        yield rest.span("value")
    if said.opens >= 0:
        for found in (*_OPENER.finditer(line, said.opens), *_GROUPED_CODE.finditer(line, said.opens)):
            direct = _COPULA.search(line, max(said.opens - 2, found.start() - 20), found.start())
            if direct or found.start() - said.opens < 3 or _END.match(line, found.end()):
                yield found.span()


def _under(text: str, at: int, low: str, said: _Nouns) -> Iterator[tuple[int, int]]:
    """What stands in the lines below."""
    asked = _ASKS.search(low) is not None
    if said.long >= 0 and not low[said.long :].strip() and len(low) < MOST_OF_A_LABEL:
        yield from _whole_line(text, at)
    if said.word >= 0 and asked:
        yield from _whole_line(text, at)
    if said.code >= 0 and _CODE_LIST.search(low):
        yield from _listed(text, at)
    if asked:
        yield from _below(text, at, said.code >= 0, said.noun >= 0 or "login" in low)
    elif said.noun >= 0 and _CHAT.match(low):
        yield from _in_chat(text, at)


def _in_line(line: str, at: int, sure: bool) -> Iterator[tuple[int, int]]:
    for found in _PHRASE.finditer(line, at) if sure else ():
        if " " in found["value"] and _COPULA.search(line, max(at - 2, found.start() - 20), found.start()):
            yield found.span("value")
    for found in _TOKEN.finditer(line, at):
        word = _trimmed(found[0])
        strength = form_of(word)
        if not strength or (not sure and (not any(map(str.isdigit, word)) or len(word) < 8)):
            continue
        direct = _COPULA.search(line, max(at - 2, found.start() - 30), found.start()) is not None
        last = _END.match(line, found.start() + len(word)) is not None
        beside = found.start() - at < 4
        if (strength == 3 and sure) or (strength >= 2 and (direct or last or beside)):
            yield found.start(), found.start() + len(word)


def _before(line: str, end: int) -> Iterator[tuple[int, int]]:
    """use Radius&Ulna_206 as password."""
    for found in _TOKEN.finditer(line, 0, end):
        word = _trimmed(found[0])
        strength, told = form_of(word), _TELLS.fullmatch(line, found.start() + len(word), end)
        if end - found.end() < NEAR and (strength == 3 or (strength == 2 and told)):
            yield found.start(), found.start() + len(word)


def _remembered(line: str, at: int) -> Iterator[tuple[int, int]]:
    """Any word or two behind "code word": the last of its clause."""
    for found in _TOKEN.finditer(line, at):
        word = _trimmed(found[0])
        direct = _COPULA.search(line, max(at - 2, found.start() - 30), found.start()) is not None
        if (direct or found.start() - at < 3) and _END.match(line, found.start() + len(word)) and not is_plain(word):
            yield found.start(), found.start() + len(word)
            return


def _whole_line(text: str, at: int) -> Iterator[tuple[int, int]]:
    """The next line that is not empty, if it is short."""
    found = re.compile(r"\s*(?P<value>\S[^\n]{2,60}?)[ \t\r]*(?:\n|$)").match(text, at)
    if found and len(found["value"].split()) < 7 and not _PROGRAM.search(found["value"]) and ":" not in found["value"]:
        yield found.span("value")


def _in_chat(text: str, at: int) -> Iterator[tuple[int, int]]:
    """A message of one word, or with one behind its colon, within a few messages of a word for a password."""
    for _ in range(MESSAGES):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        prefix = _CHAT.match(line)
        if not prefix:
            return
        for found in _TOKEN.finditer(line, prefix.end()):
            word = _trimmed(found[0])
            alone = line[prefix.end() :].strip() == found[0]
            told = line[: found.start()].endswith((": ", "= ")) and found.start() > prefix.end()
            if (alone or told) and form_of(word) >= 2:
                yield at + found.start(), at + found.start() + len(word)
        at = end + 1


def _listed(text: str, at: int) -> Iterator[tuple[int, int]]:
    """One code in each line below."""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        found = _LISTED.fullmatch(text, at, end)
        if not found and text[at:end].strip():
            return
        if found:
            yield found.span("value")
        at = end + 1


def _below(text: str, at: int, number: bool, sure: bool) -> Iterator[tuple[int, int]]:
    left = ANSWERS
    while left and at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        first = _ANSWER.match(line).end()  # type: ignore[union-attr]  # it matches nothing, too
        if _PROGRAM.search(line):
            return
        if line.strip():
            left -= 1
            grouped = _GROUPED.match(line, first) if number else None
            if grouped:
                yield at + first, at + grouped.end()
            words = list(_TOKEN.finditer(line, first))
            for found in words:
                word = _trimmed(found[0])
                strength = form_of(word)
                alone = line[first:].strip() == found[0] and (left == ANSWERS - 1 or strength > 1)
                if not sure and not (alone and any(map(str.isdigit, word))):
                    continue
                if strength == 3 or (strength and alone) or (strength == 2 and len(words) < 4):
                    yield at + found.start(), at + found.start() + len(word)
        at = end + 1


def _trimmed(word: str) -> str:
    return word.rstrip(".?…") if not word.endswith("!.") else word[:-1]


def form_of(word: str) -> int:
    """3: nothing but a password is written like that; 2: a host or a file may be; 1: a word; 0: no password."""
    if len(word) < 4 or _TECHNICAL.fullmatch(word) or is_no_value(word) or is_measure_or_path(word):
        return 0
    if word.startswith(("$", "%", "{", "-", "/", "~", "_", "*", "#")) or names_a_secret(word) or is_plain(word):
        return 0
    letters = [one for one in word if one.isalpha()]
    digits = any(one.isdigit() for one in word)
    if len(letters) < 3 or is_ordinary("".join(one for one in word if not one.isdigit())):
        return 0
    both = any(one.islower() for one in letters) and any(one.isupper() for one in letters)
    if _SIGNED.search(word) or (digits and both and len(word) >= 7):
        return 3
    if digits or (_JOINED.fullmatch(word) and len(word) >= 8):
        return 2 if len(word) >= 6 else 0
    return 1 if len(word) >= 5 and word.isascii() and word.isalpha() else 0
