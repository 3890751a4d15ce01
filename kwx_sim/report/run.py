"""Making the report: the sections that are stale, one after another, then the pages of them all."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from kwx_sim.errors import InputError
from kwx_sim.report.command import ALL, Asked, language, read
from kwx_sim.report.progress import Teller
from kwx_sim.report.record import record
from kwx_sim.report.section import Analysis, Words, Work, ruleset_name, words
from kwx_sim.report.writers import Writers
from kwx_sim.rules import PRESETS, Ruleset, load_rules

__all__ = ["main", "make", "run"]

EXIT_REFUSED, EXIT_INTERRUPTED, EXIT_TERMINATED = 2, 130, 143


class Task(NamedTuple):
    """A section to be made: its analysis, what is asked of it, where it lies, and what it rests on."""

    analysis: Analysis
    work: Work
    folder: Path
    record: dict[str, Any]


def run(analysis: Analysis, arguments: Sequence[str] | None = None) -> None:
    """Run the command line of one analysis: `python -m analyses.fans --rules xiangyang --games 2e6 --seed 7`.

    Ends the process with status 2 where it is refused, in one line, and 130 where it is interrupted.
    """
    name = f"analyses.{analysis.name}"

    def answer(given: Sequence[str]) -> None:
        asked = read(given, name=name, many=False)
        if asked.rules in PRESETS and asked.rules not in analysis.presets:
            expected = ", ".join(analysis.presets)
            raise InputError("report.refused.preset", name=analysis.name, rules=asked.rules, expected=expected)
        make([analysis], asked)

    _answered(answer, arguments)


def main(analyses: Sequence[Analysis], arguments: Sequence[str] | None = None) -> None:
    """Run the command line of the report, `python -m analyses --seed 7`: every section, and the pages that hold them.

    Ends the process as `run` does.
    """

    def answer(given: Sequence[str]) -> None:
        asked = read(given, name="analyses", many=True)
        names = [analysis.name for analysis in analyses]
        if unknown := [name for name in asked.only if name not in names]:
            raise InputError("report.refused.only", expected=", ".join(names), got=", ".join(unknown))
        make(analyses, asked, index=_command(given))

    _answered(answer, arguments)


def make(analyses: Sequence[Analysis], asked: Asked, *, index: str | None = None) -> None:
    """Make the sections that are stale, and the report's pages where `index` tells the command that they name."""
    from kwx_sim.report import write

    _make_writable(asked.out)
    tasks = list(_tasks(analyses, asked))
    wanted = [task for task in tasks if not asked.only or task.analysis.name in asked.only]
    stale = [task for task in wanted if not write.is_fresh(task.folder, task.record)]
    with Teller(asked.lang) as teller:
        teller.say(words("report.progress.fresh", count=len(wanted) - len(stale), total=len(wanted)))
        try:
            _make_sections(stale, asked.workers, teller)
        except KeyboardInterrupt:
            teller.say(words("report.progress.stopped"))
            raise
        files = [task.folder.with_suffix(".html") for task in stale]
        if index is not None:
            done = [task.folder for task in tasks if write.is_fresh(task.folder, task.record)]
            files = write.write_report(done, asked.out, index)
        if files:
            teller.say(words("report.progress.written", files=" ".join(map(str, files))))


def _make_sections(tasks: Sequence[Task], workers: int, teller: Teller) -> None:
    if not tasks:
        return
    teller.begin(words("report.progress.compiling"))
    _load_kernels()
    # Leaving the context waits until what was submitted is written, also after an interrupt.
    with Writers(min(workers, len(tasks))) as writers:
        for place, task in enumerate(tasks, 1):
            rules = Words.join((ruleset_name(rules.name) for rules in task.work.rules), ", ", "、")
            title = words(
                "report.progress.section", place=place, total=len(tasks), title=task.analysis.name, rules=rules
            )
            teller.begin(title)
            began = time.monotonic()
            section = task.analysis.analyse(replace(task.work, progress=teller.progress))
            writers.submit(section, task.folder, task.record, time.monotonic() - began)
        teller.begin(words("report.progress.drawing"))


def _tasks(analyses: Iterable[Analysis], asked: Asked) -> Iterator[Task]:
    from kwx_sim.report.write import folder_of

    for analysis in analyses:
        presets = analysis.presets if asked.rules == ALL else (asked.rules,)
        rulesets = tuple(load_rules(name) for name in presets if name in analysis.presets or name not in PRESETS)
        games = asked.games or (analysis.draft_games if asked.quick else analysis.games)
        for rules in _sections_of(rulesets, analysis.together):
            work = Work(rules, games, asked.seed, asked.workers, draft=games < analysis.games)
            yield Task(analysis, work, folder_of(asked.out, analysis.name, work), record(analysis, work))


def _sections_of(rulesets: tuple[Ruleset, ...], together: bool) -> list[tuple[Ruleset, ...]]:
    if together:
        return [rulesets] if rulesets else []
    return [(rules,) for rules in rulesets]


def _command(arguments: Sequence[str]) -> str:
    """The command as it was given, but for what changes no figure."""
    unneeded, kept = {"--out", "--workers", "--lang"}, []
    waiting = iter(arguments)
    for argument in waiting:
        if argument in unneeded:
            next(waiting, None)
        elif argument.partition("=")[0] not in unneeded:
            kept.append(argument)
    return " ".join(["python -m analyses", *kept])


def _make_writable(folder: Path) -> None:
    """Make the directory and try to write into it: minutes of work must not end in a refusal. Raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError("report.refused.unwritable", folder=str(folder), problem=error.strerror) from error


def _load_kernels() -> None:
    """Compile the kernels, or load them, in a thread: an interrupt ends the wait for it, and is not lost in numba."""

    def play_a_round() -> None:
        from kwx_sim.runs import Run, replay

        replay(Run.of(PRESETS[0]), 0)

    thread = threading.Thread(target=play_a_round, daemon=True)
    thread.start()
    thread.join()


def _answered(answer: Callable[[Sequence[str]], None], arguments: Sequence[str] | None) -> None:
    """Do what a command line asks; end the process where it is refused or stopped."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with _stoppable():
            answer(given)
    except InputError as refused:
        sys.stderr.write(refused.message(language(given)) + "\n")
        raise SystemExit(EXIT_REFUSED) from None
    except KeyboardInterrupt:
        raise SystemExit(EXIT_INTERRUPTED) from None


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let Ctrl-C and a request to end stop the work, even where a script's shell has told it to ignore the first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [signal.signal(signal.SIGINT, _interrupt), signal.signal(signal.SIGTERM, _terminate)]
    try:
        yield
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)


def _interrupt(*_: Any) -> None:
    """Raise KeyboardInterrupt, but not into numba's compiler, whose callbacks from C lose it or fail on it."""
    compiling = sys.modules.get("numba.core.compiler_lock")
    if compiling is not None and compiling.global_compiler_lock.is_locked():
        os._exit(EXIT_INTERRUPTED)
    raise KeyboardInterrupt


def _terminate(*_: Any) -> NoReturn:
    raise SystemExit(EXIT_TERMINATED)
