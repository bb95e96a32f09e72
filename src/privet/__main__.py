"""`python -m privet` is the command `privet`."""

from privet.cli.main import run

run()
