"""命令行: the terminal's face of kwx_sim. It says things; everything below it knows them."""

from kwx_sim.cli.app import main

__all__ = ["main"]
