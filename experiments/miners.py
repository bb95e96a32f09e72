"""What a table is good for: models that learn from it, judged on rows held out.

`judge` gives the accuracy (R2 of numeric targets) of logistic or linear regression, a forest and
boosting, and the mean AUC of a logistic model for other columns. Scikit-learn does the learning;
categories are one-hot, numbers scaled.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from privet.measure.miners import models

MOST_TRAINING, MOST_TEST = 8_000, 6_000
_MISSING = "(missing)"


def judge(
    training: pd.DataFrame,
    test: pd.DataFrame,
    target: str,
    others: Sequence[str],
    seed: int,
    truth: pd.DataFrame | None = None,
) -> dict[str, float]:
    """The figures of a table; `others` are columns that a model shall guess as well.

    `truth` has the test rows as they were, where `test` has them recoded like the release.
    """
    truth = _sampled(test if truth is None else truth, MOST_TEST, seed)
    training, test = _sampled(training, MOST_TRAINING, seed), _sampled(test, MOST_TEST, seed)
    regression = pd.api.types.is_numeric_dtype(test[target]) and test[target].nunique() > 10
    figures = {}
    for name, model in _models(regression, seed).items():
        made = _pipeline(training.drop(columns=target), model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made.fit(training.drop(columns=target), training[target])
            figures[name] = float(made.score(test.drop(columns=target), test[target]))
    aucs = [_auc(training, test, truth[column]) for column in others]
    figures["AUC others"] = float(np.mean(aucs))
    return figures


def _models(regression: bool, seed: int) -> Mapping[str, Any]:
    of_all = models(regression, seed)
    return {"LR": of_all["regression"], "RF": of_all["forest"], "GB": of_all["boosting"]}


def _pipeline(columns: pd.DataFrame, model: Any) -> Pipeline:
    numbers = [c for c in columns if pd.api.types.is_numeric_dtype(columns[c])]
    words = [c for c in columns if c not in numbers]
    encoder = make_column_transformer(
        (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), numbers),
        (
            make_pipeline(
                FunctionTransformer(_as_words),
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            ),
            words,
        ),
    )
    return make_pipeline(encoder, model)


def _as_words(columns: pd.DataFrame) -> pd.DataFrame:
    return columns.astype(object).where(columns.notna(), _MISSING).astype(str)


def _auc(training: pd.DataFrame, test: pd.DataFrame, truth: pd.Series) -> float:
    """How well the other columns tell whether a number is above its median, or a category the
    commonest; half where the training rows cannot show it."""
    column = truth.name
    if pd.api.types.is_numeric_dtype(truth):
        answers = [cells > truth.median() for cells in (training[column], truth)]
    else:
        answers = [cells == truth.mode()[0] for cells in (training[column], truth)]
    if answers[0].nunique() < 2 or answers[1].nunique() < 2:
        return 0.5
    made = _pipeline(training.drop(columns=column), LogisticRegression(max_iter=500))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.fit(training.drop(columns=column), answers[0])
        scores = made.predict_proba(test.drop(columns=column))[:, 1]
    return float(roc_auc_score(answers[1], scores))


def _sampled(frame: pd.DataFrame, most: int, seed: int) -> pd.DataFrame:
    return frame if len(frame) <= most else frame.sample(most, random_state=seed)
