"""埋马: what is the tile worth that a self-draw turns, before any draw and at the self-draws that happen?

The exact mean is a count of tiles; the realised one comes from played rounds, as do maima's part in what a self-draw
earns, its part in the luck of a round, and what other house rules for it would change.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from kwx_sim import trials
from kwx_sim.findings.maima import LIANGDAO, VARIANCES, by_face, by_hand, by_turn, faces_of, of_house
from kwx_sim.findings.rounds import EVEN_MARGIN, estimates_in, said, verdict
from kwx_sim.report import (
    Analysis,
    Bullets,
    Column,
    Figure,
    Paragraph,
    Part,
    Section,
    Table,
    Words,
    Work,
    run,
    words,
)
from kwx_sim.report.cells import amount
from kwx_sim.report.figures import COLOURS, GREY, ruleset_name
from kwx_sim.report.verdicts import DELTA
from kwx_sim.rules import PRESETS, Ruleset, changed
from kwx_sim.runs import Run
from kwx_sim.simulation import simulate
from kwx_sim.stats import Estimates
from kwx_sim.tables.maima import exact_mean
from kwx_sim.tables.rows import ALL, TURN_NAMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SAID, SAID_OF = 5.5, (480, 84)
"""What document A gives for the mean, and the game of which it is said: all points, all tiles."""

SAID_TO = 0.05
"""Half of the last place of what it gives."""

VARIANTS: dict[str, dict[str, Any]] = {
    "shared": {"maima.payer": "shared"},
    "not_doubled": {"maima.inside_liangdao": False},
    "shared_not_doubled": {"maima.payer": "shared", "maima.inside_liangdao": False},
    "dragon_5": {"maima.dragon": 5},
    "dragon_0": {"maima.dragon": 0},
    "none": {"maima.enabled": False},
}
"""House rules by name, and the fields that they change."""


def analyse(work: Work) -> Section:
    """Make the section, all rulesets together; those without maima are named."""
    having = [rules for rules in work.rules if rules.maima.enabled]
    lacking = [ruleset_name(rules.name) for rules in work.rules if not rules.maima.enabled]
    parts: list[Part] = [Paragraph(_text("ground"))]
    if lacking:
        parts.append(Paragraph(_text("lacking", rulesets=Words.join(lacking, en=", ", zh="、"))))
    headline: list[Words] = []
    for rules in having:
        found, told = of_ruleset(work, rules)
        parts += found
        headline += told
    return Section("maima", _text("title"), _text("question"), parts, headline or [_text("headline_none")])


def of_ruleset(work: Work, rules: Ruleset) -> tuple[list[Part], list[Words]]:
    """Make the parts of a ruleset that has maima, and its headline."""
    name = ruleset_name(rules.name)
    rounds, values = _play(work, rules)
    value, faces, hands = by_turn(values), by_face(rules, rounds), by_hand(rules, rounds)
    houses = [of_house("as_played", rules, rounds, values)]
    for house, changes in VARIANTS.items():
        table = changed(rules, changes)
        houses.append(of_house(house, table, *_play(work, table)))
    variants = pd.concat(houses, ignore_index=True)
    whole = estimates_in(value.iloc[0], "tile")
    points, tiles = exact_mean(rules)
    exact = points / tiles
    realised = _text(
        f"realised.{verdict(whole, exact)}",
        n=f"{int(value.iloc[0]['n']):,}",
        tile=_said(value.iloc[0], "tile", ".3f"),
        exact=f"{exact:.3f}",
        margin=DELTA,
    )
    brought = _brought(value)
    found: list[Part] = [
        Paragraph(_exact(rules)),
        _face_table(rules, faces),
        Bullets([realised, *_document(rules, whole), _cells(value, exact), _hands(hands, exact)]),
        _figure(rules, faces, value, realised),
        _value_table(rules, value),
        _hand_table(rules, hands),
        Paragraph(_text("worth_intro")),
        Bullets([*brought, _variance(variants.iloc[0])]),
        Paragraph(_text("variants_intro", n=f"{work.games:,}")),
        Bullets(_variants(variants)),
        _variant_table(rules, variants),
    ]
    return found, [
        _text(
            "headline",
            ruleset=name,
            exact=_fraction(rules),
            tile=_said(value.iloc[0], "tile", ".3f"),
            n=f"{int(value.iloc[0]['n']):,}",
            brought=brought[0],
        )
    ]


def _play(work: Work, rules: Ruleset) -> tuple[NDArray[np.void], pd.DataFrame]:
    """Rounds as rows, and the table that sums up the same ones: a run is decided by its rules and seed."""
    told = _text("playing", ruleset=ruleset_name(rules.name))
    rows = trials.play_rows(
        Run.of(rules, games=work.games, seed=work.seed), forks=False, workers=work.workers, progress=work.progress(told)
    )
    summed = simulate(
        rules,
        games=work.games,
        seed=work.seed,
        tables=["maima_value"],
        workers=work.workers,
        progress=work.progress(told),
    )
    return rows.rounds, summed.tables["maima_value"]


# What is said.


def _text(key: str, **params: object) -> Words:
    return words(f"report_maima.{key}", **params)


def _fraction(rules: Ruleset) -> str:
    points, tiles = exact_mean(rules)
    return f"{points}/{tiles} = {points / tiles:.3f}"


def _exact(rules: Ruleset) -> Words:
    """The exact mean and spread, worked out."""
    tiles = faces_of(rules)
    points, total = exact_mean(rules)
    mean = Fraction(points, total)
    variance = sum(Fraction(n) * (face - mean) ** 2 for face, n in tiles.items()) / total
    numbers = sum(range(1, 10))
    kinds = rules.n_kinds - 18
    return _text(
        "exact", ruleset=ruleset_name(rules.name), numbers=numbers, number_points=8 * numbers, dragons=4 * kinds,
        dragon=rules.maima.dragon, dragon_points=4 * kinds * rules.maima.dragon, fraction=_fraction(rules),
        deviation=f"{float(variance) ** 0.5:.2f}",
    )  # fmt: skip


def _document(rules: Ruleset, whole: Estimates) -> list[Words]:
    """Set what document A says beside the exact mean and the interval, in the game that it speaks of."""
    if exact_mean(rules) != SAID_OF:
        return []
    points, tiles = SAID_OF
    found = verdict(whole, SAID, SAID_TO)
    less, exact = f"{points / tiles - SAID:.2f}", f"{points / tiles:.3f}"
    return [_text(f"document.{found}", said=SAID, less=less, exact=exact, tile=said(whole, ".3f"))]


def _cells(value: pd.DataFrame, exact: float) -> Words:
    """Say how many cells by turn and liangdao leave the exact mean outside."""
    cells = value[(value["liangdao"] != ALL) & (value["turn"] != ALL) & value["tile"].notna()]
    outside = int(((cells["tile_low"] > exact) | (cells["tile_high"] < exact)).sum())
    return _text("cells", cells=len(cells), outside=outside, chance=f"{0.05 * len(cells):.1f}", exact=f"{exact:.3f}")


def _hands(hands: pd.DataFrame, exact: float) -> Words:
    """Say at which hands the tile is worth more or less than the exact mean."""
    found = [verdict(estimates_in(row, "tile"), exact) for _, row in hands.iterrows()]
    told = []
    for where in ("above", "below"):
        cells = [
            _text("hand_cell", hand=_text(f"hand.{row['hand']}"), above=amount(row["above"], "+.2f"))
            for (_, row), lies in zip(hands.iterrows(), found, strict=True)
            if lies == where
        ]
        if cells:
            told.append(_text(f"hands.{where}", cells=Words.join(cells, en=", ", zh="、"), margin=DELTA))
    return Words.join(told or [_text("hands.neither", margin=DELTA)])


def _said(row: Any, prefix: str, form: str = ".2f") -> Words:
    """Say an estimate that a row holds, or that there is none."""
    found = estimates_in(row, prefix)
    return _text("unknown") if np.isnan(found.mean) else said(found, form)


def _brought(value: pd.DataFrame) -> list[Words]:
    """Say what maima brings the winner, in all and by whether it had declared."""
    by_state = {row["liangdao"]: row for row in value[value["turn"] == ALL].to_dict("records")}
    whole = by_state[ALL]
    share, turned = _said(whole, "share_of_earnings", ".1%"), _said(whole, "turned", ".2%")
    half = verdict(estimates_in(whole, "share_of_earnings"), 0.5, EVEN_MARGIN)
    told = [_text("brought", in_all=_said(whole, "in_all"), share=share, turned=turned)]
    told.append(_text(f"icing.{half}", share=share))
    for state in LIANGDAO[1:]:
        row = by_state[state]
        key = "few" if np.isnan(row["in_all"]) else "brought"
        told.append(_text(f"{key}_{state}", in_all=_said(row, "in_all"), n=f"{int(row['n']):,}"))
    return told


def _variance(row: Any) -> Words:
    self_draws, results = (_said(row, measure, ".1%") for measure in VARIANCES)
    return _text("variance", self_draws=self_draws, results=results)


def _variants(variants: pd.DataFrame) -> list[Words]:
    """Say what each house rule makes of a self-draw and of the spread of a round."""
    told = []
    for _, row in variants.iterrows():
        params = {"house": _text(f"house.{row['house']}"), "deviation": _said(row, "deviation")}
        params["earned"] = _said(row, "earned")
        if row["exact"] > 0:
            params["share"] = _said(row, "share_of_earnings", ".1%")
        told.append(_text("variant" if row["exact"] > 0 else "variant_none", **params))
    return told


# What is shown.


def _head(name: str) -> Words:
    return _text(f"head.{name}")


def _estimate(field: str, form: str) -> Column:
    return Column(field, _head(field), f"estimate:{form}")


def _table(rules: Ruleset, name: str, frame: pd.DataFrame, columns: list[Column]) -> Table:
    frame.insert(0, "ruleset", rules.name)
    return Table(f"{rules.name}_{name}", frame, _text(f"caption.{name}", ruleset=ruleset_name(rules.name)), columns)


def _face_table(rules: Ruleset, frame: pd.DataFrame) -> Table:
    columns = [
        Column("points", _head("points"), "count"),
        Column("tiles", _head("tiles"), "count"),
        Column("together", _head("together"), "count"),
        Column("exact", _head("exact_share"), "share:.2%"),
        Column("n", _head("n"), "count"),
        _estimate("share", ".2%"),
    ]
    return _table(rules, "tiles", frame.copy(), columns)


def _value_table(rules: Ruleset, value: pd.DataFrame) -> Table:
    named = value.assign(
        winner=value["liangdao"].map(lambda state: _text(f"liangdao.{state}")),
        draws=value["turn"].map(lambda turn: _text("all") if turn == ALL else Words(turn, turn)),
    )
    columns = [Column("winner", _head("winner")), Column("draws", _head("draws")), Column("n", _head("n"), "count")]
    columns += [_estimate("tile", ".2f"), _estimate("tile_against_exact", "+.2f"), _estimate("turned", ".1%")]
    columns += [_estimate("per_loser", ".2f"), _estimate("in_all", ".2f"), _estimate("share_of_earnings", ".1%")]
    return _table(rules, "value", named, columns)


def _hand_table(rules: Ruleset, hands: pd.DataFrame) -> Table:
    named = hands.assign(named=hands["hand"].map(lambda hand: _text(f"hand.{hand}")))
    columns = [Column("named", _head("hand")), Column("n", _head("n"), "count"), _estimate("tile", ".2f")]
    return _table(rules, "hands", named, [*columns, _estimate("above", "+.2f")])


def _variant_table(rules: Ruleset, variants: pd.DataFrame) -> Table:
    named = variants.assign(named=variants["house"].map(lambda house: _text(f"house.{house}")))
    columns = [
        Column("named", _head("house")),
        Column("n", _head("n"), "count"),
        Column("exact", _head("exact"), "number:.3f"),
    ]
    columns += [_estimate(name, ".2f") for name in ("in_all", "earned")]
    columns += [_estimate(name, ".1%") for name in ("share_of_earnings", "drawn")]
    columns += [_estimate("deviation", ".2f"), *(_estimate(name, ".1%") for name in VARIANCES)]
    return _table(rules, "variants", named, columns)


def _figure(rules: Ruleset, faces: pd.DataFrame, value: pd.DataFrame, told: Words) -> Figure:
    """Draw the points turned against the exact shares, and the mean tile by turn and liangdao."""
    points, tiles = exact_mean(rules)

    def draw(canvas: Canvas, lang: str) -> None:
        left, right = canvas.subplots(1, 2)
        left.bar(faces["points"], faces["exact"], color="#d9d9d9", label=_text("series.exact").told(lang))
        left.errorbar(
            faces["points"],
            faces["share"],
            yerr=_spread(faces, "share"),
            fmt="o",
            markersize=4,
            color=COLOURS[0],
            label=_text("series.turned").told(lang),
        )
        left.set_xticks(faces["points"])
        left.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        left.set_xlabel(_text("axis.points").told(lang))
        left.set_ylabel(_text("axis.share").told(lang))
        right.axhline(
            points / tiles, color=GREY, linewidth=1, label=_text("series.mean", exact=_fraction(rules)).told(lang)
        )
        for place, state in enumerate(LIANGDAO[1:]):
            rows = value[(value["liangdao"] == state) & (value["turn"] != ALL)]
            if rows["tile"].isna().all():
                continue
            right.errorbar(
                np.arange(len(rows)) + 0.16 * (place - 0.5), rows["tile"], yerr=_spread(rows, "tile"), fmt="os"[place],
                markersize=4, color=COLOURS[place], label=_text(f"series.{state}").told(lang),
            )  # fmt: skip
        right.set_xlim(-0.5, len(TURN_NAMES) - 0.5)
        right.set_xticks(range(len(TURN_NAMES)), [name.replace("-", "–") for name in TURN_NAMES])
        right.set_xlabel(_text("axis.draws").told(lang))
        right.set_ylabel(_text("axis.tile").told(lang))
        for axes in (left, right):
            axes.grid(axis="y")
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=1)

    shown = value[(value["liangdao"] != ALL) & (value["turn"] != ALL) & value["tile"].notna()]
    caption = _text(
        "caption.figure",
        ruleset=ruleset_name(rules.name),
        n=f"{int(faces['n'].sum()):,}",
        least=f"{shown['n'].min():,}" if len(shown) else "–",
        most=f"{shown['n'].max():,}" if len(shown) else "–",
    )
    return Figure(
        f"{rules.name}_tile", caption, _text("alt", told=Words.join([told, *_drawn(shown)])), draw, (7.5, 4.0)
    )


def _drawn(shown: pd.DataFrame) -> list[Words]:
    """Say for whom the figure has dots by draws, of winners that had declared and that had not."""
    there = [_text(f"series.{state}") for state in LIANGDAO[1:] if (shown["liangdao"] == state).any()]
    return [_text("alt_dots", series=Words.join(there, en=", ", zh="、")) if there else _text("alt_no_dots")]


def _spread(frame: pd.DataFrame, field: str) -> NDArray[np.float64]:
    return np.stack([frame[field] - frame[f"{field}_low"], frame[f"{field}_high"] - frame[field]])


ANALYSIS = Analysis("maima", analyse, PRESETS, together=True, games=400_000, draft_games=10_000)


def main() -> None:
    """Run this section by itself."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
