"""Pages as programs: their blocks in order, how each is run, and what it needs.

| fence | what happens |
|---|---|
| `sh` | every command is run and must end with status 0 |
| `console` | every line after `$` is run, and what it prints must be what stands below (`...` stands for anything; `(exit 1)` as last line names another status) |
| `python` | run; the blocks of a page share their names |
| `text`, `toml`, `json`, `{...}` | shown, not run |

A block under `<!-- not run: reason -->` is not run; there is no other way out.
"""  # noqa: E501

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    + [page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts]
)
RUN = ("sh", "console", "python")
SHOWN = ("text", "toml", "json")
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>.*)$")
_NOT_RUN = re.compile(r"<!-- not run: (?P<reason>.+) -->")
_STATUS = re.compile(r"^\(exit (\d+)\)$")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it starts in, why it is not run."""

    language: str
    text: str
    line: int
    not_run: str = ""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(text: str) -> list[Block]:
    """All fenced blocks of a page, in order."""
    found, lines, last = [], text.splitlines(), ""
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence:
            end = at + 1
            while lines[end].strip() != "```":
                end += 1
            inner = "\n".join(line[len(fence["indent"]) :] for line in lines[at + 1 : end])
            reason = _NOT_RUN.fullmatch(last.strip())
            why = reason["reason"] if reason else ""
            found.append(Block(fence["language"].strip(), inner + "\n", at + 1, why))
            at = end
        last = lines[at] if lines[at].strip() else last
        at += 1
    return found


def run_block(block: Block, names: dict[str, Any]) -> None:
    """Run one block in the present folder; an AssertionError says in which line it failed."""
    if block.language == "python":
        code = compile("\n" * block.line + block.text, "<page>", "exec")
        exec(code, names)
    elif block.language == "sh":
        for command in commands_in(block.text):
            status, output = run_command(command)
            assert status == 0, f"line {block.line}: `{command}` ended with {status}:\n{output}"
    elif block.language == "console":
        for command, expected, wanted in dialogue_in(block.text):
            status, output = run_command(command)
            assert status == expected, f"line {block.line}: `{command}`: {status}\n{output}"
            same = doctest.OutputChecker().check_output(wanted, output, doctest.ELLIPSIS)
            assert same, f"line {block.line}: `{command}` now prints:\n{output}"


def commands_in(text: str) -> list[str]:
    """The commands of a shell text, those of several lines in one."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def dialogue_in(text: str) -> list[tuple[str, int, str]]:
    """What is typed, the status it ends with, what is printed."""
    turns = []
    for turn in re.split(r"^\$ ", re.sub(r"\\\n\s*", "", text), flags=re.MULTILINE)[1:]:
        command, _, output = turn.partition("\n")
        lines = output.splitlines()
        status = _STATUS.match(lines[-1]) if lines else None
        if status:
            lines.pop()
        printed = "".join(line + "\n" for line in lines)
        turns.append((command, int(status[1]) if status else 0, printed))
    return turns


def run_command(command: str) -> tuple[int, str]:
    """The status and the output of a command; `privet` itself runs here, without a new process."""
    words = shlex.split(command, comments=True)
    if words[0] == "privet" and not set("|>&;") & set(re.sub(r"'[^']*'|\"[^\"]*\"", "", command)):
        from privet.cli.main import main

        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            status = main(words[1:])
        return status, output.getvalue()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-euc", command],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr
