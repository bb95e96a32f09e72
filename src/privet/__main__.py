"""`python -m privet` is the command `privet`."""

import sys

from privet.cli.main import run

sys.exit(run())
