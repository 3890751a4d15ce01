"""How often does each kong come, what does it pay, what follows it, does konging pay, and how high are the peaks?

Counts and payments are those of played rounds. What chains add is exact: the same rounds are settled without the rule.
Whether to kong is a matter of players on equal deals, in every seat, against the same opponents.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from kwx_sim import trials
from kwx_sim.findings.alike import same, told_once
from kwx_sim.findings.kongs import (
    ENDINGS,
    HEIGHTS,
    MOST_OWN,
    Played,
    count_frame,
    ending_frame,
    endings,
    groups,
    mean_of,
    money_frame,
    own_frame,
    peak_frame,
    play,
    took,
)
from kwx_sim.findings.players import differing, found_in, where_enough
from kwx_sim.findings.rounds import estimates_in, said
from kwx_sim.findings.wins import MIN_EVENTS, means, per_event, share_of
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
    as_column,
    estimate_columns,
    run,
    words,
)
from kwx_sim.report.cells import amount
from kwx_sim.report.figures import COLOURS, forest, label, mark_zero, panels, ruleset_name
from kwx_sim.report.section import ruleset_in_prose
from kwx_sim.rules import PRESETS, Ruleset
from kwx_sim.stats import Estimates, wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

ROUNDS_PER_WALL = 12
"""Rounds of the counts for each wall on which players are compared."""

PLAYERS: dict[str, dict[str, Any]] = {
    "kong_0": {"kong": 0},
    "kong_half": {"kong": 0.5},
    "kong_less": {"kong": 0.75},
    "kong_more": {"kong": 1.5},
    "kong_eager": {"kong": 3},
    "not_for_pairs": {"kong_for_pairs": 0},
    "not_for_flush": {"kong_for_flush": 0},
    "declares_after": {"liangdao_after_kong": "always"},
    "silent_after": {"liangdao_after_kong": "never"},
}
"""Players by what sets them apart from the reference player."""

DRAWN = {
    "all": (COLOURS[6], "-"),
    "kong": (COLOURS[5], "-"),
    "kong_liangdao": (COLOURS[2], "--"),
    "kong_liangdao_kawuxing": (COLOURS[1], "-"),
    "chain": (COLOURS[0], ":"),
}
"""Groups of rounds whose peaks are drawn, with colour and dashes."""

FRAMES = {
    "counts": count_frame,
    "money": money_frame,
    "endings": ending_frame,
    "peaks": peak_frame,
    "own": own_frame,
}

Rows = NDArray[np.void]


def analyse(work: Work) -> Section:
    """Make the section, all rulesets together."""
    played = [play(work, rules) for rules in work.rules]
    found = told_once(
        work.rules,
        [
            {name: frame(one) for name, frame in FRAMES.items()} | {"players": _players(work, one.rules)}
            for one in played
        ],
    )
    played = [played[one.place]._replace(rules=one.rules) for one in found]
    counts, money, endings, peaks, own, compared = (
        pd.concat([one.frames[name] for one in found], ignore_index=True) for name in (*FRAMES, "players")
    )
    told = [_told_player(compared, name) for name in dict.fromkeys(compared["player"])]
    rulesets = tuple(one.rules for one in played)
    heights = [_peak(peaks, rules) for rules in rulesets]
    walls = f"{_walls(work):,}"
    return Section(
        name="kongs",
        title=words("report_kongs.title"),
        question=words("report_kongs.question"),
        parts=[
            Paragraph(words("report_kongs.ground", games=f"{work.games:,}", events=MIN_EVENTS)),
            Bullets([*same(found), *(_paid(counts, money, rules) for rules in rulesets)]),
            _table("counts", counts, COUNT_COLUMNS),
            _table("money", money, MONEY_COLUMNS),
            Paragraph(words("report_kongs.money.note")),
            Bullets([_after(endings, counts, one) for one in played]),
            _table("endings", endings, ENDING_COLUMNS),
            Paragraph(words("report_kongs.endings.note")),
            Paragraph(words("report_kongs.players_intro", walls=walls)),
            Bullets(told),
            _forest_figure(compared, rulesets, walls),
            _table("players", compared, PLAYER_COLUMNS),
            Paragraph(words("report_kongs.peaks_intro")),
            Bullets(heights),
            _survival_figure(played, peaks),
            _table("peaks", peaks, PEAK_COLUMNS),
            Paragraph(words("report_kongs.own_intro")),
            _table("own", own, OWN_COLUMNS),
        ],
        headline=_headline(compared, money),
    )


# ---------------------------------------------------------------- counts and money


def _paid(counts: pd.DataFrame, money: pd.DataFrame, rules: Ruleset) -> Words:
    row = money[money["ruleset"] == rules.name].iloc[0]
    every = counts[(counts["ruleset"] == rules.name) & (counts["kind"] == "all")].iloc[0]
    params: dict[str, Any] = {"ruleset": ruleset_name(rules.name), "kongs": f"{every['kongs'] / every['rounds']:.2f}"}
    if np.isnan(row["paid"]):
        return words("report_kongs.unpaid", **params)
    share, adds = said(estimates_in(row, "chain_share"), ".2%"), said(estimates_in(row, "chain_adds"), ".3f")
    changed = row["chain_share"] > 0
    chain = words("report_kongs.chained", share=share, adds=adds) if changed else words("report_kongs.unchained")
    paid, of_all = said(estimates_in(row, "paid"), ".2f"), said(estimates_in(row, "of_all"), ".1%")
    return words("report_kongs.paid", **params, paid=paid, share=of_all, chain=chain)


# ---------------------------------------------------------------- after a kong


def _after(frame: pd.DataFrame, counts: pd.DataFrame, played: Played) -> Words:
    """Say what follows a kong and what the wins that do bring, beside what the kong itself was paid."""
    made = counts[(counts["ruleset"] == played.rules.name) & (counts["kind"] != "all")]
    rows = frame[frame["ruleset"] == played.rules.name].set_index("ending")
    kongs, hits, brings = endings(played)
    ended = hits["kong_flower"] | hits["robbed"] | hits["kong_cannon"]
    net = per_event(brings * ended, kongs)
    each = float((made["kongs"] * made["pays"]).sum() / max(kongs.sum(), 1))
    of_hundred = {ending: f"{100 * rows['of_kongs'][ending]:.1f}" for ending in ENDINGS}
    return words(
        "report_kongs.after",
        ruleset=ruleset_name(played.rules.name),
        flower=of_hundred["kong_flower"],
        robbed=of_hundred["robbed"],
        cannon=of_hundred["kong_cannon"],
        net=_with_half_width(net),
        paid=words("report_kongs.after_paid.known" if each else "report_kongs.after_paid.none", paid=f"{each:.2f}"),
    )


# ---------------------------------------------------------------- players


def _walls(work: Work) -> int:
    return max(work.games // ROUNDS_PER_WALL, 2 * MIN_EVENTS)


def _players(work: Work, rules: Ruleset) -> pd.DataFrame:
    """What each player gains over the reference player, a row each."""
    walls = _walls(work)

    def against_the_field(parameters: Mapping[str, Any], name: Words) -> Rows:
        progress = work.progress(words("report_kongs.comparing", ruleset=ruleset_name(rules.name), player=name))
        policy = {"policy": "efficient", **parameters}
        return trials.play_seats(rules, policy, walls=walls, seed=work.seed, workers=work.workers, progress=progress)

    reference = against_the_field({}, words("report_kongs.reference"))
    names = [name for name in PLAYERS if rules.liangdao.enabled or not name.endswith("_after")]
    rows = [compare(against_the_field(PLAYERS[name], _player_words(name)), reference) for name in names]
    frame = pd.DataFrame({"ruleset": rules.name, "player": names, "walls": walls})
    for field in rows[0]:
        estimate_columns(frame, field, means([row[field] for row in rows]))
    return frame


def compare(player: Rows, reference: Rows) -> dict[str, Estimates]:
    """Give a player's gain, what of it are kong payments, and where the rounds went differently.

    Parameters
    ----------
    player, reference : (walls, 3) ROUND, of `play_seats` on the same walls
    """
    different = differing(player, reference)
    seats = np.arange(3)
    own = [rows["kong_points"][:, seats, seats].sum(axis=1, dtype=np.int64) for rows in (player, reference)]
    gained = (trials.seat_points(player) - trials.seat_points(reference)).sum(axis=1)
    every = np.full(len(player), len(seats))
    return {
        "gain": where_enough(trials.gain(player, reference), different),
        "kong_gain": mean_of(own[0] - own[1], every),
        "differ": share_of(different.sum(axis=1), every),
        "where_differ": per_event(gained, different.sum(axis=1)),
    }


def _player_words(name: str) -> Words:
    return words(f"report_kongs.player.{name}")


def _told_player(compared: pd.DataFrame, name: str) -> Words:
    told = found_in(compared[compared["player"] == name])
    return words("report_kongs.told_player", player=_player_words(name), told=told)


def _forest_figure(compared: pd.DataFrame, rulesets: tuple[Ruleset, ...], walls: str) -> Figure:
    known = compared.dropna(subset="gain")
    right, left = int((known["gain_low"] > 0).sum()), int((known["gain_high"] < 0).sum())
    return Figure(
        "players",
        words("report_kongs.forest.caption", walls=walls, events=MIN_EVENTS),
        words("report_kongs.forest.alt", dots=len(known), right=right, left=left),
        partial(_draw_forests, compared, [rules.name for rules in rulesets]),
        size=(8.5, 2.6 * -(-len(rulesets) // 2) + 0.3),
    )


def _draw_forests(compared: pd.DataFrame, rulesets: list[str], canvas: Canvas, lang: str) -> None:
    columns = min(len(rulesets), 2)
    for place, (ruleset, axes) in enumerate(
        zip(rulesets, panels(canvas, len(rulesets), columns, share=False), strict=True)
    ):
        # Every panel has a line for every player, so that the lines of a row stand side by side.
        rows = compared[compared["ruleset"] == ruleset].set_index("player").reindex(list(PLAYERS))
        labels = [label(_player_words(name), lang) if place % columns == 0 else "" for name in PLAYERS]
        forest(axes, labels, rows["gain"], rows["gain_low"], rows["gain_high"], zero=None)
        mark_zero(axes)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set_title(label(ruleset_name(ruleset), lang))
        axes.set_xlabel(label(words("report_kongs.forest.axis"), lang))


# ---------------------------------------------------------------- peaks


def _peak(peaks: pd.DataFrame, rules: Ruleset) -> Words:
    rows = peaks[peaks["ruleset"] == rules.name].set_index("group")
    every = rows.loc["all"]
    told = words(
        "report_kongs.peak",
        ruleset=ruleset_name(rules.name),
        rounds=f"{every['rounds']:,}",
        ten=_share(every, "above_10"),
        twenty=_share(every, "above_20"),
        fifty=_share(every, "above_50"),
        most=f"{every['most']:,}",
    )
    konged: Any = rows.loc["kong"]
    if not np.isnan(konged["above_20"]):
        of_kongs = {"n": f"{konged['rounds']:,}", "twenty": _share(konged, "above_20")}
        told = Words.join([told, words("report_kongs.peak_konged", **of_kongs)])
    if "kong_liangdao_kawuxing" not in rows.index or rows.loc["kong_liangdao_kawuxing", "rounds"] == 0:
        return told
    three: Any = rows.loc["kong_liangdao_kawuxing"]
    said_of = {"n": f"{three['rounds']:,}", "share": said(estimates_in(three, "share"), ".3%")}
    if np.isnan(three["above_20"]):
        return Words.join([told, words("report_kongs.all_three_few", **said_of, events=MIN_EVENTS)])
    twenty = said(estimates_in(three, "above_20"), ".1%")
    return Words.join([told, words("report_kongs.all_three", **said_of, twenty=twenty)])


def _share(row: Any, field: str) -> Words:
    """Say a share in so many decimals, from two on, that neither it nor a bound that is none reads as nothing."""
    found = estimates_in(row, field)
    least = float(min(bound for bound in (found.mean, found.ci_low, found.ci_high) if bound > 0))
    return said(found, f".{next(places for places in range(2, 6) if places == 5 or round(100 * least, places) > 0)}%")


def _survival_figure(played: list[Played], peaks: pd.DataFrame) -> Figure:
    furthest = peaks.iloc[int(peaks["most"].argmax())]
    columns = min(len(played), 3)
    return Figure(
        "peaks",
        words("report_kongs.survival.caption", events=MIN_EVENTS),
        words("report_kongs.survival.alt", most=furthest["most"], ruleset=ruleset_in_prose(furthest["ruleset"])),
        partial(_draw_survival, {one.rules.name: _curves(one) for one in played}, columns),
        size=(max(3.0 * columns, 5.5), 2.8 * -(-len(played) // columns) + 0.7),
    )


def _curves(played: Played) -> dict[str, Estimates]:
    """The share of rounds above each height from 0 on, by group."""
    most, found = took(played), {}
    for group, those in groups(played).items():
        if those.sum() >= MIN_EVENTS:
            counts = np.bincount(most[those])
            found[group] = wilson(those.sum() - counts.cumsum(), those.sum())
    return found


def _draw_survival(curves: dict[str, dict[str, Estimates]], columns: int, canvas: Canvas, lang: str) -> None:
    every = panels(canvas, len(curves), columns)
    handles: dict[str, Any] = {}
    for place, (axes, (ruleset, of_groups)) in enumerate(zip(every, curves.items(), strict=True)):
        for group, style in DRAWN.items():
            if group in of_groups:
                name = label(words(f"report_kongs.group.{group}"), lang)
                handles[name] = _draw_curve(axes, of_groups[group], *style)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}%"))
        axes.tick_params(labelbottom=True)
        axes.grid()
        axes.set_title(label(ruleset_name(ruleset), lang))
        axes.set_xlabel(label(words("report_kongs.survival.x"), lang))
        if place % columns == 0:
            axes.set_ylabel(label(words("report_kongs.survival.y"), lang))
    canvas.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=3)


def _draw_curve(axes: Axes, found: Estimates, colour: str, dashes: str) -> Any:
    heights = np.arange(len(found.mean))
    seen = (heights >= 1) & (found.mean > 0)
    bounds = found.ci_low[seen], found.ci_high[seen]
    axes.fill_between(heights[seen], *bounds, step="post", color=colour, alpha=0.15, linewidth=0)
    shape: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 1.3, "drawstyle": "steps-post"}
    (line,) = axes.plot(heights[seen], found.mean[seen], **shape)
    return line


# ---------------------------------------------------------------- front page and tables


def _headline(compared: pd.DataFrame, money: pd.DataFrame) -> list[Words]:
    never = compared[compared["player"] == "kong_0"]
    chain = _range(money.dropna(subset="chain_share"), "chain_share", ".2%")
    return [
        words("report_kongs.headline.never", never=found_in(never), walls=f"{int(never['walls'].max()):,}"),
        words("report_kongs.headline.chains", chain=chain),
    ]


def _range(rows: pd.DataFrame, field: str, form: str) -> Words:
    """The smallest and the largest of a figure, with their rulesets."""
    ends = [rows.iloc[place] for place in dict.fromkeys([int(rows[field].argmin()), int(rows[field].argmax())])]
    told = [
        words(
            "report_kongs.of_ruleset",
            value=said(estimates_in(row, field), form),
            n=f"{row['rounds']:,}",
            ruleset=ruleset_name(row["ruleset"]),
        )
        for row in ends
    ]
    return Words.join(told, en=", to ", zh="；")


def _with_half_width(found: Estimates) -> str:
    half = float(found.ci_high - found.ci_low) / 2
    return f"{amount(float(found.mean), '+.2f')} ± {amount(half, '.2f')}"


COUNT_COLUMNS = {
    "ruleset": "text", "kind": "text", "kongs": "count", "a_round": "estimate:.4f", "rounds_share": "estimate:.2%",
    "pays": "count",
}  # fmt: skip
MONEY_COLUMNS = {
    "ruleset": "text", "rounds": "count", "paid": "estimate:.3f", "of_all": "estimate:.1%",
    "chain_share": "estimate:.3%", "chain_adds": "estimate:.4f", "chain_each": "estimate:.2f", "most": "count",
}  # fmt: skip
ENDING_COLUMNS = {
    "ruleset": "text", "ending": "text", "times": "count", "of_kongs": "estimate:.2%", "rounds_share": "estimate:.3%",
    "brings": "estimate:+.2f", "a_kong": "estimate:+.3f",
}  # fmt: skip
PLAYER_COLUMNS = {
    "ruleset": "text", "player": "text", "walls": "count", "gain": "estimate:+.3f", "kong_gain": "estimate:+.3f",
    "differ": "estimate:.2%", "where_differ": "estimate:+.2f",
}  # fmt: skip
PEAK_COLUMNS = {
    "ruleset": "text", "group": "text", "rounds": "count", "share": "estimate:.3%", "mean": "estimate:.2f",
    "median": "estimate:.0f", "high": "estimate:.0f", "most": "count",
    **{f"above_{height}": "estimate:.2%" for height in HEIGHTS},
}  # fmt: skip
OWN_COLUMNS = {
    "ruleset": "text", "own_kongs": "text", "seats": "count", "result": "estimate:+.3f", "won": "estimate:.1%",
    "lost_10": "estimate:.1%",
}  # fmt: skip

NAMES = {"kind": "kind", "ending": "ending", "player": "player", "group": "group"}
"""Columns of codes, and where the catalogue has their names."""


def _table(name: str, frame: pd.DataFrame, forms: Mapping[str, str]) -> Table:
    """A frame as a table of the page: codes are shown by name."""
    shown = frame.copy()
    columns = []
    for field, form in forms.items():
        place = field
        if field == "ruleset":
            place, shown["ruleset_name"] = "ruleset_name", as_column(map(ruleset_name, frame[field]))
        elif field in NAMES:
            place = f"{field}_name"
            shown[place] = as_column(words(f"report_kongs.{NAMES[field]}.{code}") for code in frame[field])
        elif field == "own_kongs":
            place = "own_name"
            shown[place] = [f"{count}+" if count == MOST_OWN else f"{count}" for count in frame[field]]
        columns.append(Column(place, words(f"report_kongs.{name}.{field}"), form))
    return Table(name, shown, words(f"report_kongs.{name}.caption"), columns)


ANALYSIS = Analysis(
    name="kongs", analyse=analyse, presets=PRESETS, together=True, games=480_000, draft_games=9_000, per="ruleset"
)


def main() -> None:
    """Run the analysis from the command line."""
    run(ANALYSIS)


if __name__ == "__main__":
    main()
