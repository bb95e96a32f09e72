"""`privet advise` from outside: its table, its intervals, and how many records it asks for."""

import json
from pathlib import Path

import pytest

import privet
from privet.cli.advise import _in_words
from privet.cli.main import main
from privet.datasets import agrawal
from privet.errors import UsageError
from privet.files import write_table
from privet.mechanism.matrices import GammaDiagonal
from privet.substitution.advise import Advice, Trial
from privet.substitution.outlook import Outlook


def test_advice(people: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "advice.png"
    grid = ["--gammas", "5,12", "--bins", "5,20", "--plot", str(plot)]
    assert main(["advise", *people, *grid, "--accuracy", "0.6"]) == 0
    out = capsys.readouterr().out
    assert "Advised: --gamma" in out
    assert out.count(" *") == 2
    assert plot.stat().st_size > 5_000
    assert main(["advise", *people, "--gammas", "5", "--bins", "5", "--accuracy", "1"]) == 1
    out = capsys.readouterr().out
    assert "perturbed 2,000 records, two thirds of the table" in out
    assert "No trial reaches an accuracy of 1.0.\n" in out
    assert "\nHint: ask for 0." in out
    assert main(["advise", *people, "--gammas", "9", "--bins", "5,10", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["trials"]) == 2
    assert found["best"]["bins"] in (5, 10)
    assert all(0 < t["standard_error"] < 0.1 for t in found["trials"])
    assert all(t["low"] < t["accuracy"] < t["high"] for t in found["trials"])
    assert found["majority"] == pytest.approx(0.67, abs=0.05)
    assert main(["advise", *people, "--gammas", "none"]) == 2
    assert main(["advise", *people, "--gammas", "1"]) == 2
    capsys.readouterr()
    assert main(["advise", *people, "--gammas", "19/2", "--bins", "5", "--json"]) == 0
    (trial,) = json.loads(capsys.readouterr().out)["trials"]
    assert trial["gamma"] == 9.5
    assert 20 < trial["epsilon"] < 20.3  # nine columns of ln 9.5
    # three columns of categories have 5, 9 and 20 values, whatever N is
    assert trial["entropy"] > GammaDiagonal("19/2", 5).entropy() + 0.2


def test_advice_says_how_many_records_an_accuracy_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_table(agrawal(1, 600, 5), tmp_path / "people.csv")
    asked = ["advise", str(tmp_path / "people.csv"), "--target", "group"]
    assert main([*asked, "--gammas", "9", "--bins", "5", "--accuracy", "1", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    outlook, (trial,) = found["outlook"], found["trials"]
    assert outlook["records"] == found["records_of_a_trial"] == 400
    assert outlook["accuracy"] == trial["accuracy"]
    assert outlook["with_four_times_the_records"] > trial["accuracy"]
    assert outlook["wanted"] == 1


def test_what_is_needed_in_words() -> None:
    trial = Trial(9, 5, 1.0, 0.8, 0.0, 8)
    outlook = Outlook(2_000, 0.8, 0.7, 0.9, 0.5, slope=0.1 * 2_000**0.5)
    advice = Advice((trial,), 0.95, 0.5, 2_000, outlook)
    assert "it needs" not in _in_words(advice, None, 0.8)
    said = _in_words(advice, None, 0.85)  # four times the records lack half of a tenth
    assert "\nWith --gamma 9 --bins 5 it needs about 8,000 records.\nHint: ask for" in said
    said = _in_words(advice, None, 0.95)
    assert "\nNo number of records is expected to reach it with --gamma 9 --bins 5.\n" in said
    said = _in_words(Advice((trial,), 0.95, 0.5, 26), None, 0.85)
    assert "How many records it needs cannot be said from trials of 26: it takes 40." in said


def test_few_records_do_not_say_what_more_would_bring() -> None:
    people = {"x": list(range(48)), "class": ["no"] * 24 + ["yes"] * 24}
    found = privet.advise(people, target="class", gammas=[9], bins=[4])
    assert found.records == 32
    assert found.outlook is None


def test_what_advise_refuses_is_worded_for_its_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "t.csv"
    rows = [f"{i},same,{'yes' if i % 3 else 'no'}" for i in range(60)]
    table.write_text("\n".join(["x,k,class", *rows]) + "\n")
    asked = ["advise", str(table), "--target", "class"]
    assert main(asked) == 2
    assert "Hint: leave it out: --drop k." in capsys.readouterr().err
    for gammas in ("x", "1.0000001", "1", "5,1/2"):
        assert main([*asked, "--drop", "k", "--gammas", gammas]) == 2
        said = capsys.readouterr().err
        assert said.startswith("Error: --gammas must be")
        assert f"got {gammas.split(',')[-1]}." in said


def test_five_draws_that_agree_leave_the_doubt_of_those_who_judge_them() -> None:
    """0.89 to 0.89 was said of a hundred records that judged."""
    people = {"x": list(range(300)), "class": ["no"] * 150 + ["yes"] * 150}
    (trial,) = privet.advise(people, target="class", gammas=[50], bins=[4]).trials
    assert trial.standard_error == 0
    assert trial.low < trial.accuracy - 0.01
    assert trial.high - trial.low > 0.02


def test_whichever_trial_reaches_the_accuracy_is_advised() -> None:
    shares = {(5, 5): 0.8, (5, 20): 0.804, (9, 5): 0.9}
    trials = tuple(Trial(gamma, n, 1.0, share, 0.0, 8) for (gamma, n), share in shares.items())
    advice = Advice(trials, clean=0.95)
    assert advice.by_gamma[5].bins == 5  # as good as 20 by a hair, but it has less
    for asked, best in ((0.8, (5, 5)), (0.803, (5, 20)), (0.85, (9, 5)), (None, (9, 5))):
        found = advice.best(asked)
        assert found is not None
        assert (found.gamma, found.bins) == best
    assert advice.best(0.91) is None
    with pytest.raises(UsageError, match="a share from 0 to 1"):
        advice.best(float("nan"))


def test_nothing_is_advised_that_is_no_better_than_the_commonest_class(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of eleven records, a setting whose trees were never right was advised."""
    rows = [f"{i % 7},{'yes' if i % 3 else 'no'}" for i in range(11)]
    (tmp_path / "t.csv").write_text("\n".join(["x,class", *rows]) + "\n")
    asked = ["advise", str(tmp_path / "t.csv"), "--target", "class", "--gammas", "2", "--bins", "3"]
    assert main(asked) == 0
    assert "Nothing is advised: no trial is right more often" in capsys.readouterr().out
    assert main([*asked, "--accuracy", "0", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["best"] is None
    poor = Trial(9, 5, 1.0, 0.8, 0.0, 8, low=0.7)
    assert Advice((poor,), 0.95, majority=0.8).best(0.5) is None
    said = _in_words(Advice((poor,), 0.95, majority=0.75), None, None)
    assert "Advised: --gamma 9 --bins 5 (accuracy 0.8000).\nWarning: whoever always names" in said


def test_what_is_barely_worth_something_is_advised_before_a_smaller_n_that_is_not() -> None:
    """A smaller N within a hair of the best may be below the commonest class, the best above it."""
    few, many = (Trial(9, bins, 1.0, share, 0.0, 8) for bins, share in ((5, 0.749), (10, 0.751)))
    advice = Advice((few, many), 0.95, majority=0.75)
    assert advice.best() == many
    assert "Advised: --gamma 9 --bins 10 (accuracy 0.7510).\nWarning" in _in_words(
        advice, None, None
    )
