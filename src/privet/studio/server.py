"""The studio is started and ended here: a port of this machine, a private folder, a browser."""

import signal
import socket
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import MissingExtra, UsageError
from privet.files.disk import passing_folder

if TYPE_CHECKING:
    import uvicorn

_HOST = "127.0.0.1"
_BROWSER_AFTER_S = 0.3


def serve(table: Path | None = None, port: int = 0, browser: bool = True) -> None:
    """Run a studio until somebody ends it; its address is the first line that is printed."""
    try:
        import uvicorn

        from privet.studio.application import Studio
    except ImportError as absent:
        if (absent.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio"):
            raise
        raise MissingExtra("The studio needs", "Starlette with uvicorn", "studio") from None
    from privet.studio.door import Keys
    from privet.studio.tabs import Tabs

    homes = [Path.cwd()]
    if table is not None:
        from privet.files import column_names

        column_names(table)  # a file that is no table is refused here and not in the page
        table = table.resolve()
        homes.append(table.parent)
    with _listening(port) as listener, passing_folder("studio") as folder, _noted() as ends:
        keys = Keys(listener.getsockname()[1])
        studio = Studio(Tabs(folder), keys, tuple(homes), table)
        print(keys.address(), flush=True)
        settings = uvicorn.Config(
            studio.application(),
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            ws="none",
        )
        if browser:
            threading.Timer(_BROWSER_AFTER_S, _show, (keys.address(keys.ticket()),)).start()
        ends.end(_server(settings))
        try:
            ends.server.run([listener])
        finally:
            studio.tabs.close_all()


class _Ends:
    """Signals that end the studio, noted wherever they come: an exception that is raised in an
    event loop, or in a library that is being loaded, may be lost there."""

    server: "uvicorn.Server"

    def __init__(self) -> None:
        self.heard: list[int] = []

    def note(self, number: int, frame: object) -> None:
        self.heard.append(number)
        if hasattr(self, "server"):
            self.end(self.server)

    def end(self, server: "uvicorn.Server") -> None:
        """Have a server end as soon as something was heard; at once when it is heard again."""
        self.server = server
        server.should_exit = len(self.heard) > 0
        server.force_exit = len(self.heard) > 1


@contextmanager
def _noted() -> Iterator[_Ends]:
    """Being told to end is noted. What was meant is done afterwards; Ctrl-C is the usual way."""
    ends, before = _Ends(), {}
    if threading.current_thread() is threading.main_thread():  # no other may hear signals
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, ends.note)
    try:
        yield ends
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
    if ends.heard and ends.heard[0] != signal.SIGINT:
        signal.raise_signal(ends.heard[0])


def _server(settings: "uvicorn.Config") -> "uvicorn.Server":
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # they are noted already

    return Server(settings)


def _listening(port: int) -> socket.socket:
    """A socket that only this machine reaches."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_HOST, port))
        listener.listen(128)  # who reads the address may come at once
    except (OSError, OverflowError) as error:
        listener.close()
        said = getattr(error, "strerror", None) or "it is no port"
        raise UsageError(
            f"Port {port} cannot be used: {said}.", "leave the port out, and a free one is taken."
        ) from None
    return listener


def _show(address: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(address)
