"""Commands, options and arguments whose help comes from the catalogue, in the language of the call."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar, cast

import click

from kwx_sim import text
from kwx_sim.cli.terminal import cells, hang
from kwx_sim.errors import InputError

__all__ = [
    "Amount",
    "Choice",
    "Command",
    "Numbers",
    "Place",
    "Policies",
    "Whole",
    "Words",
    "argument",
    "command",
    "common_options",
    "flag_that_ends",
    "language",
    "one_or_all",
    "option",
    "show_help",
]

Function = TypeVar("Function", bound=Callable[..., Any])


def language(ctx: click.Context | None = None) -> str:
    """Tell the language of the running call: zh or en."""
    return cast(str, (ctx or click.get_current_context()).find_root().obj)


def _long_name(param: click.Parameter | None) -> str:
    """Name an option as its help does first: --games, not -n."""
    return max(param.opts, key=len) if param else ""


class Choice(click.Choice[str]):
    """One of a few words; another is refused in the user's language."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the word. Raises InputError."""
        if value in self.choices:
            return cast(str, value)
        name = _long_name(param)
        raise InputError("cli.choice", option=name, expected=", ".join(self.choices), got=value)


class Place(click.ParamType[str]):
    """A file or directory. An empty one is a variable that was never set, and would mean the current directory."""

    name = "place"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that there is one. Raises InputError."""
        if not value.strip():
            raise InputError("cli.no_place", option=_long_name(param))
        return cast(str, value)


class Whole(click.ParamType[int]):
    """A whole number, 0 or more, which may be written 2e6 or 2_000_000; how large it may be, its reader knows."""

    name = "whole"
    _DIGITS = 30
    """More are a slip of the hand, and 1e999999999 would take the memory of the machine."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number. Raises InputError."""
        if isinstance(value, int):
            return value
        try:
            number = Decimal(value)
            whole = -(10**self._DIGITS) < number < 10**self._DIGITS and number == int(number)
        except InvalidOperation:
            whole = False
        if whole and number < 0:
            raise InputError("cli.whole_from", option=_long_name(param), low=0, got=value)
        if whole:
            return int(number)
        raise InputError("cli.whole", option=_long_name(param), got=value)


class Amount(click.ParamType[float]):
    """A number, 0 or more, such as 0.05 or 2."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number. Raises InputError."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not 0 <= number < math.inf:
            raise InputError("cli.amount", option=_long_name(param), got=value)
        return number


class Numbers(click.ParamType[list[int]]):
    """Whole numbers between commas: `1,0,2`."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        """Read the numbers. Raises InputError."""
        if isinstance(value, list):
            return value
        try:
            return [int(part) for part in value.replace("，", ",").split(",")]
        except ValueError as error:
            raise InputError("cli.numbers", option=_long_name(param), got=value) from error


class Words(click.ParamType[list[str]]):
    """Words between commas: `a,b`."""

    name = "words"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Take the words apart; which they may be, their reader knows."""
        if isinstance(value, list):
            return value
        return [word.strip() for word in value.replace("，", ",").split(",")]


class Policies(click.ParamType[list[str]]):
    """Players between commas, each perhaps with parameters, between commas too: `random,efficient:pong=0,kong=0`."""

    name = "policies"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Take the players apart; what each is, their reader knows."""
        if isinstance(value, list):
            return value
        found: list[str] = []
        for part in value.replace("，", ",").split(","):
            is_parameter = "=" in part.partition(":")[0]
            if found and is_parameter:
                found[-1] += "," + part
            else:
                found.append(part.strip())
        return found


def one_or_all(values: list[Any] | None) -> Any:
    """Take a list of one, which stands for all seats, out of its list."""
    return values[0] if values and len(values) == 1 else values


class _Option(click.Option):
    """An option that carries the key of its help."""

    def __init__(self, *names: Any, key: str, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.key = key


class _Argument(click.Argument):
    """An argument that carries the key of its help."""

    def __init__(self, *names: Any, key: str, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.key = key


def option(*names: str, key: str, **settings: Any) -> Callable[[Function], Function]:
    """Add an option whose help is the catalogue's text `cli.<key>`."""
    return click.option(*names, cls=_Option, key=f"cli.{key}", **settings)


def argument(*names: str, key: str, **settings: Any) -> Callable[[Function], Function]:
    """Add an argument whose help is the catalogue's text `cli.<key>`."""
    return click.argument(*names, cls=_Argument, key=f"cli.{key}", **settings)


def common_options() -> list[click.Parameter]:
    """Make the options of every command. The application reads `--lang` before all else; here it is only checked."""
    return [
        _Option(["--lang"], key="cli.common.lang", type=Choice(text.LANGS), expose_value=False),
        flag_that_ends("--help", "-h", key="common.help", say=click.Context.get_help),
    ]


def flag_that_ends(*names: str, key: str, say: Callable[[click.Context], str]) -> click.Option:
    """Make a flag that says something and ends the call.

    click's own write UTF-8 to any terminal; these go through stdout, which stands in for what the terminal lacks.
    """

    def end(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked and not ctx.resilient_parsing:
            sys.stdout.write(say(ctx).rstrip() + "\n")
            ctx.exit()

    return _Option(names, key=f"cli.{key}", is_flag=True, is_eager=True, expose_value=False, callback=end)


class Command(click.Command):
    """A command named `hand` is explained by the texts under `cli.hand`."""

    def __init__(self, name: str, **settings: Any) -> None:
        super().__init__(name, **(settings | {"add_help_option": False}))
        self.params += common_options()

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help in the language of the call, folded by cells and not by characters."""
        formatter.write(show_help(self, ctx, f"cli.{self.name}"))


def command(name: str) -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command of that name."""
    return click.command(name, cls=Command)


def show_help(shown: click.Command, ctx: click.Context, key: str, commands: Sequence[tuple[str, str]] = ()) -> str:
    """Lay out a help page: usage, what it does, arguments, options, commands, examples."""
    lang = language(ctx)
    pieces = " ".join(shown.collect_usage_pieces(ctx))
    arguments = [_help_row(param, ctx, lang) for param in shown.params if isinstance(param, _Argument)]
    options = [_help_row(param, ctx, lang) for param in shown.get_params(ctx) if not isinstance(param, _Argument)]
    blocks = [f"{text.t('cli.help.usage', lang)}: {ctx.command_path} {pieces}", hang("", text.t(f"{key}.help", lang))]
    for title, rows in (("arguments", arguments), ("options", options), ("commands", commands)):
        if rows:
            blocks.append(_section(text.t(f"cli.help.{title}", lang), rows))
    if text.has(f"{key}.examples"):
        examples = text.t(f"{key}.examples", lang).strip().splitlines()
        blocks.append(_heading(text.t("cli.help.examples", lang)) + "".join(f"\n  {line}" for line in examples))
    return "\n\n".join(blocks) + "\n"


def _help_row(param: click.Parameter, ctx: click.Context, lang: str) -> tuple[str, str]:
    if isinstance(param, click.Option):
        names = cast(tuple[str, str], param.get_help_record(ctx))[0]
    else:
        names = param.make_metavar(ctx)
    return names, text.t(cast("_Option | _Argument", param).key, lang)


def _section(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Names in one column, meanings in another; a long name has a line of its own."""
    column = min(max(cells(name) for name, _ in rows), 24) + 4
    lines = [_heading(title)]
    for name, meaning in rows:
        if cells(name) + 4 > column:
            lines += ["  " + name, hang("", meaning, column=column)]
        else:
            lines.append(hang(name, meaning, indent=2, column=column))
    return "\n".join(lines)


def _heading(title: str) -> str:
    return click.style(title + ":", bold=True) if sys.stdout.isatty() else title + ":"
