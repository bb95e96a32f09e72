"""`python -m privet` is the command `privet`."""

import sys

from privet.cli.main import main

sys.exit(main())
