"""Every code block of README and docs runs, in order, page by page, on small tables."""

from pathlib import Path

import pytest
from pages import PAGES, ROOT, RUN, SHOWN, Block, blocks_of, dialogue_in, name_of, run_block
from prepared import PREPARED

BLOCKS = {name_of(page): blocks_of(page.read_text(encoding="utf-8")) for page in PAGES}
RUNNING = {
    name: [block for block in blocks if block.language in RUN and not block.not_run]
    for name, blocks in BLOCKS.items()
}
# Blocks that nothing runs: each needs a reason, and one more needs a change of this number.
NOT_RUN = 9


@pytest.mark.parametrize("name", [name for name, blocks in RUNNING.items() if blocks])
def test_every_block_of_a_page_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = PREPARED[name](tmp_path) if name in PREPARED else {}
    monkeypatch.chdir(tmp_path)
    for block in RUNNING[name]:
        try:
            run_block(block, names)
        except Exception as error:
            pytest.fail(f"{name}, block of line {block.line}: {type(error).__name__}: {error}")


@pytest.mark.parametrize("name", BLOCKS)
def test_every_block_says_what_it_is(name: str) -> None:
    for block in BLOCKS[name]:
        known = block.language in RUN + SHOWN or block.language.startswith("{")
        assert known, f"{name}, line {block.line}: a block is one of {', '.join(RUN + SHOWN)}"
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "\n    privet " not in text, f"{name}: commands stand in fenced blocks, so that they run"


def test_blocks_that_are_not_run_are_few_and_say_why() -> None:
    reasons = [block.not_run for blocks in BLOCKS.values() for block in blocks if block.not_run]
    assert len(reasons) == NOT_RUN, reasons


def test_prepared_pages_exist() -> None:
    assert set(PREPARED) <= set(BLOCKS)


def test_a_wrong_block_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="ended with 2"):
        run_block(Block("sh", "privet check\n", 1), {})
    with pytest.raises(AssertionError, match="now prints"):
        run_block(Block("console", "$ echo no\nyes\n", 1), {})
    with pytest.raises(ZeroDivisionError):
        run_block(Block("python", "1 / 0\n", 1), {})
    run_block(Block("console", "$ echo long text\nlong ...\n$ false\n(exit 1)\n", 1), {})


def test_blocks_are_found() -> None:
    page = "x\n```sh\na \\\n  b\n```\n<!-- not run: needs R -->\n\n```python\n1\n```\n"
    first, second = blocks_of(page)
    assert (first.language, first.text, first.not_run) == ("sh", "a \\\n  b\n", "")
    assert (second.language, second.text, second.not_run) == ("python", "1\n", "needs R")
    assert dialogue_in("$ a \\\n  b\nout\n$ c\n(exit 3)\n") == [("a b", 0, "out\n"), ("c", 3, "")]
