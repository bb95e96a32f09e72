"""The studio is started and ended here: a port of this machine, a private folder, a browser."""

import signal
import socket
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
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
    with _listening(port) as listener, passing_folder("studio") as folder:
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
            Timer(_BROWSER_AFTER_S, _show, (keys.address(keys.ticket()),)).start()
        server = uvicorn.Server(settings)
        try:
            with suppress(KeyboardInterrupt), _hearing(server):  # the usual way to end it
                server.run([listener])
        finally:
            studio.tabs.close_all()


@contextmanager
def _hearing(server: "uvicorn.Server") -> Iterator[None]:
    """A closed terminal ends the server as Ctrl-C does: its loop would lose an exception that is
    raised in a callback. What was meant is done afterwards."""
    number = getattr(signal, "SIGHUP", None)
    if number is None or signal.getsignal(number) is signal.SIG_IGN:
        yield
        return
    heard: list[int] = []

    def end(number: int, _: object) -> None:
        heard.append(number)
        server.should_exit = True

    before = signal.signal(number, end)
    try:
        yield
    finally:
        signal.signal(number, before)
    if heard:
        signal.raise_signal(number)


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
