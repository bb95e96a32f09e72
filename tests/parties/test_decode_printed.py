"""Results of other miners: sklearn's trees and clusters, association rules, printed texts."""

from typing import Any

import numpy as np
import pytest

from privet.files import frame_of, table_of
from privet.parties import Codebook, ProjectKey, mask
from privet.parties import decode_data as decode_any
from privet.parties import decode_table as decode_any_table
from privet.parties import decode_text as decode_any_text
from privet.table import Table

KEY = ProjectKey("test", b"k" * 32)
N = 300


def decode_text(text: str, book: Codebook) -> str:
    """Decoded wholly: nothing may stay masked."""
    read = decode_any_text(text, book, maskings=book.identities)
    assert read.undecoded == {}
    return read.result


def decode_data(data: Any, book: Codebook, numbers: str = "values") -> Any:
    read = decode_any(data, book, maskings=book.identities, numbers=numbers)
    assert read.undecoded == {}
    return read.result


def decode_table(table: Table, book: Codebook, numbers: str = "values") -> Table:
    read = decode_any_table(table, book, maskings=book.identities, numbers=numbers)
    assert read.undecoded == {}
    return read.result


def people() -> dict[str, list[Any]]:
    rng = np.random.default_rng(8)
    age = rng.integers(17, 91, N)
    drug = np.where(age > 50, rng.choice(["beta", "statin"], N), rng.choice(["none", "beta"], N))
    ill = np.where((age > 60) & (drug == "statin"), "yes", "no")
    return {"id": list(range(N)), "age": age.tolist(), "drug": drug.tolist(), "ill": ill.tolist()}


@pytest.fixture(scope="module")
def both() -> tuple[Table, Table, Codebook]:
    """The original rows and the masked ones, in the same order."""
    table = table_of(people())
    masked = mask(
        table, key="id", sensitive=["age", "drug", "ill"], project_key=KEY, kept_order=True, seed=2
    )
    order = mask(table, key="id", sensitive=["ill"], project_key=KEY, seed=2).table
    return order, masked.table, masked.codebook


def frames(both: tuple[Table, Table, Codebook]) -> tuple[Any, Any]:
    pytest.importorskip("pandas")
    # pytest.importorskip("pandas")
    return frame_of(both[0], "pandas"), frame_of(both[1], "pandas")


def test_a_tree_of_scikit_learn_predicts_alike_and_decodes(
    both: tuple[Table, Table, Codebook],
) -> None:
    tree = pytest.importorskip("sklearn.tree")
    original, masked = frames(both)
    one = tree.DecisionTreeClassifier(max_depth=4, random_state=0)
    two = tree.DecisionTreeClassifier(max_depth=4, random_state=0)
    first = one.fit(original[["age"]], original["drug"])
    second = two.fit(masked[["H_age"]], masked["H_drug"])
    decoded = decode_data(second.predict(masked[["H_age"]]).tolist(), both[2])
    assert decoded == first.predict(original[["age"]]).tolist()
    text = decode_text(tree.export_text(second, feature_names=["H_age"], decimals=9), both[2])
    assert "H_" not in text
    assert "class: beta" in text
    cut = int(one.tree_.threshold[0])
    assert f"age <= {cut} [{cut}, " in text


def test_clusters_of_scaled_columns_are_the_same(both: tuple[Table, Table, Codebook]) -> None:
    cluster = pytest.importorskip("sklearn.cluster")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    original, masked = frames(both)
    x = preprocessing.MinMaxScaler().fit(original[["age"]])
    m = preprocessing.MinMaxScaler().fit(masked[["H_age"]])
    one = cluster.KMeans(3, random_state=0, n_init=1).fit(x.transform(original[["age"]]))
    two = cluster.KMeans(3, random_state=0, n_init=1).fit(m.transform(masked[["H_age"]]))
    assert one.labels_.tolist() == two.labels_.tolist()
    centres = m.inverse_transform(two.cluster_centers_)[:, 0].tolist()
    decoded = decode_data({"H_age": centres}, both[2], "means")
    assert decoded["age"] == pytest.approx(x.inverse_transform(one.cluster_centers_)[:, 0].tolist())
    table = decode_table(table_of({"H_age": centres, "size": [1, 2, 3]}), both[2], "means")
    assert frame_of(table, "lists")["age"] == pytest.approx(decoded["age"])


def test_naive_bayes_of_categories_is_the_same(both: tuple[Table, Table, Codebook]) -> None:
    bayes = pytest.importorskip("sklearn.naive_bayes")
    original, masked, codebook = both
    one = bayes.CategoricalNB().fit(original["drug"].codes[:, None], original["H_ill"].codes)
    two = bayes.CategoricalNB().fit(masked["H_drug"].codes[:, None], masked["H_ill"].codes)
    assert "drug" in codebook.columns
    assert (
        one.predict_proba(original["drug"].codes[:, None]).tolist()
        == two.predict_proba(masked["H_drug"].codes[:, None]).tolist()
    )


def test_association_rules_are_the_same_after_decoding(
    both: tuple[Table, Table, Codebook],
) -> None:
    patterns = pytest.importorskip("mlxtend.frequent_patterns")
    original, masked = frames(both)

    def rules(frame: Any, columns: list[str]) -> Any:
        items = {
            f"{c}={label}": frame[c] == label for c in columns for label in sorted(set(frame[c]))
        }
        pandas = pytest.importorskip("pandas")
        frequent = patterns.apriori(pandas.DataFrame(items), 0.05, use_colnames=True)
        found = patterns.association_rules(frequent, metric="confidence", min_threshold=0.5)
        return found[["antecedents", "consequents", "support", "confidence"]].values.tolist()

    original["ill"] = decode_data(original["H_ill"].tolist(), _ill(both))
    expected = rules(original, ["drug", "ill"])
    decoded = decode_data(rules(masked, ["H_drug", "H_ill"]), both[2])
    assert len(expected) >= 2
    assert sorted(decoded, key=repr) == sorted(expected, key=repr)


def _ill(both: tuple[Table, Table, Codebook]) -> Codebook:
    table = table_of(people())
    return mask(table, key="id", sensitive=["ill"], project_key=KEY, seed=2).codebook


def test_texts_of_other_miners() -> None:
    table = table_of(
        {"id": [1, 2, 3], "age": [20, 30, 40], "age_2": [1, 2, 3], "sex": ["m", "f", "f"]}
    )
    book = mask(
        table,
        key="id",
        sensitive=["age", "sex"],
        project_key=KEY,
        bounds={"age": "16,32,48"},
        kept_order=True,
    ).codebook
    said = "H_age <= 1.5 AND H_sex = sex_2 | H_sex_sex_1 > 0.50 | H_age_2 <= 7 | H_age > 1.5"
    assert decode_text(said, book) == (
        "age <= 20 [20, 30) AND sex = m | sex=f > 0.50 | H_age_2 <= 7 | age > 20 [20, 30)"
    )
    assert decode_data({"rule": "H_sex=sex_1", "H_age": 1.25, "n": 3}, book) == {
        "rule": "sex=f",
        "age": 20,
        "n": 3,
    }


def test_values_printed_with_six_digits_are_recognised() -> None:
    table = table_of({"id": [1, 2, 3], "age": [20, 21, 22]})
    book = mask(
        table, key="id", sensitive=["age"], project_key=KEY, bounds={"age": [17, 20, 23]}
    ).codebook
    assert decode_text("H_age <= 2.333333", book) == "age <= 21 [21, 22)"
    assert decode_text("H_age > 2.333333", book) == "age > 21 [21, 22)"
    assert decode_text("H_age = 2.333333", book) == "age = 21"
