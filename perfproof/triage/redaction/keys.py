"""Keys of JSON and heads of columns behind which a name, a number or an address of somebody stands."""

import re
from functools import lru_cache

from perfproof.triage.redaction.literals import is_telling
from perfproof.triage.redaction.meanings import LOGIN, PHONE, ROLE, meaning
from perfproof.triage.redaction.personal_values import extent

PAIR_NAMES = frozenset(("name", "key", "variable", "k", "field"))
PAIR_VALUES = frozenset(("value", "val", "default", "v", "content"))
USER_AND_PASSWORD = frozenset(
    "auth basic_auth http_auth basicauth credentials creds login".split()
)  # of a list, the second
CONTAINERS = frozenset(
    "credentials creds passwords secrets logins api_keys apikeys".split()
)  # of an object, all but these:
NOT_SECRET = frozenset(
    "user username name host hostname port type enabled id url email role database db dbname account method kind scheme realm".split()
)
_KIND_OF_KEY = {
    "host": "hostname host_name host node nodename node_name fqdn master_addr hosts nodes nodelist",
    "user": "username user_name logname uname",
    "person": "street street_address home_address postal_address anschrift adresse zip zip_code postcode plz city town ciudad ville ort",
    "serial": "serial serial_number serialnumber serial_no asset_tag board_serial product_serial boardserial",
    "uuid": "gpu_uuid machine_id machineid boot_id product_uuid system_uuid",
    "iban": "iban bank_account",
    "mac": "mac mac_address hwaddr",
    "address": "ip ip_address ipaddress ipaddr",
    "mail": "mail email e_mail",
}
# Behind these keys a name is somebody's wherever it stands again; behind `user` or `node` it may be any word.
_TELLING = "hostname host_name nodename node_name fqdn username user_name logname"
TELLING_KEYS = frozenset(_TELLING.split())
_ENDS = (
    (("hostname", "host_name", "nodename", "node_name", "submit_host", "nodelist"), "host"),
    (("username", "job_user"), "user"),
    (("serial_number", "serialnumber"), "serial"),
    (("_email", "mailuser", "mail_user"), "mail"),
    (("ipaddress", "ip_address"), "address"),
)
KINDS = {LOGIN: "user", PHONE: "phone"}  # of pseudonyms; every other meaning is a person's
_JUDGED = ("user", "person", "phone")
LONGEST_PERSONAL = 120  # characters of a name, a number or an address; more is a text
PERSONAL = ("person", "phone", "iban", "mail")
_KEYS = {name: kind for kind, names in _KIND_OF_KEY.items() for name in names.split()}


def kind_of_key(key: str) -> str | None:
    """Which kind of identity stands behind a key of JSON or in a column: "Host Name" -> host."""
    plain = plain_key(key)
    known = _KEYS.get(plain) or next((kind for ends, kind in _ENDS if plain.endswith(ends)), None)
    if known:
        return known
    meant = meaning(key)
    return KINDS.get(meant, "person") if meant else None


def whose(key: str, parent: str) -> str:
    """{"author": {"name": …}}: a name that stands in an object of a person is that person's."""
    return f"{parent} name" if plain_key(key) == "name" and meaning(parent) in (ROLE, LOGIN) else key


def may_stand_under(key: str, kind: str, value: str) -> bool:
    """Whether the value is what a key of that kind says: a word, or several of a person; not "unknown: why"."""
    meant = meaning(key)
    if kind in _JUDGED and meant and plain_key(key) not in _KEYS:
        return extent(meant, value.strip(), whole=True) >= len(value.strip()) - 1
    if kind == "serial" and re.fullmatch(r"\d{6,}", value):
        return True
    if kind in PERSONAL:
        return is_telling(value) and not value.startswith(("unknown", "[", "{")) and len(value) <= LONGEST_PERSONAL
    return re.fullmatch(r"[\w.:@-]+", value) is not None and is_telling(value) and not re.fullmatch(r"[\d.]+", value)


@lru_cache(maxsize=4096)
def plain_key(key: str) -> str:
    return re.sub(r"[\s-]+", "_", key.strip().lower())
