"""Naive Bayes for columns of both sorts: a normal law for numbers, shares for categories.

Scikit-learn has one model for each sort and none for both; a normal law for a column of zeros and
ones misleads badly. `miners` next door encodes the columns and runs the contest.
"""

from typing import Any

import numpy as np

from privet.arrays import Floats

_SMOOTHING = 1e-9  # of the largest variance, as scikit-learn has it


class NaiveBayes:
    """Fits and predicts as the models of scikit-learn do.

    A column that holds nothing but zeros and ones says whether a category is there: it counts where
    it is 1, with a share that is smoothed by one record more on each side.
    """

    def fit(self, known: Floats, answers: Any) -> "NaiveBayes":
        self._classes, of = np.unique(answers, return_inverse=True)
        self._hot = np.asarray(((known == 0) | (known == 1)).all(axis=0))
        numbers, hot = known[:, ~self._hot], known[:, self._hot]
        n = np.bincount(of)
        self._prior = np.log(n / len(of))
        parts = [of == code for code in range(len(n))]
        self._means = np.array([numbers[part].mean(axis=0) for part in parts])
        least = _SMOOTHING * float(numbers.var(axis=0).max(initial=0.0)) or _SMOOTHING
        self._variances = np.array([numbers[part].var(axis=0) for part in parts]) + least
        there = np.array([hot[part].sum(axis=0) for part in parts])
        self._shares = np.log((there + 1) / (n[:, None] + 2))
        return self

    def predict(self, rows: Floats) -> Any:
        numbers, hot = rows[:, ~self._hot], rows[:, self._hot]
        scores = self._prior + hot @ self._shares.T
        for code in range(len(self._classes)):
            far = (numbers - self._means[code]) ** 2 / self._variances[code]
            law = np.log(2 * np.pi * self._variances[code])
            scores[:, code] -= 0.5 * (far + law).sum(axis=1)
        return self._classes[scores.argmax(axis=1)]
