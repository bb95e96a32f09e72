"""Nobody comes in without the token, from another site or by another name; pages run no script of
others."""

import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from privet.studio import door
from privet.studio.application import Studio
from privet.studio.door import Keys
from studio.visiting import ORIGIN, PORT, Visitor

SECRET_PLACES = ("/", "/style.css", "/static/htmx.min.js", "/tab/x", "/tab/x/part/table")


@pytest.mark.parametrize("place", SECRET_PLACES)
@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token=%00%ff", "?token=é"])
def test_nothing_is_shown_without_the_token(stranger: TestClient, place: str, query: str) -> None:
    answer = stranger.get(place + query)
    assert answer.status_code == 403
    assert "Hint:" in answer.text
    assert "set-cookie" not in answer.headers


def test_nothing_is_done_without_the_token(studio: Studio, stranger: TestClient) -> None:
    assert stranger.post("/tab/x/do/open_path", data={"path": "t.csv"}).status_code == 403
    assert stranger.post(f"/?token={studio.keys.token}").status_code == 403


def test_the_token_becomes_a_cookie_that_other_sites_cannot_use(
    studio: Studio, stranger: TestClient
) -> None:
    answer = stranger.get(f"/?token={studio.keys.token}")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/" in cookie
    assert studio.keys.token.lower() not in cookie
    assert stranger.get("/").status_code == 200
    assert studio.keys.token not in str(stranger.get("/").url)


def test_a_ticket_opens_once_and_soon(
    studio: Studio, stranger: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket, late = studio.keys.ticket(), studio.keys.ticket()
    assert stranger.get(f"/?token={ticket}").status_code == 200
    stranger.cookies.clear()
    assert stranger.get(f"/?token={ticket}").status_code == 403
    now = time.monotonic()
    monkeypatch.setattr(door.time, "monotonic", lambda: now + 61)
    assert stranger.get(f"/?token={late}").status_code == 403


def test_every_studio_has_its_own_secrets() -> None:
    one, two = Keys(PORT), Keys(PORT)
    assert len({one.token, one.cookie, two.token, two.cookie}) == 4
    assert all(len(secret) >= 40 for secret in (one.token, one.cookie))


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", "", "localhost"]
)
def test_another_name_for_this_server_is_refused(visitor: Visitor, host: str) -> None:
    """A name that somebody points to this machine gets nothing, cookie or not."""
    answer = visitor.client.get(visitor.here, headers={"Host": host})
    assert answer.status_code == 421
    assert "<html" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://127.0.0.1:{PORT + 1}"},
        {"Origin": f"https://127.0.0.1:{PORT}"},
        {"Origin": ""},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_of_another_site_changes_nothing(
    visitor: Visitor, home: Path, headers: dict[str, str]
) -> None:
    (home / "t.csv").write_text("a,b\n1,2\n")
    answer = visitor.client.post(
        f"{visitor.here}/do/open_path", data={"path": "t.csv"}, headers=headers
    )
    assert answer.status_code == 403
    assert visitor.tab.table is None


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["no-cors", "cors", "navigate"])
def test_a_page_of_another_site_reads_nothing(visitor: Visitor, site: str, mode: str) -> None:
    told = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
    for place in (visitor.here, "/style.css", f"{visitor.here}/file/schema.toml"):
        assert visitor.client.get(place, headers=told).status_code == 403


def test_other_methods_are_refused(visitor: Visitor) -> None:
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert visitor.client.request(method, visitor.here).status_code == 403


@pytest.mark.parametrize("place", ["/", "/style.css", "/static/studio.js", "/nowhere", "/tab/x"])
def test_every_answer_carries_the_policy(visitor: Visitor, place: str) -> None:
    headers = visitor.client.get(place, follow_redirects=False).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "same-origin"


def test_the_page_asks_nobody_else_for_anything(visitor: Visitor) -> None:
    page = visitor.client.get(visitor.here).text
    assert "http://" not in page
    assert "https://" not in page
    assert "<script>" not in page
    assert " on" + "click=" not in page
    assert visitor.client.get("/static/htmx.min.js").status_code == 200
    for name in ("../server.py", "..%2Fserver.py", "studio.css", "htmx.LICENSE.txt"):
        assert visitor.client.get(f"/static/{name}").status_code == 404
