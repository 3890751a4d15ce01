"""命令行: the terminal's face of kwx_sim. It says things; everything below it knows them."""

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the `kwx` command of this process; an interrupt ends it in silence, also while it is still being imported."""
    try:
        from kwx_sim.cli import app

        app.main()
    except KeyboardInterrupt:
        sys.exit(130)
