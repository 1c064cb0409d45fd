"""Which HTTP requests a server or router answers: those with its key; without a key only programs of this machine."""

import hmac
from urllib.parse import urlsplit

from perfproof.core.dashboard import is_loopback


def refusal(key: str | None, authorization: str, host: str, origin: str | None, who: str) -> tuple[int, str] | None:
    """Status and words; None if the request is answered. Pages of other sites are no programs of this machine."""
    if key is not None:
        if hmac.compare_digest(authorization.removeprefix("Bearer ").encode(errors="replace"), key.encode()):
            return None
        return 401, f"this {who} needs its API key: send the header Authorization: Bearer KEY"
    if not is_loopback(host_name(host)):
        return 403, f"without an API key, this {who} answers only under a local name such as 127.0.0.1"
    if origin is not None and origin.partition("://")[2] != host:
        return 403, f"without an API key, this {who} answers no pages of other sites"
    return None


def host_name(host: str) -> str:
    """Without the port and the brackets of IPv6; empty if it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
