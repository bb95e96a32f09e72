"""Documents from outside: what is read, what is refused, and that refusing never takes long."""

import json
import os
import socket
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.documents import json_of, opened, read_bytes, read_json, read_text, read_toml, toml_of
from privet.errors import InputError

SECRET = "Hawking"
LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
LEAF |= st.text(st.characters(codec="utf-8"))
PLAIN = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(PLAIN, st.booleans())
def test_plain_json_is_read_as_the_standard_library_reads_it(data: object, escaped: bool) -> None:
    text = json.dumps(data, ensure_ascii=escaped)
    assert json_of(text, "file") == json.loads(text)


@given(st.integers(1, 80), st.integers(1, 80))
def test_depth_is_counted_outside_texts_only(depth: int, most: int) -> None:
    text = "[" * depth + '"[[[{{{\\"[[["' + "]" * depth
    if depth <= most:
        assert json.dumps(json_of(text, "file", most_depth=most)) == text
    else:
        with pytest.raises(InputError, match=f"nested more than {most} deep"):
            json_of(text, "file", most_depth=most)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'{{"{SECRET}": 1, "{SECRET}": 2}}', "a name occurs twice"),
        (f'{{"a": {{"{SECRET}": 1, "{SECRET}": 2}}}}', "a name occurs twice"),
        (f'["{SECRET}", NaN]', "NaN"),
        (f'["{SECRET}", -Infinity]', "Infinity"),
        (f'["{SECRET}", 1e999]', "beyond what a float can hold"),
        (f'["{SECRET}", "\\ud800"]', "half a character"),
        (f'{{"{SECRET}\\uDC00": 1}}', "half a character"),
        (f'["{SECRET}"', "cannot be read as JSON"),
        (f'["{SECRET}", {"1" * 5000}]', "cannot be read as JSON"),
        (f"{SECRET}", "cannot be read as JSON"),
        ("", "cannot be read as JSON"),
    ],
)
def test_json_with_two_meanings_or_none_is_refused_without_telling_it(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        json_of(text, "codebook book.json")
    assert "book.json" in caught.value.message
    assert SECRET not in str(caught.value)


def test_a_whole_character_in_two_halves_is_read() -> None:
    assert json_of('"\\ud83d\\ude00"', "file") == "\U0001f600"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 1_000_000,
        '{"a":' * 300_000,
        '"' + '\\"' * 3_000_000,
        '"' * 3_000_001,
        "[" * 65 + "]" * 65,
    ],
)
def test_hostile_json_is_refused_at_once(text: str) -> None:
    start = time.monotonic()
    with pytest.raises(InputError):
        json_of(text, "file")
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 1_000_000,
        "a = " + "{a=" * 300_000,
        "a" + ".a" * 300_000 + " = 1",
        "[a" + ".a" * 300_000 + "]",
        'a = """' + '""' * 1_000_000,
        "a = '''" + "''\n" * 1_000_000,
        '"\n' * 1_000_000,
        "a = 1\na = 2",
        "a = " + "1" * 5000,
    ],
)
def test_hostile_toml_is_refused_at_once(text: str) -> None:
    start = time.monotonic()
    with pytest.raises(InputError, match=r"schema x\.toml"):
        toml_of(text, "schema x.toml")
    assert time.monotonic() - start < 5


def test_brackets_in_texts_and_comments_of_toml_do_not_count() -> None:
    text = 'a = "[[["\n' + "# [[[[\n" * 100 + "b = '[[['\n" + 'c = """x"[[\\"""""\n'
    data = toml_of(text, "file", most_depth=2)
    assert data == {"a": "[[[", "b": "[[[", "c": 'x"[[""'}


def test_a_byte_order_mark_before_toml_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_toml(tmp_path / "s.toml") == {"a": 1}


def test_no_more_bytes_are_read_than_allowed(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.write_bytes(b"7" * 100)
    assert read_bytes(path, most_bytes=100) == b"7" * 100
    with pytest.raises(InputError, match=r"manifest big\.json is larger than 99 bytes"):
        read_json(path, "manifest", most_bytes=99)


def test_text_must_be_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes('{"a": "é"}'.encode("latin-1"))
    with pytest.raises(InputError, match=r"model x\.json cannot be read: it is not UTF-8"):
        read_json(path, "model")


def special_files(folder: Path) -> list[Path]:
    os.mkfifo(folder / "pipe")
    (folder / "link-to-pipe").symlink_to(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(folder / "socket"))
    (folder / "endless").symlink_to("/dev/zero")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to(folder / "loop")
    return [*sorted(folder.iterdir()), folder / "absent"]


def test_only_regular_files_are_read_and_nothing_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket may not be long
    paths = special_files(Path())
    start = time.monotonic()
    for path in paths:
        for read in (read_bytes, read_text, read_json, read_toml):
            with pytest.raises(InputError, match=f"model {path.name} cannot be read"):
                read(path, "model")
        with pytest.raises(InputError, match=path.name), opened(path):
            pytest.fail("nothing can be read from here")
    assert time.monotonic() - start < 5


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "locked.json"
    path.write_text("{}")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(InputError, match=r"locked\.json cannot be read: Permission denied"):
        read_json(path)
