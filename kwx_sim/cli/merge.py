"""`kwx merge`: parts of one run, played on several machines, joined into one directory."""

from __future__ import annotations

from pathlib import Path

import click

from kwx_sim.cli.command import Place, argument, command, language, option
from kwx_sim.cli.terminal import print_json, put, remark
from kwx_sim.errors import InputError
from kwx_sim.text import t

__all__ = ["merge"]


@command("merge")
@argument("parts", key="merge.parts", type=Place(), nargs=-1, metavar="PART PART...")
@option("--out", "-o", key="merge.out", type=Place(), required=True, metavar="DIR")
@option("--json", "as_json", key="common.json", is_flag=True)
def merge(parts: tuple[str, ...], out: str, as_json: bool) -> None:
    """Join parts of one run."""
    lang = language()
    if len(parts) < 2:
        raise InputError("simulate.merge_few")
    manifest = Path(out, "manifest.json")
    was_there = manifest.exists()
    try:
        from kwx_sim.store import merge as join

        merged = join(parts, out)
    except KeyboardInterrupt:
        made = manifest.exists() and not was_there
        remark(t("cli.merge.interrupted_whole" if made else "cli.merge.interrupted", lang, directory=out))
        raise click.Abort from None
    if as_json:
        print_json({"directory": out, "blocks": merged.blocks, "blocks_in_all": merged.in_all, "games": merged.games})
        return
    if not merged.agreed:
        put(t("cli.merge.games", lang, games=merged.games))
    put(t("cli.merge.done", lang, directory=out, blocks=merged.blocks, in_all=merged.in_all))
