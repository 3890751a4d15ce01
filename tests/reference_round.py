"""The second engine, part three: the course of a round. (Shapes: reference_shapes, scores: reference_hands.)

The rules in the order in which they are told. A round is one generator: it runs to the next decision, hands it out, and
goes on with the answer.
"""

from collections import deque
from collections.abc import Generator, Iterable, Sequence
from typing import Any, NamedTuple

from reference_hands import score
from reference_shapes import COPIES, has_wild, is_win, kinds_in_play, plus, waits

from kwx_sim.rules import Ruleset
from kwx_sim.tiles import RED, parse_tile, tile_name

SEATS = 3


class Decision(NamedTuple):
    """Who is asked, in what way ("turn", "win" a tile on offer, "call" a discard), and what is legal, sorted."""

    seat: int
    kind: str
    legal: list[str]


class Answer(NamedTuple):
    """An action taken apart: "discard 5p"."""

    act: str
    tile: int


Asking = Generator[Decision, str, Any]


def next_seat(seat: int) -> int:
    return (seat + 1) % SEATS


def others(seat: int) -> list[int]:
    """The other seats, in turn order."""
    return [(seat + 1) % SEATS, (seat + 2) % SEATS]


class ReferenceRound:
    """One round from a written wall; lists are by seat, tiles are slots, money is in bases.

    hands : 27 counts of concealed tiles each. At the end the winning tile is in nobody's hand.
    melds : (kind, tile) in the order in which they were laid down
    rivers : each seat's discards in order, those that were claimed included
    waits : of the hand as dealt, or as it was after the seat's last discard or kong
    declared, first_declared : 亮倒; the first seat to declare, or None
    missed : the largest fan declined since the seat's last draw, 0 for none
    kong_points, undecided_points : by seat; win_points : 3 × 3, a row for each winner
    winners : dicts of seat, tile, by, fan (before cap and liangdao), fans (id -> value), best (fans of every reading
        as good)
    outcome : "playing", "self_draw", "discard", "robbed", "undecided"
    next_dealer : the dealer of the next round, None while this one is played
    """

    def __init__(
        self,
        rules: Ruleset,
        wall: Sequence[int],
        dealer: int = 0,
        piao: Sequence[int] = (0, 0, 0),
        room: str | None = None,
    ) -> None:
        self.rules, self.room = rules, room
        self.dealer, self.piao = dealer, list(piao)
        self.wall = deque(wall)
        self.hands = [[0] * 27 for _ in range(SEATS)]
        self.melds: list[list[tuple[str, int]]] = [[], [], []]
        self.rivers: list[list[int]] = [[], [], []]
        self.waits: list[list[int]] = [[], [], []]
        self.declared = [False] * SEATS
        self.first_declared: int | None = None
        self.missed = [0] * SEATS
        self.draws = [0] * SEATS
        self.claims_and_kongs = 0
        self.kongs_in_chain = 0
        self.drawn: int | None = None  # the tile just drawn, None after a pong
        self.after_kong: str | None = None  # "kong", "red_kong": the tile just drawn is the replacement of one
        self.kong_points = [0] * SEATS
        self.win_points = [[0] * SEATS for _ in range(SEATS)]
        self.undecided_points = [0] * SEATS
        self.winners: list[dict[str, Any]] = []
        self.outcome = "playing"
        self.next_dealer: int | None = None
        self._course = self._play()
        self._due: Decision | None = next(self._course)

    # ------------------------------------------------------------ from outside

    def decision(self) -> Decision | None:
        """The decision that is due; None when the round is over."""
        return self._due

    def apply(self, action: str) -> None:
        """Give the answer of the seat that is asked. Raises ValueError for what is not legal."""
        if self._due is None or action not in self._due.legal:
            raise ValueError(f"{action!r} is not legal: {self._due}")
        try:
            self._due = self._course.send(action)
        except StopIteration:
            self._due = None

    @property
    def over(self) -> bool:
        return self.outcome != "playing"

    @property
    def wall_left(self) -> int:
        return len(self.wall)

    @property
    def points(self) -> list[int]:
        return [
            self.kong_points[seat] + sum(row[seat] for row in self.win_points) + self.undecided_points[seat]
            for seat in range(SEATS)
        ]

    def snapshot(self) -> dict[str, Any]:
        """Everything that another engine should agree on, in plain lists and dicts."""
        return {
            "decision": None if self._due is None else (self._due.seat, self._due.kind, list(self._due.legal)),
            "hands": [list(hand) for hand in self.hands],
            "melds": [list(melds) for melds in self.melds],
            "rivers": [list(river) for river in self.rivers],
            "waits": [list(tiles) for tiles in self.waits],
            "declared": list(self.declared),
            "missed": list(self.missed),
            "wall_left": self.wall_left,
            "points": self.points,
            "kong_points": list(self.kong_points),
            "win_points": [list(row) for row in self.win_points],
            "undecided_points": list(self.undecided_points),
            "winners": [dict(win) for win in self.winners],
            "over": self.over,
            "outcome": self.outcome,
            "next_dealer": self.next_dealer,
        }

    # ------------------------------------------------------------ 1. the deal

    def _deal(self) -> None:
        """13 to the dealer, 13 and 13 to the next seats; the dealer's 14th is its first draw."""
        for seat in (self.dealer, *others(self.dealer)):
            for _ in range(13):
                self.hands[seat][self.wall.popleft()] += 1
            self._find_waits(seat)

    # ------------------------------------------------------------ 3. the course of a round

    def _play(self) -> Asking:
        self._deal()
        seat = self.dealer
        self._draw(seat)
        while not self.over:
            seat = yield from self._turn(seat)

    def _ask(self, seat: int, kind: str, legal: Iterable[tuple[str, int]]) -> Generator[Decision, str, Answer]:
        action = yield Decision(seat, kind, sorted(f"{act} {tile_name(tile)}" for act, tile in legal))
        act, _, tile = action.partition(" ")
        return Answer(act, parse_tile(tile))

    def _draw(self, seat: int) -> None:
        """摸: the next tile from the front."""
        self.after_kong = None
        self._take(seat, self.wall.popleft())

    def _draw_replacement(self, seat: int, konged: int) -> None:
        """A kong's replacement, from the tail, counts as the tile just drawn."""
        self.after_kong = "red_kong" if has_wild(self.rules) and konged == RED else "kong"
        self._take(seat, self.wall.pop())

    def _take(self, seat: int, tile: int) -> None:
        self.hands[seat][tile] += 1
        self.drawn = tile
        self.draws[seat] += 1
        self.missed[seat] = 0

    def _turn(self, seat: int) -> Asking:
        """Win, or kong and draw a replacement, or discard, with liangdao if ready. Returns whose turn is next."""
        legal = [*self._own_wins(seat), *self._own_kongs(seat), *self._discards(seat)]
        answer = yield from self._ask(seat, "turn", legal)
        if answer.act == "win":
            self._win_by_self_draw(seat)
            return seat
        if answer.act in ("concealed_kong", "added_kong"):
            return (yield from self._kong_own_tile(seat, answer.act, answer.tile))
        self._discard(seat, answer.tile, declares=answer.act == "liangdao")
        return (yield from self._answer_discard(seat, answer.tile))

    def _own_wins(self, seat: int) -> list[tuple[str, int]]:
        """自摸: the tile just drawn completes the hand; there is none after a pong."""
        if self.drawn is not None and is_win(self.rules, self.hands[seat], self.melds[seat]):
            return [("win", self.drawn)]
        return []

    def _discards(self, seat: int) -> list[tuple[str, int]]:
        hand = self.hands[seat]
        tiles = [tile for tile in range(27) if hand[tile]]
        if self._is_locked(seat):
            tiles = [self.drawn] if self.drawn is not None else []
        elif self.rules.liangdao.forbid_feeding and self.rules.liangdao.shows != "nothing":
            tiles = self._without_feeding(seat, tiles)
        plain = [("discard", tile) for tile in tiles]
        return plain + [("liangdao", tile) for tile in tiles if self._may_declare(seat, tile)]

    def _discard(self, seat: int, tile: int, declares: bool) -> None:
        """打. A declaration takes effect before the claims on the discard."""
        self.hands[seat][tile] -= 1
        self.rivers[seat].append(tile)
        self._find_waits(seat)
        if declares:
            self.declared[seat] = True
            if self.first_declared is None:
                self.first_declared = seat

    def _find_waits(self, seat: int) -> None:
        self.waits[seat] = waits(self.rules, self.hands[seat], self.melds[seat])

    def _answer_discard(self, discarder: int, tile: int) -> Asking:
        """Everybody is asked to win; if nobody wins, one player may kong or pong; else the next seat draws."""
        yield from self._ask_for_wins(discarder, tile, "discard")
        if self.over:
            return discarder
        if self.wall_left == 0:
            self._end_undecided()
            return discarder
        for seat in others(discarder):
            calls = self._calls(seat, tile)
            if calls:
                answer = yield from self._ask(seat, "call", [*calls, ("pass", tile)])
                if answer.act == "pong":
                    self._pong(seat, tile)
                    return seat
                if answer.act == "direct_kong":
                    self._kong_discard(seat, tile, discarder)
                    return seat
        self.kongs_in_chain = 0
        self._draw(next_seat(discarder))
        return next_seat(discarder)

    def _calls(self, seat: int, tile: int) -> list[tuple[str, int]]:
        """碰 with two more in hand, 直杠 with three. Wild tiles are never called; a locked hand does not pong."""
        held = self.hands[seat][tile]
        if has_wild(self.rules) and tile == RED:
            return []
        calls = []
        if held >= 2 and not self._is_locked(seat):
            calls.append(("pong", tile))
        if held == 3 and self._kong_keeps_waits(seat, "direct_kong", tile):
            calls.append(("direct_kong", tile))
        return calls

    def _pong(self, seat: int, tile: int) -> None:
        """碰: two from the hand; no draw, so neither a win nor a kong in this turn. It ends a chain of kongs."""
        self.hands[seat][tile] -= 2
        self.melds[seat].append(("pong", tile))
        self.claims_and_kongs += 1
        self.kongs_in_chain = 0
        self.drawn = None
        self.after_kong = None

    # ------------------------------------------------------------ 3. kongs

    def _own_kongs(self, seat: int) -> list[tuple[str, int]]:
        """暗杠 with four in hand, 补杠 with a pong and the fourth just drawn; none after a pong or on the last tile.

        A pong made with three in hand never becomes a kong: its fourth tile is in the hand and is never drawn.
        """
        if self.drawn is None or self.wall_left == 0:
            return []
        kongs = [("concealed_kong", tile) for tile in kinds_in_play(self.rules) if self.hands[seat][tile] == COPIES]
        if self.rules.shapes.wild_kong == "none" and has_wild(self.rules):
            kongs = [(kind, tile) for kind, tile in kongs if tile != RED]
        if ("pong", self.drawn) in self.melds[seat]:
            kongs.append(("added_kong", self.drawn))
        return [(kind, tile) for kind, tile in kongs if self._kong_keeps_waits(seat, kind, tile)]

    def _kong_own_tile(self, seat: int, kind: str, tile: int) -> Asking:
        """抢杠: the others are first asked to win the tile; then the kong stands."""
        if self._may_be_robbed(kind, tile):
            yield from self._ask_for_wins(seat, tile, "robbed")
        if not self.over:
            self._lay_kong(seat, kind, tile)
            self._pay_kong(seat, kind, others(seat))
            self._draw_replacement(seat, tile)
        return seat

    def _may_be_robbed(self, kind: str, tile: int) -> bool:
        if has_wild(self.rules) and tile == RED:
            return False
        return kind == "added_kong" or self.rules.play.rob_concealed_kong

    def _kong_discard(self, seat: int, tile: int, feeder: int) -> None:
        """直杠. Only a chain over the whole table goes on past the discard."""
        if self.rules.payment.kong_chain != "table":
            self.kongs_in_chain = 0
        self._lay_kong(seat, "direct_kong", tile)
        self._pay_kong(seat, "direct_kong", [feeder])
        self._draw_replacement(seat, tile)

    def _lay_kong(self, seat: int, kind: str, tile: int) -> None:
        self.hands[seat], self.melds[seat] = self._konged(seat, kind, tile)
        self.claims_and_kongs += 1
        self._find_waits(seat)

    def _konged(self, seat: int, kind: str, tile: int) -> tuple[list[int], list[tuple[str, int]]]:
        """The hand and the melds with the kong laid down; an added kong takes its pong's place."""
        hand, melds = list(self.hands[seat]), list(self.melds[seat])
        hand[tile] = 0
        if kind == "added_kong":
            melds[melds.index(("pong", tile))] = (kind, tile)
        else:
            melds.append((kind, tile))
        return hand, melds

    # ------------------------------------------------------------ 3. wins on a discard, robbing, missed wins

    def _ask_for_wins(self, feeder: int, tile: int, by: str) -> Asking:
        """Ask all at once: who may win does not depend on the others' answers. All who do, win (一炮双响)."""
        able = [seat for seat in others(feeder) if self._may_win(seat, feeder, tile, by)]
        willing = []
        for seat in able:
            answer = yield from self._ask(seat, "win", [("win", tile), ("pass", tile)])
            if answer.act == "win":
                willing.append(seat)
            else:
                self._miss(seat, self._score(seat, tile, by, feeder).fan)
        if willing:
            self._win_offered(willing if self.rules.play.multiple_wins else willing[:1], feeder, tile, by)

    def _may_win(self, seat: int, feeder: int, tile: int, by: str) -> bool:
        """起胡: at least the minimum fan; 漏胡: strictly more fan than the largest declined."""
        result = self._score(seat, tile, by, feeder) if self._completes(seat, tile) else None
        return result is not None and result.fan >= self._minimum_fan(seat, feeder) and result.fan > self.missed[seat]

    def _completes(self, seat: int, tile: int) -> bool:
        return is_win(self.rules, plus(self.hands[seat], tile), self.melds[seat])

    def _minimum_fan(self, seat: int, feeder: int) -> int:
        waived = self.rules.play.min_fan_waived_by_liangdao and (self.declared[seat] or self.declared[feeder])
        return 1 if waived else self.rules.play.min_fan_on_discard

    def _miss(self, seat: int, fan: int) -> None:
        """漏胡: barred until the own next draw, but for a win of more fan."""
        if self.rules.play.missed_win == "until_own_draw_unless_larger":
            self.missed[seat] = max(self.missed[seat], fan)

    # ------------------------------------------------------------ 4. liangdao

    def _may_declare(self, seat: int, tile: int) -> bool:
        """亮倒: on any own turn, with a discard that leaves the hand ready."""
        rules = self.rules.liangdao
        if not rules.enabled or self.declared[seat] or self.wall_left < rules.min_wall:
            return False
        hand = list(self.hands[seat])
        hand[tile] -= 1
        return bool(waits(self.rules, hand, self.melds[seat]))

    def _is_locked(self, seat: int) -> bool:
        return self.declared[seat] and self.rules.liangdao.locks_hand

    def _kong_keeps_waits(self, seat: int, kind: str, tile: int) -> bool:
        """A locked hand kongs only the tile just drawn or discarded, and only where its waits stay the same."""
        if not self._is_locked(seat):
            return True
        if self.rules.liangdao.kong_after == "never" or (kind != "direct_kong" and tile != self.drawn):
            return False
        return waits(self.rules, *self._konged(seat, kind, tile)) == self.waits[seat]

    def _without_feeding(self, seat: int, tiles: list[int]) -> list[int]:
        """No shown wait is discarded while another tile is held."""
        shown = {tile for other in others(seat) if self.declared[other] for tile in self.waits[other]}
        return [tile for tile in tiles if tile not in shown] or tiles

    # ------------------------------------------------------------ 5. events of a win

    def _events(self, seat: int, by: str) -> set[str]:
        events = set()
        if by == "robbed":
            return {"robbing_kong"}
        if by == "discard":
            if self.after_kong:
                events.add("kong_cannon")
            if self.wall_left == 0:
                events.add("last_tile_discard")
            return events
        if self.after_kong:
            events.add("red_dragon_kong_flower" if self.after_kong == "red_kong" else "kong_flower")
        if self.wall_left == 0:
            events.add("last_tile_draw")
        if self.draws[seat] == 1 and self.claims_and_kongs == 0:
            events |= {"initial_hand", "heavenly_hand"} if seat == self.dealer else {"earthly_hand"}
        return events

    # ------------------------------------------------------------ 6. payment, and the end

    def _payers(self, seat: int, feeder: int | None) -> list[int]:
        """The feeder first; after a self-draw in turn order."""
        return others(seat) if feeder is None else [feeder, 3 - seat - feeder]

    def _score(self, seat: int, tile: int, by: str, feeder: int | None) -> Any:
        """Score the hand of a seat, which does not hold the winning tile."""
        parties = [seat, *self._payers(seat, feeder)]
        return score(
            self.rules,
            self.hands[seat],
            self.melds[seat],
            tile,
            by,
            events=self._events(seat, by),
            declared=[self.declared[party] for party in parties],
            piao=[self.piao[party] for party in parties],
            maima_tile=self.wall[-1] if self.wall else None,
            room=self.room,
        )

    def _settle(self, seat: int, tile: int, by: str, feeder: int | None) -> None:
        """Pay one winner, whoever else wins."""
        result = self._score(seat, tile, by, feeder)
        for party, amount in zip([seat, *self._payers(seat, feeder)], result.payments, strict=True):
            self.win_points[seat][party] = amount
        self.winners.append(
            {
                "seat": seat,
                "tile": tile_name(tile),
                "by": by,
                "fan": result.fan,
                "fans": result.fans,
                "best": result.best,
            }
        )

    def _win_by_self_draw(self, seat: int) -> None:
        assert self.drawn is not None
        self.hands[seat][self.drawn] -= 1
        self._settle(seat, self.drawn, "self_draw", None)
        self.outcome = "self_draw"
        self.next_dealer = seat

    def _win_offered(self, winners: list[int], feeder: int, tile: int, by: str) -> None:
        """Settle each winner alone. A robbed konger keeps the rest of its kong, and deals next after a double win."""
        for seat in winners:
            self._settle(seat, tile, by, feeder)
        if by == "robbed":
            self.hands[feeder][tile] -= 1
        self.outcome = by
        self.next_dealer = winners[0] if len(winners) == 1 else feeder

    def _end_undecided(self) -> None:
        """荒庄: the dealer stays; the first to declare pays each other player. Kongs stay paid."""
        if self.first_declared is not None:
            for seat in others(self.first_declared):
                self._pay(self.undecided_points, self.first_declared, seat, self.rules.liangdao.undecided_first_pays)
        self.outcome = "undecided"
        self.next_dealer = self.dealer

    def _pay_kong(self, seat: int, kind: str, payers: list[int]) -> None:
        """直杠 from the feeder, 暗杠 and 补杠 from both; doubled for each earlier kong of the chain."""
        self.kongs_in_chain += 1
        bases = getattr(self.rules.payment, kind)
        if self.rules.payment.kong_chain != "none":
            bases *= 2 ** (self.kongs_in_chain - 1)
        for payer in payers:
            self._pay(self.kong_points, payer, seat, bases)

    @staticmethod
    def _pay(account: list[int], payer: int, payee: int, bases: int) -> None:
        account[payer] -= bases
        account[payee] += bases
