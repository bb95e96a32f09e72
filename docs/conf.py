"""How the site is built: Sphinx with Markdown pages, offline, warnings are errors (`make docs`)."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from privet.version import __version__  # noqa: E402

project = "Privet"
author = "The Privet developers"
project_copyright = "the Privet developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]

# Links to headings (`page.md#heading`) work as they do on code hosts.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]

# Docstrings are plain text with names in single backquotes.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = False
maximum_signature_line_length = 88  # longer ones have one parameter in a line

html_theme = "furo"
html_title = f"Privet {__version__}"
html_static_path: list[str] = []
html_show_sphinx = False
