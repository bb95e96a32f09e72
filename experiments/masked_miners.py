"""Miners of WEKA that look at numbers as numbers: what they find in clear and masked.

    python experiments/masked_miners.py ADULT.csv [--rows N] [--apriori-rows M]

`parties` has the other miners. NaiveBayes takes a normal law of each number within a class, JRip
grows rules and prunes them on a part of the records. Each is run on a table in clear and on the
same rows masked, for every way to mask age; predictions of the training records are compared. With
--apriori-rows, PredictiveApriori is run on so many records, in clear and masked.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from parties import BOUNDS, Masked, arff, masked_by_parties, weka_jar
from privet.files import read_table
from privet.parties import decode_text
from privet.schema import Kind
from privet.table import Table

SCHEMES = {
    "NaiveBayes": "weka.classifiers.bayes.NaiveBayes",
    "NaiveBayes -K": "weka.classifiers.bayes.NaiveBayes -K",
    "JRip": "weka.classifiers.rules.JRip",
}
_PREDICTED = re.compile(r"^\s*\d+\s+\d+:\S+\s+(\d+):")


def run(jar: Path, words: str, minutes: float) -> tuple[str, float]:
    """What WEKA printed, and its CPU seconds; nothing where it took too long."""
    classes = f"{jar}:/usr/share/java/cup_runtime.jar"
    command = ["java", "-Xmx1500m", "-XX:+UseSerialGC", "-cp", classes, *words.split()]
    started = time.monotonic()
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=60 * minutes
        )
    except subprocess.TimeoutExpired:
        return "", time.monotonic() - started
    return done.stdout or done.stderr[:300], time.monotonic() - started


def first_rows(path: Path, rows: int) -> Table:
    """Values that do not occur in them are forgotten, as masks forget them: headers must agree."""
    people = read_table(path)
    some = people.take(np.arange(min(rows, people.n_rows)))
    return Table({name: some[name].compact() for name in some})


def both(masked: Masked, folder: Path, leave_out: tuple[str, ...] = ()) -> list[Path]:
    """The table in clear and masked, as ARFF; values are listed in the order of their aliases."""
    book = masked.codebook
    names = {m.masked_name: m.column for m in book.columns.values()}
    order = {
        names[name]: [
            book.by_masked_name()[name].value_of(alias) for alias in masked.table[name].domain.texts
        ]
        for name in names
        if masked.table[name].domain.kind is Kind.CATEGORY
    }
    clear = masked.truth.select([names.get(name, name) for name in masked.table])
    paths = []
    for table, numbers, listed in ((clear, ["age"], order), (masked.table, ["H_age"], {})):
        kept = [n for n in table if n not in leave_out]
        paths.append(folder / f"{len(paths)}.arff")
        paths[-1].write_text(arff(table.select(kept), listed, numbers))
    return paths


def run_once(
    jar: Path, words: str, path: Path, minutes: float, known: dict[tuple[str, str], np.ndarray]
) -> np.ndarray:
    """Predictions for a file; the table in clear is the same under every mask, and mined once."""
    key = words, path.read_text()
    if key not in known:
        known[key] = predicted(run(jar, f"{words} -t {path} -T {path} -p 0", minutes)[0])
    return known[key]


def predicted(text: str) -> np.ndarray:
    """The class of each record, by its place in the list of values."""
    found = [_PREDICTED.match(line) for line in text.splitlines()]
    return np.array([int(one[1]) for one in found if one])


def survival(path: Path, rows: int, minutes: float) -> list[str]:
    jar = weka_jar()
    if jar is None:
        return ["WEKA is not installed here."]
    people = first_rows(path, rows)
    lines = [
        "| age masked by | affine | " + " | ".join(SCHEMES) + " |",
        "|---|---|" + "---|" * len(SCHEMES),
    ]
    known: dict[tuple[str, str], np.ndarray] = {}
    for title, (bounds, mode) in BOUNDS.items():
        masked = masked_by_parties(
            people, bounds={"age": bounds}, mode=mode, kept_order=True, seed=7
        )
        cells = []
        with tempfile.TemporaryDirectory() as folder:
            paths = both(masked, Path(folder))
            for words in SCHEMES.values():
                said = [run_once(jar, words, place, minutes, known) for place in paths]
                if {len(one) for one in said} != {people.n_rows}:
                    cells.append("not finished")
                    continue
                cells.append(str(int((said[0] != said[1]).sum())))
        affine = "yes" if masked.codebook.columns["age"].grading.is_affine else "no"
        lines.append(f"| {title} | {affine} | " + " | ".join(cells) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines


def apriori(path: Path, rows: int, minutes: float) -> list[str]:
    """PredictiveApriori on nominal columns, in clear and masked and decoded."""
    jar = weka_jar()
    if jar is None or not rows:
        return []
    people = first_rows(path, rows)
    masked = masked_by_parties(people, bounds={"age": "17,25,..,97"}, kept_order=True, seed=7)
    book = masked.codebook
    words = "weka.associations.PredictiveApriori -N 10 -t"
    rules, spent = [], []
    with tempfile.TemporaryDirectory() as folder:
        for place in both(masked, Path(folder), ("age", "H_age")):
            text, seconds = run(jar, f"{words} {place}", minutes)
            decoded = decode_text(text, book, maskings=book.identities).result
            rules.append([" ".join(x.split()) for x in decoded.splitlines() if "==>" in x])
            spent.append(seconds)
    said = "the same" if rules[0] == rules[1] else "differ"
    said = said if rules[0] else "not finished"
    return [
        f"PredictiveApriori, {people.n_rows:,} records: rules {said}, "
        f"{spent[0]:.0f} and {spent[1]:.0f} seconds.",
        *rules[0],
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("train", type=Path)
    parser.add_argument("--rows", type=int, default=6_000)
    parser.add_argument("--apriori-rows", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60, help="for one run of WEKA")
    parser.add_argument("--only-apriori", action="store_true")
    options = parser.parse_args()
    if not options.only_apriori:
        print("\n".join(survival(options.train, options.rows, options.minutes)), flush=True)
    print("\n".join(apriori(options.train, options.apriori_rows, options.minutes)))


if __name__ == "__main__":
    main()
