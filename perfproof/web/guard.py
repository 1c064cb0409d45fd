"""Who may ask, and what a browser may do with the answer. Every request passes here first.

method     GET and HEAD: the dashboard reads, it changes nothing
host       the name in the address bar must be ours: a foreign name that was made to point here (DNS rebinding) is not
origin     another site may link to a page, but not embed it, fetch it or follow its events
token      where there is one, every request needs it: once as ?token=, then by a cookie that no script can read
"""

import hmac
import ipaddress
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from perfproof.core.admission import host_name
from perfproof.core.dashboard import Settings

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
COOKIE = "perfproof_session"
LONGEST = 8_192  # bytes of path and query
OWN_SITES = ("same-origin", "none")  # none: typed into the address bar, or a bookmark


class Guard:
    """Wraps an application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings
        self.session = secrets.token_urlsafe(32)  # the cookie's value: the token itself is stored in no browser

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope) or self._unauthorised(scope)
        await (refusal or self.app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD"):
            return _say(405, "the dashboard is read-only", {"allow": "GET, HEAD"})
        if len(scope["path"]) + len(scope["query_string"]) > LONGEST:
            return _say(414, "this address is too long")
        host = headers.get("host", "")
        if not self._is_ours(host_name(host)):
            return _say(421, "this name is not known here; give it to the dashboard with --name")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return _say(403, "a request from another site")
        if headers.get("sec-fetch-site", "none") not in OWN_SITES and not _opens_a_page(headers):
            return _say(403, "a request from another site")
        return None

    def _is_ours(self, name: str) -> bool:
        if name in ("localhost", self.settings.host, *self.settings.names):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self.settings.is_loopback  # a number cannot be rebound

    def _unauthorised(self, scope: Scope) -> Response | None:
        if self.settings.token is None:
            return None
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        if "token" in query:
            given = query.pop("token")
            if not _same(given, self.settings.token):
                return _say(401, "this token is wrong; the right one was printed when the dashboard was started")
            answer = RedirectResponse(_own_path(scope["path"]) + (f"?{urlencode(query)}" if query else ""), 303)
            answer.set_cookie(COOKIE, self.session, httponly=True, samesite="strict", path="/")
            return answer
        headers = Headers(scope=scope)
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if _same(_cookie(headers), self.session) or _same(bearer, self.settings.token):
            return None
        return _say(401, "open the address that was printed when the dashboard was started: it holds a token")


def _opens_a_page(headers: Headers) -> bool:
    """A link on another site, followed by a person: nothing of the answer can be read by that site."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _own_path(path: str) -> str:
    """A path that no browser takes for the name of another site."""
    return "/" + path.lstrip("/\\")


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


def _say(status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(f"perfproof: {text}\n", status, headers)
