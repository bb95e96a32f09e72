"""PMML: other programs predict the same as we do, and what comes back is the same tree."""

import shutil
import warnings
from pathlib import Path
from typing import Any
from xml.sax import saxutils

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.pmml_by_the_book import BookModel
from oracles.random_tables import TARGET, plain_tables
from privet import Grower, MemoryEngine, Tree, grow, read_pmml, read_table, table_of, write_pmml
from privet.datasets import make
from privet.errors import InputError, OutputError
from privet.files import frame_of
from privet.table import Table, text_of
from privet.tree.exchange.imported import ImportLoss
from privet.tree.exchange.model_file import class_text
from privet.tree.exchange.pmml_read import from_pmml
from privet.tree.exchange.pmml_write import _NOT_IN_XML, _escaped, _quoted, to_pmml

GROWERS = [Grower(categories="subset"), Grower(impurity="entropy", categories="multiway")]


def grown(table: Table, grower: Grower, target: str = TARGET) -> Tree:
    return grow(MemoryEngine(table), table.schema().with_roles(target=target), grower)


def records(table: Table, tree: Tree) -> list[dict[str, Any]]:
    """The cells as PMML compares them: numbers, labels, dates as texts; None is missing."""
    columns = {}
    for name in tree.attributes_used:
        domain = table[name].domain
        cells = [domain.value(code) for code in range(domain.size)]
        columns[name] = [cells[code] for code in table[name].codes]
    return [{n: c[i] for n, c in columns.items()} for i in range(table.n_rows)]


def scores(table: Table, tree: Tree) -> list[str]:
    found = tree.predict(table)
    return [repr(v) if tree.is_regression else class_text(v) for v in found]


@pytest.mark.parametrize("grower", GROWERS, ids=["subset", "multiway"])
@given(plain=plain_tables(), other=st.data())
def test_by_the_book_all_records_get_our_prediction(grower: Grower, plain, other) -> None:
    table = plain.table()
    tree = grown(table, grower)
    book = BookModel(to_pmml(tree))
    assert [book.score(record) for record in records(table, tree)] == scores(table, tree)
    # records that the tree never saw: other values, missing cells, unseen categories
    strange = {
        name: other.draw(st.lists(st.sampled_from([None, "new", *cells]), min_size=3, max_size=3))
        if not plain.kinds[name].is_ordered
        else other.draw(st.lists(st.sampled_from([None, *cells]), min_size=3, max_size=3))
        for name, cells in plain.cells.items()
    }
    new = table_of({n: _as_given(c, plain.kinds[n]) for n, c in strange.items()}, kinds=plain.kinds)
    assert [book.score(record) for record in records(new, tree)] == scores(new, tree)


def _as_given(cells: list[Any], kind) -> list[Any]:
    return [None if cell is None else text_of(cell, kind) for cell in cells]


@pytest.mark.parametrize("categories", ["subset", "multiway"])
@given(plain=plain_tables(regression=True))
def test_regression_by_the_book(categories: Any, plain) -> None:
    table = plain.table()
    tree = grown(table, Grower(impurity="deviance", categories=categories))
    book = BookModel(to_pmml(tree))
    assert [book.score(record) for record in records(table, tree)] == scores(table, tree)


@pytest.mark.parametrize("categories", ["subset", "multiway"])
@pytest.mark.parametrize("regression", [False, True], ids=["classes", "numbers"])
@given(data=st.data())
def test_our_own_files_come_back_bit_for_bit(categories: Any, regression: bool, data) -> None:
    plain = data.draw(plain_tables(regression=regression))
    impurity: Any = "deviance" if regression else "gini"
    tree = grown(plain.table(), Grower(impurity=impurity, categories=categories))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert from_pmml(to_pmml(tree)) == tree
    assert to_pmml(from_pmml(to_pmml(tree))) == to_pmml(tree)


@given(
    st.text(st.one_of(st.sampled_from("&<>\"'\n\r\t;"), st.characters(exclude_categories=["C"])))
)
def test_texts_are_escaped_as_in_any_xml(text: str) -> None:
    assert _escaped(text) == saxutils.escape(text)
    assert _quoted(text) == saxutils.quoteattr(text)


@given(
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=2, max_size=5, unique=True)
)
def test_any_label_comes_back_or_is_refused(labels: list[str]) -> None:
    cells = [label for label in labels for _ in range(2)]
    table = table_of({"c": cells, "y": [str(i // 2 % 2) for i in range(len(cells))]})
    tree = grown(table, Grower(), "y")
    try:
        text = to_pmml(tree)
    except OutputError:
        assert any(ord(mark) < 32 or ord(mark) >= 0xFFFE for mark in "".join(labels))
        return
    assert from_pmml(text) == tree
    book = BookModel(text)
    if not any('"' in label for label in labels):
        assert [book.score(record) for record in records(table, tree)] == scores(table, tree)


# -- independent readers ---------------------------------------------------------------------------


def by_sklearn_pmml_model(path: Path, table: Table, tree: Tree) -> list[Any]:
    """The predictions of sklearn-pmml-model, whose categories are places in the file's list."""
    from sklearn_pmml_model.tree import PMMLTreeClassifier, PMMLTreeRegressor

    model = (PMMLTreeRegressor if tree.is_regression else PMMLTreeClassifier)(str(path))
    frame = frame_of(table, "pandas")
    columns = {}
    for name in (f for f in model.fields if f != tree.target):
        kind = model.field_mapping[name][1]
        listed = getattr(kind, "categories", None)
        columns[name] = (
            frame[name].to_numpy()
            if listed is None
            else [listed.index(v) if v in listed else len(listed) for v in frame[name]]
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.predict(pd.DataFrame(columns)).tolist()


@pytest.mark.parametrize("grower", [Grower(leaves=60), Grower(depth=4, categories="multiway")])
def test_an_independent_reader_classifies_every_record_of_adult_alike(
    grower: Grower, shared_data: Path, tmp_path: Path
) -> None:
    table = read_table(shared_data / "adult.csv.gz")
    tree = grown(table, grower, "income")
    assert tree.n_leaves > 10
    write_pmml(tree, tmp_path / "adult.pmml")
    assert by_sklearn_pmml_model(tmp_path / "adult.pmml", table, tree) == tree.predict(table)
    new = read_table(shared_data / "adult_test.csv.gz")
    assert by_sklearn_pmml_model(tmp_path / "adult.pmml", new, tree) == tree.predict(new)


def test_an_independent_reader_agrees_on_generated_tables(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for regression in (False, True):
        table = table_of(
            {
                "n": rng.integers(0, 50, 500),
                "d": rng.normal(size=500).astype(np.float32).astype(float),
                "c": rng.choice(list("abcdef"), 500),
                "y": rng.normal(size=500) if regression else rng.choice(["p", "q", "r"], 500),
            }
        )
        tree = grown(table, Grower("deviance" if regression else "gini", leaves=40), "y")
        write_pmml(tree, tmp_path / "t.pmml")
        found = by_sklearn_pmml_model(tmp_path / "t.pmml", table, tree)
        if regression:  # that reader multiplies means by 10 and by 0.1
            assert found == pytest.approx(tree.predict(table), rel=1e-14)
        else:
            assert found == tree.predict(table)


@pytest.fixture(scope="module")
def pmml4s() -> Any:
    """Another reader, written in Scala; it knows missing cells, too."""
    if shutil.which("java") is None:
        pytest.skip("Java is not here")
    return pytest.importorskip("pypmml").Model


@settings(max_examples=15)
@given(data=st.data())
def test_a_second_reader_agrees_on_missing_cells_and_unseen_categories(pmml4s, data) -> None:
    plain = data.draw(plain_tables())
    table = plain.table()
    tree = grown(table, data.draw(st.sampled_from(GROWERS)))
    kinds = {plain.kinds[name] for name in tree.attributes_used}
    if not tree.attributes_used or kinds & {"date"} or None in (tree.classes or ()):
        return
    rows = records(table, tree)
    if any(isinstance(v, int) and abs(v) >= 2**53 for row in rows for v in row.values()):
        return  # other programs hold numbers in 64 bits with a point
    rows += [dict.fromkeys(rows[0])]
    if not any(table[name].domain.missing for name in rows[0]):  # it takes unseen ones as missing
        rows += [{n: None if plain.kinds[n].is_ordered else "unseen" for n in rows[0]}]
    book = BookModel(to_pmml(tree))
    model = pmml4s.fromString(to_pmml(tree))
    found = [model.predict(row)[f"predicted_{TARGET}"] for row in rows]
    assert found == [book.score(row) for row in rows]
    assert found[: table.n_rows] == scores(table, tree)


# -- files of others -------------------------------------------------------------------------------

RPART = """<?xml version="1.0"?>
<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4">
 <Header copyright="Copyright (c) 2024 user" description="RPart Decision Tree Model">
  <Application name="R Data Mining Tool" version="2.5.2"/></Header>
 <DataDictionary numberOfFields="4">
  <DataField name="Kyphosis" optype="categorical" dataType="string">
   <Value value="absent"/><Value value="present"/></DataField>
  <DataField name="Start" optype="continuous" dataType="double"/>
  <DataField name="Age" optype="continuous" dataType="double"/>
  <DataField name="Ward" optype="categorical" dataType="string">
   <Value value="east"/><Value value="north"/><Value value="west side"/></DataField>
 </DataDictionary>
 <TreeModel modelName="RPart_Model" functionName="classification" algorithmName="rpart"
  splitCharacteristic="binarySplit" missingValueStrategy="defaultChild"
  noTrueChildStrategy="returnLastPrediction">
  <MiningSchema>
   <MiningField name="Kyphosis" usageType="predicted"/>
   <MiningField name="Start" usageType="active"/>
   <MiningField name="Age" usageType="active"/>
   <MiningField name="Ward" usageType="active"/>
  </MiningSchema>
  <Node id="1" score="absent" recordCount="81" defaultChild="2">
   <True/>
   <ScoreDistribution value="absent" recordCount="64" confidence="0.790123456790123"/>
   <ScoreDistribution value="present" recordCount="17" confidence="0.209876543209877"/>
   <Node id="2" score="absent" recordCount="62">
    <CompoundPredicate booleanOperator="surrogate">
     <SimplePredicate field="Start" operator="greaterOrEqual" value="8.5"/>
     <SimplePredicate field="Age" operator="lessThan" value="101"/>
    </CompoundPredicate>
    <ScoreDistribution value="absent" recordCount="56" confidence="0.903225806451613"/>
    <ScoreDistribution value="present" recordCount="6" confidence="0.0967741935483871"/>
   </Node>
   <Node id="3" score="present" recordCount="19" defaultChild="6">
    <CompoundPredicate booleanOperator="surrogate">
     <SimplePredicate field="Start" operator="lessThan" value="8.5"/>
     <SimplePredicate field="Age" operator="greaterOrEqual" value="101"/>
    </CompoundPredicate>
    <ScoreDistribution value="absent" recordCount="8" confidence="0.421052631578947"/>
    <ScoreDistribution value="present" recordCount="11" confidence="0.578947368421053"/>
    <Node id="6" score="present" recordCount="12">
     <SimpleSetPredicate field="Ward" booleanOperator="isIn">
      <Array n="2" type="string">&quot;north&quot;   &quot;west side&quot;</Array>
     </SimpleSetPredicate>
     <ScoreDistribution value="absent" recordCount="3" confidence="0.25"/>
     <ScoreDistribution value="present" recordCount="9" confidence="0.75"/>
    </Node>
    <Node id="7" score="absent" recordCount="7">
     <SimpleSetPredicate field="Ward" booleanOperator="isIn">
      <Array n="1" type="string">&quot;east&quot;</Array>
     </SimpleSetPredicate>
     <ScoreDistribution value="absent" recordCount="5" confidence="0.714285714285714"/>
     <ScoreDistribution value="present" recordCount="2" confidence="0.285714285714286"/>
    </Node>
   </Node>
  </Node>
 </TreeModel>
</PMML>
"""


def test_a_tree_of_rpart_predicts_what_r_predicts() -> None:
    with pytest.warns(ImportLoss, match="Surrogate"):
        tree = from_pmml(RPART)
    assert tree.classes == ("absent", "present")
    assert [n.weights for n in tree.nodes] == [(64, 17), (8, 11), (56, 6), (3, 9), (5, 2)]
    wards = ["east", "north", "west side"]
    starts = [8.5, np.nextafter(8.5, 0), 8.0, 9.0, -1.0, 100.0]
    table = table_of({"Start": [s for s in starts for _ in wards], "Ward": wards * len(starts)})
    book = BookModel(RPART)
    rows = [{**row, "Age": 50.0} for row in records(table, tree)]
    assert scores(table, tree) == [book.score(row) for row in rows]
    assert from_pmml(to_pmml(tree)) == tree


@pytest.mark.filterwarnings("ignore::privet.tree.exchange.imported.ImportLoss")
def test_a_regression_tree_of_rpart_keeps_its_means() -> None:
    text = RPART.replace('"classification"', '"regression"')
    text = text.replace('name="Kyphosis" optype="categorical" dataType="string"',
                        'name="Kyphosis" optype="continuous" dataType="double"')  # fmt: skip
    lines = [line for line in text.splitlines() if "ScoreDistribution" not in line]
    text = "\n".join(lines).replace('score="absent"', 'score="0.1"')
    tree = from_pmml(text.replace('score="present"', 'score="12345.678901234567"'))
    assert sorted(tree.prediction(leaf) for leaf in tree.leaves) == [0.1, 0.1, 12345.678901234567]
    assert tree.records(tree.root) == 81


def test_scores_that_are_not_the_most_frequent_class_are_kept() -> None:
    text = RPART.replace('id="7" score="absent"', 'id="7" score="present"')
    with pytest.warns(ImportLoss) as told:
        tree = from_pmml(text)
    assert any("Class counts" in str(w.message) for w in told)
    assert tree.prediction(tree.nodes[4]) == "present"


def test_without_our_extensions_our_files_still_predict_the_same() -> None:
    table = make("adult", 600, seed=1)
    tree = grown(table, Grower(leaves=12), "income")
    lines = [line for line in to_pmml(tree).splitlines() if not line.startswith("<Extension")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        foreign = from_pmml("\n".join(lines))
    assert foreign.predict(table) == tree.predict(table)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("<PMML", "<!DOCTYPE x><PMML", "DOCTYPE"),
        ("</PMML>", "", "well-formed"),
        ("TreeModel", "MiningModel", "no TreeModel"),
        ('usageType="predicted"', "", "no target"),
        ('operator="lessThan" value="8.5"', 'operator="lessThan" value="7"', "gap or overlap"),
        ('field="Ward"', 'field="Bed"', "one column"),
        ('field="Ward" booleanOperator="isIn"', 'field="Ward" booleanOperator="is"', "lacks"),
        ('score="absent" recordCount="62"', 'recordCount="62"', None),
        ("lessThan", "isNear", "isNear"),
        ("<MiningField ", '<MiningField outliers="asExtremeValues" ', "changes values"),
        ("</MiningSchema>", '</MiningSchema><Targets><Target min="2"/></Targets>', "predictions"),
    ],
)
@pytest.mark.filterwarnings("ignore::privet.tree.exchange.imported.ImportLoss")
def test_damaged_files_are_refused_in_words(old: str, new: str, reason: str | None) -> None:
    assert old in RPART
    text = RPART.replace(old, new)
    if reason is None:  # a leaf needs no score where its distribution says it
        assert from_pmml(text).n_leaves == 3
        return
    with pytest.raises(InputError, match=reason):
        from_pmml(text)


@pytest.mark.filterwarnings("ignore:Surrogate")
def test_values_in_place_of_missing_cells_are_said_to_be_left_out() -> None:
    replaced = RPART.replace("<MiningField ", '<MiningField missingValueReplacement="3" ')
    with pytest.warns(ImportLoss, match="in place of missing cells"):
        assert from_pmml(replaced).n_leaves == 3


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_pmml(tmp_path / "none.pmml")


def test_the_characters_that_xml_cannot_hold_are_those_of_its_standard() -> None:
    held = (range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
    may = {0x9, 0xA, 0xD}.union(*held)
    assert all((_NOT_IN_XML.search(chr(n)) is None) == (n in may) for n in range(0x110000))
