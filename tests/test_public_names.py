"""The list of public names: said once, and never hidden by a module of the same name."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import privet


def test_the_list_and_the_homes_agree() -> None:
    assert set(privet.__all__) == {*privet._HOMES, "__version__"}
    assert privet.__all__ == sorted(privet.__all__)


def test_every_name_is_what_its_home_has() -> None:
    for name, home in privet._HOMES.items():
        assert getattr(privet, name) is getattr(import_module(home), name)


def test_no_module_of_the_package_has_a_public_name() -> None:
    """Importing `privet.propose` once would put the module in the place of the function."""
    folder = Path(privet.__file__).parent
    modules = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not modules & set(privet.__all__)


def test_names_stay_functions_after_modules_were_imported() -> None:
    code = "import privet, privet.cli.main, privet.noise.parts.detective; privet.propose.__call__"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
