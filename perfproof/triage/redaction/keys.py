"""Keys of JSON and heads of columns behind which a name, a number or an address of somebody stands."""

import re
from functools import lru_cache

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
    "user": "user username user_name login logname owner uname account",
    "serial": "serial serial_number serialnumber serial_no asset_tag board_serial product_serial boardserial",
    "uuid": "gpu_uuid machine_id machineid boot_id product_uuid system_uuid",
    "person": "full_name fullname real_name first_name last_name firstname lastname surname author_name customer_name patient_name given_name "
    "family_name display_name vorname nachname prénom nombre apellido apellidos cognome birth_date birthdate date_of_birth dob birthday geburtsdatum "
    "geburtstag ssn passport passport_number street street_address home_address postal_address anschrift adresse zip zip_code postcode plz",
    "phone": "phone telephone mobile phone_number phonenumber tel telefon handy",
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
    (("username", "user_name", "job_user", "loginname"), "user"),
    (("serial_number", "serialnumber"), "serial"),
    (("_email", "mailuser", "mail_user"), "mail"),
    (("ipaddress", "ip_address"), "address"),
)
PERSONAL = ("person", "phone", "iban", "mail")
_KEYS = {name: kind for kind, names in _KIND_OF_KEY.items() for name in names.split()}


def kind_of_key(key: str) -> str | None:
    """Which kind of identity stands behind a key of JSON or in a column: "Host Name" -> host."""
    plain = plain_key(key)
    return _KEYS.get(plain) or next((kind for ends, kind in _ENDS if plain.endswith(ends)), None)


@lru_cache(maxsize=4096)
def plain_key(key: str) -> str:
    return re.sub(r"[\s-]+", "_", key.strip().lower())
