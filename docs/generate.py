"""Pages that are made from the source, so that they cannot lag behind it.

    python docs/generate.py            write them
    python docs/generate.py --check    exit with 1 if one of them is out of date

`reference/cli.md` is made from the commands and their help texts, `reference/api.md` from
`privet.__all__`, `known-violations.md` from the source itself (`violations`). `make docs` writes
them before it builds the site; the tests compare them.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
NOTE = (
    "<!-- Made by `python docs/generate.py`. Do not edit: change the source and make it again. -->"
)

# What belongs together, in the order of the page. A public name that is in none of the groups
# comes last, under its own heading: nothing can be left out.
GROUPS = {
    "Publish and verify": [
        "publish",
        "anonymise",
        "add_noise",
        "substitute",
        "Release",
        "read_release",
        "verify",
        "verify_with",
        "check",
        "explore",
        "recode",
        "predict",
        "write_report",
        "measure_release",
    ],
    "Tables and schemas": [
        "read_table",
        "write_table",
        "convert",
        "table_of",
        "frame_of",
        "propose",
        "Table",
        "Schema",
        "Role",
        "Kind",
    ],
    "Trees": [
        "grow",
        "Grower",
        "Tree",
        "MemoryEngine",
        "compare",
        "TreeClassifier",
        "TreeRegressor",
        "from_sklearn",
        "read_tree",
        "write_tree",
        "read_pmml",
        "write_pmml",
    ],
    "Noise that follows the tree": [
        "NoiseFramework",
        "NoiseSettings",
        "ClassNoise",
        "InnocentNoise",
        "InfluentialNoise",
        "Detective",
    ],
    "Random substitution": [
        "RandomSubstitution",
        "Substitution",
        "rebuild",
        "grow_from_perturbed",
        "advise",
    ],
    "Several parties": ["ProjectKey", "Codebook", "mask", "join", "stack", "decode", "decode_tree"],
    "Errors and version": ["PrivetError", "__version__"],
}
REST = "More"
# Packages that users meet beside `privet` itself.
PACKAGES = {"Attacks": "attack", "Measures": "measure"}


def api_page() -> str:
    """The Python reference: every public name, then the packages beside."""
    import privet

    public = set(privet.__all__)
    grouped = {name for names in GROUPS.values() for name in names}
    parts = [
        NOTE,
        "# Python",
        "`import privet` gives all of these names. Each has an example, and the tests run it.",
    ]
    for title, names in {**GROUPS, REST: sorted(public - grouped)}.items():
        here = [name for name in names if name in public]
        if here:
            parts += [f"## {title}", *(_autodoc("privet", name) for name in here)]
    for title, package in PACKAGES.items():
        parts += [f"## {title}: `privet.{package}`", *_package(package)]
    return "\n\n".join(parts) + "\n"


def _autodoc(module: str, name: str) -> str:
    """The directive that fits what the name is."""
    from importlib import import_module

    thing = getattr(import_module(module), name)
    kind = "class" if isinstance(thing, type) else "function" if callable(thing) else "data"
    lines = [f".. auto{kind}:: {module}.{name}"]
    if isinstance(thing, type):
        lines += ["   :members:"]
        foreign = [one for one in vars(thing) if one.endswith("_request")]  # made by scikit-learn
        lines += [f"   :exclude-members: {', '.join(foreign)}"] if foreign else []
    return "```{eval-rst}\n" + "\n".join(lines) + "\n```"


def _package(package: str) -> Iterator[str]:
    """The modules of a package, each with the names that it defines itself."""
    from importlib import import_module
    from inspect import getmodule

    folder = DOCS.parent / "src" / "privet" / package
    for path in sorted(folder.glob("[a-z]*.py")):
        module = import_module(f"privet.{package}.{path.stem}")
        own = [
            name
            for name, thing in vars(module).items()
            if not name.startswith("_") and callable(thing) and getmodule(thing) is module
        ]
        yield f"### {module.__name__}"
        yield "```{eval-rst}\n.. automodule:: " + module.__name__ + "\n```"
        yield from (_autodoc(module.__name__, name) for name in own)


def cli_page() -> str:
    """The reference of the command line, from the commands themselves."""
    import typer.main

    from privet.cli.main import application

    root: Any = typer.main.get_command(application())
    parts = [
        NOTE,
        "# Command line",
        "Every command has `--help`, which says the same as this page.",
    ]
    for name, command in root.commands.items():
        parts += _command(f"privet {name}", command, level=2)
    return "\n\n".join(parts) + "\n"


def _command(path: str, command: Any, level: int) -> Iterator[str]:
    yield f"{'#' * level} {path}"
    text, examples = _help_text(command.help or "")
    yield from text
    inner = getattr(command, "commands", None)
    if inner:
        for name, one in inner.items():
            yield from _command(f"{path} {name}", one, level + 1)
        return
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    shown = [param for param in options if not getattr(param, "hidden", False)]
    usage = " ".join([path, *("[OPTIONS]" for _ in shown[:1]), *map(_argument, arguments)])
    yield f"```text\n{usage}\n```"
    if arguments:
        yield _rows("argument", [(_argument(param), _meaning(param)) for param in arguments])
    panels: dict[str, list[tuple[str, str]]] = {}
    for param in shown:
        panel = getattr(param, "rich_help_panel", None) or "option"
        panels.setdefault(panel, []).append((_option(param), _meaning(param)))
    for panel, rows in panels.items():
        yield _rows(panel, rows)
    yield from (f"Example: `{example}`" for example in examples)


def _help_text(text: str) -> tuple[list[str], list[str]]:
    """The paragraphs of a help text, and its examples apart."""
    import inspect

    paragraphs = [
        " ".join(part.split()) for part in inspect.cleandoc(text).replace("\b", "").split("\n\n")
    ]
    plain = [_escaped(part) for part in paragraphs if part and not part.startswith("Example")]
    examples = [part.partition(":")[2].strip() for part in paragraphs if part.startswith("Example")]
    return plain, examples


def _argument(param: Any) -> str:
    name = (param.metavar or param.name.upper()).strip("{}[]")
    return name + ("..." if param.nargs == -1 else "")


def _option(param: Any) -> str:
    names = "/".join([", ".join(param.opts), *param.secondary_opts])
    if param.is_flag:
        return names
    return f"{names} {param.metavar or _choices(param) or param.name.upper()}"


def _choices(param: Any) -> str:
    """The values of an option that has a few; versions of Typer keep them in different places."""
    described = getattr(param, "type_descriptor", None)
    kind = getattr(described, "annotation", None)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(one.value) for one in kind)
    return "|".join(map(str, getattr(getattr(param, "type", None), "choices", ())))


def _meaning(param: Any) -> str:
    said = " ".join((param.help or "").split())
    remarks = []
    if param.required:
        remarks.append("required")
    elif _has_default(param):
        remarks.append(f"default: {_default(param)}")
    return " ".join([_escaped(said), *(f"*({remark})*" for remark in remarks)])


def _has_default(param: Any) -> bool:
    plain = isinstance(param.default, str | int | float) and not isinstance(param.default, bool)
    return plain or (isinstance(param.default, bool) and bool(param.secondary_opts))


def _default(param: Any) -> str:
    if isinstance(param.default, bool):
        return str((param.opts if param.default else param.secondary_opts)[0])
    return str(getattr(param.default, "value", param.default))


def _rows(title: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"| {title} | meaning |", "|---|---|"]
    for name, meaning in rows:
        code = name.replace("|", "\\|")
        lines.append(f"| `{code}` | {meaning} |")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    for sign in "\\|<*_[":
        text = text.replace(sign, "\\" + sign)
    return text


def known_violations() -> str:
    sys.path.insert(0, str(DOCS))
    from violations import violations_page

    return violations_page(NOTE)


PAGES: dict[str, Callable[[], str]] = {
    "reference/cli.md": cli_page,
    "reference/api.md": api_page,
    "known-violations.md": known_violations,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if out of date")
    check = parser.parse_args(arguments).check
    sys.path.insert(0, str(DOCS.parent / "src"))
    old = [
        name
        for name, make in PAGES.items()
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != make()
    ]
    for name in old:
        print(f"docs/{name} is out of date" if check else f"docs/{name} is made again")
        if not check:
            (DOCS / name).parent.mkdir(exist_ok=True)
            (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
    return 1 if check and old else 0


if __name__ == "__main__":
    sys.exit(main())
