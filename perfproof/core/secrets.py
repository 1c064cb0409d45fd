"""What a secret looks like: keys of a known form, values that stand behind the name of a secret, words drawn at random.

`find` tells where in a text they stand, and of which kind; who calls decides what is put in their place.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from perfproof.core import secret_options
from perfproof.core.entropy import random_words
from perfproof.core.secret_names import NAMES_END, holds, is_hidden, is_secret, name_around, names_a_secret
from perfproof.core.secret_words import FOREIGN_HINTS
from perfproof.core.text_pieces import Pieces

__all__ = ["HIDDEN", "Secret", "find", "hide", "is_hidden", "is_secret", "merged", "names_a_secret"]
HIDDEN = "[hidden]"
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbfv]))"  # the letter of an escape, \n, is none of the word behind it
# A block of which the end is cut off, and a certificate, reach as far as their lines are base64
_PEM_BREAK = r"(?:\s|\\[nr]|[\"',+|>])+"
_PEM_TEXT = r"(?:[A-Za-z0-9+/=]{12,}|(?:Proc-Type|DEK-Info|Comment|Version):[^\n]*)"
_PEM_LINE = rf"(?:{_PEM_BREAK}{_PEM_TEXT})"
# How the tokens of many services begin: public formats, written down from memory
_VENDOR_WORDS = (
    "ntn_ lin_api_ lin_oauth_ glsa_ glc_ figd_ PMAK- NR[A-Z]{2}- ATATT3 ATCTT3 ATBB pcsk_ tvly- pplx- sq0[a-z]{3}- "
    "fo1_ fm[12]_ tskey- rubygems_ sntry[a-z]_ sq[uap]_ pul- bkua_ CCI(?:PAT|PRJ)_ CLOJARS_ xkeysib- xsmtpsib- HRKU- "
    "nf[pc]_ AKCp cmVmdGtu hf_oauth_ xai- esecret_ rnd_ ph[cx]_ sgp_ apify_api_ CFPAT- duffel_(?:test|live)_ fio-u- "
    "ico- pscale_[a-z]+_ pn[ub]_ rdme_ shippo_(?:live|test)_ sb[ps]_ tgp_v1_ tfp_ EZ[AT]K FLWSECK(?:_TEST)?- ops_ey "
    "bb_live_ fw_ vercel_ cfut_ LTAI5t GR1348941 mgp_ dapi"
)
_VENDORS = _VENDOR_WORDS.split()
_FORMS = {  # a kind, what stands in every text that holds one (small letters) -> what it looks like;
    # where a group is named `secret`, only that part is one
    (
        "private-key",
        "-----begin",
    ): r"-----BEGIN [A-Z0-9 ]*PRIVATE[A-Z0-9 ]*-----(?:\s|\\[nr])*(?P<secret>[\s\S]{1,16000}?)"
    r"(?:\s|\\[nr])*-----END [A-Z0-9 ]+-----"
    rf"|-----BEGIN [A-Za-z0-9 ]+-----{_PEM_BREAK}(?P<parts>{_PEM_TEXT}{_PEM_LINE}*)",
    (
        "vault-text",
        "$ansible_vault",
    ): r"\$ANSIBLE_VAULT;[\w.;-]+(?:\s|\\n)+(?P<secret>[0-9a-f]{20,80}(?:(?:\s|\\n)+[0-9a-f]{20,80})*)",
    ("ssh-key", "ssh- ecdsa-"): _START + r"(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\w+) [A-Za-z0-9+/=]{40,}",
    ("aws-key", "akia asia abia acca"): _START + r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Z])",
    ("github-token", "gho_ ghp_ ghs_ ghr_ ghu_ github_pat_"): _START
    + r"(?:gh[opsru]_[A-Za-z0-9]{20,}|github_pat_\w{20,})",
    ("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt-"): _START
    + r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[\w-]{16,}",
    ("slack-token", "xox xapp- hooks.slack"): _START
    + r"(?:xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|hooks\.slack\.com/services/[\w/]{20,})",
    ("anthropic-key", "sk-ant-"): _START + r"sk-ant-[\w-]{20,}",
    ("openai-key", "sk-"): _START + r"sk-(?!ant-)(?:proj-)?[A-Za-z0-9_-]{20,}",
    ("huggingface-token", "hf_ api_org_"): _START + r"(?:hf|api_org)_[A-Za-z0-9]{20,}",
    ("google-key", "aiza ya29. gocspx-"): _START + r"(?:AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,})",
    ("stripe-key", "k_live_ k_test_ whsec_"): _START
    + r"(?:[srp]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{16,})",
    ("jwt", "eyj"): _START + r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",
    ("npm-token", "npm_"): _START + r"npm_[A-Za-z0-9]{30,}",
    ("pypi-token", "pypi-"): _START + r"pypi-(?:AgE[\w-]{10,}|[\w-]{50,})",
    (
        "azure-key",
        "accountkey sharedaccess",
    ): r"(?i:AccountKey|SharedAccessKey|SharedAccessSignature)=(?P<secret>[A-Za-z0-9+/=%]{20,})",
    ("azure-sas", "sig="): r"[?&;](?i:sig)=(?P<secret>[A-Za-z0-9%+/=_-]{16,})",
    ("sendgrid-key", "sg."): _START + r"SG\.[\w-]{16,}\.[\w-]{16,}",
    ("twilio-key", ""): _START + r"(?:SK|AC)[0-9a-f]{32}(?![0-9A-Za-z])",
    ("telegram-token", ""): _START + r"\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])",
    ("nvidia-key", "nvapi-"): _START + r"nvapi-[\w-]{20,}",
    ("wandb-key", "wandb"): r"(?i:wandb)(?:_v1_\w{20,}|(?i:[_ .-]*(?:api|login|key))+\W{1,4}(?P<secret>[0-9a-f]{40}))",
    ("docker-token", "dckr_"): _START + r"dckr_(?:pat|oat)_[\w-]{20,}",
    ("databricks-token", "dapi"): _START + r"dapi[0-9a-f]{32}",
    ("digitalocean-token", "_v1_"): _START + r"do[opr]_v1_[0-9a-f]{40,}",
    ("vault-token", "hvs. hvb. hvr."): _START + r"hv[sbr]\.[\w-]{20,}",
    ("groq-key", "gsk_"): _START + r"gsk_[A-Za-z0-9]{20,}",
    ("shopify-token", "shp"): _START + r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    ("langsmith-key", "lsv2_"): _START + r"lsv2_(?:pt|sk)_[0-9a-f]{32}(?:_[0-9a-f]{10})?",
    ("mailgun-key", "key-"): _START + r"key-[0-9a-f]{32}(?![0-9A-Za-z])",
    (
        "vendor-token",
        " ".join(
            ["age-secret-key -us oy2 pat .atlasv1. dp. dt0", *(re.split(r"[(\[]", one)[0].lower() for one in _VENDORS)]
        ),
    ): _START + rf"(?<!_)(?:(?:{'|'.join(_VENDORS)})(?=[\w-]*?[A-Za-z]*\d)[\w-]*?[A-Za-z0-9]{{14}}[\w-]*"
    r"(?:=[0-9A-F]{8}(?!\w))?"
    r"|AGE-SECRET-KEY-1[0-9A-Z]{40,}|[0-9a-f]{32}-us\d{1,2}(?!\w)|oy2[a-z0-9A-Z]{43}(?!\w)"
    r"|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}|dp\.[a-z]{2,4}\.[\w.-]{30,}|dt0[a-z]\d\d\.\w{20,}\.\w{40,})",
    ("replicate-key", "r8_"): _START + r"r8_[A-Za-z0-9]{30,}",
    ("braintree-token", "access_token$"): r"access_token\$\w+\$[a-z0-9A-Z]{16}\$[0-9a-f]{32}",
    ("cluster-token", "::"): _START + r"K10[0-9a-f]{64}::(?:\w+:)?[\w-]{16,}",
    ("smtp-password", "334 "): r"334 UGFzc3dvcmQ6?\S*\r?\n(?:[<>\w-]{1,6}:?\s)?(?P<secret>[A-Za-z0-9+/=]{4,})",
    (
        "authorization",
        "authorization",
    ): r"(?i:authorization)\W{1,6}(?i:digest|aws4-hmac-sha256|hawk|oauth|signature|mac|sharedkey\w*)\s+"
    r"(?P<parts>[^\r\n\\]{8,})"
    r"|(?i:authorization)(?:\W{0,3}[:=]\W{0,4}|[\s\"'>,(]{1,6}(?=(?:\w+\s+)?[^\s\"'<]*\d))(?i:(?:bearer|basic|token|digest)\s+)?(?P<secret>[^\s\"'<]{6,})",
    (
        "authorization",
        "authorization:",
    ): r"(?i:authorization):\s*[A-Za-z][\w-]{2,20}\s+(?P<secret>(?=\S*\d)[^\s\"'<]{8,})",
    ("asana-token", "/"): _START + r"\d/\d{12,20}:[0-9a-f]{32}(?!\w)",
    ("bearer", "bearer"): r"\b(?i:bearer)\s+(?P<secret>(?=[^\s\"'<]*\d)[\w+/=.~-]{16,})",
    ("cookie", "cookie\" cookie' cookie\\"): r"(?i:(?:set-)?cookie)\\?[\"']\s?[:=]\s?\\?[\"']"
    r"(?P<secret>[^\r\n\"<\\=]{1,200}=[^\r\n\"<\\]{3,})",
    ("cookie", "cookie:"): r"\b(?i:(?:set-)?cookie):\s*(?P<secret>[^\r\n\"<]{6,})",
    ("netrc", "password"): r"\b(?i:login\s+(?!anonymous\b)\S+\s+password)\s+(?P<secret>\S{4,})",
    ("password-in-address", "@"): r":(?://|__|%2F%2F)[^\s/:@<\"']*:(?P<secret>[^\s/@<\"']+)@",
    **secret_options.FORMS,
}
_QUOTE = r"(?:\\?[\"']|&#34;|&quot;|&#39;)?"
_IS = rf"{_QUOTE}(?:[ \t]{{0,8}}(?::=|=>|[=:])[ \t]{{0,8}}(?:!!?\w+[ \t]+)?|(?P<element>>|&gt;))"
_NAMED = re.compile(rf"(?P<end>{NAMES_END}){_IS}")  # in small letters
_UNPACKED = re.compile(r"^\s*(?:\w+, ?)+\w+ ?= ?$")  # user, password = credentials
# A variable, a placeholder
_STANDS_FOR = re.compile(r"\$\{|\{\{|\$\(|\$[A-Z][A-Z0-9_]*$|\(?redacted|\*{3,}|\w{0,12}?0{16,}$")
_MOST_JUDGED = 512  # of the characters of a value: enough to tell what it is
_QUOTED = re.compile(r"(?P<mark>[\"'])(?P<value>[^\"'\n<]{4,})(?P=mark)")
_LETTER = r"(?:(?!\\\"|&#34;|&quot;|&#39;|&lt;)[^\s<\"'])"
_WORD = re.compile(rf"{_QUOTE}(?P<value>{_LETTER}{{4,{_MOST_JUDGED}}}+)")  # no more, or a long line takes for ever
_REST = re.compile(rf"{_LETTER}*+")
_ELEMENT = re.compile(r"(?P<value>(?:(?!&lt;)[^<\n]){4,512}+)(?=</|&lt;/)")
_PATTERNS = tuple((kind, tuple(hints.split()), re.compile(form)) for (kind, hints), form in _FORMS.items())
_OVER_LINES = {"private-key", "vault-text", "smtp-password", "netrc", "authorization"}  # the others stand on one line
_GLANCES = {  # where no word must be there, an expression that is quickly tried
    "twilio-key": re.compile(r"(?:SK|AC)[0-9a-f]{32}"),
    "telegram-token": re.compile(r":[A-Za-z0-9_-]{35}"),
}
_NAME_HINTS = (
    "pass", "pw", "psk", "pin", "otp", "secret", "token", "credential", "key", "signature", "cookie", "sessid",
    "sessionid", "api", "sign", "auth", "pat", "sas", *FOREIGN_HINTS,
)  # fmt: skip


class Secret(NamedTuple):
    start: int
    end: int
    kind: str

    def moved(self, by: int) -> "Secret":
        return Secret(self.start + by, self.end + by, self.kind)


def find(text: str, entropy: bool = True) -> list[Secret]:
    """Every secret in the text, in order and without overlap."""
    pieces = Pieces(text)
    found: list[Secret] = []
    for kind, hints, pattern in _PATTERNS:
        if not hints or pieces.hold_any(hints):
            found += _of_a_form(pieces, kind, hints, pattern)
    for start, line in pieces.with_any(_NAME_HINTS):
        low = pieces.low[start : start + len(line)]
        found += [secret.moved(start) for secret in _behind_a_name(line, low)]
    if pieces.hold_any(secret_options.OPTION_HINTS) and "-" in text:
        found += [Secret(first, last, "option") for first, last in secret_options.in_text(text)]
    if entropy:
        found += [Secret(first, last, "random") for first, last in random_words(text)]
    return merged(found)


def hide(text: str, put: Callable[[Secret], str] = lambda secret: HIDDEN, entropy: bool = True) -> str:
    """The text, with every secret replaced."""
    pieces, at = [], 0
    for secret in find(text, entropy):
        pieces += [text[at : secret.start], put(secret)]
        at = secret.end
    return "".join([*pieces, text[at:]])


def _of_a_form(pieces: Pieces, kind: str, hints: tuple[str, ...], pattern: re.Pattern[str]) -> Iterator[Secret]:
    looked_at: Iterable[tuple[int, str]]
    if kind in _OVER_LINES:
        looked_at = [(0, pieces.text)]
    elif kind in _GLANCES:
        looked_at = pieces.where(_GLANCES[kind])
    else:
        looked_at = pieces.with_any(hints)
    for start, piece in looked_at:
        for match in pattern.finditer(piece):
            part: str | int = next((name for name in ("secret", "parts") if match.groupdict().get(name) is not None), 0)
            if not is_hidden(match[part]) and not _STANDS_FOR.match(match[part]):
                yield Secret(*match.span(part), kind).moved(start)


def _behind_a_name(text: str, low: str) -> Iterator[Secret]:
    at = 0
    while found := _NAMED.search(low, at):
        at = found.end()
        name = name_around(text, *found.span("end"))
        if not names_a_secret(name):
            continue  # a harmless name does not cover up what stands behind it: max_token=8&password=…
        value = _value_at(text, at, found["element"] is not None)
        if value and value["value"].isidentifier() and _UNPACKED.search(text, 0, at):
            continue
        if value and holds(name, value["value"][:_MOST_JUDGED]):
            at = _REST.match(text, value.end("value")).end()  # type: ignore[union-attr]  # it matches nothing, too
            yield Secret(value.start("value"), at, "named-secret")


def _value_at(text: str, at: int, element: bool) -> re.Match[str] | None:
    if element:
        return _ELEMENT.match(text, at)
    return _QUOTED.match(text, at) or _WORD.match(text, at)


def merged(found: list[Secret]) -> list[Secret]:
    """The first of those that overlap, and the longest of those that begin together, reaching to the last end."""
    kept: list[Secret] = []
    for secret in sorted(found, key=lambda one: (one.start, -one.end)):
        if kept and secret.start < kept[-1].end:
            kept[-1] = kept[-1]._replace(end=max(kept[-1].end, secret.end))
        else:
            kept.append(secret)
    return kept
