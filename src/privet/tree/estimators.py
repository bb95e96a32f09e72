"""The grower with the face of scikit-learn: `TreeClassifier` and `TreeRegressor`.

They take arrays, and frames of pandas, polars or Arrow with numbers, dates and categories as they
are; missing cells need no filling. The fitted tree is `tree_`, the model of `privet.tree`. This
module needs scikit-learn; `from_sklearn` brings trees that scikit-learn has grown itself.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from privet.engine import MemoryEngine
from privet.errors import InputError, MissingExtra, UsageError
from privet.files.frames import table_of
from privet.schema import Kind
from privet.table import Coded, Domain, Table, code_type
from privet.tree.grow import grow
from privet.tree.grower import Grower
from privet.tree.importance import importances
from privet.tree.model import Node, Tree
from privet.tree.response import grid_step, on_grid

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtra("The estimators need", "scikit-learn 1.6 or newer", "sklearn") from None

_NUMBERS = (Kind.INTEGER, Kind.DECIMAL)


class WeightsRefused(UsageError, TypeError):
    """Weights were given; a TypeError as well, as scikit-learn expects of a fit without them."""


class _TreeEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """What both estimators share: from X and y to a table and its tree, and new rows to leaves."""

    def __init__(
        self,
        impurity: str,
        categories: str,
        leaves: int | None,
        depth: int | None,
        min_leaf: int,
        min_gain: float,
    ) -> None:
        self.impurity = impurity
        self.categories = categories
        self.leaves = leaves
        self.depth = depth
        self.min_leaf = min_leaf
        self.min_gain = min_gain

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # missing is a value
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _fit(self, X: Any, y: Any, more: dict[str, Any]) -> Self:
        _refuse_weights(more)
        grower = Grower(
            impurity=self.impurity,  # type: ignore[arg-type]
            categories=self.categories,  # type: ignore[arg-type]
            leaves=self.leaves,
            depth=self.depth,
            min_leaf=self.min_leaf,
            min_gain=self.min_gain,
        )
        columns = self._read(X, y, fitting=True)
        response = self._response(y)
        check_consistent_length(X, y)
        target = "y"
        while target in columns:
            target += "_"
        table = Table({**columns, target: response})
        self.kinds_ = {name: column.domain.kind for name, column in columns.items()}
        if response.domain.size == 1:
            self.tree_ = _lone_leaf(target, response, grower, tuple(columns))
        else:
            schema = table.schema().with_roles(target=target)
            self.tree_ = grow(MemoryEngine(table), schema, grower)
        return self

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """The number of the leaf that each row reaches, as the nodes of `tree_` are numbered."""
        return self._leaves_of(X)

    def get_depth(self) -> int:
        """The largest number of splits on a path."""
        check_is_fitted(self)
        return int(self.tree_.depth)

    def get_n_leaves(self) -> int:
        check_is_fitted(self)
        return int(self.tree_.n_leaves)

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """The share of each column in what the tree gains; `privet.tree.importance` says how."""
        check_is_fitted(self)
        shares = importances(self.tree_)
        return np.array([float(shares.get(name, 0)) for name in self.kinds_], dtype=np.float64)

    @abstractmethod
    def _response(self, y: Any) -> Coded:
        """The response as a column of codes."""

    def _leaves_of(self, X: Any) -> npt.NDArray[np.int64]:
        check_is_fitted(self)
        return self.tree_.leaf_of_rows(Table(self._read(X, None, fitting=False)))

    def _read(self, X: Any, y: Any, *, fitting: bool) -> dict[str, Coded]:
        """The columns of X under the names of the fit, as codes."""
        given: dict[str, Any] = {"y": y} if fitting else {}
        if _is_frame(X):
            validate_data(self, X, **given, reset=fitting, skip_check_array=True)
            found = table_of(X, None if fitting else self._kinds_by_position(X))
            columns = [found[name] for name in found]
        else:
            checks = {"dtype": None, "ensure_all_finite": "allow-nan"}
            if fitting:
                X = validate_data(self, X, y, **checks, multi_output=True)[0]
            else:
                X = validate_data(self, X, **checks, reset=False)
            columns = [_coded_array(X[:, place]) for place in range(X.shape[1])]
        if fitting:
            names = getattr(self, "feature_names_in_", None)
            known = [f"x{i}" for i in range(len(columns))] if names is None else list(names)
        else:
            known = list(self.kinds_)
        named = dict(zip(known, columns, strict=True))
        if not fitting:
            self._refuse_other_kinds(named)
        return named

    def _kinds_by_position(self, frame: Any) -> dict[str, Kind]:
        """How a new frame is read: like the first, only that numbers stay what they are."""
        names = getattr(frame, "column_names", frame.columns)  # Arrow has the former
        kinds = zip(map(str, names), self.kinds_.values(), strict=True)
        return {name: kind for name, kind in kinds if kind not in _NUMBERS}

    def _refuse_other_kinds(self, columns: dict[str, Coded]) -> None:
        for name, column in columns.items():
            fitted, found = self.kinds_[name], column.domain.kind
            alike = found is fitted or (found in _NUMBERS and fitted in _NUMBERS)
            if not alike and len(column.domain.values):
                raise InputError(
                    f"Column '{name}' is of kind {found}, in the fit it was {fitted}.",
                    "give new rows the same types as those that the tree was grown from.",
                )


class TreeClassifier(ClassifierMixin, _TreeEstimator):  # type: ignore[misc]
    """A decision tree that is the same on every machine.

    The parameters are those of `Grower`: impurity (gini, entropy or gain-ratio), categories
    (subset or multiway), leaves, depth, min_leaf, min_gain. Without limits the tree grows until
    its leaves are pure.

    >>> ages, buys = [[30], [31], [60], [61]], ["no", "no", "yes", "yes"]
    >>> fitted = privet.TreeClassifier(leaves=2).fit(ages, buys)
    >>> fitted.predict([[20], [70]]).tolist()
    ['no', 'yes']
    """

    def __init__(
        self,
        impurity: str = "gini",
        categories: str = "subset",
        leaves: int | None = None,
        depth: int | None = None,
        min_leaf: int = 1,
        min_gain: float = 0.0,
    ) -> None:
        super().__init__(impurity, categories, leaves, depth, min_leaf, min_gain)

    def fit(self, X: Any, y: Any, **more: Any) -> Self:
        """Grow the tree of X and y."""
        if self.impurity == "deviance":
            raise UsageError("impurity deviance is for numbers.", "use TreeRegressor.")
        return self._fit(X, y, more)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most frequent class of the leaf of each row; the first among equals."""
        reached = self._leaves_of(X)
        best = np.array([n.weights.index(max(n.weights)) for n in self.tree_.nodes])
        return np.asarray(self.classes_[best[reached]])

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The share of each class among the records of the leaf, in the order of `classes_`."""
        reached = self._leaves_of(X)
        weights = np.array([node.weights for node in self.tree_.nodes], dtype=np.float64)
        return np.asarray((weights / weights.sum(axis=1, keepdims=True))[reached])

    def _response(self, y: Any) -> Coded:
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return Coded(_labels(self.classes_), codes.astype(code_type(len(self.classes_))))


class TreeRegressor(RegressorMixin, _TreeEstimator):  # type: ignore[misc]
    """A regression tree that is the same on every machine; it predicts the mean of a leaf.

    The parameters are those of `Grower`: impurity (deviance), categories (subset or multiway),
    leaves, depth, min_leaf, min_gain. Without limits the tree grows as far as it can.

    >>> fitted = privet.TreeRegressor(leaves=2).fit([[30], [31], [60], [61]], [1.0, 1.0, 3.0, 5.0])
    >>> fitted.predict([[20], [70]]).tolist()
    [1.0, 4.0]
    """

    def __init__(
        self,
        impurity: str = "deviance",
        categories: str = "subset",
        leaves: int | None = None,
        depth: int | None = None,
        min_leaf: int = 1,
        min_gain: float = 0.0,
    ) -> None:
        super().__init__(impurity, categories, leaves, depth, min_leaf, min_gain)

    def fit(self, X: Any, y: Any, **more: Any) -> Self:
        """Grow the tree of X and y."""
        if self.impurity != "deviance":
            raise UsageError(f"impurity {self.impurity} is for classes.", "use TreeClassifier.")
        return self._fit(X, y, more)

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """The mean of the leaf of each row."""
        reached = self._leaves_of(X)
        return np.array([self.tree_.mean(node) for node in self.tree_.nodes])[reached]

    def _response(self, y: Any) -> Coded:
        y = column_or_1d(y, warn=True)
        if y.dtype.kind not in "iub":
            y = y.astype(np.float64)
        assert_all_finite(y, input_name="y")
        return _coded_array(y)


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "shape") and hasattr(X, "__len__")


def _coded_array(values: npt.NDArray[Any]) -> Coded:
    """One column of an array: whole numbers, decimals where NaN is missing, or anything else."""
    if values.dtype.kind in "iub":
        nobody = np.zeros(len(values), dtype=bool)
        return Coded.of(values.astype(np.int64), Kind.INTEGER, nobody)
    if values.dtype.kind == "f":
        return Coded.of(values.astype(np.float64) + 0.0, Kind.DECIMAL, np.isnan(values))
    return table_of({"x": values.tolist()})["x"]


def _labels(classes: npt.NDArray[Any]) -> Domain:
    """Sorted classes as the domain of the target."""
    if classes.dtype.kind in "iu":
        return Domain(Kind.INTEGER, classes.astype(np.int64))
    if classes.dtype.kind == "f":
        return Domain(Kind.DECIMAL, classes.astype(np.float64))
    texts = np.empty(len(classes), dtype=object)
    texts[:] = [str(c).lower() if classes.dtype.kind == "b" else str(c) for c in classes]
    return Domain(Kind.CATEGORY, texts)


def _lone_leaf(target: str, response: Coded, grower: Grower, names: tuple[str, ...]) -> Tree:
    """The tree of a response that has one value: there is nothing to ask."""
    records, domain = len(response.codes), response.domain
    grower = replace(grower, leaves=1, attributes=names)
    kinds = {target: domain.kind}
    if grower.impurity != "deviance":
        return Tree(
            target, grower, (Node(0, None, 0, (records,)),), (domain.value(0),), None, kinds
        )
    step = grid_step(domain, records)
    root = Node(0, None, 0, (records, int(on_grid(domain, step)[0]) * records))
    return Tree(target, replace(grower, response_step=step), (root,), None, step, kinds)


def _refuse_weights(more: dict[str, Any]) -> None:
    for name, value in more.items():
        if name != "sample_weight":
            raise TypeError(f"fit() got an unexpected keyword argument '{name}'")
        if value is not None:
            raise WeightsRefused(
                "sample_weight is not supported: a tree that grows again is made of whole records.",
                "repeat rows instead, as often as they count.",
            )
