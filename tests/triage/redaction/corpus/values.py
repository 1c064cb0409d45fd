"""Random values for the corpus. No value is a real one; strings like live keys are assembled here and are in no file."""

import base64
import html
import random
import string
import urllib.parse

LETTERS = string.ascii_letters
ALNUM = string.ascii_letters + string.digits
WORDS = (
    "kranich feld tulip harbor marble violet copper meadow falcon juniper saddle lantern pepper canyon orbit velvet "
    "walrus timber ribbon glacier magnet sparrow thistle cobalt dragon quartz mustard pelican"
).split()
FIRST = "Marta Jonas Priya Wei Olga Hector Ingrid Tomasz Aiko Farid Lucia Bjorn Noemi Pavel Carmen Dieter Yusuf Elena".split()
LAST = (
    "Kowalski Lindqvist Nakamura Oyelaran Ferreira Hofstadter Vasquez Petrov Rasmussen Bianchi Moreau Haddad Novotny Keller "
    "Sorensen Ivanova Castellano Brandt"
).split()
DIGITS = string.digits


def value(kind: str, rng: random.Random) -> str:
    maker = _MAKERS.get(kind)
    if maker is not None:
        return maker(rng)
    for prefix, letters in (
        ("hex", "0123456789abcdef"),
        ("tok", ALNUM),
        ("low", string.ascii_lowercase),
        ("b64_", None),
    ):
        if kind.startswith(prefix) and kind[len(prefix) :].isdigit():
            size = int(kind[len(prefix) :])
            return _b64(rng, size) if letters is None else _mixed(rng, letters, size)
    raise KeyError(kind)


def encoded(value: str, how: str) -> str:
    if how == "url":
        return urllib.parse.quote(value, safe="")
    if how == "html":
        return html.escape(value).replace("!", "&#33;")
    if how == "uni":
        return "".join(f"\\u{ord(c):04x}" if n % 3 == 0 else c for n, c in enumerate(value))
    half = len(value) // 2
    if how == "ansi":
        return f"{value[:half]}\x1b[1m\x1b[32m{value[half:]}\x1b[0m"
    if how == "wrap":
        return f"{value[:half]}\n{value[half:]}"
    if how == "backslash":
        return f"{value[:half]}\\\n{value[half:]}"
    return value


def _some(rng: random.Random, letters: str, size: int) -> str:
    return "".join(rng.choice(letters) for _ in range(size))


def _mixed(rng: random.Random, letters: str, size: int) -> str:
    """Neither digits alone nor letters alone, as in random strings of this length."""
    while True:
        found = _some(rng, letters, size)
        if letters.isalpha() or (any(c.isdigit() for c in found) and any(c.isalpha() for c in found)):
            return found


def _b64(rng: random.Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()[: size - 1] + "="


def _pw(rng: random.Random) -> str:
    one, two = rng.sample(WORDS, 2)
    return rng.choice(
        [
            f"{one.title()}-{two}{rng.randrange(10, 99)}!",
            f"{one}{two.title()}{rng.randrange(100, 999)}",
            f"{one}_{two}{rng.randrange(1000, 9999)}",
            f"{one.title()}{rng.choice('!.+')}{two}{rng.randrange(1000, 9999)}",
            f"{one}{rng.randrange(1000, 9999)}",
            f"{_mixed(rng, ALNUM, 12)}",
            f"{one[0]}{rng.randrange(10, 99)}!{_some(rng, ALNUM, 7)}",
            f"{one}{two}",
        ]
    )


def _user(rng: random.Random) -> str:
    first, last = rng.choice(FIRST).lower(), rng.choice(LAST).lower()
    return rng.choice(
        [
            f"{first[0]}{last}",
            f"{last[:6]}{rng.randrange(1, 99)}",
            f"{first}.{last}",
            f"{first[:2]}{rng.randrange(1000, 9999)}",
            f"{first}{last[0]}",
        ]
    )


def _node(rng: random.Random) -> str:
    base = rng.choice(["node", "gpu", "compute-", "dgx", "n", "cn", "worker-", "gn"])
    return rng.choice(
        [
            f"{base}{rng.randrange(100, 999):04}",
            f"{rng.choice(WORDS)}-gpu{rng.randrange(10, 99)}",
            f"lx{rng.choice(WORDS)[:4]}{rng.randrange(10, 99)}",
        ]
    )


def _fqdn(rng: random.Random) -> str:
    return f"{_node(rng)}.{rng.choice(WORDS)}.{rng.choice(['edu', 'internal', 'local', 'hpc.uni-x.de', 'cluster.local', 'corp', 'lan'])}"


def _jwt(rng: random.Random) -> str:
    part = lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")  # noqa: E731
    return ".".join(
        (
            "ey" + part('{"alg":"HS256","typ":"JWT"}')[2:],
            part('{"sub":"' + _some(rng, DIGITS, 10) + '"}'),
            _mixed(rng, ALNUM, 43),
        )
    )


def _iban(rng: random.Random) -> str:
    country, size = rng.choice([("DE", 18), ("NL", 0), ("FR", 23)])
    body = _some(rng, DIGITS, size) if size else "ABNA" + _some(rng, DIGITS, 10)
    numeric = "".join(str(int(c, 36)) for c in body + country + "00")
    return f"{country}{98 - int(numeric) % 97:02}{body}"


def _uuid(rng: random.Random) -> str:
    found = _some(rng, "0123456789abcdef", 32)
    return "-".join((found[:8], found[8:12], "4" + found[13:16], "a" + found[17:20], found[20:]))


def _card(rng: random.Random) -> str:
    body = "4" + _some(rng, DIGITS, 14)
    total = sum(sum(divmod(int(c) * (2 if n % 2 == 0 else 1), 10)) for n, c in enumerate(body))
    number = body + str(-total % 10)
    return " ".join(number[n : n + 4] for n in range(0, 16, 4))


def _telephone(rng: random.Random) -> str:
    return rng.choice(
        [
            f"+49 {rng.randrange(151, 179)} {rng.randrange(1000000, 9999999)}",
            f"+1-{rng.randrange(201, 989)}-555-{rng.randrange(1000, 9999)}",
            f"+44 20 7946 {rng.randrange(1000, 9999)}",
            f"+33{rng.randrange(600000000, 799999999)}",
        ]
    )


def _telegram(rng: random.Random) -> str:
    return f"{rng.randrange(10**9, 10**10 - 1)}:AA{_mixed(rng, ALNUM, 33)}"


_MAKERS = {
    "pw": _pw,
    "pin": lambda r: str(r.randrange(100000, 999999)),
    "phrase": lambda r: " ".join(r.sample(WORDS, 4)),
    "phrase12": lambda r: " ".join(r.sample(WORDS, 12)),
    "b32": lambda r: _some(r, string.ascii_uppercase + "234567", 32),
    "b64line": lambda r: _b64(r, 64)[:63] + "A",
    "b64user": lambda r: base64.b64encode(f"svc:{_pw(r)}".encode()).decode(),
    "b64pw": lambda r: base64.b64encode(_pw(r).encode()).decode(),
    "jwt": _jwt,
    "uuid": _uuid,
    "crypt22": lambda r: _mixed(r, ALNUM, 22),
    "crypt86": lambda r: _mixed(r, ALNUM, 86),
    "bcrypt": lambda r: _mixed(r, ALNUM, 53),
    "cbytes": lambda r: ", ".join(f"0x{r.randrange(256):02x}" for _ in range(16)),
    "lic": lambda r: "-".join(_mixed(r, string.ascii_uppercase + DIGITS, 5) for _ in range(5)),
    "aws40": lambda r: _mixed(r, ALNUM + "+/", 40),
    "akia": lambda r: "AK" + "IA" + _mixed(r, string.ascii_uppercase + "234567", 16),
    "hf": lambda r: "hf" + "_" + _mixed(r, LETTERS, 34),
    "sk": lambda r: "sk" + "-" + _mixed(r, ALNUM, 20) + "T3Blbk" + "FJ" + _mixed(r, ALNUM, 20),
    "skproj": lambda r: "sk" + "-proj-" + _mixed(r, ALNUM + "_", 48),
    "skant": lambda r: "sk" + "-ant-api03-" + _mixed(r, ALNUM, 80) + "AA",
    "ghp": lambda r: "gh" + "p_" + _mixed(r, ALNUM, 36),
    "ghpat": lambda r: "github" + "_pat_" + _mixed(r, ALNUM, 22) + "_" + _mixed(r, ALNUM, 59),
    "glpat": lambda r: "gl" + "pat-" + _mixed(r, ALNUM, 20),
    "aiza": lambda r: "AI" + "za" + _mixed(r, ALNUM, 35),
    "xoxb": lambda r: "xo" + "xb-" + _some(r, DIGITS, 12) + "-" + _mixed(r, ALNUM, 24),
    "slackhook": lambda r: "T" + _mixed(r, ALNUM, 8).upper() + "/B" + _mixed(r, ALNUM, 8).upper() + "/" + _mixed(r, ALNUM, 24),
    "discordhook": lambda r: _some(r, "123456789", 18) + "/" + _mixed(r, ALNUM, 68),
    "telegram": _telegram,
    "stripe": lambda r: "sk" + "_live_" + _mixed(r, ALNUM, 24),
    "sendgrid": lambda r: "S" + "G." + _mixed(r, ALNUM, 22) + "." + _mixed(r, ALNUM, 43),
    "npm": lambda r: "npm" + "_" + _mixed(r, ALNUM, 36),
    "pypi": lambda r: "pypi" + "-AgEIcHlwaS5vcmc" + _mixed(r, ALNUM, 60),
    "dop": lambda r: "dop" + "_v1_" + _mixed(r, "0123456789abcdef", 64),
    "nvapi": lambda r: "nv" + "api-" + _mixed(r, ALNUM, 64),
    "hvs": lambda r: "hv" + "s." + _mixed(r, ALNUM, 24),
    "dapi": lambda r: "da" + "pi" + _mixed(r, "0123456789abcdef", 32),
    "dckr": lambda r: "dckr" + "_pat_" + _mixed(r, ALNUM, 27),
    "r8": lambda r: "r8" + "_" + _mixed(r, ALNUM, 37),
    "gsk": lambda r: "gs" + "k_" + _mixed(r, ALNUM, 52),
    "glsa": lambda r: "gl" + "sa_" + _mixed(r, ALNUM, 32) + "_" + _mixed(r, "0123456789abcdef", 8),
    "ya29": lambda r: "ya" + "29.a0" + _mixed(r, ALNUM, 60),
    "gocspx": lambda r: "GOC" + "SPX-" + _mixed(r, ALNUM, 28),
    "ntn": lambda r: "nt" + "n_" + _mixed(r, ALNUM, 46),
    "linapi": lambda r: "lin" + "_api_" + _mixed(r, ALNUM, 40),
    "shpat": lambda r: "shp" + "at_" + _mixed(r, "0123456789abcdef", 32),
    "mailgun": lambda r: "key" + "-" + _mixed(r, "0123456789abcdef", 32),
    "agekey": lambda r: "AGE-SECRET" + "-KEY-1" + _mixed(r, string.ascii_uppercase + DIGITS, 58),
    "tsauth": lambda r: "ts" + "key-auth-" + _mixed(r, ALNUM, 12) + "-" + _mixed(r, ALNUM, 32),
    # personal
    "user": _user,
    "initial": lambda r: r.choice(string.ascii_lowercase),
    "name": lambda r: f"{r.choice(FIRST)} {r.choice(LAST)}",
    "email": lambda r: f"{r.choice(FIRST).lower()}.{r.choice(LAST).lower()}{r.randrange(1, 99)}@{r.choice(['uni-x.de', 'lab.edu', 'corp.example.com', 'gmail.com'])}",
    "node": _node,
    "nodelist": lambda r: f"{r.choice(['gpu', 'node', 'dgx'])}[{r.randrange(100, 199):04}-{r.randrange(200, 299):04}]",
    "winhost": lambda r: f"DESKTOP-{_mixed(r, string.ascii_uppercase + DIGITS, 7)}",
    "awshost": lambda r: f"ip-10-{r.randrange(1, 254)}-{r.randrange(1, 254)}-{r.randrange(1, 254)}.eu-west-1.compute.internal",
    "fqdn": _fqdn,
    "ip": lambda r: f"{r.choice([10, 172, 131, 84])}.{r.randrange(16, 31)}.{r.randrange(1, 254)}.{r.randrange(10, 254)}",
    "ip6": lambda r: f"fe80::{r.randrange(4096, 65535):x}:{r.randrange(4096, 65535):x}:{r.randrange(4096, 65535):x}:{r.randrange(4096, 65535):x}",
    "mac": lambda r: ":".join(f"{r.randrange(16, 250):02x}" for _ in range(6)),
    "guid": lambda r: ":".join(f"{r.randrange(4096, 65535):x}" for _ in range(4)),
    "guidflat": lambda r: _mixed(r, "0123456789abcdef", 16),
    "serial": lambda r: r.choice([_mixed(r, string.ascii_uppercase + DIGITS, 7), _mixed(r, string.ascii_uppercase + DIGITS, 14), "S" + _mixed(r, string.ascii_uppercase + DIGITS, 13)]),
    "gpuserial": lambda r: "165" + _some(r, DIGITS, 10),
    "gpuuuid": lambda r: f"GPU-{_uuid(r)}",
    "miguuid": lambda r: f"MIG-{_uuid(r)}",
    "migold": lambda r: f"MIG-GPU-{_uuid(r)}/1/0",
    "phone": _telephone,
    "phoneus": lambda r: f"({r.randrange(201, 989)}) 555-{r.randrange(1000, 9999)}",
    "iban": _iban,
    "ibanspaced": lambda r: " ".join(_iban_groups(_iban(r))),
    "card": _card,
    "ssn": lambda r: f"{r.randrange(100, 665)}-{r.randrange(10, 99)}-{r.randrange(1000, 9999)}",
    "dob": lambda r: f"19{r.randrange(50, 99)}-{r.randrange(1, 12):02}-{r.randrange(10, 28)}",
    # harmless
    "int": lambda r: str(r.randrange(100, 99999)),
    "d": lambda r: str(r.randrange(1, 9)),
    "dd": lambda r: str(r.randrange(10, 59)),
    "f": lambda r: f"{r.random() * 100:.{r.randrange(1, 5)}f}",
    "e": lambda r: f"{r.randrange(1, 9)}e-0{r.randrange(3, 6)}",
}  # fmt: skip


def _iban_groups(number: str) -> list[str]:
    return [number[n : n + 4] for n in range(0, len(number), 4)]
