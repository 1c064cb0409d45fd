"""Passwords among the words of a command, by the option or the place in which a well-known program takes them."""

import re
from collections.abc import Iterator

from perfproof.core.secret_names import is_no_value
from perfproof.triage.redaction.ordinary_words import is_ordinary
from perfproof.triage.redaction.prose import is_mixed, is_plain, looks_like_password

_W = r"(?:\"(?P<{0}q>[^\"\n]{{3,}})\"|'(?P<{0}s>[^'\n]{{3,}})'|(?P<{0}w>(?:[^\s\"'|;&<>\\]|\\(?![rnt]|$)){{3,}}))"


def _word(name: str) -> str:
    return _W.format(name)


_A = _word("a")
_B = _word("b")
_END = r"(?=[\s\"'|;&]|$)"
_OPTS = r"(?:\s+-{1,2}[\w-]+(?:[= ][^\s-]\S*)?)*"


_NAMES: dict[re.Pattern[str], str] = {}  # of the programs that a rule is for


def _tool(names: str, rest: str) -> re.Pattern[str]:
    pattern = re.compile(rf"(?<![\w-])(?:{names})(?=\s)(?P<between>[^\n|;&]{{0,300}}?)\s{rest}")
    _NAMES[pattern] = names
    return pattern


_FIRST = r"^(?:[\w./-]{1,80}:(?:\d+:)?)?\s*"  # also behind the file that grep names
_RULES = [
    # -p or -P beside a user's name is a password, whatever the program
    re.compile(rf"\s-{{1,2}}(?:u|U|user|username|login)(?:[= ]|(?=\w))\S+(?P<between>[^\n|;&]{{0,200}}?)\s-(?:p|P|pw|pass)[= ]{_A}"),
    re.compile(rf"\s-(?:p|P|pw|pass)[= ]{_A}(?P<between>[^\n|;&]{{0,200}}?)\s-{{1,2}}(?:u|U|user|username|login)[= ]\S"),
    re.compile(rf"\s-{{1,2}}(?:U|user|username)[= ]\S+(?P<between>[^\n|;&]{{0,200}}?)\s-P{_A}"),
    _tool("zip|unzip|zipinfo|zipcloak|sqlcmd|bcp|isql|tsql|ipmitool|ipmi-\\w+|mosquitto_\\w+|expect|pdftk|pscp|plink", rf"-P ?{_A}"),
    _tool("7z|7za|7zr|7zz|rar|unrar|mysql\\w*|mariadb\\S*|mycli", rf"-p{_A}"),
    _tool("sshpass|mongo\\w*|psexec|plink|pscp|winexe|useradd|usermod|adduser|pgcli|cqlsh|twine|racadm|ncftp\\w*"
          "|rdesktop|nsxcli|mosquitto_\\w+|odbc\\w*|impala-shell|beeline|vsql|snowsql|ilorest|xrdp\\w*", rf"-p[= ]?{_A}"),
    _tool("docker|podman|oc|az|helm|skopeo|buildah|nerdctl|crane|ibmcloud|cf|kubectl|argocd", rf"login\b[^\n|;&]{{0,200}}?\s-p[= ]{_A}"),
    _tool("ipmitool|ipmi-\\w+", rf"-[yk] ?{_A}"),
    _tool("ldap\\w+", rf"-w ?{_A}"),
    _tool("redis-cli|keydb-cli|valkey-cli", rf"-a[= ]?{_A}"),
    _tool("curl|wget|aria2c", rf"(?:-E|--cert|--proxy-cert)[= ][^\s:]+:{_A}"),
    _tool("smbclient|rpcclient|smbget|smbmap|net|winexe|wmic|mount\\.cifs|smbcacls", rf"(?:-U|--user)[= ]?[\"']?[\w.\\/-]+%{_A}"),
    _tool("https?|httpie|xh|curl|wget|ab|siege|hey|wrk", rf"(?:-a|-u|-U|-A|--auth|--user|--proxy-user)[= ]?[\"']?[\w.@-]+:{_A}"),
    _tool("lftp|ncftp|ftp", rf"-u[= ]?[\w.@-]+,{_A}"),
    _tool("htpasswd", rf"-\w*b\w*{_OPTS}\s+\S+\s+\S+\s+{_A}"),
    _tool("mysqladmin", rf"password\s+{_A}"),
    _tool("openssl", rf"-k\s+{_A}"),
    _tool("openssl", rf"-(?:K|iv|hmac|macopt)\s+(?:hexkey:|key:)?{_A}"),
    _tool("openssl|keytool|gpg\\S*|java", rf"-{{1,2}}(?:pass|passin|passout|passphrase)[= ](?:pass:)?{_A}"),
    _tool("ssh-keygen", rf"-N\s?{_A}"),
    _tool("ssh-keygen", rf"-P\s?{_A}"),
    _tool("snmp\\w+", rf"-c ?{_A}"),
    _tool("snmp\\w+", rf"-A ?{_A}"),
    _tool("snmp\\w+", rf"-X ?{_A}"),
    _tool("xfreerdp\\w*|wfreerdp|mstsc", rf"/p(?:ass(?:word)?)?:{_A}"),
    _tool("net", rf"use\s+\S+\s+\S+\s+{_A}\s+/user"),
    _tool("net", rf"/user:\S+\s+{_A}"),
    _tool("net", rf"user\s+\S+\s+{_A}\s+/add"),
    _tool("runas", rf"\S+\s+{_A}"),
    _tool("wpa_passphrase", rf"\S+\s+{_A}"),
    _tool("iwconfig|iw|nmcli", rf"(?:key|password|psk|wifi-sec\.psk)\s+(?:s:|\d:)?{_A}"),
    _tool("rabbitmqctl|kafka\\S*|ejabberdctl", rf"(?:add_user|change_password|authenticate_user|register)\s+\S+\s+{_A}"),
    _tool("bw|lpass|pass|keepassxc-cli", rf"(?:unlock|login|open)\s+{_A}"),
    _tool("op", rf"(?:signin|login)\s+\S+\s+\S+@\S+\s+\S+\s+{_A}"),
    re.compile(r"(?<![\w-])(?:sqlplus|sqlldr|impdp|expdp|imp|exp|rman|tnsping)\s(?:[^\n|;&]{0,100}?\s)?[\"']?[A-Za-z]\w*/(?P<aw>[^\s@\"'/]{4,})"),
    _tool("cargo|wandb|vault|ngrok|doctl|heroku|circleci|flyctl|gh|glab|netlify|railway|modal|hf|huggingface-cli|cloudflared",
          rf"(?:login|authtoken|add-authtoken|auth:token|auth\s+\w+|service\s+install){_OPTS}\s+{_A}\s*$"),
    _tool("mc|minio", rf"(?:alias\s+set|config\s+host\s+add)\s+\S+\s+\S+\s+{_A}\s+{_B}"),
    _tool("poetry|pip|pdm|uv", rf"(?:config)\s+http-basic\.\S+\s+\S+\s+{_A}"),
    _tool("poetry|npm|yarn|aws|gcloud|rclone|git|conda|kubectl", rf"config\w*\s[^\n]{{0,120}}?(?i:token|secret|pass|password|key|_auth\w*)\S*[ =]{_A}\s*$"),
    _tool("keyring|python\\S* -m keyring|secret-tool", rf"set\s+\S+\s+\S+\s+{_A}"),
    _tool("hdparm", rf"--security-(?:unlock|set-pass|erase|disable)\s+{_A}"),
    _tool("pdf\\w+|qpdf|mutool|gs", rf"-(?:upw|opw|sPDFPassword|p)[= ]{_A}"),
    _tool("reg(?:\\.exe)?", rf"(?i:/v\s+\w*(?:pass|pwd|secret|token|key)\w*)[^\n]{{0,60}}?\s/d\s+{_A}"),
    _tool("/?msg|/?query|/?ns", rf"(?i:nickserv\s+)?(?i:identify|register|ghost)\s+(?:\S+\s+)??{_A}\s*$"),
    _tool("codecov|snyk|sentry-cli|vercel|netlify|railway|gh|glab|flyctl|coveralls|jf|ngc|modal", rf"(?:-t|--token|--auth)[= ]{_A}"),
    _tool("signtool(?:\\.exe)?|makecert|certutil|osslsigncode", rf"[/-](?:p|pass)\s{_A}"),
    _tool("x11vnc|vncviewer|vncserver|tigervnc\\w*", rf"-{{1,2}}(?:passwd|password)\s+{_A}"),
    # what is piped into a program that asks for a password
    re.compile(
        rf"(?<![\w-])(?:echo|printf|print)(?:\s+-\w+)*\s+(?:[\"']?[\w.-]+:(?=\S+\s*\|\s*(?:sudo\s+)?chpasswd))?{_A}\s*\|\s*(?:\S+\s+)?"
        r"(?:sudo\s+-S|docker|podman|passwd|chpasswd|kinit|base64|gpg\S*|cryptsetup|su\b|gh\b|openssl|vncpasswd|ssh-add|\S+[^\n|]*"
        r"(?:--password-stdin|--passphrase-fd|--with-token|-S\b))"
    ),
    re.compile(rf"(?<![\w-])(?:su|sudo|passwd|cryptsetup|gh|vncpasswd|pass|read|kinit|gpg\S*|docker|mysql|ssh-add|login|vault)\s[^\n|;]*<<<\s*{_A}"),
    re.compile(rf"(?<![\w-])(?:vncpasswd|passwd|kinit)\s*<<<\s*{_A}"),
    re.compile(r"(?<![\w-])send(?:_user)?\s+(?:--\s+)?[\"'{](?P<aw>[^\"'}\n\\]{4,})(?:\\+[rn])"),
    re.compile(rf"(?:<<\s*\w+|\bftp\b[^\n]*)\s+user\s+\w+\s+{_A}"),
    re.compile(rf"(?:^|[\"'>])\s*(?:quote )?PASS\s+{_A}(?:\s*$|[\"'\\])"),
    re.compile(r"^\S{1,8} LOGIN [\"']?[\w.@-]+[\"']? [\"']?(?P<aw>[^\s\"']{4,})[\"']?\s*$"),  # of IMAP
    re.compile(r"\bUSER\s+\S+?\W+PASS\s+(?P<aw>\w[^\s.]{3,})"),
    re.compile(r"\((?:root|admin(?:istrator)?|sa|postgres|guest|ubuntu|pi)(?: ?[/,:|] ?)(?P<aw>[^\s()/,:]{5,})\)"),  # (admin/…)
    re.compile(r"\bWIFI:[^\n]{0,80}?\bP:(?P<aq>[^;\n]{4,63})"),
    re.compile(r"(?<![\w-])pass:(?P<aq>[^\s\"'/]{4,})"),
    re.compile(rf"(?<![\w-])-?(?:store|key|trust|ts|src|dest|root|admin|auth|bind|db|smtp|ldap|sudo|become|vault)pass\s+{_A}"),
    re.compile(r"(?:^|[\"'>]\s*)AUTH[\"']?\s+(?:\w+\s+)?[\"']?(?P<aw>[^\s\"'\\]{4,})(?=\s*$|[\"'\\])"),
    re.compile(r"\b(?:password|secret|key(?:-string)?)\s+[0-9]\s+(?P<aw>[^\s\"']{6,})\s*$"),  # of routers and switches
    re.compile(r"^\s*(?:radius|tacacs|snmp|ntp|bgp|ospf|neighbor)\S*\s+(?:\S+\s+){0,6}?(?:key|password|community)\s+(?:\d\s+)?(?P<aw>[^\s\"']{4,})(?:\s+(?i:ro|rw|view|group|\d+)(?:\s+\S+)?)?\s*$"),
    re.compile(r"(?<![\w-])(?:isakmp key|pre-?shared-key(?: (?:ascii-text|hexadecimal|local|remote))?)\s+(?:\d\s+)?[\"']?(?P<aq>[^\s\"';]{4,})"),
    re.compile(rf"(?i:snmp)[^\n]*?\bauth(?:entication)?\s+(?:(?i:sha\d*|md5)\s+)?{_A}\s+priv(?:acy)?\s+(?:(?i:aes\d*|des)\s+)?{_B}"),
    re.compile(rf"(?i:ConvertTo-SecureString)\s+(?:-String\s+)?{_A}"),
    re.compile(rf"<\(\s*(?:echo|printf)\s+(?:-\w+\s+)?(?:[\"']?%s\S*\s+)?{_A}(?<!\))(?=\s*\))"),
    re.compile(r"(?:^|\s):\s*(?:PSK|XAUTH|EAP|NTLM|PIN|RSA\s+\S+)\s+[\"'](?P<aq>[^\"'\n]{3,})[\"']"),  # ipsec.secrets
    re.compile(r"/t/(?P<aw>[A-Za-z0-9-]{16,})/"),
    re.compile(rf"--(?:requirepass|masterauth|password-command|pass-file-content)[= ](?:'echo |\"echo )?{_A}"),
    # settings whose value stands behind a blank: redis, slapd, kickstart, snmpd
    re.compile(rf"{_FIRST}(?:requirepass|masterauth|rootpw|bindpw|authpass|wpa-(?:psk|passphrase)|wireless-key|auth_pass|ldap_default_authtok\s*=|(?:wpa_)?(?:psk|passphrase)\s*=)\s*(?:--\w+\s+)?(?!--?\w)(?P<aw>[^\s\"'#][^\s\"']{{3,}})\s*$"),
    re.compile(rf"(?:identified\s+(?:\w+\s+)*by|with\s+(?:\w+\s+)*password|\bpassword|(?<=[(,\s])(?-i:KEY|SECRET)(?=\s+'))(?:\s+|\s*\(\s*){_A}", re.IGNORECASE),
    re.compile(r"^\s*[$>%#]?\s*set\s+(?:-g?x\s+)?\w*(?i:token|secret|passwd|password|pass|pw|api_key)\s+(?P<aw>\S{4,})"),
    re.compile(r"(?<![\w$.])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|KEY)[ \t]+(?P<aw>(?=\S*\d)[^\s\"'=(){}]{8,})\s*$"),
    re.compile(r"\buser\s+\S+\s+on\s+(?:\S+\s+){0,4}?>(?P<aw>\S{4,})"),  # ACL of redis
    re.compile(rf"\b(?:user(?:name)?|login)\s+\S+\s+(?:there\s+with\s+|[/,|;]\s*)?pass(?:word|wd)?:?\s+{_A}"),
    re.compile(r"^\S*?(?::\s)?\[?[A-Za-z][\w.-]+\]?:\d{2,5}\s+[\w.@-]+:(?P<aw>\S{4,})\s*$"),  # relays of mail
    re.compile(rf"\b(?:SQLConnectInfo|AuthDBDParams|connection_string)\s+\S+\s+\S+\s+{_A}"),
    re.compile(rf"{_FIRST}(?:createUser|usmUser)\s+(?:-e \S+ )?\S+\s+\w+\s+{_A}(?:\s+\w+\s+{_B})?"),  # of SNMP
    re.compile(rf"{_FIRST}[\w.\"-]+\s+\*\s+{_A}\s+\*\s*$"),  # of pppd
    re.compile(rf"<<<\s*{_A}\s*$"),
    re.compile(rf"^(?:\S+ secrets:\s+)?https?://\S+\s+[A-Za-z][\w.@-]*\s+{_A}\s*$"),  # of davfs
    re.compile(rf"(?<![\w-])(?:i|o|t)sql\s+\S+\s+[A-Za-z]\w*\s+{_A}\s*$"),
    re.compile(r"^\s*(?:ENV|ARG|setenv|SetEnv|fastcgi_param)\s+\w*(?i:token|secret|passwd|password|pass|pw|key)\s+(?P<aw>\S{4,})", re.MULTILINE),
]  # fmt: skip
_OF_ANY, _OF_TOOLS, _OTHERS = (
    _RULES[:3],  # hold for every program but those of _OTHER_P
    [rule for rule in _RULES if rule in _NAMES],
    [rule for rule in _RULES[3:] if rule not in _NAMES],
)
_HERE = {rule: re.compile(rf"(?<![\w-])(?:{names})(?=\s)") for rule, names in _NAMES.items()}
# What each of the others needs (small letters, in a text of ASCII): all words of one of the lists
_NEEDED = (
    (("/", "sql"), ("/", "imp"), ("/", "exp"), ("/", "rman"), ("/", "tnsping")),
    (("|", "echo"), ("|", "print")),
    (("<<<",),),
    (("<<<",),),
    (("send", "\\"),),
    (("user", "<<"), ("user", "ftp")),
    (("pass",),),
    ((" login ",),),
    (("user", "pass"),),
    (("(root",), ("(admin",), ("(sa",), ("(postgres",), ("(guest",), ("(ubuntu",), ("(pi",)),
    (("wifi:",),),
    (("pass:",),),
    (("pass ",),),
    (("auth",),),
    (("password ",), ("secret ",), ("key ",), ("key-string",)),
    (("key ",), ("password ",), ("community",)),
    (("isakmp",), ("shared-key",), ("sharedkey",)),
    (("snmp",),),
    (("securestring",),),
    (("<(",),),
    ((": psk",), (":psk",), ("xauth",), (": eap",), ("ntlm",), (": pin",), (": rsa",)),
    (("/t/",),),
    (("--", "pass"), ("--", "masterauth")),
    (("pass",), ("masterauth",), ("rootpw",), ("bindpw",), ("authtok",), ("psk",)),
    (("password",), ("identified",), ("key '",), ("secret '",)),
    (("set", "token"), ("set", "secret"), ("set", "pass"), ("set", "pw"), ("set", "api_key")),
    (("_token",), ("_secret",), ("_pass",), ("_pwd",), ("_key",)),
    (("user ", ">"),),
    (("pass",),),
    ((":", ":"),),
    (("connect",), ("dbd",)),
    (("createuser",), ("usmuser",)),
    (("*",),),
    (("<<<",),),
    (("://",),),
    (("sql",),),
    (("env",), ("arg",), ("fastcgi",)),
)
_OTHER_P = re.compile(
    r"\b(?:squeue|sbatch|srun|sacct|salloc|scancel|sinfo|sreport|ssh|scp|rsync|perf|strace|(?:docker|podman) (?:run|compose|exec)|nvprof|lsof|kill|h?top|mkdir|cp|ps|make)\b"
)
_PORTS = re.compile(r"\d+(?:[:/-]\d+)*(?:/tcp|/udp)?|\d+(?:\.\d+){3}:.*|-.*")
_EXACT = re.compile(r"(?:Hex|0x)?[0-9A-Fa-f]{12,}")
_PHRASE = re.compile(r"[A-Za-z]{3,}(?:[-_.][A-Za-z]{2,})+")
_OBSCURED = re.compile(r"\$9\$[\w./-]{6,}")  # of Juniper
_LIST = re.compile(r"[\"']\s*,\s*[\"']")


def _hint_of(name: str) -> str:
    """The letters with which every program of that name begins."""
    letters = re.match(r"[\w-]*", re.sub(r"^/\?", "", name))[0]  # type: ignore[index]  # it matches nothing, too
    return letters + (" " if letters == name else "")


HINTS = (
    *((f" -{letter}", f'"-{letter}', f"'-{letter}") for letter in "pP"),
    *({_hint_of(name) for name in _NAMES[rule].split("|")} for rule in _OF_TOOLS),
    *({words[0] for words in lists} for lists in _NEEDED),
)


def passwords_in_commands(text: str, chosen: int) -> Iterator[tuple[int, int]]:
    """Places of passwords in one line, read as a shell command and as a list of quoted words."""
    if not chosen:
        return
    yield from _in_shell(text, chosen)
    if _LIST.search(text):
        yield from _in_list(text, chosen)


def _in_list(text: str, chosen: int) -> Iterator[tuple[int, int]]:
    """["mysql", "-pSECRET"]: the words without quotes and commas; the places are those in the list."""
    spaced, at = "", 0
    for found in _LIST.finditer(text):  # as long as before: the places stay
        spaced += text[at : found.start()] + " " * len(found[0])
        at = found.end()
    spaced = re.sub(r"[\"'\[\],]", " ", spaced + text[at:])
    squeezed = re.sub(r" (?= )", "\1", spaced).replace("\1", "\2")
    kept = [at for at, letter in enumerate(squeezed) if letter != "\2"]
    for start, end in _in_shell("".join(squeezed[at] for at in kept), -1):
        yield kept[start], kept[end - 1] + 1


def _in_shell(text: str, chosen: int) -> Iterator[tuple[int, int]]:
    if chosen & 3 and not _OTHER_P.search(text):
        yield from _by_rules(text, _OF_ANY)
    chosen >>= 2
    for number, rule in enumerate(_OF_TOOLS):
        if chosen >> number & 1 and _HERE[rule].search(text):
            yield from _by_rules(text, [rule])
    chosen >>= len(_OF_TOOLS)
    low = text.lower()
    for number, (rule, lists) in enumerate(zip(_OTHERS, _NEEDED, strict=True)):
        if chosen >> number & 1 and any(words[-1] in low for words in lists):
            yield from _by_rules(text, [rule])


def _by_rules(text: str, rules: list[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    for rule in rules:
        for found in rule.finditer(text):
            for name in ("aq", "as", "aw", "bq", "bs", "bw"):
                value = found.groupdict().get(name)
                if value and _is_password(value, name[1] != "w"):
                    yield found.span(name)


def _is_password(value: str, quoted: bool) -> bool:
    if _OBSCURED.match(value):
        return True
    if _PORTS.fullmatch(value) or value.startswith(("$", "%", "[hidden", "\0", "/", "./", "--")) or "\0" in value:
        return False
    if is_no_value(value):
        return False
    if quoted or _EXACT.fullmatch(value):
        return not is_plain(value)
    return looks_like_password(value, weak=True) or is_mixed(value.rstrip("?!.,"), 6) or _is_phrase(value)


def _is_phrase(value: str) -> bool:
    """juniper-berry: two words, of which one is in no manual."""
    return _PHRASE.fullmatch(value) is not None and not is_ordinary(value)
