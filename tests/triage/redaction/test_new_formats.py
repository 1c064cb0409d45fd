"""Formats that a fresh collection brought up: each class with an attack and an honest look-alike."""

import random
import string

import pytest

from perfproof.core.entropy import looks_random
from perfproof.triage.redaction import Redactor
from perfproof.triage.redaction.tables import columns

PASSWORD = "orbit-lemon-85"
UUID = "12d8c39c-2ca3-466f-8ca6-d6907e1d6a6d"
HEX = "af733173cd0c4476e1d96a646c0fc0ae1f9a2583"

SECRETS = [
    f"snyk auth {UUID}",
    f"label-studio token {HEX}",
    f"storePassword '{PASSWORD}'",
    f"bindpw {PASSWORD}",
    f': PSK "{PASSWORD}"',
    f"net use Z: //nas/data /user:svc {PASSWORD}",
    f"rsync --password-file=<(echo {PASSWORD}) a rsync://h/m",
    f"The password for the cluster is {PASSWORD}",
    f"{PASSWORD} is the password",
    f"root password has been set to {PASSWORD}",
    f'password: <%= ENV.fetch("X") {{ "{PASSWORD}" }} %>',
    f"| user | password |\n|---|---|\n| svc | {PASSWORD} |",
    f"user,password,host\nsvc,{PASSWORD},db1",
    f"kind: Secret\nstringData:\n  db: {PASSWORD}",
    f'<input type="password" value="{PASSWORD}">',
    f'ConvertTo-SecureString "{PASSWORD}" -AsPlainText -Force',
    f'write(3, "AUTH {PASSWORD}\\r\\n", 10)',
    f"tacacs key {PASSWORD}",
    f'Credentials("Realm", "nexus", "svc", "{PASSWORD}")',
    f'authorization: Digest username="x", realm="r", response="{HEX}"',
    f"MAILGUN_SIGNING={HEX[:32]}-9931e16f-a742551b",
    f"JENKINS_API=11{HEX}",
    f"CREATE LOGIN etl WITH PASSWORD = N'{PASSWORD}';",
    f"masterauth {PASSWORD}",
    f"grep.txt:12:masterauth {PASSWORD}",
    f"pdftotext -upw {PASSWORD} a.pdf",
    f'hmac.new(b"{PASSWORD}", msg, "sha256")',
    f'new mysqli("localhost", "root", "{PASSWORD}", "db")',
    f's.login(user, "{PASSWORD}")',
    f"senha={PASSWORD}",
    f"https://mainnet.example.org/v3/{HEX}",
    f"xauth add h:0 MIT-MAGIC-COOKIE-1 {HEX}",
    f"reg add HKLM /v Password /d {PASSWORD}",
    f"user default on >{PASSWORD} ~* +@all",
    f'<wsse:Password Type="PasswordText">{PASSWORD}</wsse:Password>',
    f"<AdministratorPassword><Value>{PASSWORD}</Value></AdministratorPassword>",
    f"<param-name>smtp.password</param-name><param-value>{PASSWORD}</param-value>",
    f"java -jar cli.jar -auth admin:{HEX} list-jobs",
    f"-----BEGIN OpenVPN Static key V1-----\n{HEX[:32]}\n-----END OpenVPN Static key V1-----",
    f'AES.new(bytes.fromhex("{HEX}"), AES.MODE_GCM)',
    f'os.getenv("DB_PASSWORD", "{PASSWORD}")',
    f"password: !!str {PASSWORD}",
    f"Authorization: Splunk {UUID}",
    f"x-honeycomb-team: {HEX}",
    f"trino --password <<< {PASSWORD}",
    f"password changed from {PASSWORD} to {HEX}",
    f"initIndex('APP', '{HEX}')  # admin api key",
    f"$ANSIBLE_VAULT;1.1;AES256\n  {HEX}{HEX}",
    f"334 UGFzc3dvcmQ6\n{'b3JiaXQtbGVtb24tODU='}",
]
HARMLESS = [
    "click-8.5.1.dist-info/METADATA,sha256=Y9I-c0pMYxkdlWyFo5kpFykUE3fJr4R9zStLRQ4Lgcw,2567",
    "API_KEY=your-api-key-here",
    "auth_token=args.token,",
    'access_token = response["access_token"]',
    'if not password: raise ValueError("password is required")',
    "grep -w token log.txt",
    "password: {{ vault_password }}",
    f"commit {HEX}",
    f"run id {UUID} started",
    "the key is that the tokens are cached",
    "user, password and host\nare read, checked and kept",
    "/dev/shm/nccl-abc123",
    f"x-request-id: {HEX}",
    "def match(signing_keys: List[PyJWK], kid: str) -> str:",
    "def route(self, model: str, api_key: str) -> str:",
    "passphrase = _ffi.NULL",
    "dep_token=dep_token0",
    "password: (hidden)",
    'using the HTTP "Authorization" request header field',
    "rnd_state_of_layer_12_seed_3",
    "sbs_tile_128x128_two_stages_v2",
]
PERSONS = [
    ('__author__ = "Aisha Vandenberg"', "Vandenberg"),
    ('"displayName": "Aisha Vandenberg",', "Vandenberg"),
    ("reviewed-by: Aisha Vandenberg", "Vandenberg"),
    ("Kind regards, Aisha Vandenberg", "Vandenberg"),
    ("credit card 4111 1111 1111 1111", "4111 1111"),
    ("amex card 378282246310005", "378282246310005"),
    ("call me at 415-555-0549", "415-555-0549"),
    ("address: 82 Elm Avenue", "Elm"),
    ("GPS: 49.94632, 14.69468", "49.94632"),
    ("ssh -l svc cn0231", "cn0231"),
    ("jlind7@cn0231 ~ % python x.py", "jlind7"),
    ("dn: uid=hsoren,ou=people,dc=lab,dc=org", "hsoren"),
    ("CRON[123]: (mkowal) CMD (run.sh)", "mkowal"),
    ("VIN 1HGCM82633A004352", "1HGCM82633A004352"),
]
NOBODY = [
    "Not used for user messages.",
    "/* Set user context from information of variable */",
    "THIS SOFTWARE IS PROVIDED BY THE AUTHOR AND CONTRIBUTORS",
    "from sympy.polys.domains.pythonintegerring import PythonIntegerRing",
    "NCCL INFO Channel 24/0 : 4[3] -> 2[7] via P2P/CUMEM/read",
    "lat: 12.3412 ms",
    "latency 48.85341 us",
    "batch 1234 5678 9012 3456",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_of_a_new_format_is_hidden(text):
    done = Redactor(b"key").text(text)
    assert not any(part in done for part in (PASSWORD, UUID, HEX[:32], "b3JiaXQt"))


@pytest.mark.parametrize("text", HARMLESS + NOBODY)
def test_a_harmless_line_that_looks_like_one_stays(text):
    assert Redactor(b"key").text(text) == text


@pytest.mark.parametrize(("text", "value"), PERSONS)
def test_personal_data_of_a_new_format_is_hidden(text, value):
    assert value not in Redactor(b"key").text(text)


def test_most_short_tokens_of_letters_and_digits_look_random_and_names_do_not():
    rng = random.Random(1)
    drawn = ["".join(rng.choices(string.ascii_letters + string.digits, k=24)) for _ in range(400)]
    assert sum(map(looks_random, drawn)) >= 0.95 * len(drawn)
    for name in ("ProcessGroupNCCLWatchdogTimeout", "vectorized_elementwise_kernel4", "nvmlDeviceGetP2PStatus2"):
        assert not looks_random(name)


def test_a_long_line_below_no_header_is_searched_in_linear_time():
    """The expression for a header once tried every way to cut the line into words: 2 to the power of 200 here."""
    assert list(columns("cloud host secret_" + "2Fo4" * 50 + ".0h")) == []
