"""`python -m diagnostics.cli`: the same command where its script is not on the path."""

import sys

from diagnostics.cli import main

sys.exit(main())
