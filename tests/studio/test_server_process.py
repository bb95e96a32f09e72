"""A real server: its address is the first line, only this machine reaches it, nothing is left."""

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from privet.cli.main import main
from studio.visiting import table_text

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals of POSIX")
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]{43})\n")


@contextmanager
def running(folder: Path, *arguments: str) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """A studio in a folder, and its address."""
    environment = os.environ | {"TMPDIR": str(folder / "passing")}
    (folder / "passing").mkdir(exist_ok=True)
    server = subprocess.Popen(
        [sys.executable, "-m", "privet", "studio", "--no-browser", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heeds_hang_ups,
    )
    assert server.stdout is not None
    try:
        yield server, server.stdout.readline()
    finally:
        server.kill()
        server.communicate()


def _heeds_hang_ups() -> None:
    """What runs under `nohup` ignores SIGHUP, and so do its children: here none shall."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def come_in(address: str) -> httpx.Client:
    base = address.partition("/?")[0]
    client = httpx.Client(base_url=base, headers={"Origin": base}, timeout=30)
    assert client.get(address.strip()).status_code == 200
    return client


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "passing").iterdir())


def test_the_first_line_is_the_address(tmp_path: Path) -> None:
    with running(tmp_path) as (_, line):
        assert ADDRESS.fullmatch(line)
        client = come_in(line)
        page = client.get("/", follow_redirects=True)
        assert page.status_code == 200
        assert "Drop a table here" in page.text
        assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_only_this_machine_reaches_it(tmp_path: Path) -> None:
    with running(tmp_path) as (server, line):
        port = int(ADDRESS.fullmatch(line)[1])
        listening = [
            row.split()[1]
            for name in ("tcp", "tcp6")
            if Path(f"/proc/{server.pid}/net/{name}").exists()
            for row in Path(f"/proc/{server.pid}/net/{name}").read_text().splitlines()[1:]
            if row.split()[3] == "0A" and int(row.split()[1].rsplit(":", 1)[1], 16) == port
        ]
        assert listening == [f"0100007F:{port:04X}"]


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 143)]
)
def test_nothing_is_left_when_it_ends(number: signal.Signals, status: int, tmp_path: Path) -> None:
    with running(tmp_path) as (server, line):
        client = come_in(line)
        here = client.get("/", follow_redirects=True).url.path
        secret = table_text().replace("Aix", "Unmistakable")
        answer = client.post(
            f"{here}/upload/table", content=secret, headers={"X-File-Name": "people.csv"}
        )
        assert answer.status_code == 200
        (private,) = (tmp_path / "passing").iterdir()
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        (kept,) = private.rglob("people.csv")
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
        server.send_signal(number)
        out, err = server.communicate(timeout=20)
        assert server.returncode == status
        assert left(tmp_path) == []
        assert "Unmistakable" not in out + err
        assert err in ("", "Interrupted.\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_however_early_it_is_told_to(number: signal.Signals, tmp_path: Path) -> None:
    for after in (0.0, 0.02, 0.05, 0.1):
        with running(tmp_path) as (server, _):
            time.sleep(after)
            server.send_signal(number)
            server.communicate(timeout=30)
        assert left(tmp_path) == []


def test_what_a_killed_studio_left_goes_with_the_next(tmp_path: Path) -> None:
    with running(tmp_path) as (server, line):
        come_in(line)
        server.kill()
        server.wait()
    assert len(left(tmp_path)) == 1
    with running(tmp_path) as (server, line):
        assert ADDRESS.fullmatch(line)
        assert len(left(tmp_path)) == 1
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)
    assert left(tmp_path) == []


def test_faults_and_refusals_are_not_logged(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Unmistakable,b\nSecretcell,2\nOther,3\n")
    with running(tmp_path, "t.csv") as (server, line):
        client = come_in(line)
        here = client.get("/", follow_redirects=True).url.path
        for place in ("/nowhere", f"{here}/part/nothing", f"{here}/file/nothing"):
            client.get(place)
        client.post(f"{here}/do/role", data={"column": "0", "role": "Secretcell"})
        client.post(f"{here}/do/open_path", data={"path": "Secretcell.csv"})
        time.sleep(0.5)
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=20)
        assert out + err == ""


@pytest.mark.parametrize("port", ["-1", "70000"])
def test_a_port_that_cannot_be(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", "--no-browser", "--port", port]) == 2
    assert f"Port {port} cannot be used" in capsys.readouterr().err


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert main(["studio", "--no-browser", "--port", port]) == 2
    assert "leave the port out" in capsys.readouterr().err


def test_a_table_that_is_none_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.pdf").write_text("no table")
    assert main(["studio", str(tmp_path / "t.pdf"), "--no-browser"]) == 3
    assert main(["studio", str(tmp_path / "absent.csv"), "--no-browser"]) == 3
    assert capsys.readouterr().err.count("Hint:") == 2
