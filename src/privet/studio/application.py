"""The addresses of the studio, and what is answered at each.

Addresses hold the random name of a tab and numbers, never a word of the table. Whatever is posted
changes the state of its tab (`tabs`) and is answered with the parts of the page that are new; a
part that is at work asks again for itself. Who may ask at all is decided before, in `door`.
"""

import os
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from privet.errors import PrivetError, UsageError, in_options
from privet.studio.door import Door, Keys
from privet.studio.fragments import STATIC, prepare, stylesheet
from privet.studio.page import message, parts, whole_page
from privet.studio.steps import STEPS
from privet.studio.tabs import PARTS, Tab, Tabs
from privet.studio.uploads import keep, safe_name

_MOST_FORM = 1 << 20
_TOLD = ("batch", "count", "fingerprint")  # of a file that is dropped, in its headers
_STATIC = {
    "htmx.min.js": "text/javascript",
    "studio.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
Answer = Callable[[Request, Tab], Awaitable[Response]]


@dataclass(frozen=True)
class Studio:
    """One running studio: its tabs, and the folders that the page may reach."""

    tabs: Tabs
    keys: Keys
    homes: tuple[Path, ...]  # the first is where releases go
    table: Path | None = None

    def application(self) -> ASGIApp:
        @asynccontextmanager
        async def while_it_runs(app: Starlette) -> Any:
            # Not awaited: a loop that is ended meanwhile would wait for a thread that is gone.
            for beforehand in (self.tabs.spares.fill, prepare):
                Thread(target=beforehand, daemon=True).start()
            yield
            self.tabs.close_all()

        routes = [
            Route("/", self.first, methods=["GET"]),
            Route("/style.css", self.style, methods=["GET"]),
            Route("/static/{name}", self.static, methods=["GET"]),
            Route("/tab/{tab}", self._of_tab(self.page), methods=["GET"]),
            Route("/tab/{tab}/part/{part}", self._of_tab(self.part), methods=["GET"]),
            Route("/tab/{tab}/file/{name}", self._of_tab(self.file), methods=["GET"]),
            Route("/tab/{tab}/upload/{purpose}", self._of_tab(self.upload), methods=["POST"]),
            Route("/tab/{tab}/do/{step}", self._of_tab(self.do), methods=["POST"]),
        ]
        inside = Starlette(routes=routes, lifespan=while_it_runs)
        return Door(_Quiet(inside), self.keys)

    # -- pages -------------------------------------------------------------------------------------

    async def first(self, request: Request) -> Response:
        """A new tab, with the table that the command named."""
        tab = await run_in_threadpool(self.tabs.new)
        if self.table is not None:
            await run_in_threadpool(tab.open, self.table)
        return RedirectResponse(f"/tab/{tab.id}", 303)

    async def style(self, request: Request) -> Response:
        return Response(stylesheet(), media_type="text/css")

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _STATIC:
            return PlainTextResponse("There is no such file.\n", 404)
        return FileResponse(STATIC / name, media_type=_STATIC[name])

    def _of_tab(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """An answer about one tab; what goes wrong on purpose is a message on its page."""

        async def answered(request: Request) -> Response:
            tab = self.tabs.get(request.path_params["tab"])
            if tab is None:
                if request.method == "GET" and "hx-request" not in request.headers:
                    return RedirectResponse("/", 303)
                return HTMLResponse(message("This tab is no longer known.", "open a new one."), 410)
            try:
                return await answer(request, tab)
            except PrivetError as error:
                return HTMLResponse(message(*map(in_options, error.raw)), 422)
            except ClientDisconnect:
                return PlainTextResponse("", 400)

        return answered

    async def page(self, request: Request, tab: Tab) -> Response:
        return HTMLResponse(await run_in_threadpool(whole_page, tab, self.homes[0]))

    async def part(self, request: Request, tab: Tab) -> Response:
        """A part of the page that was at work; nothing, if there is nothing new to show."""
        name = request.path_params["part"]
        job = tab.jobs.get(name)
        if name not in PARTS or job is None:
            return Response(status_code=204)
        shown = request.query_params.get("shown")
        if shown == f"{job.version}-{job.share}-{job.said}":
            return Response(status_code=204)
        return HTMLResponse(await run_in_threadpool(parts, tab, self.homes[0], [name]))

    async def file(self, request: Request, tab: Tab) -> Response:
        """What may be taken away: the schema, a release as an archive, its pages."""
        from privet.studio.downloads import download

        return await run_in_threadpool(download, tab, request.path_params["name"])

    # -- what is posted ----------------------------------------------------------------------------

    async def upload(self, request: Request, tab: Tab) -> Response:
        """A file that was dropped; its name comes in a header, not in the address."""
        purpose = request.path_params["purpose"]
        step = STEPS.get(f"uploaded_{purpose}")
        if step is None:
            return PlainTextResponse("There is no such step.\n", 404)
        name = safe_name(request.headers.get("x-file-name", ""), "table")
        place = tab.new_folder("upload") / name
        await keep(request.stream(), place)
        told = {
            "path": str(place),
            "whole_name": unquote(request.headers.get("x-file-name", "")),
            **{name: request.headers.get(f"x-{name}", "") for name in _TOLD},
        }
        new = await run_in_threadpool(step, self, tab, told)
        return HTMLResponse(await run_in_threadpool(parts, tab, self.homes[0], new))

    async def do(self, request: Request, tab: Tab) -> Response:
        """A step: it says which parts of the page are new."""
        step = STEPS.get(request.path_params["step"])
        if step is None or request.path_params["step"].startswith("uploaded_"):
            return PlainTextResponse("There is no such step.\n", 404)
        form = await _form(request)
        new = await run_in_threadpool(step, self, tab, form)
        return HTMLResponse(await run_in_threadpool(parts, tab, self.homes[0], new))


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; of a field that comes twice, the last."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_FORM:
            raise UsageError("The page sent more than a form can hold.", "load the page again.")
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=1000))
    except (UnicodeDecodeError, ValueError):
        raise UsageError("The page sent what is no form.", "load the page again.") from None


class _Quiet:
    """A fault of our own is an answer and not a traceback, which could tell of the table."""

    def __init__(self, inside: ASGIApp) -> None:
        self.inside = inside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or os.environ.get("PRIVET_DEBUG") == "1":
            await self.inside(scope, receive, send)
            return
        begun = False

        async def sending(told: Any) -> None:
            nonlocal begun
            begun = True
            await send(told)

        try:
            await self.inside(scope, receive, sending)
        except Exception as error:
            if begun:
                return
            said = f"Privet stumbled over a fault of its own ({type(error).__name__})."
            told = message(said, "please report it, with what was clicked before.")
            await HTMLResponse(told, 500)(scope, receive, send)
