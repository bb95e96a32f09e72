"""What lies in the folder when a page begins, and which names its Python blocks find.

Pages speak of `patients.csv` and the like as if they were the reader's own files. Here they are
small tables drawn from a seed. A page that is not listed begins in an empty folder.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pages import ROOT, blocks_of

import privet
from privet.datasets import hospital

Names = dict[str, Any]


def patients(folder: Path) -> Names:
    """400 invented patients."""
    privet.write_table(hospital(400), folder / "patients.csv")
    return {}


def released(folder: Path) -> Names:
    """The patients, and a release of them."""
    patients(folder)
    frame = privet.read_table(folder / "patients.csv")
    roles = {"target": "readmitted", "identifier": "patient_id", "sensitive": "diagnosis"}
    privet.publish(frame, **roles, k=10, l=2, leaves=4).save(folder / "patients-release")
    return {}


def people(folder: Path) -> Names:
    """People with the columns of the schema that the page itself shows."""
    page = (ROOT / "docs" / "how-to" / "substitution.md").read_text(encoding="utf-8")
    schema = next(block.text for block in blocks_of(page) if block.language == "toml")
    (folder / "people.toml").write_text(schema, encoding="utf-8")
    draw = random.Random(7)
    rows = [
        (draw.randint(18, 90), draw.choice(["farm", "office", "shop", ""])) for _ in range(1500)
    ]
    lines = [f"{age},{work},{'yes' if age > 50 else 'no'}" for age, work in rows]
    text = "\n".join(["age,work,class", *lines]) + "\n"
    for name in ("people.csv", "standin.csv"):
        (folder / name).write_text(text, encoding="utf-8")
    return {}


def parties(folder: Path) -> Names:
    """Three tables about the same people, and two of schools."""
    draw = random.Random(11)
    ids = [f"P{number:04}" for number in range(300)]
    ages = {one: draw.randint(18, 90) for one in ids}
    illnesses = {one: draw.choice(["asthma", "cancer", "flu"]) for one in ids}
    columns: dict[str, dict[str, Callable[[str], object]]] = {
        "visits": {"age": ages.__getitem__, "diagnosis": illnesses.__getitem__},
        "orders": {"drug": lambda one: "spray" if illnesses[one] == "asthma" else "pill"},
        "bills": {"cost": lambda one: "high" if ages[one] > 60 else "low"},
        "school1": {"age": lambda one: 6 + ages[one] % 8, "class": lambda one: ages[one] % 3},
    }
    for name, cells in columns.items():
        lines = [",".join(["patient_id", *cells])]
        lines += [",".join([one, *(str(cell(one)) for cell in cells.values())]) for one in ids]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    other = (folder / "school1.csv").read_text().replace("\nP0", "\nQ0")
    (folder / "school2.csv").write_text(other)
    return {}


def visits(folder: Path) -> Names:
    """Invented people with several visits each."""
    cells: dict[str, list[object]] = {n: [] for n in ("pid", "age", "sex", "month", "cost")}
    for visit in range(600):
        person = visit % 150
        dear = (person * 7 + visit) % 3 == 0 or person > 100
        row = (f"p{person}", 20 + person % 50, "fm"[person % 2], 1 + visit % 12, "ab"[dear])
        for name, value in zip(cells, row, strict=True):
            cells[name].append(value)
    privet.write_table(privet.table_of(cells), folder / "visits.csv")
    return {}


PREPARED: dict[str, Callable[[Path], Names]] = {
    "docs/how-to/publish.md": patients,
    "docs/how-to/several-trees.md": patients,
    "docs/how-to/growers.md": patients,
    "docs/how-to/people.md": visits,
    "docs/how-to/anonymise.md": patients,
    "docs/how-to/updates.md": patients,
    "docs/how-to/noise.md": patients,
    "docs/how-to/trees.md": patients,
    "docs/how-to/larger-than-memory.md": patients,
    "docs/how-to/convert.md": patients,
    "docs/how-to/scikit-learn.md": patients,
    "docs/how-to/report.md": released,
    "docs/how-to/measure.md": released,
    "docs/how-to/verify-with.md": released,
    "docs/how-to/substitution.md": people,
    "docs/how-to/parties.md": parties,
}
