"""How fast: kernels on whole arrays beside the PyPI package `mahjong` on the same hands, and whole rounds, on one core.

Run by `make bench`. Every figure is the median of several; machines are shared and noisy, so read the ratios.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from mahjong.agari import Agari
from mahjong.shanten import Shanten
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import kwx_sim
from kwx_sim.core.jit import records
from kwx_sim.core.run import play_block
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import STATE
from kwx_sim.policies import parse_policy
from kwx_sim.rules import PRESETS, load_rules, pack

HANDS = 200_000
PEER_HANDS = 2_000
REPEATS = 7
ROUNDS = 10_000
AGREE = "agree: of the hands with no kind held three times; with more the games differ (four of a kind as two pairs)"

Counts = NDArray[np.uint8]


def random_hands(rng: np.random.Generator, n: int, tiles: int) -> Counts:
    """Hands dealt from the 84 tiles, (n, 27) counts."""
    deck = np.repeat(np.arange(21), 4)
    dealt = rng.permuted(np.broadcast_to(deck, (n, 84)), axis=1)[:, :tiles]
    counts = np.zeros((n, 27), np.uint8)
    np.add.at(counts, (np.arange(n)[:, None], dealt), 1)
    return counts


def won_hands(rng: np.random.Generator, n: int) -> Counts:
    """Four random sets and a pair, four of a kind at most."""
    sets = np.zeros((35, 27), np.uint8)
    for slot in range(21):
        sets[slot, slot] = 3
    for number, low in enumerate([*range(7), *range(9, 16)]):
        sets[21 + number, low : low + 3] = 1
    hands: list[Counts] = []
    while sum(map(len, hands)) < n:
        made = sets[rng.integers(0, 35, (n, 4))].sum(axis=1, dtype=np.uint8)
        made[np.arange(n), rng.integers(0, 21, n)] += 2
        hands.append(made[(made <= 4).all(axis=1)])
    return np.concatenate(hands)[:n]


def ready_hands(rng: np.random.Generator, n: int) -> Counts:
    """Won hands less one tile."""
    hands = won_hands(rng, n)
    for hand in hands:
        hand[rng.choice(np.repeat(np.arange(27), hand))] -= 1
    return hands


def nanoseconds(call: Callable[[], object], hands: int) -> float:
    """Median time a hand."""
    call()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / hands


def as_34(counts: Counts) -> list[list[int]]:
    """Our slots as the peer's 34: two suits, then three dragons."""
    wide = np.zeros((len(counts), 34), int)
    wide[:, 0:18] = counts[:, 0:18]
    wide[:, 31:34] = counts[:, 18:21]
    return [list(map(int, row)) for row in wide]


def kernel_rows() -> list[dict[str, object]]:
    """Each kernel on its hands, with the peer on some of the same hands, and whether the two agree."""
    rng = np.random.default_rng(20_261_129)
    random_14, wins = random_hands(rng, HANDS, 14), won_hands(rng, HANDS)
    random_13, ready = random_hands(rng, HANDS, 13), ready_hands(rng, HANDS // 10)
    agari, shanten = Agari(), Shanten()

    def peer_waits(hand: list[int]) -> list[bool]:
        found = []
        for slot in [*range(18), 31, 32, 33]:
            hand[slot] += 1
            found.append(hand[slot] <= 4 and agari.is_agari(hand))
            hand[slot] -= 1
        return found

    work: list[tuple[str, Callable[[Counts], NDArray[np.int64]], Callable[[list[int]], object], Counts]] = [
        ("is_hu, random 14 tiles", kwx_sim.is_hu, agari.is_agari, random_14),
        ("is_hu, won hands", kwx_sim.is_hu, agari.is_agari, wins),
        ("waits, ready 13 tiles", kwx_sim.waits, peer_waits, ready),
        ("shanten, random 13 tiles", kwx_sim.shanten, shanten.calculate_shanten, random_13),
    ]
    rows: list[dict[str, object]] = []
    for name, ours, theirs, hands in work:
        own = nanoseconds(lambda ours=ours, hands=hands: ours(hands), len(hands))
        some = as_34(hands[:PEER_HANDS])
        start = time.perf_counter_ns()
        answers = [theirs(hand) for hand in some]
        peer = (time.perf_counter_ns() - start) / len(some)
        same = [np.array_equal(a, b) for a, b in zip(answers, _answers(ours, hands[:PEER_HANDS]), strict=True)]
        same = np.array(same)[_judged_alike(hands[:PEER_HANDS])].mean()
        rows.append({"work": name, "ns": own, "peer_ns": peer, "ratio": peer / own, "agree": float(same)})
    return rows


def _judged_alike(hands: Counts) -> NDArray[np.bool_]:
    """Hands on which the games agree: here four of a kind are two pairs, and no fifth copy is waited for."""
    return (hands <= 2).all(axis=1)


def _answers(ours: Callable[[Counts], NDArray[np.int64]], hands: Counts) -> list[NDArray[np.int64]]:
    answer = ours(hands)
    if answer.ndim == 2:
        answer = answer[:, :21]
    return list(answer)


def round_rows() -> list[dict[str, object]]:
    """Whole rounds a second on one core, shuffle and deal included."""
    tables = load_tables()[0]
    rows: list[dict[str, object]] = []
    for preset in PRESETS:
        rules = pack(load_rules(preset))[0]
        for name in ("random", "efficient"):
            seats = np.concatenate([parse_policy(name).pack()] * 3)
            states, piao = records(ROUNDS, STATE), np.zeros(3, np.uint8)

            def play(rules=rules, seats=seats, states=states, piao=piao) -> None:
                play_block(tables, rules, states, seats, piao, np.uint64(7), 0)

            rows.append({"rules": preset, "policy": name, "rounds_per_second": 1e9 / nanoseconds(play, ROUNDS)})
    return rows


def show(kernels: list[dict[str, object]], rounds: list[dict[str, object]]) -> None:
    """Print both tables."""
    table = Table(
        "work",
        "ns a hand",
        "million/s",
        "mahjong (PyPI) ns",
        "ratio",
        "agree",
        title="Kernels, one core",
        caption=AGREE,
    )
    for row in kernels:
        ns = float(row["ns"])
        table.add_row(
            str(row["work"]), f"{ns:.1f}", f"{1e3 / ns:.0f}", f"{row['peer_ns']:,.0f}", f"{row['ratio']:,.0f}×",
            f"{row['agree']:.1%}",
        )  # fmt: skip
    console = Console()
    console.print(table)
    table = Table("rules", "policy", "rounds/s", title="Whole rounds, one core")
    for row in rounds:
        table.add_row(str(row["rules"]), str(row["policy"]), f"{row['rounds_per_second']:,.0f}")
    console.print(table)


def main() -> None:
    """Measure, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    kernels, rounds = kernel_rows(), round_rows()
    show(kernels, rounds)
    if options.json:
        options.json.write_text(json.dumps({"kernels": kernels, "rounds": rounds}, indent=2) + "\n")


if __name__ == "__main__":
    main()
