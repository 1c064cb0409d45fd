"""Secrets that the structure around them tells: the second of a tuple, the line below a name, a column, a pair of name and value."""

import base64
import re
from collections.abc import Iterator
from itertools import pairwise

from perfproof.core.entropy import bits_per_character, looks_random
from perfproof.core.secret_names import is_no_value, name_around, names_a_secret, proof_needed
from perfproof.core.text_pieces import Pieces, find_from
from perfproof.triage.redaction.keys import NOT_SECRET
from perfproof.triage.redaction.pairs import inserted
from perfproof.triage.redaction.prose import is_mixed, is_plain, looks_like_password

SIGNS_BITS = 4.6  # per character: a sentence has about 4.1, sixty random signs more than 5
_LIT = r"[bBrRfFuUN]{{0,2}}(?:\"\"\"|'''|[\"'`])\s*(?P<{0}>[^\"'`\n]{{3,}}?)\s*(?:\"\"\"|'''|[\"'`])"
_STRING = re.compile(r"(?P<mark>[\"'`])(?P<value>[^\"'`\n]{0,200})(?P=mark)")
_END = r"(?:pass(?:word|wd|phrase|code)?s?|pwd|pw|psk|pin|secrets?|tokens?|credentials?|creds|keys?|auth)"
_NAME_END = re.compile(rf"{_END}(?:_?\d{{1,2}})?(?![a-rt-z])")  # in small letters
# How a literal comes behind a name: password: str = Field(default="…"), ("TOKEN", "…"), get("KEY") or "…"
_LITERAL = re.compile(
    r"[\"']?\]?\)?\s*"
    r"(?:(?::\s*&?[A-Za-z_\['][\w\[\]., |'&;]{0,40})?\s*(?:=(?!=)|:=|=>)|==|!=|:|,(?:[^)\n]{0,80}?(?:default|value)\s*=)?|\bor\b|\[\d*\]\s*=|\{)"
    r"\s*(?:\\\r?\n\s*)?[(\[{\s]{0,40}(?:[A-Za-z_][\w.]*\(\s*(?:\w+\s*=\s*)?)?" + _LIT.format("value")
)
_FALLBACK = re.compile(  # password: <%= ENV.fetch("X") { "…" } %>, process.env.PASSWORD || "…", get("X", "…"), ${X:-…}
    r"[\"']?\s*[=:][^\n]{0,80}?(?:(?:\|\||\?\?|\bor|\{|,|\belse)[ \t]*[\"']|:-[\"']?)(?P<value>[^\s\"'{}|,]{4,80})[\"']?\s*[)\]}]*\s*(?:%>)?[,;]?[ \t\r]*(?:\n|$)"
)
_KEY_BEHIND = re.compile(r"[ \t]*:")
_ASKS = re.compile(
    r"(?:getenv|environ\.get|setdefault|env|config|settings|get|fetch)\([\"']\w*$"
)  # os.getenv("DB_PASSWORD", "…")
_USER_AND = re.compile(
    r"(?<![A-Za-z])(?i:(?:http_?)?(?:basic_?)?auth(?:entication|ori[sz]ed|ori[sz]ation)?|credentials?|creds|login|userpass|basic)(?:[\"'])?\s*[=:]\s*"
    r"(?:!!\S+\s*)?[(\[]\s*[bru]?[\"']?[^\"',()\[\]\n]{1,80}[\"']?\s*,\s*[bru]?[\"']?(?P<value>[^\"'()\[\]\n]{3,}?)[\"']?\s*,?\s*[)\]]"
)
_BRACKETS = re.compile(r"\((?P<inside>[^()\n]*(?:\n[^()\n]*)?)\)")  # the name before is looked at afterwards
_CALL_OF_TWO = re.compile(
    r"(?:^|[\s.=(!:])(?:login|log_in|authenticate|http(?:basic|digest|proxy)auth|basicauth|(?:set_?)?basic_?auth|auth|set_password|setproperty"
    r"|setenv|putenv|setdefault|set_cookie|cookies\.set|usernamepassword\w*|plainauth|passwordcredentials?|add_credentials|bind|simple_bind_s"
    r"|getconnection|credentials|createuser|signin|sign_in|wi-?fi\.begin|wlan\.(?:begin|connect)|wifimulti\.addap)$"
)
_CONNECT = re.compile(
    r"(?:^|[\s.=(>])(?:connect|connection|create_connection|open_connection|mysqli|mysqli?_connect|pg_connect|pdo|dbi->connect)$"
)
_NAMED_CALL = re.compile(r"(?:setproperty|setenv|putenv|setdefault)$")
_CRYPTO = re.compile(
    r"(?:pgp_sym_(?:en|de)crypt\([^,\n]+,\s*|aes_(?:en|de)crypt\([^,\n]+,\s*)'(?P<value0>[^'\n]{4,})'|(?:Secret(?:Str|Bytes|String|Value)?|(?:New)?(?:Signer|Cipher|Mac|HMAC)|Fernet|AES\.new|ChaCha20\w*|HMAC|hmac\.new|jwt\.(?:en|de)code|Serializer|SecretBox|SigningKey|PBKDF2\w*|scrypt|TOTP)\("
    r"[^()\n\"']*?(?:[\w.\[\]]+\()?[bBrR]?[\"'](?P<value>[^\"'\n]{8,})[\"']"
)
_TARGETS = re.compile(r"^[ \t#>]*(?P<names>[\w.]+(?:\s*,\s*[\w.]+)+)\s*=\s*\(?(?P<values>[^\n=]+)$", re.MULTILINE)
_CONTAINER = re.compile(
    r"(?P<name>(?i:passwords?|passwds?|secrets?|tokens|credentials|creds|api_?keys|pins|logins))\b[\"']?\s*[=:]\s*[\[{(](?P<inside>[^\]})]{4,600})"
)
_CONTAINER_HEAD = re.compile(r"(?:passw|secret|tokens|cred|api_?keys|pins|logins)")
_OPENED = re.compile(
    r"[sd][\"']?\s?[=:]\s?[\[{(](?<=[a-z].{5})|creds[\"']?\s*[=:]|passwords?[\"']?\s*[=:]|secrets?[\"']?\s*[=:]|tokens[\"']?\s*[=:]|keys[\"']?\s*[=:]"
)
_HEADED = re.compile(r"(?:s|auth)[\"']?:[ \t]*(?:!!\S+)?[ \t]*\r?\n|s\][ \t]*\r?\n")
_BLOCK = re.compile(
    r"^(?P<indent>[ \t]*)(?:- )?[\"']?(?P<name>(?i:\w*passwords|credentials|creds|logins|auth|basic_auth|api_?keys|tokens|pins))[\"']?\s*:\s*(?:!!\S+)?[ \t]*\r?\n"
    r"(?P<rows>(?:(?P=indent)[ \t]*(?:-[ \t]+\S|[ \t]+[\w.\"'-]+\s*:)[^\n]*(?:\n|$)){1,40})",
    re.MULTILINE,
)
_SECTION = re.compile(
    r"^\[(?:\w+\.)*(?i:passwords|credentials|creds|secrets|api_keys|tokens)\][ \t]*\r?\n(?P<rows>(?:[^\[\n][^\n]*\n?){1,60})",
    re.MULTILINE,
)
_ROW = re.compile(
    r"^[ \t]*(?:(?P<item>-)[ \t]+(?!\w+\s*:\s)|(?:-[ \t]+)?[\"']?(?P<key>[\w.-]+)[\"']?\s*[:=]\s+)[\"']?(?P<value>[^\s\"'#][^\n\"']{2,}?)[\"']?[ \t\r]*$",
    re.MULTILINE,
)
_KUBERNETES = re.compile(r"^kind:\s*Secret\s*$", re.MULTILINE)
_DATA = re.compile(r"^(?:data|stringData):[ \t]*\r?\n(?P<rows>(?:[ \t]+[^\n]*(?:\n|$))+)", re.MULTILINE)
_NAME_AND_VALUE = re.compile(
    r"(?<![\w])(?i:name|key|property|variable|k|id|field|type)(?:[\"']?\s*[:=]\s*[\"']?|>\s*|\s+[\"'])(?P<name>[\w.-]{2,80})[\"']?"
    r"(?:\s*</[\w-]+>\s*<(?i:(?:[\w-]+-)?(?:value|val|string))>|>|\s*[,;]?\s*(?:-\s+)?\{?\s*[\"']?(?i:value|val|default|v|secret|content)[\"']?\s*[:=]\s*)[\"']?"
    r"(?P<value>[^\"'<>\s,}]{3,})"
)
_COMPARED = re.compile(
    r"[\"'](?P<value>[^\"'\n]{4,})[\"']\s*(?:==|!=|in)\s*[^\n]{0,60}?(?P<name>\w*(?i:password|passwd|token|secret|api_key|_pw)\w*)"
)
_COMPARED_HEAD = re.compile(r"[\"'](?=[^\"'\n]{4,}[\"']\s*(?:==|!=|in))")
_NAME_HEAD = re.compile(r"(?:name|key|property|variable|k|id|field|type)(?=[\"'\s:=>])")
_DSN = re.compile(
    r"(?<![\w/:.@%-])(?P<user>[A-Za-z_][\w.-]{0,40}):(?P<value>[^\s:@/\"'<>()\[\]{},]{4,80})@(?:(?:tcp|unix)\(|//|(?!sha\d|latest|v?\d+(?:\.\d+)*(?!\.?\w))[A-Za-z0-9][\w.-]*(?=[:/\s\"',;)]|$))"
)
_ORACLE = re.compile(
    r"(?:jdbc:oracle:\w+:|(?<![\w/]))[A-Za-z]\w{1,30}/(?P<value>[^\s@/\"':]{4,60})@(?://)?(?!sha\d|v\d|main|master)[\w.-]+(?::\d+|/\w+)?"
)
_PGPASS = re.compile(
    r"^(?:\*|[A-Za-z0-9][\w.-]*):(?:\*|\d{2,5}):(?:\*|(?!\d+:)[\w.-]+):(?:\*|[\w.@-]+):(?P<value>(?:[^\s:\\]|\\.){3,})[ \t\r]*$",
    re.MULTILINE,
)
_ADMIN = re.compile(
    r"(?<![\w/@.:-])(?:root|admin|administrator|ADMIN):(?P<value>(?=[^\s:]*\d)(?=[^\s:]*[A-Za-z]{3})[^\s:/@\"',;()]{6,40})(?=$|[\s,;)])",
    re.MULTILINE,
)
_LOCKED = re.compile(
    r"(?<![\d-])(?P<value>\d{6}(?:-\d{6}){7})(?![\d-])|(?<!\w)(?:/TAN/|TAN[ :=]+|tan=[\"'])(?P<value2>\d{3} ?\d{3})(?!\d)"
)  # BitLocker, banks
_SEEDS = re.compile(
    r"(?i:otp|2fa|mfa|seed|种子|動態|动态|authenticator|シード|secret)[^\n]{0,40}?(?<![A-Za-z0-9])(?P<value>(?=[A-Z]*[2-7][A-Z]*[2-7])[A-Z2-7]{16,64})(?![A-Za-z0-9=])"
)
_HASHES = re.compile(r"^[^\s:]{1,40}:\d{1,8}:[0-9a-fA-F]{32}:(?P<value>[0-9a-fA-F]{32}):::", re.MULTILINE)  # of Windows
_INLINE = re.compile(r"<auth-user-pass>\s*\n[^\n]+\n(?P<value>[^\n<]{3,80}?)\s*\n")  # of OpenVPN
_PGPASS_GLANCE = re.compile(r":(?:\*|\d{2,5}):(?:\*|(?!\d+:)[\w.-]+):")
_CRYPT = re.compile(r"\$(?:\d|[0-9a-z][\w-]{0,14})\$(?P<value>[\w./+=,$-]{16,200})")
_WEBHOOK = re.compile(
    r"(?:discord(?:app)?\.com/api/webhooks/|webhook\.office\.com/webhookb2/|outlook\.office(?:365)?\.com/webhook/|hooks\.zapier\.com/hooks/catch/"
    r"|/IncomingWebhook/|hooks\.slack\.com/(?:services|workflows|triggers)/|api\.telegram\.org/bot|maker\.ifttt\.com/trigger/\w+/with/key/"
    r"|chat\.googleapis\.com/v1/spaces/)(?P<value>[^\s\"'<>]{8,})"
    r"|://(?P<value4>[\w-]{6,})\.(?:gradio\.live|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|loca\.lt|serveo\.net|lhr\.life|share\.zrok\.io)"
    # what calls this address need not say who it is: the path is the key
    r"|://[^\s/\"'<>]*(?:hook|ping|hc-|health|heartbeat|uptime|snitch|cronitor|notify|ntfy|push|alert|trigger)[^\s/\"'<>]*/(?:[\w.-]+/){0,4}(?P<value2>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,})"
    r"|://[^\s\"'<>]{3,120}?/(?:web)?hooks?/(?:[\w.-]+/){0,4}?(?P<value3>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,})"
)
_DUMPED = re.compile(  # a key file as bytes
    r"(?:hexdump|xxd|od)\b[^\n]*(?i:key|secret|token|keytab|shadow|\.pem)[^\n]*\n(?P<rows>(?:[0-9a-f]{6,8}:?[ \t]+[^\n]*(?:\n|$)){1,400})"
)
_DUMP_ROW = re.compile(
    r"^[0-9a-f]{6,8}:?[ \t]+(?P<value>[0-9a-f]{2,8}(?:[ \t]{1,2}[0-9a-f]{2,8}){0,31})(?:[ \t]{2,}\S.*)?$", re.MULTILINE
)
_GENERATED = re.compile(
    r"random_(?:password|string|bytes)\b[\s\S]{0,600}?\"(?:result|hex|base64)\":\s*\"(?P<value>[^\"\n]{4,})\""
)  # by Terraform
_QUERY = re.compile(
    r"[?&;](?i:code|state|sig|signature|x-amz-signature|x-amz-credential|x-amz-security-token|x-goog-signature|token|access_token|apikey|api_key|key|auth"
    r"|pw|pwd|pass|password|secret|sid|session|ticket|otp|app_?id|subscription[-_]key|jwt|id_token|assertion|hmac|hash|license|pin)=(?P<value>[^\s&\"'<>;#]{6,})"
)
_COOKIES = re.compile(
    r"(?i:(?<=\s)--cookie|\b(?:curl|wget|https?|xh)\s[^\n|;]{0,200}?\s-b|set-cookie:|cookie:|cookies?(?=\s\w+=))\s*[=]?\s*[\"']?(?P<value>[\w.-]+=[^\s\"';]{6,}(?:;\s*[\w.-]+=[^\s\"';]{6,})*)"
)
_LICENSE = re.compile(
    r"(?i:licen[cs]e|product|serial|activation)[ _-]?key[\"']?(?:\s*[:=]\s*|\s+)[\"']?(?P<value>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,6})"
)
_GROUPS = re.compile(  # 7F3K-99QD-LL2M: groups of one length; with letters that no hexadecimal number has
    r"(?<![\w-])(?P<value>(?=[A-Z0-9-]*[G-Z][A-Z0-9-]*[G-Z])(?=[A-Z0-9-]*\d[A-Z0-9-]*\d)(?:[A-Z0-9]{4}(?:-[A-Z0-9]{4}){3,7}|[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3,5}|[A-Z0-9]{6}(?:-[A-Z0-9]{6}){3,5}))(?![\w-])"
)
_DEFINED = re.compile(
    r"^\s*#define\s+\w*(?i:password|passwd|secret|token|api_key|pw|pass|psk|_key)\w*\s+[\"'](?P<value>[^\"'\n]{3,})[\"']",
    re.MULTILINE,
)
_IN_NAME = re.compile(  # PASSWORD_PROD = "…", getpass_default = "…", secret_value: …
    r"(?i:password|passwd|passwort|passphrase|pass|pw|secret|api_?key|token)_(?!(?i:file|path|hash|len|length|policy|field|env|name|min|max|count|id|ids|url"
    r"|prompt|required|reset|manager|type|index|mask|idx|size|embed\w*|limit|expir\w*|ttl|stdin|rate|per|dim|key|per_\w+)\b)\w{1,24}[\"']?\s*[=:]\s*[\"']?"
    r"(?P<value>[^\s\"',;<>]{6,})"
)
_IN_NAME_HEAD = re.compile(r"(?:password|passwd|passwort|passphrase|pass|pw|secret|api_?key|token)_")
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_NAMED_UUID = re.compile(
    rf"(?<![A-Za-z])(?i:tokens?|secrets?|auth|api[ _-]?key|password|instrumentation_?key|[a-z]+(?-i:Key|Token))(?:_id)?[\"']?\W{{1,4}}(?P<value>{_UUID}|[0-9a-f]{{32,64}})(?!\w)"
)
_IN_URL = re.compile(
    r"://[\w.-]+(?::\d+)?/v\d{1,2}/(?P<value>[0-9a-f]{32,}|(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{28,})(?=[/\s\"'?]|$)"
)
_ELEMENT = re.compile(
    r"<(?:\w+:)?\w*(?i:password|passwd|passphrase|secret|token|api_?key)\s[^<>]{1,200}>\s*(?P<value>[^<\s]{4,})\s*</"
)
_OWN_HEADER = re.compile(
    r"(?<![\w-])(?i:x-(?![\w-]*(?:id|trace|request|hash|etag|span|checksum|sha\d*|md5|correlation|digest|version)\b)[\w-]+)\s?:\s*(?P<value>[0-9a-f]{32,64})(?!\w)"
)
_INNER = re.compile(r"<\w*(?i:password|passwd|secret|token|passphrase)>\s*<\w+>\s*(?P<value>[^<\s]{4,})\s*</")
_NAMED_HEADER = re.compile(  # x-triton-key:…
    r"(?<![\w-])(?i:x-[\w-]*(?:key|token|secret|auth|password))\s?:\s*(?:Bearer )?(?P<value>(?=[^\s\"',;]*\d)[\w.~+/=-]{10,})"
)
_COOKIE_JAR = re.compile(
    r"^(?:#HttpOnly_)?[\w.-]+\t(?:TRUE|FALSE)\t/[^\t\n]*\t(?:TRUE|FALSE)\t\d+\t[^\t\n]+\t(?P<value>[^\t\n]{6,})$",
    re.MULTILINE,
)
_FOUR_GROUPS = re.compile(  # a password for one application
    r"(?i:pass(?:word|wd|phrase)?|pwd)[\"']?\s*[:=]\s*[\"']?(?P<value>[a-z0-9]{4}(?: [a-z0-9]{4}){3})(?![\w ])"
)
_BACKUP_CODES = re.compile(
    r"(?i:back-?up|recovery|rescue|secours|respaldo|recuperación|ersatz|wiederherstellung|recupero|reserva|予備|备用|備用|백업)[ -]?(?i:code|コード|码|碼|코드|código|codice)?s?[^\n\d]{0,20}"
    r"(?P<value>\d{4}[- ]\d{4}(?:(?:,? | [^\W\d]{1,3} )\d{4}[- ]\d{4})*)(?!\d)"
)
_LINK_SECRET = re.compile(r"secure_link_md5\s+\"[^\"\n]*\s(?P<value>[^\s\"$]{6,})\"")
_COMMENTED = re.compile(
    r"[\"'](?P<value>[0-9A-Fa-f]{32,}|(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{20,})[\"'][^\n]{0,40}?(?:#|//|--|/\*)[^\n]{0,40}?(?i:secret|token|password|(?:api|admin|private|access) key)"
)
_COOKIE_WORD = re.compile(
    r"(?i:cookie)(?:-\d)?\b[\s:=\"']+(?:\d{1,12}\s+){0,2}(?P<value>[0-9a-fA-F]{32,}|(?=[A-Z]*\d?)[A-Z0-9]{20})(?!\w)"
)
_ENCODED_PAIR = re.compile(r"(?<![A-Za-z0-9+/=])(?P<value>[A-Za-z0-9+/]{11,200}={0,2})(?![A-Za-z0-9+/=])")
_SURE = (
    _CRYPT,
    _WEBHOOK,
    _COOKIES,
    _LICENSE,
    _PGPASS,
    _DEFINED,
    _NAMED_UUID,
    _IN_URL,
    _COOKIE_WORD,
    _ELEMENT,
    _INNER,
    _OWN_HEADER,
    _NAMED_HEADER,
    _COOKIE_JAR,
    _FOUR_GROUPS,
    _BACKUP_CODES,
    _LINK_SECRET,
    _COMMENTED,
    _GROUPS,
)
_STORED = re.compile(  # what a store of sessions is asked: "AUTH" "default" "…", sess:…
    r"\"(?i:AUTH)\"(?: \"[\w.-]+\")? \"(?P<value>[^\"\n]{4,})\"\s*$|(?<![\w-])(?i:sess(?:ion)?s?|tokens?|auth|csrf|refresh|apikeys?|login|reset)[:/](?:[\w.-]+[:/]){0,2}(?P<value2>(?=[\w-]*\d)(?=[\w-]*[a-z])[0-9a-zA-Z_-]{16,})|(?i:otp|pin|2fa|mfa)[:/][^\s\"]{0,40}\" \"(?P<value3>\d{4,8})\"",
    re.MULTILINE,
)
_LIKELY = (_DSN, _ORACLE, _USER_AND)
_RANDOM = (_QUERY, _CRYPTO)


# What must be there (small letters) for an expression to be tried
_NEEDED = {
    _CRYPT: "$", _WEBHOOK: "hook api.telegram ifttt chat.googleapis ping hc- health heartbeat uptime snitch cronitor notify ntfy push alert trigger gradio. ngrok trycloudflare loca.lt serveo lhr.life zrok", _COOKIES: "cookie -b", _LICENSE: "key",
    _DEFINED: "#define", _NAMED_UUID: "token secret auth key password", _DSN: "@", _ORACLE: "@", _QUERY: "? & ;",
    _IN_URL: "://", _COOKIE_WORD: "cookie", _ELEMENT: "</", _INNER: "</", _OWN_HEADER: "x-", _NAMED_HEADER: "x-", _COOKIE_JAR: "\ttrue\t \tfalse\t", _FOUR_GROUPS: "pass pwd", _LINK_SECRET: "secure_link",
    _BACKUP_CODES: "back recovery rescue secours respaldo recuper ersatz wiederh reserva 予備 备用 備用 백업", _COMMENTED: "# // -- /*", _GROUPS: "-",
    _STORED: "auth sess token csrf refresh apikey login reset otp pin 2fa mfa", _CRYPTO: "crypt( secret sign cipher mac( fernet aes chacha hmac jwt serializer secretbox signingkey pbkdf2 scrypt totp",
}  # fmt: skip


def secrets_in_structures(text: str) -> Iterator[tuple[int, int]]:
    """Places of secrets that the structure of a text tells, such as a key on one line and its value on the next."""
    pieces = Pieces(text)
    for at, line in pieces.with_any(("auth", "basic", "cred", "login")):
        yield from ((at + start, at + end) for start, end in _encoded_pairs(line))
    for at, line in pieces.with_any(("pass", "pw", "secret", "key", "token")):
        for found in find_from(_IN_NAME_HEAD, _IN_NAME, line, pieces.low[at : at + len(line)]):
            if looks_like_password(found["value"]) and is_mixed(found["value"], 6) and "(" not in found["value"]:
                yield at + found.start("value"), at + found.end("value")
    for pattern in (*_SURE, _STORED, *_LIKELY, *_RANDOM):
        if pattern is _INNER:
            matches = [(0, found) for found in pattern.finditer(text)] if "</value" in pieces.low else []
        elif pattern is _USER_AND:
            matches = (
                [(0, found) for found in pattern.finditer(text)]
                if "auth" in pieces.low or "cred" in pieces.low or "login" in pieces.low
                else []
            )
        else:
            lines = pieces.where(_PGPASS_GLANCE) if pattern is _PGPASS else pieces.with_any(_NEEDED[pattern].split())
            matches = [(at, found) for at, line in lines for found in pattern.finditer(line)]
        for at, found in matches:
            group = (found.lastgroup if pattern in (_WEBHOOK, _STORED, _CRYPTO) else None) or "value"
            value = found[group]
            if pattern is _ORACLE and not found[0].startswith("jdbc") and not is_mixed(value, 5):
                continue
            if pattern in _LIKELY and not looks_like_password(value, weak=False):
                continue
            if pattern in _RANDOM and (not is_mixed(value, 6) or value.startswith("$")):
                continue
            yield at + found.start(group), at + found.end(group)
    if "<auth-user-pass>" in text:
        yield from (found.span("value") for found in _INLINE.finditer(text))
    for pattern, hint in ((_LOCKED, "-"), (_SEEDS, ""), (_ADMIN, "")):
        for found in pattern.finditer(text) if hint in text else ():
            yield found.span(found.lastgroup or "value")
    if ":::" in text:
        yield from (found.span("value") for found in _HASHES.finditer(text))
    if "random_" in text:
        yield from (found.span("value") for found in _GENERATED.finditer(text))
    for dump in _DUMPED.finditer(text) if pieces.hold_any(("hexdump", "xxd", "od ")) else ():
        yield from (row.span("value") for row in _DUMP_ROW.finditer(text, dump.start("rows"), dump.end("rows")))
    if not pieces.hold_any(_ANY_NAME):
        return
    yield from _behind_names(text)
    yield from _of_calls(text)
    yield from _of_targets(text)
    yield from _of_containers(text)
    yield from _of_pairs(text)
    yield from _of_inserts(text)


_ANY_NAME = (
    "pass",
    "pw",
    "psk",
    "pin",
    "secret",
    "token",
    "cred",
    "key",
    "auth",
    "login",
    "bind",
    "connect",
    "wifi",
    "wlan",
    "cookie",
    "sign",
    "mysqli",
    "pdo(",
)


def _encoded_pairs(line: str) -> Iterator[tuple[int, int]]:
    """`user:password` in base64, as in a header or in the settings of docker."""
    for found in _ENCODED_PAIR.finditer(line):
        value = found["value"]
        try:
            said = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
        except ValueError:
            continue
        if re.fullmatch(r"[\w.@+-]{1,60}:[!-~]{3,}", said):
            yield found.span("value")


def extended(text: str, start: int, end: int) -> int:
    """Where a secret ends that goes on behind a line break: the next line is nothing but more of it."""
    found = re.compile(r"\\?\r?\n(?P<more>[A-Za-z0-9+/=_-]{6,200})(?=\r?\n|$|[\"'])").match(text, end)
    if found is None or end - start < 8 or not re.search(r"[A-Za-z0-9+/=_-]{8}$", text[start:end]):
        return end
    more = found["more"]
    capitals = any(a.isalpha() and b.isalpha() and a.islower() and b.isupper() for a, b in pairwise(more))
    digits = any(one.isdigit() for one in more) and any(one.isalpha() for one in more)
    if "=" in more.rstrip("=") or "/" in more[:1] or re.match(r"[A-Z]+_[A-Z]", more):
        return end
    if not (capitals or digits) or more.count("_") > 1 or (more.islower() and not digits) or more.count("-") > 1:
        return end
    return found.end("more")


def _behind_names(text: str) -> Iterator[tuple[int, int]]:
    for end in _NAME_END.finditer(text.lower() if len(text.lower()) == len(text) else text):
        at = end.end()
        literal = _LITERAL.match(text, at) or _FALLBACK.match(text, at)
        if not literal:
            continue
        name = name_around(text, *end.span())
        strong = _is_strong(name)
        if (
            not strong
            and not names_a_secret(name)
            and name.lower() not in ("key", "token", "secret", "credentials", "auth")
        ):
            continue
        if name.lower().endswith(("keys", "auth")) and not strong:
            continue
        between = literal[0][: literal.start("value") - at]
        asked = "(" in between and names_a_secret(literal["value"])  # os.getenv("API_KEY")
        fallback = _ASKS.search(text, max(0, end.start() - 60), end.start()) is not None
        key = "\n" in between and _KEY_BEHIND.match(text, literal.end()) is not None  # "…/token",\n "auth_uri": …
        if not asked and not key and _fits(name, literal["value"], strong and (fallback or "," not in between[:3])):
            yield literal.span("value")


def _is_strong(name: str) -> bool:
    """A name that stands for a password and nothing else."""
    proof = proof_needed(name)
    return proof is not None and (
        proof[0] in ("password", "passwd", "passphrase", "passcode", "pw", "psk", "pwd") or proof[1] == "any"
    )


def _fits(name: str, value: str, strong: bool) -> bool:
    value = value.strip()
    if is_no_value(value) or "\0" in value or value.startswith(("$", "{", "--", "<")):
        return False
    if name.lower().endswith("pin"):
        return re.fullmatch(r"\d{4,8}", value) is not None
    if strong:
        return looks_like_password(value, weak=False)
    if " " in value:  # nothing but a key has so many different signs
        return len(value) >= 32 and bits_per_character(value) > SIGNS_BITS
    if re.fullmatch(r"[\w-]*\.[\w.-]*|[a-z_]+\d{0,2}", value):
        return False
    if name.lower().endswith("key"):  # key="layer12_weight" is none
        cases = (
            any(one.islower() for one in value)
            and any(one.isupper() for one in value)
            and any(one.isdigit() for one in value)
        )
        return (
            is_mixed(value)
            and (cases or "_" not in value)
            and (cases or re.fullmatch(r"[0-9a-f]{16,}", value) is not None or looks_random(value))
        )
    return is_mixed(value)


def _of_calls(text: str) -> Iterator[tuple[int, int]]:
    for call in _BRACKETS.finditer(text):
        before = text[max(0, call.start() - 40) : call.start()].lower()
        connect = _CONNECT.search(before) is not None
        if not connect and not _CALL_OF_TWO.search(before):
            continue
        inside = call.start("inside")
        literals = _STRING.finditer(text, inside, call.end("inside"))
        plain = [one for one in literals if not re.search(r"\w\s*=\s*[bru]?$", text[inside : one.start()])]
        if _NAMED_CALL.search(before) and not (plain and names_a_secret(plain[0]["value"])):
            continue
        second = plain and "," in text[inside : plain[-1].start()]  # login(user, "…")
        chosen = plain[2:] if connect else plain[-1:] if second else []
        yield from (one.span("value") for one in chosen if looks_like_password(one["value"], weak=False))


def _of_targets(text: str) -> Iterator[tuple[int, int]]:
    for line in _TARGETS.finditer(text):
        names = [name.strip() for name in line["names"].split(",")]
        values = list(_STRING.finditer(text, line.start("values"), line.end("values")))
        if len(names) == len(values):
            for name, value in zip(names, values, strict=True):
                if _is_strong(name) or (names_a_secret(name) and is_mixed(value["value"])):
                    yield value.span("value")


def _of_containers(text: str) -> Iterator[tuple[int, int]]:
    low = text.lower()
    for found in find_from(_CONTAINER_HEAD, _CONTAINER, text, low) if _OPENED.search(low) else ():
        sure = not found["name"].lower().startswith(("token", "secret", "api"))
        for number, one in enumerate(_STRING.finditer(text, found.start("inside"), found.end("inside"))):
            key = re.compile(r"\s*[:=]").match(text, one.end()) is not None
            first = number == 0 and found["name"].lower() in ("credentials", "creds")
            if not key and not first and _fits("", one["value"], sure):
                yield one.span("value")
    blocks = [*_BLOCK.finditer(text), *_SECTION.finditer(text)] if _HEADED.search(low) else []
    for found in blocks:
        name = (found.groupdict().get("name") or "").lower()
        items = 0
        for row in _ROW.finditer(text, found.start("rows"), found.end("rows")):
            items += bool(row["item"])
            if row["item"] and items == 1 and not name.endswith(("passwords", "keys", "tokens", "pins")):
                continue  # the user
            if (row["key"] or "").lower() in NOT_SECRET or (row["key"] and name in ("auth", "basic_auth")):
                continue
            if _fits("", row["value"], not name.startswith(("token", "api"))):
                yield row.span("value")
    if "kind:" in text and _KUBERNETES.search(text):
        for part in _DATA.finditer(text):
            for row in _ROW.finditer(text, part.start("rows"), part.end("rows")):
                if (row["key"] or "").lower() not in NOT_SECRET or is_mixed(row["value"]):
                    yield row.span("value")


def _of_pairs(text: str) -> Iterator[tuple[int, int]]:
    low = text.lower()
    needed = (
        (_NAME_AND_VALUE, _NAME_HEAD, ("val", "default", "content", "<entry", "string>")),
        (_COMPARED, _COMPARED_HEAD, ("==", "!=", " in ")),
    )
    for pattern, head, words in needed:
        for found in find_from(head, pattern, text, low) if any(word in low for word in words) else ():
            name = found["name"]
            if names_a_secret(name) and _fits(name, found["value"], _is_strong(name)):
                yield found.span("value")


def _of_inserts(text: str) -> Iterator[tuple[int, int]]:
    for pair in inserted(text):
        if pair.quoted and names_a_secret(pair.label) and not is_plain(text[pair.start : pair.end]):
            yield pair.start, pair.end
