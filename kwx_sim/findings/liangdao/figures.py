"""The figures on the timing of 亮倒: turn by live tiles for each value of the hand, and small multiples by rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from kwx_sim.findings.liangdao.forks import BIN_NAMES, LEAST, MAP, Cells, Forks, clear, enough, size, verdicts
from kwx_sim.findings.liangdao.settings import Setting
from kwx_sim.findings.liangdao.wording import told
from kwx_sim.report.figures import COLOURS, GREY, heat_map, mark_zero, panels
from kwx_sim.report.section import Words
from kwx_sim.report.verdicts import DELTA
from kwx_sim.stats import Estimates

__all__ = ["SETTINGS_SIZE", "Map", "draw_map", "draw_settings", "map_size"]

MAP_WIDTH, MAP_ROW, MAP_FOOT = 9.0, 5.5, 1.0
SETTINGS_SIZE = (8.5, 12.5)
COLUMNS = 2
STRONGEST = 90
"""Percentile of the cells' size that has the strongest colour: a few rare cells would leave all others pale."""

HALO = 2.0
"""Points around the figures of a hatched cell that its hatching leaves free."""

OWN_COLOUR = "#000000"
SPREAD = 0.5
"""Width over which the points of one bin lie beside each other."""


@dataclass(frozen=True)
class Map:
    """What declaring now gains over another way in each cell of turn, live tiles and value: arrays of that shape.

    Attributes
    ----------
    found : NaN where there are fewer than LEAST forks
    verdicts : above, below, within or unclear; empty where there is no estimate
    """

    found: Estimates
    n: NDArray[np.int64]
    verdicts: NDArray[np.str_]

    @classmethod
    def of(cls, forks: Forks, gain: NDArray[np.int64]) -> Map:
        """Make the map of a gain of each fork, (m,)."""
        shape = tuple(len(BIN_NAMES[dimension]) for dimension in MAP)
        cells = Cells(forks.cell(MAP), forks.number, size(MAP))
        found = enough(cells.mean(gain), cells.n)
        side = verdicts(found, clear(found, cells.n))
        return cls(Estimates(*(values.reshape(shape) for values in found)), cells.n.reshape(shape), side.reshape(shape))

    @property
    def panels(self) -> list[int]:
        """The values of the hand, by bin, that have a cell to show."""
        return np.flatnonzero((self.verdicts != "").any(axis=(0, 1))).tolist()


# ---------------------------------------------------------------- maps


def map_size(shown: Map) -> tuple[float, float]:
    """Give the width and height of a map's figure, in inches."""
    return MAP_WIDTH, MAP_ROW * max(-(-len(shown.panels) // COLUMNS), 1) + MAP_FOOT


def draw_map(shown: Map, bar: Words, canvas: Canvas, lang: str) -> None:
    """Draw a panel for each value of the hand that has a cell; many live tiles on top."""
    sizes = np.abs(shown.found.mean[np.isfinite(shown.found.mean)])
    strongest = float(np.percentile(sizes, STRONGEST)) if len(sizes) else 0.0
    fans = shown.panels or [0]
    places = panels(canvas, len(fans), min(COLUMNS, len(fans)), share=False)
    for fan, axes in zip(fans, places, strict=True):
        mean, _, low, high = (values[:, ::-1, fan].T for values in shown.found)
        image = heat_map(
            axes, mean, BIN_NAMES["live"][::-1], BIN_NAMES["turn"], low=low, high=high, n=shown.n[:, ::-1, fan].T,
            limit=strongest or 1.0, size=6.5,
        )  # fmt: skip
        _mark(axes, image, mean, shown.verdicts[:, ::-1, fan].T)
        title = told("map.panel", fan=BIN_NAMES["fan"][fan], n=int(shown.n[..., fan].sum()))
        axes.set_title(title.told(lang), loc="left")
        axes.set_xlabel(told("map.x").told(lang))
        axes.set_ylabel(told("map.y").told(lang))
        if not shown.panels:
            axes.text(0.5, 0.5, told("map.too_few").told(lang), transform=axes.transAxes, ha="center", color=GREY)
        # What lies inside a panel cannot widen it: measuring all of it took a third of the time.
        for artist in (*axes.texts, *axes.patches, *axes.lines):
            artist.set_in_layout(False)
    canvas.suptitle(told("map.marks", margin=DELTA).told(lang), fontsize=9, color=GREY)
    canvas.colorbar(
        image,
        ax=places,
        orientation="horizontal",
        extend="both",
        shrink=0.6,
        aspect=40,
        fraction=0.03,
        pad=0.02,
        label=bar.told(lang),
    )


def _mark(axes: Axes, image: Any, mean: NDArray[np.float64], side: NDArray[np.str_]) -> None:
    """Hatch what is neither clearly above nor below; draw a line where the sign turns, broken beside such a cell."""
    neither = np.isin(side, ("unclear", "within"))
    for figures in axes.texts:
        j, i = figures.get_position()
        if neither[int(i), int(j)]:
            colour, alpha = ("white", 0.5) if figures.get_color() == "white" else (GREY, 0.35)
            figures.set_path_effects([withStroke(linewidth=HALO, foreground=image.to_rgba(mean[int(i), int(j)]))])
            corner = (float(j) - 0.5, float(i) - 0.5)
            axes.add_patch(Rectangle(corner, 1, 1, fill=False, hatch="///", edgecolor=colour, alpha=alpha, linewidth=0))
    for i, j in np.argwhere(mean[:, 1:] * mean[:, :-1] < 0):
        _turn(axes, (j + 0.5, j + 0.5), (i - 0.5, i + 0.5), neither[i, j] or neither[i, j + 1])
    for i, j in np.argwhere(mean[1:] * mean[:-1] < 0):
        _turn(axes, (j - 0.5, j + 0.5), (i + 0.5, i + 0.5), neither[i, j] or neither[i + 1, j])


def _turn(axes: Axes, x: tuple[float, float], y: tuple[float, float], unclear: bool) -> None:
    axes.plot(x, y, color="black", linewidth=1.6 if unclear else 2.6, linestyle=(0, (2, 1.5)) if unclear else "-")


# ---------------------------------------------------------------- small multiples


def draw_settings(settings: Sequence[Setting], dimension: str, canvas: Canvas, lang: str) -> None:
    """Draw a panel for each rule: a line for each setting, the ruleset's own, on the same walls, in black."""
    names = list(dict.fromkeys(setting.panel for setting in settings))
    places = panels(canvas, len(names), COLUMNS, share=False)
    for name, axes in zip(names, places, strict=True):
        _draw_panel(axes, [setting for setting in settings if setting.panel == name], dimension, lang)
        axes.set_title(told(f"panel.{name}").told(lang), loc="left", pad=20)
    bounds = [axes.get_ylim() for axes in places]
    for axes in places:
        axes.set_ylim(min(low for low, _ in bounds), max(high for _, high in bounds))
    canvas.supxlabel(told(f"settings.{dimension}").told(lang), fontsize=9)
    canvas.supylabel(told("settings.y").told(lang), fontsize=9)


def _draw_panel(axes: Axes, settings: Sequence[Setting], dimension: str, lang: str) -> None:
    bins = BIN_NAMES[dimension]
    colours = iter(COLOURS)
    mark_zero(axes, across=True)
    axes.grid(axis="y")
    none = np.iinfo(np.int64).max
    least = np.full(len(bins), none)
    for place, setting in enumerate(settings):
        found, n = setting.by[dimension]
        label = setting.label.told(lang)
        own = setting.moved is None
        axes.errorbar(
            np.arange(len(bins)) + SPREAD * ((place + 0.5) / len(settings) - 0.5), found.mean,
            yerr=[found.mean - found.ci_low, found.ci_high - found.mean], fmt="o-", markersize=3.5, linewidth=1.2,
            elinewidth=1.4, color=OWN_COLOUR if own else next(colours),
            label=told("settings.own", setting=label).told(lang) if own else label,
        )  # fmt: skip
        least = np.minimum(least, np.where(n >= LEAST, n, none))
    counts = [f"n ≥ {count:,}" if count < none else "" for count in least]
    axes.set_xticks(range(len(bins)), [f"{name}\n{count}" for name, count in zip(bins, counts, strict=True)])
    axes.tick_params(axis="x", labelsize=7, length=0)
    axes.set_xlim(-0.6, len(bins) - 0.4)
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=len(settings), borderaxespad=0.2, handlelength=1.2,
        handletextpad=0.4, columnspacing=1.0, fontsize=7.5,
    )  # fmt: skip
