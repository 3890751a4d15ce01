"""`python -m bench.readme`: the README's table of speeds, made from the committed report.

`--from FILE` commits to another report first. Everything between the two markers in the README is rewritten.
"""

import argparse
import json
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.figures import Figure
from bench.show import best_peer, in_words

__all__ = ["README", "REPORT", "table", "within_markers"]

ROOT = Path(__file__).parents[2]
README, REPORT = ROOT / "README.md", ROOT / "tests" / "data" / "bench.json"
START, END = "<!-- speed: written by `make bench-table` -->", "<!-- /speed -->"
WILD = "hongzhong"
PRICING = "fans and payment"
WIDTH = 120

Report = Mapping[str, Any]


class Line(NamedTuple):
    """A line of the table: figures of a section that belong together, and the section of peers' rounds, if any."""

    label: str
    section: str
    belongs: Callable[[str], bool]
    peers: str | None = None


def _named(*starts: str, wild: bool | None = None) -> Callable[[str], bool]:
    def belongs(name: str) -> bool:
        return name.startswith(starts) and (wild is None or wild == name.endswith(WILD))

    return belongs


PEER_ROUNDS = "Peers' rounds, their own games at random from Python"
LINES = (
    Line("`{function}`, one hand a call", "One hand a call, from Python", _named("")),
    Line("rounds, `random`, 84 tiles", "Whole rounds", _named("random", wild=False), PEER_ROUNDS),
    Line("rounds, `random`, `hongzhong`", "Whole rounds", _named("random", wild=True)),
    Line("rounds, `efficient`, 84 tiles", "Whole rounds", _named("efficient", wild=False)),
    Line("rounds, `efficient`, `hongzhong`", "Whole rounds", _named("efficient", wild=True)),
    Line("arms played out from own draw 7, `efficient`", "Rounds kept, and forks", _named("arms")),
    Line("cost of a round that is kept, over one that is not", "Rounds kept, and forks", _named("cost")),
    Line("tables loaded", "Start-up", _named("tables from")),
    Line("`kwx hand`, kernels cached", "Start-up", lambda name: name == "kwx hand …"),
    Line("`kwx hand`, nothing cached", "Start-up", _named("kwx hand …, empty")),
    Line("added to an answer by the record, median to most, all cores", "The query", _named("the record")),
    Line("peak memory of 20,000 rounds", "Memory and scaling", _named("peak memory, 20,000")),
    Line("two workers over one", "Memory and scaling", _named("two workers")),
)


def table(report: Report) -> str:
    """The table, and the line over it that says when and on what it was measured."""
    made, sections = report["made"], report["sections"]
    versions = ", ".join(f"`{name}` {number}" for name, number in made["versions"].items() if number)
    over = (
        f"Speed on one core ({made['cpu']}), medians of one run of `make bench` on {made['date']} with Python "
        f"{made['python']}, {versions}. Read the ratios: the machine is shared."
    )
    lines = [
        textwrap.fill(over, WIDTH),
        "",
        "| work | here | best peer from PyPI, same hands | times |",
        "|---|---|---|---|",
        *_kernels(sections["Kernels"]),
    ]
    for line in LINES:
        figures = [figure for figure in sections.get(line.section, ()) if line.belongs(figure["name"])]
        if figures:
            lines.append(_other(line, figures, sections.get(line.peers, ())))
    return "\n".join(lines)


def _kernels(rows: Sequence[Figure]) -> Iterator[str]:
    """A line for each kernel; the presets of one deck price alike and share one."""
    priced = [row for row in rows if row["name"].startswith(PRICING)]
    for row in rows:
        if row not in priced:
            name, _, hands = row["name"].partition(", ")
            yield _kernel(f"`{name}`, {hands}", [row])
    for label, wild in ((f"{PRICING} of a win, 84 tiles", False), (f"{PRICING} of a win, `{WILD}`", True)):
        alike = [row for row in priced if row["name"].endswith(WILD) == wild]
        if alike:
            yield _kernel(label, alike)


def _kernel(label: str, rows: Sequence[Figure]) -> str:
    slowest = max(rows, key=lambda row: row["value"])
    best = best_peer(slowest)
    if best is None:
        return f"| {label} | {_range(rows)} | – | – |"
    package, ns = best
    own = "" if slowest["peers"][package]["compared"] else ", its own rules"
    return f"| {label} | {_range(rows)} | `{package}` {in_words(ns, 'ns')}{own} | {ns / slowest['value']:,.0f}× |"


def _other(line: Line, figures: Sequence[Figure], peers: Sequence[Figure]) -> str:
    functions = ", ".join(figure["name"].partition(",")[0] for figure in figures)
    label = line.label.format(function=functions.replace(", ", "`, `"))
    if not peers:
        return f"| {label} | {_range(figures)} | – | – |"
    fastest = max(peers, key=lambda figure: figure["value"])
    package = fastest["name"].partition(":")[0]
    times = min(figure["value"] for figure in figures) / fastest["value"]
    theirs = f"`{package}` {in_words(fastest['value'], '/s')}, its own game"
    return f"| {label} | {_range(figures)} | {theirs} | {times:,.0f}× |"


def _range(figures: Sequence[Figure]) -> str:
    found = sorted(figure["value"] for figure in figures)
    unit = figures[0]["unit"]
    low, high = in_words(found[0], unit), in_words(found[-1], unit)
    return low if low == high else f"{low} to {high}"


def within_markers(readme: str, made: str) -> str:
    """The README with what stands between its markers replaced. Raises ValueError where it has none."""
    before, start, rest = readme.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise ValueError(f"the README lacks the markers {START} and {END}")
    return f"{before}{start}\n\n{made}\n\n{end}{after}"


def main() -> None:
    """Rewrite the README's table."""
    parser = argparse.ArgumentParser(prog="bench.readme", description=__doc__)
    parser.add_argument("--from", dest="report", type=Path, help="a report of `make bench` to take over first")
    options = parser.parse_args()
    if options.report:
        shutil.copyfile(options.report, REPORT)
    made = table(json.loads(REPORT.read_text("utf-8")))
    README.write_text(within_markers(README.read_text("utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
