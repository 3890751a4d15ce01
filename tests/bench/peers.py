"""What the packages of PyPI can answer, each in its own form of a hand: our suits are two of theirs.

A hand is put into a peer's form before the clock runs: a peer is timed from its own form as we are from ours.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from bench.inputs import Hands

__all__ = ["PACKAGES", "Answerer", "PeerRounds", "answerers", "installed", "peer_rounds"]

KINDS_34 = (*range(18), 33, 32, 31)
"""The peers' kind of each of our 21: two suits, then red, green, white."""

COPIES = 4


@dataclass(frozen=True)
class Answerer:
    """How one package answers one question.

    Attributes
    ----------
    limit : how many of the hands it is given, by how slow it is
    prepare : (34 counts, 34 meld counts) -> the package's form of the hand
    ask : what is timed
    read : its answer -> ours: a bool, an int, or a list over our 21 kinds; None where its game prices otherwise
    """

    package: str
    question: str
    limit: int
    prepare: Callable[[list[int], list[int]], Any]
    ask: Callable[[Any], Any]
    read: Callable[[Any], Any] | None

    def forms(self, hands: Hands) -> list[Any]:
        """The package's form of each hand."""
        wide = _as_34(hands.counts)
        melds = _as_34(hands.counts * 0 if hands.melds is None else hands.melds)
        return [self.prepare(row, called) for row, called in zip(wide, melds, strict=True)]

    def answers(self, forms: Sequence[Any]) -> list[Any]:
        """Answer for each hand, as it comes from the package."""
        ask = self.ask
        return [ask(form) for form in forms]


@dataclass(frozen=True)
class PeerRounds:
    """How one package plays a round of its own game at random, from Python; `play` is given a seeded generator."""

    package: str
    game: str
    rounds: int
    play: Callable[[random.Random], object]

    def per_second(self) -> float:
        """Rounds a second of processor time, after one that does not count."""
        rng = random.Random(1)
        self.play(rng)
        start = time.process_time()
        for _ in range(self.rounds):
            self.play(rng)
        return self.rounds / (time.process_time() - start)


def answerers() -> Iterator[Answerer]:
    """All that the installed packages can answer."""
    for package, (answers, _) in PACKAGES.items():
        if installed(package):
            yield from answers()


def peer_rounds() -> Iterator[PeerRounds]:
    """Whole rounds by the installed packages that play."""
    for package, (_, rounds) in PACKAGES.items():
        if rounds is not None and installed(package):
            yield from rounds()


def installed(package: str) -> str | None:
    """The version of a package, None where it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _as_34(counts: Any) -> list[list[int]]:
    wide = np.zeros((len(counts), 34), int)
    wide[:, KINDS_34] = counts[:, :21]
    return wide.tolist()


def _ours(per_kind: Sequence[Any]) -> list[Any]:
    return [per_kind[kind] for kind in KINDS_34]


def _concealed(row: list[int], melds: list[int]) -> list[int]:
    return row


def _tile_ids(row: list[int], melds: list[int]) -> list[int]:
    """The 136 tiles: four numbers a kind."""
    return [COPIES * kind + copy for kind, held in enumerate(row) for copy in range(held)]


def _text(row: list[int], melds: list[int]) -> str:
    """Digits after their suit, then each pong and kong behind a comma."""
    blocks = (("m", row[0:9], melds[0:9]), ("p", row[9:18], melds[9:18]), ("z", row[27:34], melds[27:34]))
    held = [suit + "".join(str(n) * count for n, count in enumerate(counts, 1)) for suit, counts, _ in blocks]
    called = [
        f",{suit}{str(n) * count}" + ("+" if count == 3 else "")
        for suit, _, counts in blocks
        for n, count in enumerate(counts, 1)
        if count
    ]
    return "".join(part for part in held if len(part) > 1) + "".join(called)


def _mahjong() -> Iterator[Answerer]:
    from mahjong.agari import Agari
    from mahjong.hand_calculating.hand import HandCalculator
    from mahjong.shanten import Shanten

    is_agari, shanten, value = Agari.is_agari, Shanten(), HandCalculator()

    def waits(row: list[int]) -> list[bool]:
        found = [False] * 34
        for kind in KINDS_34:
            if row[kind] < COPIES:
                row[kind] += 1
                found[kind] = is_agari(row)
                row[kind] -= 1
        return found

    def price(ids: list[int]) -> Any:
        return value.estimate_hand_value(ids, ids[-1])

    can = partial(Answerer, "mahjong")
    yield can("win", 2_000, _concealed, is_agari, bool)
    yield can("waits", 500, _concealed, waits, _ours)
    yield can("shanten", 500, _concealed, shanten.calculate_shanten, int)
    yield can("melded shanten", 2_000, _concealed, shanten.calculate_shanten_for_regular_hand, int)
    yield can("price", 1_000, _tile_ids, price, None)


def _xiangting() -> Iterator[Answerer]:
    from xiangting import PlayerCount, calculate_necessary_tiles, calculate_replacement_number

    four = PlayerCount.FOUR

    def replacements(row: list[int]) -> int:
        return calculate_replacement_number(row, four)

    def necessary(row: list[int]) -> tuple[int, int]:
        return calculate_necessary_tiles(row, four)

    def discards(row: list[int]) -> list[int]:
        """Try each discard; the tiles left of what is necessary then, where the distance is smallest."""
        distances, tiles = [99] * 34, [0] * 34
        for kind in KINDS_34:
            if row[kind]:
                row[kind] -= 1
                distances[kind], tiles[kind] = calculate_necessary_tiles(row, four)
                row[kind] += 1
        nearest = min(distances)
        left = [COPIES - held for held in row]
        return [
            sum(left[drawn] for drawn in KINDS_34 if tiles[kind] >> drawn & 1) if distances[kind] == nearest else -1
            for kind in range(34)
        ]

    def kinds(answer: tuple[int, int]) -> list[bool]:
        return [bool(answer[1] >> kind & 1) for kind in KINDS_34]

    can = partial(Answerer, "xiangting")
    yield can("win", 10_000, _concealed, replacements, lambda number: number == 0)
    yield can("waits", 10_000, _concealed, necessary, kinds)
    yield can("shanten", 10_000, _concealed, replacements, lambda number: number - 1)
    yield can("melded shanten", 10_000, _concealed, replacements, lambda number: number - 1)
    yield can("acceptance", 10_000, _concealed, necessary, kinds)
    yield can("discards", 1_000, _concealed, discards, _ours)


def _riichienv() -> Iterator[Answerer]:
    from riichienv import Conditions, HandEvaluator, calculate_shanten

    self_drawn = Conditions(tsumo=True)

    def waits(ids: list[int]) -> list[int]:
        return HandEvaluator(ids).get_waits()

    def kinds(found: list[int]) -> list[bool]:
        return [kind in found for kind in KINDS_34]

    def price(form: tuple[Any, int]) -> Any:
        hand, tile = form
        return hand.calc(tile, conditions=self_drawn)

    def priced(row: list[int], melds: list[int]) -> tuple[Any, int]:
        ids = _tile_ids(row, melds)
        return HandEvaluator(ids), ids[-1]

    can = partial(Answerer, "riichienv")
    yield can("win", 20_000, _tile_ids, calculate_shanten, lambda shanten: shanten == -1)
    yield can("waits", 10_000, _tile_ids, waits, kinds)
    yield can("shanten", 20_000, _tile_ids, calculate_shanten, int)
    yield can("melded shanten", 20_000, _tile_ids, calculate_shanten, int)
    yield can("price", 5_000, priced, price, None)


def _cmajiang() -> Iterator[Answerer]:
    from cmajiang import Shoupai, hule, tingpai, xiangting

    def hand(row: list[int], melds: list[int]) -> Any:
        return Shoupai(_text(row, melds))

    def kinds(found: list[str]) -> list[bool]:
        return [f"{'mpsz'[kind // 9]}{kind % 9 + 1}" in found for kind in KINDS_34]

    can = partial(Answerer, "cmajiang")
    yield can("win", 2_000, hand, xiangting, lambda shanten: shanten == -1)
    yield can("waits", 500, hand, tingpai, kinds)
    yield can("shanten", 2_000, hand, xiangting, int)
    yield can("melded shanten", 5_000, hand, xiangting, int)
    yield can("acceptance", 500, hand, tingpai, kinds)
    yield can("price", 1_000, hand, hule, None)


def _riichienv_rounds() -> Iterator[PeerRounds]:
    from riichienv import RiichiEnv

    def play(mode: str, rng: random.Random) -> None:
        game = RiichiEnv(game_mode=mode, skip_mjai_logging=True, seed=rng.getrandbits(32))
        seen = game.reset()
        while not game.done():
            seen = game.step({seat: rng.choice(view.legal_actions()) for seat, view in seen.items()})

    yield PeerRounds("riichienv", "riichi, 3 players", 200, partial(play, "3p-red-single"))
    yield PeerRounds("riichienv", "riichi, 4 players", 200, partial(play, "4p-red-single"))


def _cmajiang_rounds() -> Iterator[PeerRounds]:
    from cmajiang import Game, Message, Status, set_seed

    over = (Status.HULE, Status.PINGJU)

    def play(rng: random.Random) -> None:
        game = Game()
        game.kaiju(0)
        while game.status not in over:
            if game.status in (Status.ZIMO, Status.GANGZIMO, Status.FULOU):
                _turn(game, rng)
            elif game.status == Status.DAPAI:
                _claims(game, rng)
            game.next()

    def _turn(game: Any, rng: random.Random) -> None:
        seat = game.lunban_player_id
        if game.status != Status.FULOU and game.allow_hule():
            game.reply(seat, Message.HULE)
        else:
            game.reply(seat, Message.DAPAI, rng.choice(game.get_dapai()))

    def _claims(game: Any, rng: random.Random) -> None:
        for step in (1, 2, 3):
            place = (game.lunban + step) % 4
            seat = game.player_id[place]
            if game.allow_hule(place):
                game.reply(seat, Message.HULE)
                continue
            calls = game.get_peng_mianzi(place) + (game.get_chi_mianzi(place) if step == 1 else [])
            if calls and rng.random() < 0.5:
                game.reply(seat, Message.FULOU, rng.choice(calls))

    set_seed(1)
    yield PeerRounds("cmajiang", "riichi, 4 players", 100, play)


PACKAGES: dict[str, tuple[Callable[[], Iterator[Answerer]], Callable[[], Iterator[PeerRounds]] | None]] = {
    "mahjong": (_mahjong, None),
    "xiangting": (_xiangting, None),
    "riichienv": (_riichienv, _riichienv_rounds),
    "cmajiang": (_cmajiang, _cmajiang_rounds),
}
"""By package: its answers, and its rounds where it plays."""
