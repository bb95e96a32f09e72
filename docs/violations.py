"""Where the source breaks its own rules: read from the source, with the reason for each place.

`generate.py` makes `known-violations.md` of it. The page names places and no figures, so it changes
when a violation comes or goes, and not with every line.
"""

import ast
import configparser
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "privet"
LONG = 300
COMPLEX = 12

# Why a place is as it is: the longest beginning of a path that fits speaks for it.
REASONS = {
    "": "not taken apart yet",
    "noise_pipeline.py": "the settings of each method are spelled out, once for each",
    "pipeline.py": "the settings of each method are spelled out, once for each",
    "proposal.py": "one branch for each clue that a column may give",
    "schema.py": "one file format in one place: reading, writing and checking belong together",
    "roles.py": "every way in which roles can contradict each other has its own sentence",
    "cli/": "a command is a list of options; each option that is not given is a branch",
    "cli/main.py": "every way in which a command can end has its own status",
    "attack/": "the published attack, step by step, in one piece",
    "compiled/": "a compiled loop is one function: calls inside would cost more than they explain",
    "criteria/": "the kinds of one criterion side by side, so that they can be compared",
    "datasets/": "one rule of a published generator after the other",
    "engine/": "one pass over the codes, with the cases for their width inside",
    "files/": "one branch for each form in which a cell, a kind or a format can come",
    "mechanism/": "every way in which a law can be ill-formed has its own sentence",
    "noise/": "the published algorithm, step by step, in one piece",
    "parties/": "one branch for each form in which programs print results",
    "parties/join.py": "joining and stacking share their checks",
    "measure/": "the published measure, step by step, in one piece",
    "preserve/": "the conditions of the same tree are many, and are proved as one",
    "release/": "every way in which a folder can lie has its own check and sentence",
    "report/": "one branch for each thing that a page may or may not have to say",
    "substitution/": "the published algorithm, step by step, in one piece",
    "tree/": "one rule of ties, through all kinds of splits, in one place",
}
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.ExceptHandler, ast.match_case, ast.Assert)


def reason_for(place: str) -> str:
    """Why a file may be as it is."""
    return REASONS[max((one for one in REASONS if place.startswith(one)), key=len)]


def complexity(function: ast.FunctionDef) -> int:
    """One more than the number of decisions in a function (McCabe)."""
    found = 1
    for node in ast.walk(function):
        found += isinstance(node, _BRANCHES)
        if isinstance(node, ast.BoolOp):
            found += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            found += 1 + len(node.ifs)
        elif isinstance(node, ast.For | ast.While | ast.Try) and node.orelse:
            found += 1
    return found


def modules() -> Iterator[tuple[str, str]]:
    """The place of every module in the package, and its text."""
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")


def long_files() -> list[str]:
    return [place for place, text in modules() if len(text.splitlines()) > LONG]


def complex_functions() -> dict[str, list[str]]:
    """By file, the functions with more decisions than the limit allows."""
    found: dict[str, list[str]] = {}
    for place, text in modules():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and complexity(node) > COMPLEX:
                found.setdefault(place, []).append(node.name)
    return found


def import_exceptions() -> list[str]:
    """Imports that point upwards and are allowed to."""
    settings = configparser.ConfigParser()
    settings.read(SOURCE.parents[1] / ".importlinter", encoding="utf-8")
    listed = [settings[name].get("ignore_imports", "") for name in settings.sections()]
    return [line.strip() for text in listed for line in text.splitlines() if line.strip()]


def violations_page(note: str) -> str:
    """The page of known violations."""
    long = [f"| `{place}` | {reason_for(place)} |" for place in long_files()]
    many = [
        f"| `{place}` | {', '.join(f'`{name}`' for name in names)} | {reason_for(place)} |"
        for place, names in complex_functions().items()
    ]
    imports = [f"- `{line}`" for line in import_exceptions()]
    parts = [
        note,
        "# Known violations",
        "Where the source breaks the rules of [contributing](contributing.md), and why. The page "
        "is made from the source; the tests fail when a violation comes or goes and the page does "
        "not say so. To mend one is a good first change.",
        f"## Files of more than {LONG} lines",
        "\n".join(["| file | why |", "|---|---|", *long]),
        f"## Functions with more than {COMPLEX} decisions",
        "Counted as McCabe does: one, and one more for each branch, loop, handler, `and` or `or`.",
        "\n".join(["| file | functions | why |", "|---|---|---|", *many]),
        "## Imports that point upwards",
        "`.importlinter` says of each what it is for.",
        "\n".join(imports),
    ]
    return "\n\n".join(parts) + "\n"
