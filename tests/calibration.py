"""How true beliefs about the other hands are: predicted chances beside what the hands were, in self-play.

A position is an own turn of any undeclared hand after so many discards or more (--discards), one at random of a round
in which all three play the same policy; its record is complete. Of each undeclared opponent two things are predicted,
by worlds of the belief `uniform` and of the belief `played`: that it is ready, and for each kind that it is among its
waits (an opponent that is not ready waits for nothing). Worlds are weighed as the query weighs them, and how many of
one weight they are worth is said by turn.

A chance is the weighted share of worlds. For the log loss, and for nothing else, half a world is added to either side
of it, so that no loss is infinite. Losses of waits are sums over the kinds, a datum an opponent. The difference of two
beliefs is paired; its interval and those of frequencies take a position as one cluster. Few worlds add noise to chances
near a half, more of it to those of weighed worlds: it raises the losses of `played` more than those of `uniform`.

    PYTHONPATH=tests python -m calibration --positions 5000 --worlds 100 --plot docs/calibration.png

Ctrl-C, or --minutes, ends with the positions that are done, the same of every preset.
"""

import argparse
import itertools
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from position_maker import rotated

from kwx_sim.contest import PILOT
from kwx_sim.core import state as codes
from kwx_sim.core.jit import records
from kwx_sim.core.policy import decide
from kwx_sim.core.rng import stream_key
from kwx_sim.core.round import apply, deal
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.core.world import make_world
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy, parse_policy
from kwx_sim.positions import check, position_of
from kwx_sim.positions.of_round import position_of_round
from kwx_sim.query.shown import hands_behind
from kwx_sim.query.worlds import BELIEFS as CODES
from kwx_sim.query.worlds import Scale, Worlds, scratch
from kwx_sim.rules import PRESETS, Ruleset, load_rules, pack
from kwx_sim.stats import Estimates, proportion, ratio
from kwx_sim.tiles import NUM_KINDS, meld_counts

SEATS, OTHERS = 3, (1, 2)
POSITIONS, WORLDS = 1_000, 100
PLAYER = "efficient"
FIRST_DISCARDS = 6
BLOCK = 20
"""Positions of a task: a second or two, after which a run may end."""

BELIEFS = ("uniform", "played")
TARGETS = ("ready", "waits")
LOSSES = ("log loss", "Brier")
TENTHS = 10
LOW_SIZE = 0.1

TURNS = {"<15 discards": (0, 15), "15–24": (15, 25), "25–34": (25, 35), "35+": (35, 99)}
MELDS = {"no melds": (0, 1), "1 meld": (1, 2), "2+ melds": (2, 9)}

PREDICTED = np.dtype(
    [
        ("position", "i8"),
        ("discards", "i8"),  # on the table, those that were called among them
        ("melds", "i8"),  # of the opponent
        ("ready", "f8", (1,)),  # the truth, 0 or 1
        ("waits", "f8", (NUM_KINDS,)),
        ("p_ready", "f8", (len(BELIEFS), 1)),
        ("p_waits", "f8", (len(BELIEFS), NUM_KINDS)),
        ("size", "f8", (len(BELIEFS),)),  # effective share of the position's worlds
    ]
)
"""What was predicted of one opponent, and what was true."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Turn(NamedTuple):
    """A seat's own turn: what it knows, and what is true, seats as from there."""

    told: dict[str, Any]
    true: dict[str, Any]


class Block(NamedTuple):
    """(n,) PREDICTED, and the positions that are left out, by reason."""

    rows: NDArray[np.void]
    left_out: Counter[str]


# ---------------------------------------------------------------- positions


def turns(
    rules: Ruleset, player: Policy, seed: np.random.SeedSequence, discards: int = FIRST_DISCARDS
) -> Iterator[Turn]:
    """Own turns after so many discards without end, one at random of each round that has any."""
    rng = np.random.default_rng(seed)
    for number in itertools.count():
        found = _candidates(rules, player, number % SEATS, rng, discards)
        if found:
            state = found[rng.integers(len(found))]
            seat = int(state["seat"])
            yield Turn(position_of_round(state, seat, rules), rotated(state, seat))


def _candidates(rules: Ruleset, player: Policy, dealer: int, rng: np.random.Generator, discards: int) -> list[np.void]:
    """Play a round; its turns at which there is somebody to predict."""
    tables, packed, policy = load_tables()[0], pack(rules)[0], player.pack()[0]
    key, state = np.uint64(rng.integers(1 << 62)), records(1, STATE)
    s, wall = state[0], np.zeros(84, np.uint8)
    wall[: rules.wall_size] = rng.permutation(np.repeat(np.arange(rules.n_kinds), 4))
    deal(tables, packed, s, wall, dealer, np.zeros(SEATS, np.uint8))
    found = []
    while s["phase"] != codes.END:
        if s["phase"] == codes.TURN and s["n_river"] >= discards and not s["declared"][s["seat"]]:
            found += [state.copy()[0]] if s["declared"].sum() < len(OTHERS) else []
        apply(tables, packed, s, decide(tables, packed, s, policy, key))
    return found


# ---------------------------------------------------------------- predictions


def predict(turn: Turn, rules: Ruleset, player: Policy, believed: Policy, count: int) -> NDArray[np.void]:
    """What both beliefs say of the undeclared opponents, (n,) PREDICTED; InputError where they are not to be had."""
    worlds = _worlds(turn, rules, player, believed)
    seats = [seat for seat in OTHERS if not turn.true["declared"][seat]]
    rows = np.zeros(len(seats), PREDICTED)
    rows["discards"] = len(turn.true["river_tile"])
    rows["melds"] = turn.true["n_melds"][seats]
    true = _bits(turn.true["waits"][seats])
    rows["ready"][:, 0], rows["waits"] = true.any(axis=1), true
    for number, belief in enumerate(BELIEFS):
        waits, weights = _sample(worlds, belief, count)
        held = _bits(waits[:, seats])
        rows["p_waits"][:, number] = np.einsum("w,wsk->sk", weights, held)
        rows["p_ready"][:, number, 0] = weights @ held.any(axis=2)
        rows["size"][:, number] = 1 / (weights**2).sum() / count
    return rows


def _worlds(turn: Turn, rules: Ruleset, player: Policy, believed: Policy) -> Worlds:
    position = position_of(turn.told)
    table = check(position, rules, about="discard")
    melds = [meld_counts(each.melds or ()) for each in position.players]
    hands = hands_behind(rules, table.shown_waits.tolist(), melds, table.unseen)
    worlds = Worlds(position, table, pack(rules), [(player, believed, believed)], hands, seed=1, workers=1)
    if worlds.belief != "played":
        raise InputError(worlds.gave_up)
    return worlds


def _sample(worlds: Worlds, belief: str, count: int) -> tuple[NDArray[np.uint32], Floats]:
    """The waits of all seats in the first worlds, (count, 3) bits, and the worlds' weights, of sum 1."""
    room, logs, waits = scratch(), np.zeros(count), np.zeros((count, SEATS), np.uint32)
    made = (worlds.tables[0], worlds.rules[0], worlds.known, CODES[belief], worlds.policies[0])
    for world in range(count):
        logs[world] = make_world(*made, np.uint64(stream_key(worlds.key, world)), room)
        waits[world] = room.states[0]["waits"]
    scale = Scale()
    # Its unit is the mean of the first PILOT worlds; seen twice, fewer have the same mean.
    for _ in range(-(-PILOT // count)):
        scale.learn(logs[:PILOT])
    weights = scale.weights(logs)
    return waits, weights / weights.sum()


def _bits(waits: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Kinds as bits, spread over a last axis."""
    return (waits[..., None] >> np.arange(NUM_KINDS, dtype=np.uint32) & 1).astype(bool)


def block(
    preset: str, player: Policy, believed: Policy, positions: int, worlds: int, discards: int, seed: Sequence[int]
) -> Block:
    """Predict in so many positions of a preset; a position that is left out is not made up for."""
    rules, rows, left_out = load_rules(preset), [np.zeros(0, PREDICTED)], Counter[str]()
    found = turns(rules, player, np.random.SeedSequence(seed), discards)
    for number, turn in enumerate(itertools.islice(found, positions)):
        try:
            rows.append(predict(turn, rules, player, believed, worlds))
        except InputError as refusal:
            left_out[refusal.key] += 1
        else:
            rows[-1]["position"] = number
    return Block(np.concatenate(rows), left_out)


# ---------------------------------------------------------------- the measure


class Tenth(NamedTuple):
    """Predictions in one tenth of the range of chances: their number and mean, how often they came true."""

    belief: str
    low: float
    n: int
    predicted: float
    true: float
    ci_low: float
    ci_high: float


class Score(NamedTuple):
    """Mean losses of the beliefs in a stratum, and the paired difference, played − uniform, with its interval."""

    stratum: str
    loss: str
    opponents: int
    uniform: float
    played: float
    difference: float
    ci_low: float
    ci_high: float


class Size(NamedTuple):
    """Effective worlds of the positions of a stratum: the median, a tenth has fewer; in how many a tenth or less."""

    stratum: str
    belief: str
    positions: int
    median: float
    tenth: float
    low: float


def clustered(values: Floats, groups: Ints, clusters: Ints, number: int) -> tuple[Floats, ...]:
    """Σs, Σn, Σs², Σsn, Σn² by group, (number,) each, of a cluster's sum s and number n in a group; see `stats`."""
    names, clusters = np.unique(clusters, return_inverse=True)
    cells, size = clusters * number + groups, len(names) * number
    s = np.bincount(cells, values, size).reshape(-1, number)
    n = np.bincount(cells, minlength=size).reshape(-1, number)
    return s.sum(0), n.sum(0), (s * s).sum(0), (s * n).sum(0), (n * n).sum(0)


def tenths(rows: NDArray[np.void], target: str) -> list[Tenth]:
    """The tenths that have any predictions, of both beliefs."""
    true, found = rows[target].ravel(), []
    clusters = np.repeat(rows["position"], rows[target].shape[1])
    for number, belief in enumerate(BELIEFS):
        chances = rows[f"p_{target}"][:, number].ravel()
        groups = np.minimum((chances * TENTHS).astype(np.int64), TENTHS - 1)
        sums = clustered(true, groups, clusters, TENTHS)
        means, n = proportion(*sums), sums[1]
        totals = np.bincount(groups, chances, TENTHS)
        found += [
            Tenth(belief, k / TENTHS, int(n[k]), totals[k] / n[k], means.mean[k], means.ci_low[k], means.ci_high[k])
            for k in np.flatnonzero(n)
        ]
    return found


def losses(rows: NDArray[np.void], target: str, worlds: int) -> dict[str, Floats]:
    """Each kind of loss of both beliefs, (n, 2), summed over what is predicted of an opponent."""
    chances, true = rows[f"p_{target}"], rows[target][:, None]
    smooth = (chances * worlds + 0.5) / (worlds + 1)
    logs = -np.log(np.where(true == 1, smooth, 1 - smooth))
    return dict(zip(LOSSES, (logs.sum(axis=2), ((chances - true) ** 2).sum(axis=2)), strict=True))


def scores(rows: NDArray[np.void], target: str, worlds: int) -> list[Score]:
    """Losses in all, by turn and by melds, where there are any."""
    strata = {"all": np.ones(len(rows), bool)}
    for field, ranges in (("discards", TURNS), ("melds", MELDS)):
        strata |= {name: (rows[field] >= low) & (rows[field] < high) for name, (low, high) in ranges.items()}
    return [
        _score(stratum, loss, values[chosen], rows["position"][chosen])
        for stratum, chosen in strata.items()
        for loss, values in losses(rows, target, worlds).items()
        if chosen.any()
    ]


def _score(stratum: str, loss: str, values: Floats, positions: Ints) -> Score:
    paired: Estimates = ratio(*clustered(values[:, 1] - values[:, 0], np.zeros_like(positions), positions, 1))
    figures = (*values.mean(axis=0), paired.mean[0], paired.ci_low[0], paired.ci_high[0])
    return Score(stratum, loss, len(values), *map(float, figures))


def sizes(rows: NDArray[np.void], worlds: int) -> list[Size]:
    """How many worlds of one weight a position's worlds are worth, in all and by turn."""
    _, first = np.unique(rows["position"], return_index=True)
    rows, found = rows[first], []
    for name, (low, high) in {"all": (0, 99), **TURNS}.items():
        chosen = rows[(rows["discards"] >= low) & (rows["discards"] < high)]
        for number, belief in enumerate(BELIEFS):
            share = chosen["size"][:, number]
            if len(share):
                tenth, median = (float(worlds * np.quantile(share, q)) for q in (0.1, 0.5))
                found.append(Size(name, belief, len(share), median, tenth, float((share < LOW_SIZE).mean())))
    return found


# ---------------------------------------------------------------- a run


def measure(
    presets: Sequence[str],
    policies: tuple[Policy, Policy],
    positions: int,
    worlds: int,
    seed: int,
    workers: int,
    minutes: float = np.inf,
    discards: int = FIRST_DISCARDS,
) -> dict[str, Block]:
    """Predict in so many positions of each preset: what is done by preset, where it ended early too."""
    end = time.monotonic() + 60 * minutes
    counts = [min(BLOCK, positions - first) for first in range(0, positions, BLOCK)]
    tasks = list(itertools.product(range(len(counts)), presets))
    done: dict[str, list[Block]] = {preset: [] for preset in presets}
    run = Parallel(n_jobs=workers, batch_size=1, pre_dispatch="2*n_jobs", return_as="generator")(
        delayed(block)(preset, *policies, counts[number], worlds, discards, [seed, list(PRESETS).index(preset), number])
        for number, preset in tasks
    )
    with closing(run):
        try:
            for (_, preset), part in zip(tasks, run, strict=True):
                done[preset].append(part)
                if time.monotonic() > end and preset == presets[-1]:
                    break
        except KeyboardInterrupt:
            pass
    return {preset: joined(parts) for preset, parts in done.items() if parts}


def joined(blocks: Iterable[Block]) -> Block:
    """Blocks as one, with positions numbered anew."""
    rows, left_out, first = [np.zeros(0, PREDICTED)], Counter[str](), 0
    for each in blocks:
        rows.append(each.rows.copy())
        rows[-1]["position"] += first
        left_out += each.left_out
        first += 1 + int(each.rows["position"].max(initial=0))
    return Block(np.concatenate(rows), left_out)


def report(made: Block, worlds: int) -> dict[str, Any]:
    """Every figure of some positions."""
    return {
        "positions": len(np.unique(made.rows["position"])),
        "left_out": dict(made.left_out),
        "sizes": [each._asdict() for each in sizes(made.rows, worlds)],
        "tenths": {target: [each._asdict() for each in tenths(made.rows, target)] for target in TARGETS},
        "scores": {target: [each._asdict() for each in scores(made.rows, target, worlds)] for target in TARGETS},
    }


def shown(name: str, found: dict[str, Any]) -> str:
    """A report as text."""
    lines = [f"{name}: {found['positions']} positions; left out: {found['left_out'] or 'none'}"]
    lines += [
        "  {stratum:<14} {belief:<8} {positions:>6} positions: effective worlds {median:.0f} at the median, a tenth has"
        " under {tenth:.0f}; under a tenth of all in {low:.1%}".format_map(each)
        for each in found["sizes"]
    ]
    for target in TARGETS:
        lines += ["", f"  {target:<7} tenth        n  predicted    true  [95%]"]
        lines += [
            "  {belief:<7} {low:.1f}–   {n:>8}  {predicted:9.4f}  {true:6.4f}"
            "  [{ci_low:.4f}, {ci_high:.4f}]".format_map(each)
            for each in found["tenths"][target]
        ]
        lines += ["", f"  {target:<14} {'loss':<8} opponents  uniform   played  played − uniform [95%]"]
        lines += [
            "  {stratum:<14} {loss:<8} {opponents:>9}  {uniform:7.4f}  {played:7.4f}"
            "  {difference:+.4f} [{ci_low:+.4f}, {ci_high:+.4f}]".format_map(each)
            for each in found["scores"][target]
        ]
    return "\n".join(lines) + "\n"


COLOURS = {"uniform": "#E69F00", "played": "#0072B2"}  # of Okabe and Ito: apart for all kinds of colour vision
MARKERS = {"uniform": "s", "played": "o"}
LEAST_DRAWN = 10  # predictions in a tenth: with fewer, an interval would hide the rest
LABELS = {"ready": "opponent is ready", "waits": "kind is among its waits"}


def plot(found: dict[str, Any], file: str) -> None:
    """Reliability of both beliefs, a panel a target, over the number of predictions; tenths with few are left out."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, len(TARGETS), sharex=True, height_ratios=(4, 1))
    for (upper, lower), target in zip(axes.T, TARGETS, strict=True):
        upper.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="as predicted")
        for place, belief in enumerate(BELIEFS):
            rows = [each for each in found["tenths"][target] if each["belief"] == belief and each["n"] >= LEAST_DRAWN]
            column = {name: np.array([each[name] for each in rows]) for name in Tenth._fields[1:]}
            reach = column["true"] - column["ci_low"], column["ci_high"] - column["true"]
            style: dict[str, Any] = {"color": COLOURS[belief], "label": belief}
            upper.errorbar(
                column["predicted"], column["true"], np.maximum(reach, 0), marker=MARKERS[belief], markersize=5,
                linewidth=1.2, capsize=2.5, **style,
            )  # fmt: skip
            lower.bar(column["low"] + 0.03 + 0.04 * place, column["n"], 0.04, **style)
        chances = sum(each["n"] for each in found["tenths"][target]) // len(BELIEFS)
        upper.set(
            title=f"{LABELS[target]} (n = {chances:,})", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="true frequency"
        )
        lower.set(yscale="log", ylabel="predictions", xlabel="predicted chance")
    axes[0, 0].legend(loc="lower right", frameon=False)
    figure.savefig(file, dpi=150)


def main() -> None:
    """Print the figures by preset and of all presets together."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=POSITIONS, help="of each preset")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="of each position and belief")
    parser.add_argument("--presets", default="xiangyang,suizhou,shiyan,platform")
    parser.add_argument("--player", default=PLAYER, help="the policy that all three play")
    parser.add_argument("--believed", default=PLAYER, help="the policy that the opponents are taken to play")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--discards", type=int, default=FIRST_DISCARDS, help="on the table, at least")
    parser.add_argument("--minutes", type=float, default=np.inf, help="end after so many with what is done")
    parser.add_argument("--out", help="a JSON file for every figure")
    parser.add_argument("--plot", help="a PNG file for the reliability of all presets together")
    given = parser.parse_args()
    policies = parse_policy(given.player), parse_policy(given.believed)
    made = measure(
        given.presets.split(","), policies, given.positions, given.worlds, given.seed, given.workers, given.minutes,
        given.discards,
    )  # fmt: skip
    if len(made) > 1:
        made["all presets"] = joined(made.values())
    found = {name: report(each, given.worlds) for name, each in made.items() if len(each.rows)}
    for name, each in found.items():
        print(shown(name, each))
    if given.out:
        with open(given.out, "w", encoding="utf-8") as file:
            json.dump({"run": vars(given), **found}, file)
    if given.plot and found:
        plot(list(found.values())[-1], given.plot)


if __name__ == "__main__":
    # Workers get functions of __main__ by value, kernels among them, and would compile each anew: a minute apiece.
    from calibration import main as run

    run()
