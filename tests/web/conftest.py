"""A site made once, and a client that asks it as a browser would."""

import asyncio
from urllib.parse import unquote

import httpx
import pytest

from perfproof.core.dashboard import Settings
from perfproof.web.server import application
from tests.web.sample_site import make_site

HERE = "http://127.0.0.1:8321"


class Client:
    """Asks the application itself, without a network; keeps its cookies."""

    def __init__(self, app, base_url):
        self.transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.base_url, self.cookies = base_url, httpx.Cookies()

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def raw(self, path):
        """A path as it stands: httpx would take the dots out of it. Status and text."""
        scope = {"type": "http", "method": "GET", "path": unquote(path), "raw_path": path.encode(), "query_string": b""}
        scope |= {"headers": [(b"host", b"127.0.0.1:8321")], "http_version": "1.1", "scheme": "http", "root_path": ""}
        sent = []

        async def receive():
            await asyncio.Event().wait()  # whoever asked stays there and says nothing more

        async def send(message):
            sent.append(message)

        asyncio.run(self.transport.app(scope, receive, send))
        return sent[0]["status"], b"".join(one.get("body", b"") for one in sent[1:]).decode()

    def request(self, method, path, **more):
        async def ask():
            async with httpx.AsyncClient(
                transport=self.transport, base_url=self.base_url, cookies=self.cookies
            ) as client:
                answer = await client.request(method, path, **more)
                self.cookies = client.cookies
                return answer

        return asyncio.run(ask())


def client_of(artifacts, base_url=HERE, **settings):
    return Client(application(Settings(artifacts, **settings)), base_url)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """(artifacts folder, names of its runs); tests only read it."""
    artifacts = tmp_path_factory.mktemp("site") / "artifacts"
    return artifacts, make_site(artifacts)


@pytest.fixture
def client(site):
    return client_of(site[0])
