"""Tables from people who mean harm, or whose disk does: an error about the file, soon, and no cell.

What the commands make of such files stands in tests/cli; `make fuzz` tries many more.
"""

import gzip
import io
import os
import random
import subprocess
import sys
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oracles.tables_by_hand import cells_of
from privet.documents import MOST_BYTES
from privet.errors import InputError
from privet.files import apart, column_names, excel, gzipped, parquet, read_table
from privet.files import arff as arff_reader
from privet.files.keyed import read_keyed
from privet.schema import Kind

CELL = "zqsecret"
WHOLE = {"n": list(range(300)), "c": [CELL, "b", "c"] * 100, "x": [0.5, 1.25, None] * 100}


def refused(path: Path, match: str = "cannot be read as") -> str:
    start = time.monotonic()
    with pytest.raises(InputError, match=match) as caught:
        read_table(path)
    assert time.monotonic() - start < 60
    assert caught.value.hint
    assert CELL not in str(caught.value)
    assert caught.value.__cause__ is None
    return caught.value.message


# -- text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [400, 5_000, 100_000])
def test_a_very_long_number_makes_a_category(tmp_path: Path, digits: int) -> None:
    long = "9" * digits
    (tmp_path / "t.csv").write_text(f"a,b\n1,x\n{long},y\n")
    table = read_table(tmp_path / "t.csv")
    assert table["a"].domain.kind is Kind.CATEGORY
    assert cells_of(table, "a") == ["1", long]
    with pytest.raises(InputError, match="infinite"):
        read_table(tmp_path / "t.csv", kinds={"a": "decimal"})


def test_a_whole_number_that_a_float_holds_stays_a_number(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"a\n1\n{2**200}\n")
    assert cells_of(read_table(tmp_path / "t.csv"), "a") == [1.0, 2.0**200]


ARFF_HEAD = b"@relation r\n@attribute a real\n@attribute b real\n@data\n"


def packed_bomb(path: Path, head: bytes, line: bytes, megabytes: int) -> Path:
    """Gzip in many members: each a megabyte of lines in about a kilobyte."""
    member = gzip.compress(line * ((1 << 20) // len(line)))
    path.write_bytes(gzip.compress(head) + member * megabytes)
    return path


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("t.csv.gz", b"a,b\n"),
        ("t.arff.gz", b"@relation r\n@attribute a real\n@attribute b real\n@data\n"),
    ],
)
def test_text_that_unpacks_too_far_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, head: bytes
) -> None:
    monkeypatch.setattr(gzipped, "_ALWAYS_READ", 1 << 20)
    monkeypatch.setattr(arff_reader, "_ALWAYS_UNPACKED", 1 << 20)
    path = packed_bomb(tmp_path / name, head, b"1,1\n", 2)
    refused(path, "unpacks to far more than its size")
    assert column_names(path) == ["a", "b"]
    monkeypatch.setattr(gzipped, "_ALWAYS_READ", 4 << 20)
    monkeypatch.setattr(arff_reader, "_ALWAYS_UNPACKED", 4 << 20)
    assert len(read_table(path, columns=["a"])) == 2 << 18


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    refused(packed_bomb(tmp_path / "t.csv.gz", b"a\n", b"1", 100), "a row of more than")
    head = b"@relation r\n@attribute a real\n@data\n"
    refused(packed_bomb(tmp_path / "t.arff.gz", head, b"1", 100), "a line of more than")


# -- ARFF ------------------------------------------------------------------------------------------


def arff(path: Path, attribute: str, *rows: str) -> Path:
    path.write_text("\n".join(["@relation r", attribute, "@data", *rows, ""]), encoding="utf-8")
    return path


def test_long_numbers_in_arff(tmp_path: Path) -> None:
    path = arff(tmp_path / "t.arff", "@attribute a numeric", "1", "9" * 300)
    assert read_table(path)["a"].domain.kind is Kind.DECIMAL
    refused(arff(path, "@attribute a numeric", "1", "9" * 5000), "infinite")
    assert cells_of(read_table(arff(path, "@attribute a integer", "0" * 5000 + "7")), "a") == [7]


@pytest.mark.parametrize("pattern", ["yyyy-yyyy", "yy-yyyy", "dd.MM.MM", "MMM-MM", "HH:HH"])
def test_a_pattern_that_names_a_part_twice_is_refused(tmp_path: Path, pattern: str) -> None:
    path = arff(tmp_path / "t.arff", f'@attribute a date "{pattern}"', "2020-2020")
    refused(path, "names one part twice")


def test_halves_of_characters_in_arff(tmp_path: Path) -> None:
    path = arff(tmp_path / "t.arff", "@attribute a string", r"'\ud83d\ude00'")
    assert cells_of(read_table(path), "a") == ["\U0001f600"]
    refused(arff(path, "@attribute a string", r"'\ud800'"), "half a character")
    refused(arff(path, r"@attribute a {'\udc00'}", "?"), "half a character")


@pytest.mark.parametrize(
    "declared", [f"{CELL},b,c}}", f"{CELL} b", f"<{CELL}>", f"'{CELL}", f"({CELL}, b)"]
)
def test_errors_about_arff_never_tell_nominal_values(tmp_path: Path, declared: str) -> None:
    refused(arff(tmp_path / "t.arff", f"@attribute a {declared}", "b"), "type that Privet")
    refused(arff(tmp_path / "t.arff", "@attribute a {x, y}", CELL), "does not name")


# -- Parquet ---------------------------------------------------------------------------------------


def test_flipped_bytes_in_parquet_are_read_or_refused(tmp_path: Path) -> None:
    """Some flips hit what nobody reads, or make other values; all else is an error in our words."""
    pq.write_table(pa.table(WHOLE), tmp_path / "whole.parquet", compression="none")
    whole = (tmp_path / "whole.parquet").read_bytes()
    chance = random.Random(5)
    causes: list[object] = []
    for _ in range(400):
        spoilt = bytearray(whole)
        for _ in range(chance.choice((1, 1, 1, 4, 16))):
            spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
        (tmp_path / "t.parquet").write_bytes(spoilt)
        try:
            read_table(tmp_path / "t.parquet")
        except InputError as error:
            causes.append(error.__cause__)
    assert 20 < len(causes) < 380
    assert causes == [None] * len(causes)


def test_parquet_whose_codes_or_texts_cannot_be_is_refused(tmp_path: Path) -> None:
    """Both were a traceback: a code beyond its dictionary, and bytes that are no UTF-8."""
    texts = pa.array(["aaaa", "bbbb"] * 50)
    pq.write_table(pa.table({"c": texts}), tmp_path / "whole.parquet", compression="none")
    whole = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(whole.replace(b"bbbb", b"bb\xff\xff"))
    refused(tmp_path / "t.parquet")


def test_a_parquet_file_of_too_many_cells_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    zeros = pa.array(np.zeros(3_000_000, dtype=np.int8))
    pq.write_table(pa.table({"privet_key": zeros}), path, row_group_size=3_000_000)
    assert len(read_table(path)) == 3_000_000
    monkeypatch.setattr(parquet, "_CELLS_ALWAYS_READ", 1_000_000)
    monkeypatch.setattr(parquet, "_MOST_RATIO", 100)
    refused(path, "unpacks to far more than its size")
    with pytest.raises(InputError, match="unpacks to far more"):
        read_keyed(path)


# -- workbooks -------------------------------------------------------------------------------------

SPACE = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "xl/worksheets/sheet1.xml"


def workbook(path: Path, sheet: bytes | None = None) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, CELL], [2, "y"]):
        book.active.append(row)
    whole = io.BytesIO()
    book.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name) if sheet is None or name != SHEET else sheet)
    return path


def sheet_of(rows: bytes, dimension: bytes = b"A1:B3") -> bytes:
    head = b'<worksheet xmlns="%b"><dimension ref="%b"/><sheetData>' % (SPACE, dimension)
    return head + rows + b"</sheetData></worksheet>"


HEADER = b'<row r="1"><c r="A1" t="str"><v>a</v></c></row>'


def test_what_a_sheet_claims_to_hold_is_not_believed(tmp_path: Path) -> None:
    rows = HEADER + b'<row r="2"><c r="A2"><v>7</v></c></row>'
    path = workbook(tmp_path / "t.xlsx", sheet_of(rows, b"A1:XFD1048576"))
    start = time.monotonic()
    assert cells_of(read_table(path), "a") == [7]
    assert time.monotonic() - start < 20


def test_cells_far_below_are_found_and_those_beyond_excel_refused(tmp_path: Path) -> None:
    last = b'<row r="%d"><c r="A%d"><v>7</v></c></row>'
    path = workbook(tmp_path / "t.xlsx", sheet_of(HEADER + last % (1048576, 1048576)))
    assert cells_of(read_table(path), "a") == [7]
    workbook(path, sheet_of(HEADER + last % (10**12, 10**12)))
    refused(path, "too far apart")
    wide = b"".join(b'<row r="%d"><c r="XFD%d"/></row>' % (i, i) for i in range(2, 20_000))
    workbook(path, sheet_of(HEADER + wide))
    refused(path, "too far apart")


def test_damaged_workbooks_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = workbook(tmp_path / "whole.xlsx").read_bytes()
    chance = random.Random(6)
    said = []
    for _ in range(60):
        spoilt = bytearray(whole)
        for _ in range(20):
            spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        (tmp_path / "t.xlsx").write_bytes(spoilt)
        try:
            excel.cells(tmp_path / "t.xlsx", None, False)
        except InputError as error:
            said.append(str(error))
    assert len(said) > 10
    assert not any(CELL in text for text in said)
    for sheet in (b"", b"<worksheet", sheet_of(b"<row><c t='s'><v>99</v></c></row>"), b"\0" * 99):
        refused(workbook(tmp_path / "t.xlsx", sheet))
    (tmp_path / "t.xlsx").write_bytes(whole[: len(whole) // 2])
    refused(tmp_path / "t.xlsx")


def test_warnings_of_the_library_are_not_passed_on(tmp_path: Path) -> None:
    """openpyxl warns of impossible dates with the value of the cell."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["day"])
    book.active.append([123456789012345])
    book.active["A2"].number_format = "yyyy-mm-dd"
    book.save(tmp_path / "t.xlsx")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match="Every cell"):
            read_table(tmp_path / "t.xlsx")


# -- files that are read in a process of their own -------------------------------------------------


def test_a_reader_that_crashes_is_an_error_about_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    monkeypatch.setattr(apart, "_CHILD", crash + " # {path}")
    refused(workbook(tmp_path / "t.xlsx"), "cannot be read as an Excel workbook")


def test_a_reader_that_takes_too_long_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = "from privet.files import apart; apart._bound(1, 1 << 30)\nwhile True: pass"
    monkeypatch.setattr(apart, "_SECONDS", 1)
    for code, patience in (("import time; time.sleep(60)", 1), (busy, 60)):
        monkeypatch.setattr(apart, "_PATIENCE", patience)
        monkeypatch.setattr(apart, "_CHILD", code + " # {path}")
        refused(workbook(tmp_path / "t.xlsx"), "took more than 1 seconds")


def test_a_reader_that_wants_too_much_memory_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux bounds the memory of a process")
    monkeypatch.setattr(apart, "_MEMORY", 400 << 20)
    cells = b"<c><f>%b</f></c>" % (b"1" * (200 << 20))  # one piece, which is no bomb by its ratio
    path = workbook(tmp_path / "t.xlsx", sheet_of(HEADER + b"<row>" + cells + b"</row>"))
    refused(path, "[Mm]emory|cannot be")


def test_code_beside_a_table_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = workbook(tmp_path / "t.xlsx")  # the test itself may load what it likes
    for name in ("openpyxl", "privet", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(99)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert len(read_table(table)) == 2


# -- what is no file -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["t.csv", "t.csv.gz", "t.parquet", "t.arff", "t.xlsx", "t.sav", "t.dta", "t.sas7bdat"]
)
def test_nobody_waits_for_a_pipe(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    refused(tmp_path / name, "no regular file")
    with pytest.raises(InputError, match="no regular file"):
        column_names(tmp_path / name)


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet", "arff", "xlsx", "sav"])
def test_no_more_rows_are_read_than_were_asked_for(tmp_path: Path, suffix: str) -> None:
    from privet.files import table_of, write_table

    path = tmp_path / f"t.{suffix}"
    if suffix == "xlsx":
        workbook(path)
    else:
        write_table(table_of({"a": [1, 2]}), path)
    assert len(read_table(path, most_rows=2)) == 2
    with pytest.raises(InputError, match=r"more than 1 rows"):
        read_table(path, most_rows=1)


# -- real bombs ------------------------------------------------------------------------------------

MEASURED = r"""
import re, resource, sys
from pathlib import Path
from privet.errors import InputError
from privet.files import read_table
try:
    read_table(sys.argv[1])
except InputError as error:
    print(error.message)
else:
    print("read")
own = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
print(max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""


def most_memory(path: Path) -> tuple[str, int]:
    """What is said of a file, and the most kilobytes that reading it took."""
    asked = [sys.executable, "-c", MEASURED, str(path)]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split("\n")
    return told[0], int(told[1])


MARK = b"MORE"
STRINGS = "xl/sharedStrings.xml"
STRINGS_TYPE = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"


def endless_workbook(path: Path, part: str, around: bytes, piece: bytes) -> None:
    """A workbook in which a part repeats a piece until it has two gigabytes."""
    before, after = around.split(MARK)
    megabyte = piece * ((1 << 20) // len(piece))
    with zipfile.ZipFile(workbook(path)) as old:
        parts = {name: old.read(name) for name in old.namelist() if name != part}
    listed = b'<Override PartName="/%b" ContentType="%b"/></Types>' % (
        STRINGS.encode(),
        STRINGS_TYPE,
    )
    if part == STRINGS:
        types = parts["[Content_Types].xml"].replace(b"</Types>", listed)
        parts["[Content_Types].xml"] = types
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            new.writestr(name, content)
        with new.open(part, "w") as file:
            file.write(before)
            for _ in range(2 << 10):
                file.write(megabyte)
            file.write(after)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.csv.gz", "t.arff.gz", "t.parquet", "t.xlsx", "strings.xlsx"])
def test_bombs_end_with_an_error_below_two_gigabytes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "t.csv.gz":
        packed_bomb(path, b"a,b\n", b"1,2\n", 8_000)
    elif name == "t.arff.gz":
        packed_bomb(path, ARFF_HEAD, b"1,2\n", 8_000)
    elif name == "t.parquet":
        batch = pa.record_batch({"a": pa.array(np.zeros(1 << 24, dtype=np.int8))})
        with pq.ParquetWriter(path, batch.schema, compression="zstd") as writer:
            for _ in range(160):
                writer.write_batch(batch, row_group_size=1 << 24)
    elif name == "t.xlsx":
        endless_workbook(path, SHEET, sheet_of(HEADER + MARK), b"<row><c><v>1</v></c></row>")
    else:
        endless_workbook(
            path,
            STRINGS,
            b"<sst xmlns='%b'>%b</sst>" % (SPACE, MARK),
            b"<si><t>abc</t></si>",
        )
    assert path.stat().st_size < MOST_BYTES
    said, kilobytes = most_memory(path)
    print(said, kilobytes)
    assert said != "read"
    assert kilobytes < 2 << 20
