"""Counts and settings in plain words, for messages, the help and pages alike."""

# What settings of `publish` and `explore` ask for: the help of the command line, and the studio.
SETTINGS = {
    "recoding": "rich: every column given back, each value shared by k records or more; leaf: "
    "values by leaf, K up to the smallest leaf; global: one map for each column.",
    "one_class": "With rich recoding: whether records that look alike may all have one target "
    "value.",
    "grower": "Whose tree is kept: privet, sklearn, rpart or j48 (WEKA). The program grows it from "
    "the table, and again from the release; a script shows it to those without Privet.",
    "release_sensitive": "Release sensitive columns as they are even where neither l nor t is "
    "asked for.",
    "guard": "A split depends on G records at least, so that it tells of no single one",
    "person": "The column that tells people apart, where one has several records: k, l and t count "
    "people. It is never released.",
    "time_limit": "After so many seconds, or on Ctrl-C, take the best tree found; the release says "
    "so.",
}


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 record`, `30,717 records`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
