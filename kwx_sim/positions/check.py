"""A position against a ruleset: everything that clashes refused, and what kernels need made of the rest."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kwx_sim.core import state as codes
from kwx_sim.core.legal import find_calls, may_win_offer
from kwx_sim.core.state import NO_TILE
from kwx_sim.core.tables import load_tables
from kwx_sim.errors import InputError
from kwx_sim.positions import clashes
from kwx_sim.positions.clashes import waits_of
from kwx_sim.positions.course import course_of
from kwx_sim.positions.fit import Fit, counted, fit_of, konged
from kwx_sim.positions.model import ME, SEATS, Player, Position, seat_name
from kwx_sim.positions.table import Assumption, History, Table, record_of
from kwx_sim.rules import Ruleset, load_rules, pack
from kwx_sim.tiles import Counts, meld_counts, tile_name

__all__ = ["check"]

HAND = 13
OTHERS = (1, 2)


def check(position: Position, rules: Ruleset | str | Path, about: str = "liangdao") -> Table:
    """What kernels need of a position, under a ruleset, a preset's name or a TOML file.

    about : liangdao, discard (the own turn with any hand) or claim (another's tile on offer)

    Raises InputError, in one line that names the clash, for a position that cannot be under these rules; about
    liangdao, for a hand that neither has won nor is made ready by a discard; about a claim, for a tile with which the
    asker can do nothing; and where a tile or a player must be named for the answer.
    """
    rules = rules if isinstance(rules, Ruleset) else load_rules(rules)
    packed = pack(rules, position.room)  # refuses a room that the rules do not have
    clashes.check_asked(position, about)
    clashes.check_rules(position, rules)
    if position.offered is None:
        clashes.check_own_turn(position, rules)
    else:
        clashes.check_offer(position, rules)
    clashes.check_declared(position, rules)
    fit = fit_of(position, rules)
    if about == "liangdao":
        clashes.check_readiness(position, rules)
    if position.offered is None:
        clashes.check_known_draw(position, rules)
    clashes.check_locked(position, rules)
    _check_declared_at(position, fit)
    _check_kongs_at(position)
    first = _first_declared(position, rules)
    shown_waits = _shown_waits(position, rules)
    hands = [counted(position.hand), *(_shown(position.players[seat]) for seat in OTHERS)]
    waits = [_own_waits(position, rules)]
    waits += [_waits(position.players[seat], shown_waits[seat], rules) for seat in OTHERS]
    hidden = [0] + [0 if hands[seat] is not None else _hidden(position, seat) for seat in OTHERS]
    state = record_of(position, rules, fit, hands, waits, _drawn(position, rules), first)
    if position.offered is not None:
        _find_claims(state[0], packed[0])
    return Table(
        state=state,
        unseen=fit.on_table.unseen(rules.n_kinds),
        hidden=np.array(hidden, np.int64),
        shown_waits=np.array(shown_waits, np.uint32),
        dead=fit.dead,
        history=_history(position, fit),
        ordered=fit.ordered,
        course=course_of(position, fit),
        assumptions=tuple(_assumptions(position, rules, fit)),
    )


def _hidden(position: Position, seat: int) -> int:
    """How many concealed tiles of another player are not known; of a kong that may be robbed one is more than 13."""
    known = len(konged(position)) - 1 if seat == position.turn else 0
    return HAND - 3 * len(position.players[seat].melds or ()) - known


def _find_claims(s: Any, rules: np.void) -> None:
    """What the asker may do with the tile on offer, written into the record. Raises InputError for nothing."""
    tables = load_tables()[0]
    s["can_win"] = may_win_offer(tables, rules, s, ME)
    if not s["robbing"] and s["front"] < s["tail"]:
        find_calls(tables, rules, s, ME)
    if not (s["can_win"] or s["can_pong"] or s["can_direct_kong"]):
        raise InputError("positions.nothing_to_claim", tile=tile_name(int(s["tile"])))
    s["phase"] = codes.CLAIM if s["can_win"] else codes.CALL


def _shown(player: Player) -> Counts | None:
    return None if player.shown is None else counted(player.shown)


def _shown_waits(position: Position, rules: Ruleset) -> list[int]:
    """Where a declared player says what it waits for but shows no hand: those kinds, as a mask by seat."""
    masks = [0] * SEATS
    if rules.liangdao.shows == "waits":
        for seat in OTHERS:
            masks[seat] = sum(1 << slot for slot in position.players[seat].waits or ())
    return masks


def _waits(player: Player, said: int, rules: Ruleset) -> int:
    hand = _shown(player)
    return said if hand is None else waits_of(hand, player.melds or (), rules)


def _own_waits(position: Position, rules: Ruleset) -> int:
    """The waits of 13 tiles: before the draw, or the pong; 0 where the drawn tile is not known."""
    hand, melds = counted(position.hand), list(position.melds or ())
    if position.offered is not None:
        return waits_of(hand, melds, rules)
    if position.after_pong:
        hand[melds.pop().tile] += 2
    elif position.drawn is None:
        return 0
    else:
        hand[position.drawn] -= 1
    return waits_of(hand, melds, rules)


def _drawn(position: Position, rules: Ruleset) -> int:
    """The tile just drawn. Where it is not known, any that the asker may have drawn without it mattering.

    It matters for a win, for which it must be given, and for an added kong, which is not assumed. A tile whose discard
    leaves the hand ready is the likeliest.
    """
    if position.after_pong or position.offered is not None:
        return NO_TILE
    if position.drawn is not None:
        return position.drawn
    hand, melds = counted(position.hand), position.melds or ()
    called = meld_counts(melds)

    def unlikeliness(slot: int) -> tuple[bool, bool, int]:
        rest = hand - counted([slot])
        return bool(called[slot]), waits_of(rest, melds, rules) == 0, slot

    return min(set(position.hand), key=unlikeliness)


def _check_declared_at(position: Position, fit: Fit) -> None:
    for seat, player in enumerate(position.players):
        if fit.draws_known and player.declared_at is not None and player.declared_at > fit.draws[seat]:
            raise InputError(
                "positions.declared_at", seat=seat_name(seat), came=player.declared_at, draws=fit.draws[seat]
            )


def _check_kongs_at(position: Position) -> None:
    for seat, player in enumerate(position.players):
        kongs = sum(meld.kind in ("concealed_kong", "added_kong") for meld in player.melds or ())
        if player.kongs_at is not None and len(player.kongs_at) != kongs:
            raise InputError("positions.kongs_at", seat=seat_name(seat), expected=kongs, came=len(player.kongs_at))


def _first_declared(position: Position, rules: Ruleset) -> int | None:
    """Who declared first: as given, the only one, or the one that did with the fewest draws; refused where it pays."""
    declared = [seat for seat, player in enumerate(position.players) if player.has_declared]
    if position.first_declared is not None or len(declared) < 2:
        return position.first_declared if position.first_declared is not None else next(iter(declared), None)
    at = {seat: position.players[seat].declared_at for seat in declared}
    known = sorted((draws, seat) for seat, draws in at.items() if draws is not None)
    certain = len(known) == len(declared) and known[0][0] < known[1][0]
    if not certain and rules.liangdao.undecided_first_pays:
        raise InputError("positions.first_declared", rules=rules.name)
    return known[0][1] if certain else declared[0]


def _history(position: Position, fit: Fit) -> History:
    if fit.rivers_known:
        return "complete"
    told = position.discards is not None or any(player.has_declared for player in position.players)
    called = any(position.players[seat].melds for seat in OTHERS)
    return "partial" if told or called else "none"


# ---------------------------------------------------------------- assumptions


def _assumptions(position: Position, rules: Ruleset, fit: Fit) -> Iterator[Assumption]:
    """What was not given and what it is taken to be, as far as it could change an answer."""
    yield from _assumed_table(position, fit)
    yield from _assumed_turn(position, rules)
    if position.room is None and rules.rooms:
        yield _assumed("room", room=rules.rooms[0].name)
    if position.piao is None and rules.piao.max:
        yield _assumed("piao")
    for seat in OTHERS:
        player = position.players[seat]
        if player.melds is None:
            yield _assumed("melds", seat=seat_name(seat))
        if player.declared is None and not player.has_declared and rules.liangdao.enabled:
            yield _assumed("undeclared", seat=seat_name(seat))
    if position.missed is None and rules.play.missed_win != "none":
        yield _assumed("missed")


def _assumed_table(position: Position, fit: Fit) -> Iterator[Assumption]:
    if not fit.wall_known:
        yield _assumed("wall", wall=fit.wall)
    if not fit.dealer_known and position.dealer is None:
        yield _assumed("dealer", seat=seat_name(fit.dealer))
    if fit.dead:
        yield _assumed("discards", dead=fit.dead)
    if not fit.draws_known:
        yield _assumed("draws", me=fit.draws[0], next=fit.draws[1], previous=fit.draws[2])
    if fit.rivers_known and not fit.ordered:
        yield _assumed("order")
    if fit.rivers_known and any(_kong_times_missing(player) for player in position.players):
        yield _assumed("kongs_at")


def _kong_times_missing(player: Player) -> bool:
    own = any(meld.kind in ("concealed_kong", "added_kong") for meld in player.melds or ())
    return own and player.kongs_at is None


def _assumed_turn(position: Position, rules: Ruleset) -> Iterator[Assumption]:
    melds = position.melds or ()
    may_add = any(meld.kind == "pong" and meld.tile in position.hand for meld in melds)
    if may_add and position.drawn is None and not position.after_pong and position.offered is None:
        yield _assumed("drawn")
    kongs = [meld for player in position.players for meld in player.melds or () if meld.kind != "pong"]
    own_kong = any(meld.kind != "pong" for meld in melds)
    if position.replacement is None and own_kong and not position.after_pong and position.offered is None:
        yield _assumed("front")
    if position.follows_kong and position.chain is None and rules.payment.kong_chain != "none" and len(kongs) > 1:
        yield _assumed("chain")


def _assumed(name: str, **params: object) -> Assumption:
    return Assumption(f"positions.assumption.{name}", params)
