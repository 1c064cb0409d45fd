"""Who may ask: only readers, only under a name of ours, only with the token where there is one, and no other site."""

import pytest

from perfproof.web.guard import HEADERS
from tests.web.conftest import client_of

TOKEN = "a-token-of-enough-letters"


@pytest.fixture
def guarded(site):
    return client_of(site[0], "http://10.0.0.7:8321", host="0.0.0.0", token=TOKEN, names=("box7",))


def test_without_a_token_this_machine_is_served(client):
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("path", ["/", "/history", "/artifacts", "/assets/dashboard.css", "/live/starts", "/nothing"])
def test_with_a_token_every_request_needs_it(guarded, path):
    refused = guarded.get(path)
    assert refused.status_code == 401 and "token" in refused.text and "ch01" not in refused.text


@pytest.mark.parametrize("given", ["", "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "é" * 20])
def test_a_wrong_token_is_refused_and_sets_no_cookie(guarded, given):
    refused = guarded.get("/", params={"token": given})
    assert refused.status_code == 401 and "set-cookie" not in refused.headers
    assert guarded.get("/", headers={"authorization": f"Bearer {given}".encode()}).status_code == 401
    assert guarded.get("/", headers={"cookie": f"perfproof_session={given}".encode()}).status_code == 401


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(guarded):
    answer = guarded.get("/compare", params={"a": "x", "token": TOKEN})
    assert answer.status_code == 303 and answer.headers["location"] == "/compare?a=x", "no token stays in the address"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower() and TOKEN not in cookie
    assert guarded.get("/").status_code == 200


def test_a_cookie_of_another_start_is_worth_nothing(guarded, site):
    guarded.get("/", params={"token": TOKEN})
    other = client_of(site[0], "http://10.0.0.7:8321", host="0.0.0.0", token=TOKEN)
    other.cookies = guarded.cookies
    assert other.get("/").status_code == 401


def test_a_program_may_send_the_token_as_a_header(guarded):
    assert guarded.get("/", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_the_way_back_after_the_token_cannot_lead_to_another_site(guarded):
    for path in ("//evil.example/", "/\\evil.example", "///evil.example"):
        answer = guarded.get(f"http://10.0.0.7:8321{path}", params={"token": TOKEN})
        assert answer.status_code == 303
        location = answer.headers["location"]
        assert location.startswith("/") and location[1:2] not in ("/", "\\", "%"), location


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_nothing_but_reading_is_possible(client, method):
    refused = client.request(method, "/", headers={"origin": "http://127.0.0.1:8321"})
    assert refused.status_code == 405 and refused.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8321", "", "10.0.0.7"]
)
def test_a_foreign_name_that_points_here_is_refused(client, host):
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8321", "localhost:8321", "localhost", "[::1]:8321", "127.0.0.2"])
def test_names_of_this_machine_are_served(client, host):
    assert client.get("/live", headers={"host": host}).status_code == 200


def test_a_name_can_be_given_and_numbers_cannot_be_rebound(guarded):
    guarded.get("/", params={"token": TOKEN})
    bearer = {"authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/live", headers=bearer | {"host": "box7:8321"}).status_code == 200
    assert guarded.get("/live", headers=bearer | {"host": "192.168.1.9"}).status_code == 200
    assert guarded.get("/live", headers=bearer | {"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
    ],
)
def test_a_request_from_another_site_is_refused(client, headers):
    refused = client.get("/live", headers=headers)
    assert refused.status_code == 403 and "another site" in refused.text


def test_a_link_on_another_site_may_be_followed(client):
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert client.get("/live", headers=followed).status_code == 200
    assert client.get("/live", headers={"origin": "http://127.0.0.1:8321"}).status_code == 200


def test_an_endless_address_is_refused(client):
    assert client.get("/compare", params={"a": "x" * 10_000}).status_code == 414


@pytest.mark.parametrize("path", ["/", "/nothing", "/live", "/assets/live.js", "/artifacts/"])
def test_every_answer_tells_the_browser_to_be_strict(client, path):
    headers = client.get(path).headers
    assert all(headers[name] == value for name, value in HEADERS.items() if name != "content-security-policy")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert "access-control-allow-origin" not in headers
