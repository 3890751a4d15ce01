"""What a ruleset, or a hand and its melds, does not allow in a position; each refused in one line."""

from collections.abc import Iterator, Sequence

import numpy as np

from kwx_sim import hands
from kwx_sim.core.state import BIT
from kwx_sim.errors import InputError
from kwx_sim.positions.fit import counted
from kwx_sim.positions.model import ME, SEATS, Player, Position, seat_name
from kwx_sim.rules import Ruleset
from kwx_sim.tiles import NUM_SLOTS, RED, Counts, Meld, format_melds, format_tiles, meld_counts, tile_name

__all__ = [
    "check_asked", "check_declared", "check_known_draw", "check_locked", "check_offer", "check_own_turn",
    "check_readiness", "check_rules", "waits_of",
]  # fmt: skip

FULL, DRAWN = 13, 14
MOST_NAMED = 3
OUT_OF_REACH = 99


def waits_of(hand: Counts, melds: Sequence[Meld], rules: Ruleset) -> int:
    """听口 as a mask of slots, of 13 tiles, three a meld."""
    return int(BIT[:NUM_SLOTS][hands.waits(hand, meld_counts(melds), rules)].sum())


def _kinds_of(mask: int) -> tuple[int, ...]:
    return tuple(slot for slot in range(NUM_SLOTS) if mask >> slot & 1)


# ---------------------------------------------------------------- what the rules have


def check_rules(position: Position, rules: Ruleset) -> None:
    """Refuse tiles, melds, piao and missed wins that the ruleset does not have."""
    for slot in _all_tiles(position):
        if slot >= rules.n_kinds:
            raise InputError("positions.no_such_tile", tile=tile_name(slot), rules=rules.name, size=rules.wall_size)
    for player in position.players:
        for meld in player.melds or ():
            _check_meld(meld, rules)
    if position.piao and max(position.piao) > rules.piao.max:
        raise InputError("positions.piao", rules=rules.name, most=rules.piao.max, came=max(position.piao))
    if position.missed and any(position.missed):
        if rules.play.missed_win == "none":
            raise InputError("positions.missed", rules=rules.name)
        if position.missed[ME] and not position.after_pong and position.offered is None:
            raise InputError("positions.missed_own")


def _all_tiles(position: Position) -> Iterator[int]:
    yield from position.hand
    if position.offered is not None:
        yield position.offered
    for river in position.discards.rivers if position.discards else ():
        yield from river or ()
    for player in position.players:
        yield from (meld.tile for meld in player.melds or ())
        yield from player.shown or ()
        yield from player.waits or ()


def _check_meld(meld: Meld, rules: Ruleset) -> None:
    if rules.tiles.wild == "none" or meld.tile != RED:
        return
    if meld.kind != "concealed_kong":
        raise InputError("positions.wild_meld", meld=format_melds([meld]), rules=rules.name)
    if rules.shapes.wild_kong == "none":
        raise InputError("positions.wild_kong", meld=format_melds([meld]), rules=rules.name)


# ---------------------------------------------------------------- a tile on offer


def check_asked(position: Position, about: str) -> None:
    """Refuse a claim without a tile on offer, and a tile on offer where it is not a claim that is asked about."""
    told = (position.offered_by is not None, position.offered_kong, position.offered_after_kong)
    if position.offered is None and any(told):
        raise InputError("positions.offered_alone")
    if about == "claim" and (position.offered is None or position.offered_by is None):
        raise InputError("positions.offered_missing")
    if about != "claim" and position.offered is not None:
        raise InputError("positions.offered_turn")


def check_offer(position: Position, rules: Ruleset) -> None:
    """Refuse a hand of the wrong size, fields of an own turn, and a tile that cannot be on offer as it says."""
    melds = position.melds or ()
    expected = FULL - 3 * len(melds)
    if len(position.hand) != expected:
        raise InputError("positions.hand_size_offered", expected=expected, melds=len(melds), came=len(position.hand))
    for field in ("drawn", "after_pong", "replacement"):
        if getattr(position, field):
            raise InputError("positions.offered_beside", field=field)
    seat = position.offered_by or 0
    player, name = position.players[seat], seat_name(seat)
    kongs = sum(meld.kind != "pong" for meld in player.melds or ())
    if position.offered_kong:
        _check_offered_kong(position, player, name, rules)
    elif position.offered_after_kong and not kongs:
        raise InputError("positions.offered_no_kong", seat=name)
    if position.chain is not None:
        _check_chain(position, kongs, rules)


def _check_offered_kong(position: Position, player: Player, name: InputError, rules: Ruleset) -> None:
    if position.offered_after_kong:
        raise InputError("positions.offered_both")
    if position.wall == 0:
        raise InputError("positions.offered_kong_at_end")
    if position.robs == "added_kong":
        return
    wild = rules.tiles.wild != "none" and position.offered == RED
    tile = tile_name(position.offered or 0)
    if not rules.play.rob_concealed_kong or wild:
        raise InputError("positions.offered_no_pong", seat=name, tile=tile, rules=rules.name)
    if player.shown is not None and player.shown.count(position.offered or 0) != 3:
        raise InputError("positions.offered_shown", seat=name, tile=tile)
    if player.shown is None and player.has_declared:
        raise InputError("positions.offered_hidden", seat=name)


# ---------------------------------------------------------------- the own turn


def check_own_turn(position: Position, rules: Ruleset) -> None:
    """Refuse a hand of the wrong size, and a turn that cannot have begun as it says."""
    melds = position.melds or ()
    expected = DRAWN - 3 * len(melds)
    if len(position.hand) != expected:
        raise InputError("positions.hand_size", expected=expected, melds=len(melds), came=len(position.hand))
    if position.drawn is not None and position.drawn not in position.hand:
        raise InputError("positions.drawn", tile=tile_name(position.drawn))
    if position.after_pong:
        _check_pong(position, rules)
    kongs = [meld for meld in melds if meld.kind != "pong"]
    if position.has_replacement:
        _check_replacement(position, kongs, rules)
    if position.chain is not None:
        _check_chain(position, len(kongs), rules)


def _check_pong(position: Position, rules: Ruleset) -> None:
    if not position.melds or position.melds[-1].kind != "pong":
        raise InputError("positions.pong_last")
    if position.drawn is not None:
        raise InputError("positions.pong_drawn")
    if position.has_replacement:
        raise InputError("positions.pong_replacement", came=position.replacement)
    if position.me_declared and rules.liangdao.locks_hand:
        raise InputError("positions.pong_locked", rules=rules.name)


def _check_replacement(position: Position, kongs: Sequence[Meld], rules: Ruleset) -> None:
    wild = rules.tiles.wild != "none"
    red = [meld for meld in kongs if wild and meld.tile == RED]
    if position.replacement == "red_kong" and not red:
        raise InputError("positions.no_red_kong", rules=rules.name)
    if not kongs:
        raise InputError("positions.no_kong")
    if position.replacement == "kong" and len(red) == len(kongs):
        raise InputError("positions.red_kong_only")


def _check_chain(position: Position, own_kongs: int, rules: Ruleset) -> None:
    """A chain goes on where the last draw replaced a kong, and may where a kong is about to be made."""
    if not position.follows_kong and not position.offered_kong:
        if position.chain:
            raise InputError("positions.chain_none", came=position.chain)
        return
    kongs = own_kongs
    if rules.payment.kong_chain == "table":
        kongs = sum(meld.kind != "pong" for player in position.players for meld in player.melds or ())
    least = 0 if position.offered_kong else 1
    if not least <= (position.chain or 0) <= kongs:
        raise InputError("positions.chain", least=least, most=kongs, came=position.chain)


# ---------------------------------------------------------------- the declared


def check_declared(position: Position, rules: Ruleset) -> None:
    """Refuse a declared player that the rules cannot have, and one that shows too little, too much or no ready hand."""
    for seat, player in enumerate(position.players):
        name = seat_name(seat)
        if player.has_declared and not rules.liangdao.enabled:
            raise InputError("positions.no_liangdao", seat=name, rules=rules.name)
        told = (player.shown, player.waits, player.declared_at)
        if not player.has_declared and told != (None, None, None):
            raise InputError("positions.undeclared", seat=name)
    for seat in range(ME + 1, SEATS):
        if position.players[seat].has_declared:
            _check_shown(seat_name(seat), position.players[seat], rules)
    first = position.first_declared
    if first is not None and not position.players[first].has_declared:
        raise InputError("positions.first_undeclared", seat=seat_name(first))


def _check_shown(seat: InputError, player: Player, rules: Ruleset) -> None:
    shows = rules.liangdao.shows
    if shows != "hand" and player.shown is not None:
        raise InputError("positions.shows_no_hand", seat=seat, rules=rules.name, shows=shows)
    if shows == "nothing" and player.waits is not None:
        raise InputError("positions.shows_nothing", seat=seat, rules=rules.name)
    if shows == "hand":
        _check_open_hand(seat, player, rules)
    elif shows == "waits":
        _check_waits(seat, player, rules)


def _check_open_hand(seat: InputError, player: Player, rules: Ruleset) -> None:
    if player.shown is None:
        raise InputError("positions.needs_shown", seat=seat, rules=rules.name)
    melds = player.melds or ()
    expected = FULL - 3 * len(melds)
    if len(player.shown) != expected:
        raise InputError("positions.shown_size", seat=seat, expected=expected, melds=len(melds), came=len(player.shown))
    # hands.waits has words of its own for a fifth copy; these name the player.
    if (counted(player.shown) + meld_counts(melds)).max() > 4:
        raise InputError("positions.shown_copies", seat=seat)
    waits = _kinds_of(waits_of(counted(player.shown), melds, rules))
    if not waits and rules.liangdao.locks_hand:
        raise InputError("positions.shown_not_ready", seat=seat, hand=format_tiles(player.shown))
    if player.waits not in (None, waits):
        raise InputError(
            "positions.waits_differ", seat=seat, came=format_tiles(player.waits), expected=format_tiles(waits)
        )


def _check_waits(seat: InputError, player: Player, rules: Ruleset) -> None:
    if player.waits is None or (not player.waits and rules.liangdao.locks_hand):
        raise InputError("positions.needs_waits", seat=seat, rules=rules.name)
    for meld in player.melds or ():
        if meld.kind != "pong" and meld.tile in player.waits:
            raise InputError("positions.waits_konged", seat=seat, tile=tile_name(meld.tile), meld=format_melds([meld]))


# ---------------------------------------------------------------- the hand itself


def check_readiness(position: Position, rules: Ruleset) -> None:
    """Refuse a hand that neither has won nor is made ready by a discard."""
    melds = position.melds or ()
    hand = counted(position.hand)
    distance = hands.shanten(hand, meld_counts(melds), rules)
    if distance >= OUT_OF_REACH:
        raise InputError("positions.hopeless", rules=rules.name)
    if distance > 0:
        tiles = hands.best_discards(hand, meld_counts(melds), rules)
        best = sorted(np.flatnonzero(tiles >= 0).tolist(), key=lambda slot: (-tiles[slot], slot))[:MOST_NAMED]
        told = {"distance": distance, "best": ", ".join(f"{tile_name(slot)} ({tiles[slot]})" for slot in best)}
        waited_for = _waits_of_declared(position, rules)
        fed = ", ".join(tile_name(slot) for slot in best if waited_for >> slot & 1)
        if fed:
            raise InputError("positions.not_ready_facing", **told, fed=fed)
        raise InputError("positions.not_ready", **told)


def _waits_of_declared(position: Position, rules: Ruleset) -> int:
    """What the other players who have declared are known to wait for, as a mask of slots."""
    mask = 0
    for player in position.players[ME + 1 :]:
        if player.shown is not None:
            mask |= waits_of(counted(player.shown), player.melds or (), rules)
        for slot in player.waits or ():
            mask |= 1 << slot
    return mask


def check_known_draw(position: Position, rules: Ruleset) -> None:
    """Refuse an own turn of which the drawn tile is needed and was not told."""
    if position.drawn is not None or position.after_pong:
        return
    if hands.shanten(counted(position.hand), meld_counts(position.melds or ()), rules) < 0:
        raise InputError("positions.won_by")
    if position.me_declared and rules.liangdao.locks_hand:
        raise InputError("positions.locked_drawn", rules=rules.name)


def check_locked(position: Position, rules: Ruleset) -> None:
    """Refuse a hand that is not ready and cannot have been declared."""
    hand, melds = counted(position.hand), position.melds or ()
    if not (position.me_declared and rules.liangdao.locks_hand):
        return
    if position.drawn is not None and not waits_of(hand - counted([position.drawn]), melds, rules):
        raise InputError("positions.locked_not_ready", tile=tile_name(position.drawn))
    if position.offered is not None and not waits_of(hand, melds, rules):
        raise InputError("positions.locked_hand")
