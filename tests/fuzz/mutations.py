"""Ways to spoil a file: blindly, byte by byte, or knowing how it is built."""

import copy
import gzip
import io
import json
import random
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

ODD_BYTES = [b"\0", b"\xff", b"\n", b'"', b"'", b",", b"[" * 50, b"{", b"}", b"<", b"&", b"%", b"?"]
ODD_TEXTS = [
    "9" * 400,
    "9" * 5000,
    "1e999",
    "-1e999",
    "1e-999",
    "NaN",
    "Infinity",
    "-0.0",
    "0x10",
    "null",
    "true",
    "",
    " ",
    "\x00",
    "\x1b[2J",
    "\\ud800",
    "2020-02-30",
    "0000-00-00",
    "9999-12-31T23:59:59.9999999",
    "day+99999999999999999999",
    "yyyy-yyyy",
    "=1+1",
    "é" * 100,
    "\u202e",
    "%s%n",
    "../../x",
    "[" * 200,
    "a" * 70_000,
]
ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 10**400, 0.5, -1.5, 1e308, 5e-324, "", "x",
    "1e999999999", "\x00", "2020-02-30", "day-99999999999", [], [[]], [None], ["a", "a"], [1, "a"],
    {}, {"a": 1}, "H_age", "category", "integer", "9" * 5000,
]  # fmt: skip
Mutation = Callable[[bytes, random.Random], bytes]


def flip_bits(data: bytes, chance: random.Random) -> bytes:
    spoilt = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8, 64))):
        spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
    return bytes(spoilt)


def overwrite(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    kind = chance.randrange(3)
    length = chance.choice((1, 2, 4, 8, 100))
    new = (b"\xff" * length, b"\0" * length, chance.randbytes(length))[kind]
    return data[:start] + new + data[start + length :]


def cut_short(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(1, len(data))]


def cut_out(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.choice((1, 4, 50, 2000)) :]


def repeat(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    end = min(len(data), start + chance.choice((1, 8, 200, 5000)))
    return data[:end] + data[start:end] * chance.choice((1, 2, 30)) + data[end:]


def put_in(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + chance.choice(ODD_BYTES) + data[start:]


def shuffle_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


BLIND: list[Mutation] = [flip_bits, flip_bits, overwrite, cut_short, cut_out, repeat, put_in]


def words(data: bytes, chance: random.Random) -> bytes:
    """Replace, drop or double a word between delimiters."""
    parts = re.split(rb"([,;\s{}<>=\"':/]+)", data)
    place = chance.randrange(len(parts))
    odd = chance.choice(ODD_TEXTS).encode("utf-8", "replace")
    parts[place] = chance.choice((odd, odd, b"", parts[place] * 2, parts[place - 1]))
    return b"".join(parts)


def cells(data: bytes, chance: random.Random) -> bytes:
    """Put odd texts into cells of a delimited file, or drop one."""
    lines = data.split(b"\n")
    for _ in range(chance.choice((1, 1, 5))):
        row = chance.randrange(len(lines))
        parts = lines[row].split(b",")
        place = chance.randrange(len(parts))
        odd = chance.choice(ODD_TEXTS).encode("utf-8", "replace")
        new = chance.choice(([odd], [b'"' + odd + b'"'], [], [odd, odd]))
        parts[place : place + 1] = new
        lines[row] = b",".join(parts)
    return b"\n".join(lines)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in data of lists and objects."""
    found = [path] if path else []
    inner = data.items() if isinstance(data, dict) else ()
    for key, value in enumerate(data) if isinstance(data, list) else inner:
        found += places(value, (*path, key))
    return found


def inside(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def json_structure(data: bytes, chance: random.Random) -> bytes:
    """Exchange, delete, double or replace parts of a JSON document."""
    whole = json.loads(data)
    every = places(whole)
    for _ in range(chance.choice((1, 1, 1, 3))):
        path = chance.choice(every)
        try:
            around, last = inside(whole, path[:-1]), path[-1]
            match chance.randrange(5):
                case 0:
                    del around[last]
                case 1:
                    around[last] = copy.deepcopy(inside(whole, chance.choice(every)))
                case 2 if isinstance(around, list):
                    around.insert(chance.randrange(len(around) + 1), copy.deepcopy(around[last]))
                case 3 if isinstance(around, dict):
                    around[str(chance.choice(ODD_TEXTS))] = around.pop(last)
                case _:
                    around[last] = copy.deepcopy(chance.choice(ODD_VALUES))
        except (KeyError, IndexError, TypeError):
            continue
    return json.dumps(whole, ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")


def json_text(data: bytes, chance: random.Random) -> bytes:
    """What JSON libraries read in different ways: repeated keys, NaN, depth, half characters."""
    text = data.decode("utf-8")
    match chance.randrange(6):
        case 0:
            return re.sub(r'("\w+": )', r"\g<1>1, \g<1>", text, count=1).encode()
        case 1:
            odd = chance.choice(["NaN", "-Infinity", "1e999", "9" * 6000, "1E400", "-0"])
            numbers = list(re.finditer(r"(?<=[:\[ ,])-?\d[\d.e+-]*", text)) or [re.match("", text)]
            found = chance.choice(numbers)
            return (text[: found.start()] + odd + text[found.end() :]).encode()
        case 2:
            depth = chance.choice((60, 70, 1000, 100_000))
            return (chance.choice(("[", '{"a":')) * depth + text).encode()
        case 3:
            return text.replace('": "', '": "\\ud800', 1).encode()
        case 4:
            return chance.choice((b"", b"null", b"[]", b"{}", b"7", b'"x"', b"\xef\xbb\xbf" + data))
        case _:
            return text.encode(chance.choice(("utf-16", "latin-1", "utf-32")), "replace")


def in_gzip(inner: Mutation) -> Mutation:
    def mutate(data: bytes, chance: random.Random) -> bytes:
        return gzip.compress(inner(gzip.decompress(data), chance), 1, mtime=0)

    return mutate


def in_zip(data: bytes, chance: random.Random) -> bytes:
    """Spoil one part of a workbook and pack it again, with right sums of bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w") as new:
        parts = old.namelist()
        sheets = [name for name in parts if "sheet" in name]
        victim = chance.choice(sheets if sheets and chance.random() < 0.5 else parts)
        for name in parts:
            content = old.read(name)
            if name == victim:
                content = chance.choice((words, words, xml_numbers, *BLIND))(content, chance)
            if name != victim or chance.random() < 0.95:
                new.writestr(name, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def xml_numbers(data: bytes, chance: random.Random) -> bytes:
    """Replace the value of an attribute, or a text."""
    found = list(re.finditer(rb'(?<=")[^"<>]*(?=")|(?<=>)[^<>]+(?=<)', data))
    if not found:
        return data
    at = chance.choice(found)
    odd = chance.choice([*ODD_TEXTS, "XFD1048576", "A1048577", "99999999999", "UHF-8"])
    new = odd.replace("&", "&amp;").replace("<", "&lt;").encode("utf-8", "replace")
    return data[: at.start()] + new + data[at.end() :]


def xml_nodes(data: bytes, chance: random.Random) -> bytes:
    """Delete, double or nest an element."""
    found = list(re.finditer(rb"<(\w+)[^<>]*/>|<(\w+)[^<>]*>|</\w+>", data))
    if not found:
        return data
    at = chance.choice(found)
    new = chance.choice((b"", at[0] * 2, at[0] * 3000, b"<!DOCTYPE a>" + at[0], b"<a>" + at[0]))
    return data[: at.start()] + new + data[at.end() :]


def in_zlib(data: bytes, chance: random.Random) -> bytes:
    """Where a stream of zlib begins (zsav), put another in its place."""
    start = data.find(b"\x78\x9c")
    bomb = zlib.compress(b"\0" * chance.choice((10, 1 << 20, 1 << 26)))
    return data[:start] + bomb if start > 0 else flip_bits(data, chance)


JSON = [json_structure, json_structure, json_structure, json_text, words, *BLIND]
WAYS: dict[str, list[Mutation]] = {
    "csv": [cells, cells, cells, words, shuffle_lines, *BLIND],
    "csv.gz": [in_gzip(cells), in_gzip(words), *BLIND],
    "arff": [words, words, words, cells, shuffle_lines, *BLIND],
    "arff.gz": [in_gzip(words), in_gzip(cells), *BLIND],
    "parquet": BLIND,
    "xlsx": [in_zip, in_zip, in_zip, *BLIND],
    "sav": [*BLIND, overwrite],
    "zsav": [*BLIND, in_zlib],
    "por": [*BLIND, shuffle_lines],
    "dta": [*BLIND, overwrite],
    "xpt": BLIND,
    "pmml": [xml_numbers, xml_numbers, xml_nodes, words, *BLIND],
    "json": JSON,
    "toml": [words, words, cells, shuffle_lines, *BLIND],
    "text": [words, words, shuffle_lines, *BLIND],
}


_NOT_UNDERSTOOD = (ValueError, LookupError, OSError, EOFError, RuntimeError)
_NOT_UNDERSTOOD += (zlib.error, zipfile.BadZipFile)


def spoilt(data: bytes, form: str, chance: random.Random) -> tuple[str, bytes]:
    """A file spoilt in one or two ways, and the names of these."""
    names = []
    for _ in range(chance.choice((1, 1, 1, 2))):
        way = chance.choice(WAYS[form])
        try:
            data = way(data, chance) or b" "
        except _NOT_UNDERSTOOD:
            data = flip_bits(data, chance)  # the first way left nothing to understand
        names.append(way.__name__)
    return "+".join(names), data
