"""Commands, options and arguments whose help comes from the catalogue, in the language of the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import click

from kwx_sim import text
from kwx_sim.errors import InputError

__all__ = ["Choice", "Command", "argument", "command", "language", "option", "show_help"]

Function = TypeVar("Function", bound=Callable[..., Any])


def language(ctx: click.Context | None = None) -> str:
    """Tell the language of the running call: zh or en."""
    return cast(str, (ctx or click.get_current_context()).find_root().obj)


class Choice(click.Choice[str]):
    """One of a few words; another is refused in the user's language."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the word. Raises InputError."""
        if value in self.choices:
            return cast(str, value)
        name = param.opts[-1] if param else ""
        raise InputError("cli.choice", option=name, expected=", ".join(self.choices), got=value)


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


def lang_option() -> click.Option:
    """`--lang`: read before anything else by the application; here it is only checked and explained."""
    return _Option(["--lang"], key="cli.common.lang", type=Choice(text.LANGS), expose_value=False)


class Command(click.Command):
    """A command named `hand` is explained by the texts under `cli.hand`."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params.append(lang_option())

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
    page = _Page()
    page.paragraph(f"{text.t('cli.help.usage', lang)}: {ctx.command_path} {pieces}")
    page.paragraph(text.t(f"{key}.help", lang).strip())
    for title, rows in (("arguments", arguments), ("options", options), ("commands", commands)):
        if rows:
            page.section(text.t(f"cli.help.{title}", lang), rows)
    if text.has(f"{key}.examples"):
        page.section(text.t("cli.help.examples", lang), [(text.t(f"{key}.examples", lang).strip(), "")])
    return page.text()


def _help_row(param: click.Parameter, ctx: click.Context, lang: str) -> tuple[str, str]:
    key = getattr(param, "key", f"cli.common.{param.name}")
    if isinstance(param, click.Option):
        names = cast(tuple[str, str], param.get_help_record(ctx))[0]
    else:
        names = param.make_metavar(ctx)
    return names, text.t(key, lang)


class _Page:
    """Paragraphs and two-column sections, laid out by rich, which knows that 亮 takes two cells."""

    def __init__(self) -> None:
        from kwx_sim.cli import terminal

        self.console = terminal.results()
        self.parts: list[Any] = []

    def paragraph(self, line: str) -> None:
        from rich.text import Text

        self.parts += [Text(line), Text()]

    def section(self, title: str, rows: Sequence[tuple[str, str]]) -> None:
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        for name, meaning in rows:
            grid.add_row(Text(name), Text(meaning))
        grid.columns[0].no_wrap = True
        self.parts += [Text(title + ":", style="bold"), Padding(grid, (0, 0, 1, 2))]

    def text(self) -> str:
        with self.console.capture() as capture:
            for part in self.parts:
                self.console.print(part)
        lines = [line.rstrip() for line in capture.get().splitlines()]
        return "\n".join(lines).rstrip() + "\n"
