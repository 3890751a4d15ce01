"""The one table of comparisons: it says what is timed, on which hands, against what bar, and what peers must agree."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kwx_sim
from bench import probes
from bench.agree import compare
from bench.figures import Figure, figure
from bench.inputs import SEED, Hands, hands, some
from bench.peers import Answerer, answerers
from bench.rounds import Table, won_rounds
from bench.timing import in_turn, medians, say
from kwx_sim.core.tables import load_tables

__all__ = ["LIMITS", "SCALARS", "WORKS", "Work", "kernel_rows", "limits", "price_row", "scalar_rows"]

TURNS = 7
WILD, WILD_FACTOR = "hongzhong", 4
SCALAR_BAR, SCALAR_HANDS = 3_000, 1_000
PRICE_BAR = 150


@dataclass(frozen=True)
class Work:
    """A call of the product on a whole array of hands.

    Attributes
    ----------
    name : as printed
    question : as in `peers`
    function : the product's, by name
    hands : as in `inputs`
    bar : ns a hand, at most
    rules : preset; None for the shapes of every 84-tile preset
    """

    name: str
    question: str
    function: str
    hands: str
    bar: float
    rules: str | None = None

    def call(self, given: Hands) -> NDArray[Any]:
        """Answer for every hand."""
        answer: NDArray[Any] = getattr(kwx_sim, self.function)(given.counts, given.melds, self.rules)
        return answer


_PLAIN = (
    Work("is_hu, random 14 tiles", "win", "is_hu", "random 14", 10),
    Work("is_hu, won hands", "win", "is_hu", "won 14", 10),
    Work("waits, ready 13 tiles", "waits", "waits", "ready 13", 15),
    Work("shanten, random 13 tiles", "shanten", "shanten", "random 13", 20),
    Work("shanten, two melds", "melded shanten", "shanten", "two melds", 20),
    Work("acceptance, random 13 tiles", "acceptance", "acceptance", "random 13", 25),
    Work("best_discards, random 14 tiles", "discards", "best_discards", "random 14", 200),
)

WORKS = (
    *_PLAIN,
    *(
        Work(f"{work.name}, wild", work.question, work.function, f"wild {work.hands}", WILD_FACTOR * work.bar, WILD)
        for work in _PLAIN
    ),
)

SCALARS = ("is_hu, random 14 tiles", "waits, ready 13 tiles", "shanten, random 13 tiles")
"""The works that are timed on one hand at a time too."""

LIMITS = ("index", "look-up")
"""Reading the counts and making the block indices alone; one random look-up alone in the table of suits, 3.9 MB."""


@cache
def _places() -> NDArray[np.uint32]:
    suits = load_tables()[0]["suit"]
    return np.random.default_rng(SEED).integers(0, len(suits), len(hands("random 14")), np.uint32)


def limits(given: Hands) -> dict[str, Callable[[], object]]:
    """The limits on as many hands: each a call."""
    suits, places, counts = load_tables()[0]["suit"], _places()[: len(given)], given.counts
    return {"index": lambda: probes.index_rows(counts), "look-up": lambda: probes.look_up(suits, places)}


def kernel_rows() -> Iterator[Figure]:
    """Each work beside the limits and the peers, in turn. Raises agree.DisagreementError."""
    peers = list(answerers())
    for work in WORKS:
        say(f"kernels: {work.name}")
        given = hands(work.hands)
        ours = work.call(given)
        able = [] if work.rules else [peer for peer in peers if peer.question == work.question]
        calls: dict[str, Callable[[], object]] = {
            "ours": lambda work=work, given=given: work.call(given),
            **limits(given),
        }
        sizes = dict.fromkeys(calls, len(given))
        compared = {}
        for peer in able:
            part = some(given, peer.limit)
            forms = peer.forms(part)
            compared[peer.package] = _compared(peer, part, ours, forms)
            calls[peer.package] = lambda peer=peer, forms=forms: peer.answers(forms)
            sizes[peer.package] = len(part)
        yield _row(work.name, work.bar, len(given), medians(calls, sizes, TURNS), compared)


def _compared(peer: Answerer, part: Hands, ours: NDArray[Any], forms: list[Any]) -> int:
    assert peer.read is not None
    theirs = [peer.read(answer) for answer in peer.answers(forms)]
    return compare(peer.question, part, ours, theirs, peer.package)


def _row(name: str, bar: float, size: int, times: dict[str, float], compared: dict[str, int]) -> Figure:
    row = figure(name, times["ours"], "ns", bar)
    row["hands"] = size
    row["limits"] = {limit: times[limit] for limit in LIMITS}
    row["peers"] = {package: {"ns": times[package], "compared": agreed} for package, agreed in compared.items()}
    return row


def price_row(table: Table) -> Figure:
    """Fans and payment of the wins of played rounds under one preset, beside peers that price by their own rules."""
    say(f"kernels: fans and payment, {table.preset}")
    states, wins = won_rounds(table)
    before = states["win_points"].copy()
    given = some(hands("won 14"), wins)
    calls: dict[str, Callable[[], object]] = {
        "ours": lambda: probes.price_wins(table.tables, table.rules, states),
        **limits(given),
    }
    sizes = {"ours": wins, **dict.fromkeys(LIMITS, len(given))}
    able = [peer for peer in answerers() if peer.question == "price"]
    for peer in able:
        forms = peer.forms(some(given, peer.limit))
        calls[peer.package] = lambda peer=peer, forms=forms: peer.answers(forms)
        sizes[peer.package] = len(forms)
    times = medians(calls, sizes, TURNS)
    if not np.array_equal(states["win_points"], before):
        raise AssertionError(f"wins under {table.preset} came out at other payments when settled once more")
    return _row(f"fans and payment, {table.preset}", PRICE_BAR, wins, times, {peer.package: 0 for peer in able})


def scalar_rows() -> Iterator[Figure]:
    """Calls from Python on one hand at a time."""
    for work in WORKS:
        if work.name in SCALARS:
            rows = [Hands(row) for row in hands(work.hands).counts[:SCALAR_HANDS]]

            def one_by_one(work: Work = work, rows: list[Hands] = rows) -> None:
                for row in rows:
                    work.call(row)

            [times] = in_turn({"ours": one_by_one}, TURNS).values()
            ns = float(np.median(times)) / len(rows)
            yield figure(f"{work.function}, one hand", ns, "ns", SCALAR_BAR)
