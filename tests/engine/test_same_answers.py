"""What is built on counts is the same on disk as in memory: judgements and trees."""

from collections import Counter
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.random_tables import TARGET, plain_tables
from privet.cli.terminal import working
from privet.criteria import Criterion, KAnonymity, LDiversity, TCloseness, assess
from privet.engine import MemoryEngine, SqlEngine, engine_of, larger_than_memory, sql, sql_blocks
from privet.engine.protocol import Between
from privet.engine.workplace import Workplace, at_work, bytes_of
from privet.errors import InvalidParameter, UsageError
from privet.files.frames import table_of
from privet.tree import Grower, grow
from privet.tree.exchange.model_file import to_data

thorough = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@thorough
@given(data=st.data())
def test_the_same_judgement(workplace: Workplace, data: st.DataObject) -> None:
    """k, l and t of every kind, for several sensitive columns, whatever the portions."""
    table = data.draw(plain_tables(most_columns=5)).table()
    names = data.draw(st.permutations(table.names))
    n_quasi = data.draw(st.integers(0, len(names)))
    quasi, sensitive = names[:n_quasi], names[n_quasi:]
    person = None
    criteria: list[Criterion] = [KAnonymity(2)]
    if sensitive and data.draw(st.booleans()):
        person = data.draw(st.sampled_from(sensitive))
    elif sensitive:
        criteria += [LDiversity("1.5", kind) for kind in ("strong", "entropy")]
        criteria += [LDiversity(2, kind) for kind in ("distinct", "recursive")]
        criteria.append(TCloseness("0.3"))
    there = assess(MemoryEngine(table), quasi, sensitive, criteria, person)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sql, "PORTION", data.draw(st.sampled_from([1, 2, 5, 1000])))
        found = assess(SqlEngine.holding(table, workplace), quasi, sensitive, criteria, person)
    assert found == there
    for one, two in zip(found.findings, there.findings, strict=True):
        assert one.verdict.broken.tolist() == two.verdict.broken.tolist()


@thorough
@given(data=st.data())
def test_the_same_tree(workplace: Workplace, data: st.DataObject) -> None:
    regression = data.draw(st.booleans())
    plain = data.draw(plain_tables(regression=regression, most_columns=6))
    table, schema = plain.table(), plain.schema()
    impurity = "deviance" if regression else data.draw(st.sampled_from(["gini", "entropy", "c45"]))
    categories = data.draw(st.sampled_from(["subset", "multiway"]))
    grower = Grower(impurity, categories, leaves=data.draw(st.sampled_from([2, 5, None])))
    there = grow(MemoryEngine(table), schema, grower)
    assert to_data(grow(SqlEngine.holding(table, workplace), schema, grower)) == to_data(there)


def test_many_children_are_told_apart_by_a_map(workplace: Workplace) -> None:
    """A multiway split of many categories, and more columns than one question counts."""
    names = [f"c{number:02}" for number in range(sql._MOST_SETS + 3)]
    cells = {name: [f"v{(row * 7 + len(name)) % 11}" for row in range(300)] for name in names}
    table = table_of({**cells, TARGET: ["yes" if row % 11 < 4 else "no" for row in range(300)]})
    schema = table.schema().with_roles(target=TARGET)
    grower = Grower("gini", "multiway", leaves=30)
    there = grow(MemoryEngine(table), schema, grower)
    assert there.n_leaves > 4
    assert to_data(grow(SqlEngine.holding(table, workplace), schema, grower)) == to_data(there)


@pytest.mark.parametrize("times", [1, 5], ids=["rows", "rows alike joined"])
def test_folds_are_dealt_along_the_order(workplace: Workplace, times: int) -> None:
    cells = sorted((row * 7 % 13, row * 5 % 11) for row in range(20)) * times
    table = table_of({"a": [a for a, _ in cells], "b": [b for _, b in cells]})
    engine = SqlEngine.holding(table, workplace)
    assert engine.is_counted == (times > 1)
    in_order = sorted(zip(*(table[name].codes.tolist() for name in ("b", "a")), strict=True))
    for fold, (others, mine) in enumerate(engine.folds(["b"], 3)):
        dealt = Counter(in_order[fold::3])
        for found, wanted in ((mine, dealt), (others, Counter(in_order) - dealt)):
            counts = found.count(["b", "a"])
            keys = map(tuple, counts.keys.tolist())
            assert dict(zip(keys, counts.n.tolist(), strict=True)) == wanted


def test_few_rows_come_back(workplace: Workplace) -> None:
    """A tree fetches its counts, and no row."""
    rows = 20_000
    table = table_of(
        {
            "a": [r % 50 for r in range(rows)],
            "b": [r % 7 for r in range(rows)],
            TARGET: ["yes" if r % 50 < 20 else "no" for r in range(rows)],
        }
    )
    engine = SqlEngine.holding(table, workplace)
    before = workplace.rows_fetched
    tree = grow(engine, table.schema().with_roles(target=TARGET), Grower(leaves=4))
    fetched = workplace.rows_fetched - before
    assert 0 < fetched <= 2 * (50 + 7) * len(tree.nodes)


def test_an_engine_lies_where_the_block_says() -> None:
    table = table_of({"a": [1, 1, 2]})
    assert isinstance(engine_of(table), MemoryEngine)
    with larger_than_memory("300MB"):
        engine = engine_of(table)
        assert isinstance(engine, SqlEngine)
        assert engine.n_rows() == 3
        with pytest.raises(UsageError, match="every row in memory"):
            engine.table()
    assert at_work() is None


@pytest.mark.parametrize("text", ["2GB", " 2 gb", "2000MB", "2.0GB", 2 * 10**9])
def test_sizes_are_read(text: str | int) -> None:
    assert bytes_of(text) == 2 * 10**9


@pytest.mark.parametrize("text", ["", "2", "2 G", "GB", "-2GB", "1e9GB", "nanGB", "1MB", 0, -5])
def test_what_is_no_size_is_refused(text: str | int) -> None:
    with pytest.raises(InvalidParameter, match="memory must be"):
        bytes_of(text)


def test_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are on disk, records in blocks, and questions between these stages."""
    monkeypatch.setattr(sql, "_ROWS_AT_ONCE", 2)
    monkeypatch.setattr(sql_blocks, "BATCH", 2)
    with larger_than_memory("300MB") as place:
        told: list[str] = []
        place.progress = told.append
        engine = engine_of(table_of({"a": [1, 2, 3, 4]}))
        assert isinstance(engine, SqlEngine)
        assert told[:2] == ["question 1", "0 of 4 rows on disk"]
        assert "2 of 4 rows on disk" in told
        assert told[-1].startswith("question ")
        blocks = engine.blocks([(Between("a", 0, 1),), (Between("a", 2, 3),)])
        blocks.finished(lambda small: small)
        assert "2 of 4 records in blocks" in told
        assert told[-1].startswith("question ")


def test_a_terminal_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    status = SimpleNamespace(update=shown.append)
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: True))
    console = SimpleNamespace(status=lambda text: nullcontext(status))
    monkeypatch.setattr("rich.console.Console", lambda **_: console)
    with larger_than_memory("300MB") as place:
        with working("Growing ...") as say:
            say("Recoding ...")
            place.tell("2 of 4 rows on disk")
        place.tell("heard by nobody")
    assert shown == ["Recoding ...", "Recoding ... (2 of 4 rows on disk)"]
