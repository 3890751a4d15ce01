"""卡五星: how often is it won and on what waits, what is a 4, 5 or 6 worth in the hand, and what does feeding one cost?

Worth is measured by force: every discard of a turn is played on in the same deal, and giving up a 4, 5 or 6 is set
against giving up another tile where both leave the hand equally near (`kwx_sim.findings.discards`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from kwx_sim import trials
from kwx_sim.findings.alike import same, told_once
from kwx_sim.findings.discards import discards_of
from kwx_sim.findings.fives import FIVES, WAITS, feeding, frequency, hands, waits
from kwx_sim.findings.rounds import borderline, estimates_in, said, verdict
from kwx_sim.findings.wins import MIN_EVENTS, wins_of
from kwx_sim.findings.worth import ALL, DRAWS, MIDDLE, chance, fan_off, gap, worth
from kwx_sim.report import (
    Analysis,
    Bullets,
    Column,
    Figure,
    Paragraph,
    Section,
    Table,
    Words,
    Work,
    run,
    words,
)
from kwx_sim.report.figures import COLOURS, mark_zero, panels, ruleset_name
from kwx_sim.report.section import ruleset_in_prose
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import PRESETS, Ruleset, changed
from kwx_sim.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

FAN = "kawuxing"
CLASSES = ("4", "5", "6", "other", "dragon")
STYLES = {name: (COLOURS[place], "s^Dov"[place]) for place, name in enumerate(CLASSES)}
NUMBERS = (*(str(number) for number in range(1, 10)), "dragon")


def analyse(work: Work) -> Section:
    """Make the section, all rulesets together."""
    made = [
        {name: frame.assign(ruleset=rules.name) for name, frame in _frames(work, rules).items()} for rules in work.rules
    ]
    found = told_once(work.rules, made)
    whole = {name: pd.concat([one.frames[name] for one in found], ignore_index=True) for name in made[0]}
    named = {name: frame.assign(table=frame["ruleset"].map(ruleset_name)) for name, frame in whole.items()}
    return section(work, named, same(found))


def _frames(work: Work, rules: Ruleset) -> dict[str, pd.DataFrame]:
    def told(what: str) -> Words:
        return words(f"report_kawuxing.playing.{what}", ruleset=ruleset_name(rules.name))

    rows = trials.play_rows(
        Run.of(rules, games=work.games, seed=work.seed), workers=work.workers, progress=work.progress(told("rounds"))
    )
    turns, without = (
        discards_of(
            trials.play_choices(
                table, walls=work.games, seed=work.seed, workers=work.workers, progress=work.progress(told(what))
            )
        )
        for table, what in ((rules, "discards"), (changed(rules, {f"fans.values.{FAN}": 0}), "without"))
    )
    wins = wins_of(rules, rows.rounds)
    return {
        "frequency": frequency(wins).join([waits(wins, rows.rounds), hands(wins, rows.rounds, rows.forks)]),
        "worth": worth(turns),
        "gap": gap(turns),
        "fan_off": fan_off(turns, without),
        "chance": chance(turns),
        "feeding": feeding(rows.rounds),
    }


# What is said.


def section(work: Work, frames: dict[str, pd.DataFrame], alike: Sequence[Words] = ()) -> Section:
    """Make the section of its frames; `alike`: which rulesets are told together."""
    often, tiles, risks = frames["frequency"], frames["worth"], frames["chance"]
    kept = [_sides("worth", _tile(tiles, number), "worth", tile=number) for number in map(str, MIDDLE)]
    missed, alone = (_sides(name, _tile(tiles, "5"), name) for name in ("missed", "alone"))
    fed = frames["feeding"][frames["feeding"]["fed"] == "five_without"]
    frequent = _range("frequent", often, "wins_share", ".1%", n="wins")
    riskiest = _riskiest(risks)
    return Section(
        name="kawuxing",
        title=_text("title"),
        question=_text("question"),
        parts=[
            Paragraph(_text("ground", games=f"{work.games:,}", events=MIN_EVENTS)),
            Bullets([*alike, frequent, _range("adds", often, "added", ".2f"), _range("built", often, "only_5", ".0%")]),
            _frequency_table(often),
            Paragraph(_text("waits_intro")),
            _waits_table(often),
            Paragraph(_text("hands_intro")),
            _hands_table(often),
            Paragraph(_text("worth_intro")),
            Bullets([*kept, missed, alone]),
            _turn_figure(tiles),
            _number_figure(tiles),
            _worth_table(tiles, "worth", ("worth", "missed", "chosen")),
            _worth_table(tiles, "lonely", ("alone", "alone_dragon")),
            Paragraph(_text("gap_intro")),
            Bullets([_sides("gap", frames["gap"][frames["gap"]["draws"] == ALL], "gap")]),
            _gap_table(frames["gap"]),
            Paragraph(_text("fan_off_intro")),
            Bullets(
                [
                    _sides("fan_off", frames["fan_off"].query("tile == @number"), "difference", "+.3f", tile=number)
                    for number in map(str, MIDDLE)
                ]
            ),
            _fan_off_table(frames["fan_off"]),
            Paragraph(_text("feeding_intro")),
            Bullets([*(_sides(f"fed{of}", fed, f"extra{of}") for of in ("", "_quiet", "_declared")), riskiest]),
            _feeding_table(frames["feeding"]),
            _chance_figure(risks),
            _chance_table(risks),
        ],
        headline=[frequent, _sides("worth", _tile(tiles, "5"), "worth", tile="5")],
    )


def _text(key: str, **params: object) -> Words:
    return words(f"report_kawuxing.{key}", **params)


def _tile(frame: pd.DataFrame, tile: str) -> pd.DataFrame:
    """The rows of a tile over all draws."""
    return frame[(frame["tile"] == tile) & (frame["draws"] == ALL)]


def _sides(key: str, rows: pd.DataFrame, field: str, form: str = "+.2f", **params: object) -> Words:
    """Say in which rulesets an estimate is above the margin, below, within or not clear; those without are left out."""
    if rows[field].isna().all():
        return _text("too_few", told=_text(f"{key}.about", **params))
    cells: dict[str, list[Words]] = {"above": [], "below": [], "within": [], "unclear": []}
    for _, row in rows[rows[field].notna()].iterrows():
        it = estimates_in(row, field)
        n = row.get(f"{field}_n")
        value = said(it, form, None if n is None else int(n))
        near = "_borderline" if borderline(it) else ""
        cells[verdict(it)].append(_text(f"cell{near}", ruleset=row["table"], value=value))
    parts = [
        _text(
            where if where in ("within", "unclear") else f"{key}.{where}",
            cells=Words.join(found, en=", ", zh="、"),
            margin=DELTA,
            **params,
        )
        for where, found in cells.items()
        if found
    ]
    return _text("told", about=_text(f"{key}.about", **params), parts=Words.join(parts, en="; ", zh="；"))


def _range(key: str, frame: pd.DataFrame, field: str, form: str, n: str = "wins_with") -> Words:
    """Say between which rulesets a figure lies, with its interval and n; of one, its value."""
    known = frame[frame[field].notna()].sort_values(field)
    if known.empty:
        return _text(f"{key}.none")
    ends = {"least": known.iloc[0], "most": known.iloc[-1]}
    told = {
        end: _text("counted", value=said(estimates_in(row, field), form), n=f"{row[n]:,}") for end, row in ends.items()
    }
    names = {f"{end}_at": ruleset_in_prose(row["ruleset"]) for end, row in ends.items()}
    return _text(f"{key}.{'one' if len(known) == 1 else 'several'}", **told, **names)


def _riskiest(frame: pd.DataFrame) -> Words:
    """Say for each ruleset how often a 5, and another number, is won at once with the last draws compared."""
    last = list(DRAWS)[-1]
    cells = []
    for ruleset in frame["ruleset"].unique():
        rows = frame[(frame["ruleset"] == ruleset) & (frame["draws"] == last)].set_index("tile")
        if rows.loc[["5", "other"], "chance"].notna().all():
            five, other = (_chance_of(rows.loc[tile]) for tile in ("5", "other"))
            cells.append(_text("risk.cell", ruleset=rows.loc["5", "table"], five=five, other=other))
    if not cells:
        return _text("risk.none", draws=_text(f"draws.{last}"))
    return _text("risk.told", draws=_text(f"draws.{last}"), cells=Words.join(cells, en=", ", zh="、"))


def _chance_of(row: pd.Series[Any]) -> Words:
    return _text("counted", value=said(estimates_in(row, "chance"), ".1%"), n=f"{int(row['chance_n']):,}")


# What is shown.


def _head(name: str, **params: object) -> Words:
    return _text(f"head.{name}", **params)


def _estimate(field: str, form: str) -> Column:
    return Column(field, _head(field), f"estimate:{form}")


def _n(field: str, head: str = "n") -> Column:
    return Column(field, _head(head), "count")


RULESET = Column("table", words("report_kawuxing.head.ruleset"))


def _table(name: str, frame: pd.DataFrame, columns: Sequence[Column], show: int | None = None) -> Table:
    return Table(name, frame, _text(f"caption.{name}"), [RULESET, *columns], show)


def _named(frame: pd.DataFrame, field: str) -> pd.DataFrame:
    """Put what a column's values are called beside it, as `named`."""
    return frame.assign(named=frame[field].map(lambda value: _text(f"{field}.{value}")))


def _frequency_table(frame: pd.DataFrame) -> Table:
    shares = [_estimate(name, ".1%") for name in ("rounds_share", "wins_share", "self_draw", "discard")]
    columns = [_n("wins_with"), *shares, _estimate("added", ".2f"), _estimate("paid_share", ".1%")]
    return _table("frequency", frame, columns)


def _waits_table(frame: pd.DataFrame) -> Table:
    fields = [field for name in WAITS for field in (f"{name}_n", name, f"{name}_low", f"{name}_high")]
    shown = frame[["ruleset", "table", "wins_with", *fields]]
    return _table("waits", shown, [_n("wins_with"), *(_estimate(name, ".1%") for name in WAITS)])


def _hands_table(frame: pd.DataFrame) -> Table:
    names = [f"fives_{fives}" for fives in FIVES]
    fields = [field for name in names for field in (f"{name}_n", name, f"{name}_low", f"{name}_high")]
    shown = frame[["ruleset", "table", "wins_with", "known", *fields]]
    return _table("hands", shown, [_n("wins_with"), _n("known", "known"), *(_estimate(name, ".1%") for name in names)])


def _worth_table(frame: pd.DataFrame, name: str, fields: Sequence[str]) -> Table:
    shown = frame["tile"].isin(["4", "5", "6", "dragon"]) & (frame["draws"] == ALL)
    ordered = _named(pd.concat([frame[shown], frame[~shown]], ignore_index=True), "tile")
    columns = [Column("named", _head("tile"))]
    kept = ["ruleset", "table", "tile", "named", "draws"]
    for field in fields:
        columns += [_n(f"{field}_n"), _estimate(field, "+.2f")]
        kept += [f"{field}_n", field, *(f"{field}_{end}" for end in ("se", "low", "high"))]
    return _table(name, ordered[kept], columns, show=int(shown.sum()))


def _gap_table(frame: pd.DataFrame) -> Table:
    held = frame[frame["gap_n"] > 0].reset_index(drop=True)
    return _table(
        "gap", _named(held, "draws"), [Column("named", _head("draws")), _n("gap_n"), _estimate("gap", "+.2f")]
    )


def _fan_off_table(frame: pd.DataFrame) -> Table:
    columns = [Column("named", _head("tile")), _n("difference_n")]
    columns += [_estimate(name, "+.3f") for name in ("with", "without", "difference")]
    return _table("fan_off", _named(frame, "tile"), columns)


def _feeding_table(frame: pd.DataFrame) -> Table:
    columns = [Column("named", _head("fed"))]
    for of in ("", "_quiet", "_declared"):
        columns += [_n(f"n{of}"), _estimate(f"cost{of}", ".2f"), _estimate(f"extra{of}", "+.2f")]
    return _table("feeding", _named(frame, "fed"), columns)


def _chance_table(frame: pd.DataFrame) -> Table:
    columns = [Column("named", _head("discarded"))]
    for name in ("chance", "nobody", "somebody"):
        columns += [_n(f"{name}_n"), _estimate(name, ".1%")]
    ordered = frame.sort_values("draws", key=lambda draws: draws != ALL, kind="stable", ignore_index=True)
    return _table("chance", _named(ordered, "tile"), columns, show=int((frame["draws"] == ALL).sum()))


def _turn_figure(frame: pd.DataFrame) -> Figure:
    rows = frame[frame["tile"].isin(map(str, MIDDLE)) & (frame["draws"] != ALL)]
    series = {number: (rows[rows["tile"] == number], "worth") for number in map(str, MIDDLE)}
    return _figure("worth_by_draw", "draws", list(DRAWS), series, _counts(rows, "worth_n"), _about_zero(series))


def _number_figure(frame: pd.DataFrame) -> Figure:
    rows = frame[frame["draws"] == ALL]
    series = {"all": (rows, "worth"), "missed": (rows, "missed")}
    return _figure("worth_by_number", "tile", NUMBERS, series, _counts(rows, "worth_n"), _about_zero(series))


def _chance_figure(frame: pd.DataFrame) -> Figure:
    rows = frame[frame["draws"] != ALL]
    series = {name: (rows[rows["tile"] == name], "chance") for name in CLASSES}
    return _figure("chance_by_draw", "draws", list(DRAWS), series, _counts(rows, "chance_n"), _rising(rows))


def _about_zero(series: dict[str, tuple[pd.DataFrame, str]]) -> Words:
    """Count the dots whose intervals lie above 0, and below."""
    known = [(rows[rows[field].notna()], field) for rows, field in series.values()]
    above, below = (
        sum(int(side.sum()) for side in sides)
        for sides in (
            [rows[f"{field}_low"] > 0 for rows, field in known],
            [rows[f"{field}_high"] < 0 for rows, field in known],
        )
    )
    return _text("about_zero", dots=sum(len(rows) for rows, _ in known), above=above, below=below)


def _rising(rows: pd.DataFrame) -> Words:
    """Count the lines of which the last dot is higher than the first."""
    known = rows[rows["chance"].notna()].groupby(["ruleset", "tile"])["chance"]
    ends = known.agg(["first", "last"]).to_numpy()
    return _text("rising", lines=len(ends), rising=sum(first < last for first, last in ends))


def _counts(frame: pd.DataFrame, field: str) -> dict[str, str]:
    known = frame.loc[frame[field.removesuffix("_n")].notna(), field]
    return {"least": f"{known.min():,}", "most": f"{known.max():,}"} if len(known) else {"least": "0", "most": "0"}


def _figure(
    name: str,
    over: str,
    places: Sequence[str],
    series: dict[str, tuple[pd.DataFrame, str]],
    counts: dict[str, str],
    told: Words,
) -> Figure:
    """Make small multiples, a panel a ruleset: estimates with intervals over a column's values."""
    rulesets = list(next(iter(series.values()))[0]["ruleset"].unique())
    columns = min(3, len(rulesets))
    seen = {place for rows, field in series.values() for place in rows.loc[rows[field].notna(), over]}
    held = [place for place in places if place in seen]
    draw = partial(_draw, name, rulesets, columns, over, held, series)
    size = (2.7 * columns + 0.6, 2.5 * -(-len(rulesets) // columns) + 0.9)
    return Figure(name, _text(f"caption.{name}", **counts), _text(f"alt.{name}", told=told), draw, size)


def _draw(
    name: str,
    rulesets: Sequence[str],
    columns: int,
    over: str,
    places: Sequence[str],
    series: dict[str, tuple[pd.DataFrame, str]],
    canvas: Canvas,
    lang: str,
) -> None:
    ticks = [_text(f"tick.{place}").told(lang) for place in places]
    all_axes = panels(canvas, len(rulesets), columns, share=False)
    for place, (axes, ruleset) in enumerate(zip(all_axes, rulesets, strict=True)):
        for step, (key, (frame, field)) in enumerate(series.items()):
            rows = frame[frame["ruleset"] == ruleset].set_index(over).reindex(list(places))
            shift = 0.13 * (step - (len(series) - 1) / 2)
            _dots(
                axes,
                rows,
                field,
                shift,
                _text(f"series.{key}").told(lang),
                STYLES.get(key, STYLES["5" if step else "4"]),
            )
        mark_zero(axes, across=True, margin=0 if name == "chance_by_draw" else DELTA)
        axes.set_xticks(range(len(places)), ticks)
        axes.set_xlim(-0.6, len(places) - 0.4)
        axes.set_title(ruleset_name(ruleset).told(lang))
        axes.grid(axis="y")
        if place % columns == 0:
            axes.set_ylabel(_text(f"axis.{name}").told(lang))
        if place + columns >= len(rulesets):
            axes.set_xlabel(_text(f"axis.{over}").told(lang))
        if name == "chance_by_draw":
            axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    canvas.legend(*all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(series))


def _dots(axes: Axes, rows: pd.DataFrame, field: str, shift: float, name: str, style: tuple[str, str]) -> None:
    spread = np.stack([rows[field] - rows[f"{field}_low"], rows[f"{field}_high"] - rows[field]])
    colour, marker = style
    axes.errorbar(
        np.arange(len(rows)) + shift, rows[field], yerr=spread, fmt=marker, color=colour, label=name,
        markersize=4, linewidth=1.2,
    )  # fmt: skip


ANALYSIS = Analysis("kawuxing", analyse, PRESETS, together=True, games=300_000, draft_games=3_000, per="ruleset")


def main() -> None:
    """Run this section by itself."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
