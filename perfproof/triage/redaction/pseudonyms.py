"""Stable names in place of true ones: an HMAC of the value, so the same value has the same name within a bundle.

Without the key nobody can try candidates: a plain hash of a host name or an address would be guessed in a second.
"""

import hashlib
import hmac
import re
import secrets

DIGITS = 10
KINDS = ("host", "address", "mac", "user", "home", "serial", "uuid", "guid", "mail", "person", "phone", "iban", "card")
PSEUDONYM = re.compile(rf"(?:{'|'.join(KINDS)})-[0-9a-f]{{{DIGITS}}}(?![0-9A-Za-z])")


class Pseudonyms:
    def __init__(self, key: bytes | None = None) -> None:
        self._key = secrets.token_bytes(32) if key is None else key

    def of(self, kind: str, value: str) -> str:
        """Capitals make no other host: names and addresses are compared without them."""
        said = f"{kind}\0{value.lower()}".encode("utf-8", "surrogatepass")
        return f"{kind}-{hmac.new(self._key, said, hashlib.sha256).hexdigest()[:DIGITS]}"
