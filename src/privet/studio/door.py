"""Who may come in: this machine, this browser, this page, and nobody else.

The address that the command prints holds a token; a browser that shows it gets a cookie that other
sites cannot use. Every request must name this server as its host, so that no foreign name can be
pointed here, and whatever changes something must come from a page of this server. Answers carry a
policy under which a page runs no script but ours and asks nobody else for anything.
"""

import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TICKET_S = 60  # that a ticket for the browser is good for
_OWN_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
_HEADERS = {
    "Content-Security-Policy": _OWN_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
# A page of its own, and no redirection: a browser that came here from another site would not
# send the new cookie with a redirection.
_COME_IN = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Privet studio</title>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<meta http-equiv="refresh" content="0; url=/"></head>
<body><p><a href="/">Open the studio</a></p></body></html>
"""
_ASK_AGAIN = (
    "This page opens only with the address that `privet studio` printed.\n"
    "Hint: copy that whole address from the terminal, or start `privet studio` again.\n"
)


@dataclass
class Keys:
    """What opens the door of one server: the token, the cookie, and tickets that are used once."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _tickets: dict[str, float] = field(default_factory=dict)

    @property
    def hosts(self) -> tuple[str, ...]:
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def cookie_name(self) -> str:
        return f"privet_studio_{self.port}"  # browsers do not keep cookies apart by port

    def address(self, token: str | None = None) -> str:
        """What a person opens."""
        return f"http://{self.hosts[0]}/?token={token or self.token}"

    def ticket(self) -> str:
        """A token for the browser that we start: others on this machine may see the arguments of
        its process, so this one opens once, and soon."""
        made = secrets.token_urlsafe(32)
        self._tickets[made] = time.monotonic() + _TICKET_S
        return made

    def opens(self, token: str) -> bool:
        if same(token, self.token):
            return True
        deadline = self._tickets.pop(token, None)
        return deadline is not None and time.monotonic() <= deadline

    def knows(self, cookies: Iterable[str]) -> bool:
        """Whether the cookies of a request hold ours."""
        for header in cookies:
            try:
                found = SimpleCookie(header).get(self.cookie_name)
            except CookieError:
                continue
            if found is not None and same(found.value, self.cookie):
                return True
        return False


def same(one: str, two: str) -> bool:
    """Compared in a time that says nothing of where they differ."""
    return compare_digest(one.encode("utf-8", "replace"), two.encode("utf-8", "replace"))


class Door:
    """Stands before the application; what it refuses never gets there."""

    def __init__(self, inside: ASGIApp, keys: Keys) -> None:
        self.inside, self.keys = inside, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.inside(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._answer(scope)
        await (answer or self.inside)(scope, receive, with_headers)

    def _answer(self, scope: Scope) -> Response | None:
        """What is said at the door; None lets a request in."""
        headers = Headers(scope=scope)
        if headers.get("host") not in self.keys.hosts or len(headers.getlist("host")) != 1:
            return _refused("The request names another host than this server.", 421)
        if not _comes_from_here(scope, headers):
            return _refused("The request comes from a page of another site.", 403)
        if self.keys.knows(headers.getlist("cookie")):
            return HTMLResponse(_COME_IN) if _token_in(scope) is not None else None
        token = _token_in(scope)
        if token is None or not self.keys.opens(token):
            return PlainTextResponse(_ASK_AGAIN, 403)
        answer = HTMLResponse(_COME_IN)
        answer.set_cookie(
            self.keys.cookie_name, self.keys.cookie, httponly=True, samesite="strict", path="/"
        )
        return answer


def _token_in(scope: Scope) -> str | None:
    """The token of a request for the first page."""
    if scope["path"] != "/" or scope["method"] != "GET":
        return None
    found = parse_qs(scope["query_string"].decode("latin-1")).get("token")
    return found[0] if found else None


def _comes_from_here(scope: Scope, headers: Headers) -> bool:
    """Whether a page of this server asks, or a person who opens the first page."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if scope["method"] in ("GET", "HEAD"):
        opened = scope["path"] == "/" and headers.get("sec-fetch-mode", "navigate") == "navigate"
        return opened or site in (None, "none", "same-origin")
    own = f"http://{headers['host']}"
    return scope["method"] == "POST" and origin == own and site in (None, "same-origin")


def _refused(said: str, status: int) -> Response:
    hint = "Hint: open the address that `privet studio` printed.\n"
    return PlainTextResponse(f"{said}\n{hint}", status)
