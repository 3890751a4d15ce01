"""`kwx`: the group of commands, the language of the call, and how a failed call ends.

Commands are imported when they are called, so that `kwx --help` does not wait for compilers and tables.
"""

from __future__ import annotations

import difflib
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

import click

from kwx_sim import text
from kwx_sim.cli.command import common_options, flag_that_ends, language, show_help
from kwx_sim.cli.terminal import prepare_streams
from kwx_sim.errors import InputError, printable

__all__ = ["app", "main"]

COMMANDS = {
    "hand": "kwx_sim.cli.hand:hand",
    "score": "kwx_sim.cli.score:score",
    "rules": "kwx_sim.cli.rules:rules",
    "liangdao": "kwx_sim.cli.liangdao:liangdao",
    "discard": "kwx_sim.cli.discard:discard",
    "claim": "kwx_sim.cli.claim:claim",
    "play": "kwx_sim.cli.play:play",
    "replay": "kwx_sim.cli.replay:replay",
    "review": "kwx_sim.cli.review:review",
    "simulate": "kwx_sim.cli.simulate:simulate",
    "merge": "kwx_sim.cli.merge:merge",
    "runs": "kwx_sim.cli.runs:runs",
    "tables": "kwx_sim.cli.tables:tables",
}
"""Command name -> where it lives, in the order of the help page."""

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


class App(click.Group):
    """The group: finds commands late, speaks the user's language, and tells a failure in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        found: click.Command = getattr(import_module(module), attribute)
        return found

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the front page: every command with its one line, none of them imported."""
        lines = [(name, text.t(f"cli.{name}.short", language(ctx))) for name in COMMANDS]
        formatter.write(show_help(self, ctx, "cli.app", lines))

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]  # this one always ends the process
        """Run a call and end the process.

        0 done, 1 some of the work failed, 2 bad input, 130 interrupted, 143 terminated.
        """
        prepare_streams()
        argv = list(sys.argv[1:] if args is None else args)
        lang = _asked_language(argv)
        extra["standalone_mode"] = False
        try:
            status = super().main(argv, prog_name or "kwx", obj=lang, **extra)
            sys.stdout.flush()
        except InputError as error:
            _fail(error.message(lang))
        except click.ClickException as error:
            _fail(_told(error).message(lang))
        except click.Abort:
            sys.exit(EXIT_INTERRUPTED)
        except OSError as error:
            _fail_to_write(error, lang)
        sys.exit(status if isinstance(status, int) else 0)


def _asked_language(argv: Sequence[str]) -> str:
    """Find `--lang` anywhere in the call: help and errors need it before any command has parsed its options."""
    words = list(argv[: argv.index("--")] if "--" in argv else argv)
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == "--lang":
            asked = value if equals else "".join(words[place + 1 : place + 2])
            return asked if asked in text.LANGS else text.default_lang()
    return text.default_lang()


def _fail(line: str) -> NoReturn:
    # What was shown before it went wrong comes first, also where both go to one file.
    with suppress(OSError):
        sys.stdout.flush()
    sys.stderr.write("kwx: " + printable(" ".join(line.split())) + "\n")
    sys.exit(EXIT_BAD_INPUT)


def _fail_to_write(error: OSError, lang: str) -> NoReturn:
    """End where a disk is full, a file is in the way, or, in silence, nobody reads on."""
    if error.filename is not None:
        _fail(text.t("cli.unwritable", lang, file=error.filename, problem=error.strerror))
    # Else it is stdout. The process must not try again, as it ends, what is left to write.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        sys.exit(1)
    _fail(text.t("cli.output", lang, problem=error.strerror))


def _told(error: click.ClickException) -> InputError:
    """Tell click's own refusals from the catalogue."""
    if isinstance(error, click.NoSuchOption):
        return _unknown("option", error.option_name, _like(error.option_name, error.possibilities or ()))
    if isinstance(error, click.exceptions.NoSuchCommand):
        return _unknown("command", error.command_name, difflib.get_close_matches(error.command_name, COMMANDS))
    if isinstance(error, click.MissingParameter) and error.param is not None:
        name = max(error.param.opts, key=len)
        return InputError("cli.missing", name=name if isinstance(error.param, click.Option) else name.upper())
    if isinstance(error, click.BadOptionUsage):
        return InputError("cli.option_usage", option=error.option_name)
    return InputError("cli.usage", problem=error.format_message())


def _like(option: str, known: Sequence[str]) -> list[str]:
    # click counts the dashes, which all have, as likeness.
    bare = {name.lstrip("-"): name for name in known}
    return [bare[name] for name in difflib.get_close_matches(option.lstrip("-"), bare)]


def _unknown(kind: str, name: str, near: Sequence[str]) -> InputError:
    if near:
        return InputError(f"cli.unknown_{kind}_near", name=name, near=near[0])
    return InputError(f"cli.unknown_{kind}", name=name)


def _version(_: click.Context) -> str:
    # Looked up only when asked for: importlib.metadata takes longer than the whole front page.
    from importlib.metadata import version

    return f"kwx_sim {version('kwx-sim')}"


@click.pass_context
def _front_page(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        sys.stdout.write(ctx.get_help() + "\n")


app = App("kwx", callback=_front_page, invoke_without_command=True, add_help_option=False)
app.params += [flag_that_ends("--version", key="common.version", say=_version), *common_options()]


def main() -> NoReturn:
    """Run the `kwx` command of this process."""
    # A script's shell starts its background jobs with SIGINT ignored; `kill -INT` must stop and save those too.
    signal.signal(signal.SIGINT, _interrupt)
    # What ends a job on a cluster, or a service: it ends as by Ctrl-C.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        app.main()
    except SystemExit as end:
        if end.code == EXIT_INTERRUPTED:
            _leave_at_once()
        raise


_came: list[int] = []
"""Signals that have interrupted this process."""


def _interrupt(number: int, _: Any) -> None:
    """Raise KeyboardInterrupt, but not into numba's compiler, whose callbacks from C lose it or fail on it."""
    _came.append(number)
    compiling = sys.modules.get("numba.core.compiler_lock")
    if compiling is not None and compiling.global_compiler_lock.is_locked():
        _leave_at_once()
    raise KeyboardInterrupt


def _leave_at_once() -> NoReturn:
    """End an interrupted process without waiting for threads that still compile or play; whole blocks are on disk."""
    with suppress(OSError):
        sys.stdout.flush()
    # As a shell tells which signal it was.
    os._exit(128 + _came[0] if _came else EXIT_INTERRUPTED)
