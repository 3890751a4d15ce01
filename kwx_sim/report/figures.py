"""The report's house style for figures, and the kinds of figures that several sections draw.

A figure is drawn on a canvas of matplotlib's own, never by pyplot, so that no state is shared; `draw` puts the style
around it. Text is drawn as outlines: it shows alike on a machine that has no Chinese font.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure as Canvas
from matplotlib.rcsetup import cycler
from numpy.typing import ArrayLike

from kwx_sim.report import font
from kwx_sim.report.cells import amount
from kwx_sim.report.section import Figure, Words, ruleset_name
from kwx_sim.report.verdicts import DELTA

__all__ = [
    "COLOURS",
    "DIVERGING",
    "GREY",
    "INK",
    "draw",
    "forest",
    "heat_map",
    "label",
    "mark_zero",
    "panels",
    "ruleset_name",
    "save",
]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, told apart by every kind of colour vision; the first are for what matters most."""

GREY = "#6b6b6b"
"""Of what is beside the point: margins, what is not clear."""

INK = "#222222"
"""Of the line at 0."""

ABOVE_GRID = 1
"""Of a line that the grid must not hide, which lies below the data."""

DIVERGING = "kwx_diverging"
"""A colour map from blue (below) by white to orange (above), for values centred at 0."""

matplotlib.colormaps.register(
    LinearSegmentedColormap.from_list(DIVERGING, ["#0a4d8c", "#5aa2d6", "#f7f7f7", "#f0a04b", "#a84300"]), force=True
)
font_manager.fontManager.addfont(font.FILE)

STYLE: Any = {
    "font.family": ["DejaVu Sans", font.FAMILY],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "kwx_sim",
}
DPI, DRAFT_DPI = 150, 100


def label(told: Words | str, lang: str) -> str:
    """Give a label's text in a language; what is no Words is the same in both."""
    return told.told(lang) if isinstance(told, Words) else told


def draw(figure: Figure, lang: str) -> Canvas:
    """Draw a figure in one language."""
    with matplotlib.rc_context(STYLE):
        canvas = Canvas(figsize=figure.size, layout="constrained")
        figure.draw(canvas, lang)
        return canvas


def save(canvas: Canvas, stem: Path, *, draft: bool = False) -> None:
    """Write a canvas as `<stem>.png` and `<stem>.svg`, byte for byte the same each time; a draft as a small PNG alone.

    An SVG takes two fifths of the time of drawing, which is half of a draft's.
    """
    with matplotlib.rc_context(STYLE):
        # Laid out once for both files. The engine by itself takes half the time of a drawing that lays out on the way.
        engine = canvas.get_layout_engine()
        if engine is not None:
            engine.execute(canvas)
            canvas.set_layout_engine(None)
        dpi = DRAFT_DPI if draft else DPI
        canvas.savefig(stem.with_name(stem.name + ".png"), dpi=dpi, metadata={"Software": None})
        if not draft:
            canvas.savefig(stem.with_name(stem.name + ".svg"), metadata={"Date": None, "Creator": None})


def mark_zero(axes: Axes, *, across: bool = False, margin: float = DELTA) -> None:
    """Draw the line at 0, and dotted ones at the margin to either side; `across`: where values go upward."""
    line = axes.axhline if across else axes.axvline
    line(0, color=INK, linewidth=1.0, zorder=ABOVE_GRID)
    for place in (-margin, margin):
        line(place, color=GREY, linewidth=0.7, linestyle=":", zorder=ABOVE_GRID)


def panels(canvas: Canvas, count: int, columns: int, *, share: bool = True) -> list[Axes]:
    """Make small multiples, left to right and downward; places that are left over stay empty."""
    rows = -(-count // columns)
    axes = canvas.subplots(rows, columns, squeeze=False, sharex=share, sharey=share)
    for unused in axes.flat[count:]:
        unused.remove()
    return list(axes.flat[:count])


def heat_map(
    axes: Axes,
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    n: ArrayLike | None = None,
    form: str = "+.2f",
    limit: float | None = None,
    size: float = 7,
) -> Any:
    """Draw values as coloured cells with their figures in them; return the image, for a colour bar.

    Parameters
    ----------
    values, low, high, n : (rows, columns); cells of NaN stay empty. An interval is shown as ± half its width
    rows, columns : labels, downward and rightward
    form : of a value
    limit : the value of the strongest colour, and its negative of the other end; by default the largest there is
    size : of the figures in the cells, in points
    """
    grid = np.asarray(values, float)
    strongest = limit if limit is not None else float(np.nanmax(np.abs(grid), initial=0.0)) or 1.0
    edges = [np.arange(places + 1) - 0.5 for places in grid.shape]
    image = axes.pcolormesh(
        edges[1], edges[0], np.ma.masked_invalid(grid), cmap=DIVERGING, vmin=-strongest, vmax=strongest,
        edgecolors="white", linewidth=0.5,
    )  # fmt: skip
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    bounds = None if low is None or high is None else (np.asarray(low, float), np.asarray(high, float))
    counts = None if n is None else np.asarray(n)
    for (i, j), value in np.ndenumerate(grid):
        if np.isnan(value):
            continue
        lines = [amount(value, form)]
        if bounds is not None:
            lines.append("±" + amount((bounds[1][i, j] - bounds[0][i, j]) / 2, form.lstrip("+")))
        if counts is not None:
            lines.append(f"n {counts[i, j]:,}")
        axes.text(
            j, i, "\n".join(lines), ha="center", va="center", fontsize=size, linespacing=1.1,
            color=_ink(*image.to_rgba(value)[:3]), in_layout=False,
        )  # fmt: skip
    return image


def forest(
    axes: Axes,
    labels: Sequence[str],
    mean: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    *,
    n: ArrayLike | None = None,
    colours: Sequence[str] | None = None,
    zero: float | None = 0.0,
) -> None:
    """Draw estimates as dots with their intervals, one a line from above; with n at the right where it is given."""
    centre, below, above = (np.asarray(values, float) for values in (mean, low, high))
    places = np.arange(len(centre))
    if zero is not None:
        axes.axvline(zero, color=INK, linewidth=1.0, zorder=ABOVE_GRID)
    shades = colours or [COLOURS[0]] * len(centre)
    for place, shade in zip(places, shades, strict=True):
        axes.plot([below[place], above[place]], [place, place], color=shade, linewidth=1.6, solid_capstyle="butt")
        axes.plot(centre[place], place, "o", color=shade, markersize=4.5)
    axes.set_yticks(places, labels)
    axes.set_ylim(len(centre) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    if n is not None:
        for place, count in zip(places, np.asarray(n), strict=True):
            axes.annotate(
                f"n {count:,}", (1, place), xycoords=("axes fraction", "data"), xytext=(4, 0),
                textcoords="offset points", va="center", fontsize=7, color=GREY, annotation_clip=False,
            )  # fmt: skip


def _ink(red: float, green: float, blue: float) -> str:
    """Black or white, whichever is easier to read on a colour: by its luminance, as WCAG has it."""
    luminance = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return "white" if luminance < 0.179 else "black"
