"""``python -m serq_tui`` is ``serq-tui``."""

import sys

from serq_tui.cli import main

sys.exit(main())
