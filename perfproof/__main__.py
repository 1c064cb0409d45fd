"""`python -m perfproof` is `perfproof`."""

import sys

from perfproof.cli.app import main

sys.exit(main())
