"""Counts in plain words, for messages and pages alike."""


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 record`, `30,717 records`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
