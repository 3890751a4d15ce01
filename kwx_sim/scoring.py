"""What a won hand scores, for people: text or counts in; fans, a reading and payments in points out.

The work is done by the kernels that play rounds (`core.fans`, `core.payment`), on the same record.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kwx_sim.core import fans as kernels
from kwx_sim.core.forms import ALL_TRIPLETS_FORM, KAWUXING_FORM, NO_FORM, PLAIN_FORM, SEVEN_PAIRS_FORM
from kwx_sim.core.jit import records
from kwx_sim.core.payment import settle_win
from kwx_sim.core.shapes import load_tables
from kwx_sim.core.state import BIT, BLOCK, NO_TILE, POW5, STATE
from kwx_sim.errors import InputError
from kwx_sim.groupings import Grouping, groupings, is_kawuxing
from kwx_sim.rules import FANS, Ruleset, changed, load_rules, pack
from kwx_sim.tiles import (
    MELD_KINDS,
    NUM_SLOTS,
    RED,
    Counts,
    Meld,
    format_hand,
    format_melds,
    meld_counts,
    parse_hand,
    parse_melds,
    parse_tile,
    tile_name,
)

__all__ = ["BY", "EVENTS", "Reading", "Score", "fan_values", "readings", "score"]

Hand = str | npt.ArrayLike
Melds = str | Iterable[str | Meld] | None
Rules = Ruleset | str | Path

BY = ("self_draw", "discard", "robbed")
"""How a hand is won."""

_OF_DRAW = {
    "kong_flower": kernels.EV_KONG_FLOWER,
    "red_dragon_kong_flower": kernels.EV_KONG_FLOWER | kernels.EV_RED_KONG,
    "last_tile_draw": kernels.EV_LAST_TILE_DRAW,
    "initial_hand": kernels.EV_INITIAL_HAND,
    "heavenly_hand": kernels.EV_HEAVENLY,
    "earthly_hand": kernels.EV_EARTHLY,
}
_OF_DISCARD = {
    "kong_cannon": kernels.EV_KONG_CANNON,
    "last_tile_discard": kernels.EV_LAST_TILE_DISCARD,
    "robbing_kong": kernels.EV_ROBBED,
}
EVENTS: Mapping[str, int] = _OF_DRAW | _OF_DISCARD
"""What may have happened around a win, with the bits that the kernels know it by."""

# The dealt 14 tiles or a first draw: there was no meld, no replacement and no end of the wall yet.
_FIRST_TILES = ("initial_hand", "heavenly_hand", "earthly_hand")
_APART = [
    ("robbing_kong", "kong_cannon"),
    ("initial_hand", "earthly_hand"),
    ("heavenly_hand", "earthly_hand"),
    *product(_FIRST_TILES, ("kong_flower", "red_dragon_kong_flower", "last_tile_draw")),
]
"""Pairs of events that no win has both of."""

WINNER, FIRST_PAYER = 0, 1


@dataclass(frozen=True)
class Score:
    """A scored hand.

    Attributes
    ----------
    hu : whether it wins; if not, everything else is empty or 0
    fan : total before cap and liangdao
    fans : fan id -> its product (or sum), in the order of the rules
    reading : the sets and the pair as scored, each as text, the melds last
    payments : points of the winner, of payer 1 (the feeder, if any) and of payer 2
    """

    hu: bool
    fan: int
    fans: dict[str, int]
    reading: list[str]
    payments: list[int]


@dataclass(frozen=True)
class Reading:
    """One way to read a won hand: its sets and pair as text, its fans, their total, and the winning tile's slot."""

    sets: list[str]
    fan: int
    fans: dict[str, int]
    win: int


@dataclass(frozen=True)
class _Won:
    """A checked hand: concealed tiles with the winning one (which may complete nothing)."""

    rules: Ruleset
    hand: Counts
    melds: list[Meld]
    tile: int

    def blocks(self) -> tuple[Any, Any, Any]:
        """Give the three block indices that the kernels read."""
        indices = np.zeros(3, np.uint32)
        np.add.at(indices, BLOCK[:NUM_SLOTS], POW5[:NUM_SLOTS] * self.hand)
        return indices[0], indices[1], indices[2]

    def masks(self) -> tuple[Any, Any]:
        """Give the masks of ponged and of konged kinds."""
        masks = np.zeros(2, np.uint32)
        for meld in self.melds:
            masks[int(meld.kind != "pong")] |= BIT[meld.tile]
        return masks[0], masks[1]

    def held_events(self) -> int:
        """Give the bits of what the melds bring and no mask tells."""
        return kernels.EV_RED_KONG_HELD if Meld("concealed_kong", RED) in self.melds else 0


def score(
    hand: Hand,
    melds: Melds,
    win: str | int,
    by: str = "self_draw",
    *,
    rules: Rules,
    room: str | None = None,
    events: Iterable[str] = (),
    winner_liangdao: bool = False,
    payer_liangdao: Sequence[bool] = (False, False),
    piao: Sequence[int] = (0, 0, 0),
    maima: str | int | None = None,
    missing_suit: str | None = None,
) -> Score:
    """Score a hand by the reading that pays most, and settle it.

    Parameters
    ----------
    hand : concealed tiles without the winning one, as text or counts (27,)
    melds : "pong:中 direct_kong:3s", or a list of such
    win : the winning tile, as text or slot
    by : self_draw, discard or robbed (a discard with the event robbing_kong is robbed too)
    rules : a ruleset, a preset's name or a TOML file
    room : a room's name, where the ruleset has rooms; the first if left out
    events : of EVENTS
    winner_liangdao, payer_liangdao : who has declared; payers in the order of the payments
    piao : winner, payer 1, payer 2
    maima : the tile turned on a self-draw; None where the wall was empty
    missing_suit : in place of the ruleset's shapes.missing_suit

    Raises InputError for anything that cannot be, in one line.
    """
    rules = _rules(rules, missing_suit)
    mask, by = _events(by, events)
    won = _read(rules, hand, melds, win, with_win=False)
    _check_first_tiles(mask, won.melds)
    packed = pack(rules, room)
    state = records(1, STATE)[0]
    _seat_winner(state, won)
    state["declared"] = _declared(rules, winner_liangdao, payer_liangdao)
    state["piao"] = _piao(rules, piao)
    state["maima_tile"] = _maima(won, maima, by, mask)
    settle_win(load_tables()[0], packed[0], state, WINNER, FIRST_PAYER, won.tile, mask)
    form = int(state["win_reading"][WINNER])
    if form == NO_FORM:
        return Score(False, 0, {}, [], [0, 0, 0])
    fours = [int(n) for n in state["win_fours"][WINNER]]
    return Score(
        hu=True,
        fan=int(state["win_fan"][WINNER]),
        fans=fan_values(rules, int(state["win_fans"][WINNER]), fours, mask),
        reading=_first_of_form(won, form),
        payments=[int(bases) * int(packed[0]["base"]) for bases in state["win_points"][WINNER]],
    )


def readings(
    hand: Hand,
    melds: Melds = None,
    win: str | int | None = None,
    by: str = "self_draw",
    *,
    rules: Rules,
    room: str | None = None,
    events: Iterable[str] = (),
) -> list[Reading]:
    """List the readings of a won hand, those that pay most first; none where it does not win.

    `hand` holds the winning tile. Where `win` does not say which one that is, each reading takes the tile that is best
    for it. Without wild tiles every way to group the tiles is listed; with them, where ways abound, one for each set of
    fans.
    """
    rules = _rules(rules, None)
    mask, _ = _events(by, events)
    checked = _read(rules, hand, melds, win, with_win=True)
    _check_first_tiles(mask, checked.melds)
    packed = pack(rules, room)
    tiles = [checked.tile] if win is not None else [int(slot) for slot in np.flatnonzero(checked.hand)]

    @cache
    def price(form: int, tile: int) -> _Price:
        return _price(_Won(rules, checked.hand, checked.melds, tile), packed, mask, form)

    found: dict[Any, tuple[_Price, Grouping]] = {}
    for grouping in groupings(rules, checked.hand.tolist(), checked.melds):
        best = max((price(form, tile) for tile in tiles for form in _forms(rules, grouping, tile)), key=lambda p: p[:2])
        found.setdefault(grouping if rules.tiles.wild == "none" else tuple(best.fans), (best, grouping))
    ordered = sorted(found.values(), key=lambda one: one[0][:2], reverse=True)
    return [Reading(_sets(checked, grouping), best.fan, best.fans, best.tile) for best, grouping in ordered]


# ---------------------------------------------------------------- dressing


def fan_values(rules: Ruleset, fans: int, fours: Sequence[int], events: int) -> dict[str, int]:
    """Give each fan of a mask with its product (or sum); `fours` says how often the two 四归一 count."""
    values = {}
    for bit, fan in enumerate(FANS):
        if not fans >> bit & 1:
            continue
        value = rules.fans.value(fan)
        if fan == "kong_flower" and events & kernels.EV_RED_KONG:
            value = rules.fans.kong_flower_after_red or value
        if fan in ("concealed_four_to_one", "open_four_to_one"):
            times = fours[int(fan == "open_four_to_one")]
            value = value * times if rules.fans.combine == "add" else value**times
        values[fan] = value
    return values


def _forms(rules: Ruleset, grouping: Grouping, tile: int) -> list[int]:
    """Give the forms of the kernels that a written reading can be scored as."""
    kinds = [group.kind for group in grouping]
    if kinds.count("pair") == 7:
        return [SEVEN_PAIRS_FORM]
    forms = [PLAIN_FORM if "sequence" in kinds else ALL_TRIPLETS_FORM]
    if any(is_kawuxing(rules, group, tile) for group in grouping):
        forms.append(KAWUXING_FORM)
    return forms


def _first_of_form(won: _Won, form: int) -> list[str]:
    every = groupings(won.rules, won.hand.tolist(), won.melds)
    return _sets(won, next(one for one in every if form in _forms(won.rules, one, won.tile)))


def _sets(won: _Won, grouping: Grouping) -> list[str]:
    groups = [group.tiles for group in grouping]
    groups += [(meld.tile,) * (3 if meld.kind == "pong" else 4) for meld in won.melds]
    return [format_hand(np.bincount(tiles, minlength=NUM_SLOTS)).replace(" ", "") for tiles in groups]


class _Price(NamedTuple):
    """What a reading pays a share, in bases, and its fan; then its fans and the winning tile."""

    pays: int
    fan: int
    fans: dict[str, int]
    tile: int


def _price(won: _Won, packed: npt.NDArray[np.void], events: int, form: int) -> _Price:
    record = packed[0]
    fan, fans, *fours = kernels.fans_of_form(
        load_tables()[0], record, *won.blocks(), *won.masks(), won.tile, events | won.held_events(), form
    )
    values = fan_values(won.rules, int(fans), fours, events)
    return _Price(int(kernels.paid(record, fan, fans, 1)), int(fan), values, won.tile)


# ---------------------------------------------------------------- reading and checking what came


def _rules(rules: Rules, missing_suit: str | None) -> Ruleset:
    loaded = rules if isinstance(rules, Ruleset) else load_rules(rules)
    if missing_suit is None:
        return loaded
    return changed(loaded, {"shapes.missing_suit": missing_suit}, source=loaded.name)


def _events(by: str, events: Iterable[str]) -> tuple[int, str]:
    """Check the events against how the hand was won: their mask, and `by` with robbed told apart."""
    if by not in BY:
        raise InputError("scoring.by", got=by)
    names = [events] if isinstance(events, str) else list(events)
    fitting = _OF_DRAW if by == "self_draw" else _OF_DISCARD
    mask = kernels.EV_SELF_DRAW if by == "self_draw" else 0
    if by == "robbed":
        names.append("robbing_kong")
    for name in names:
        if name not in EVENTS:
            raise InputError("scoring.event", expected=", ".join(EVENTS), got=name)
        if name not in fitting:
            expected = "self_draw" if name in _OF_DRAW else "discard"
            raise InputError("scoring.event_by", event=name, expected=expected, got=by)
        mask |= EVENTS[name]
    for one, other in _APART:
        if one in names and other in names:
            raise InputError("scoring.events_apart", one=one, other=other)
    return mask, "robbed" if mask & kernels.EV_ROBBED else by


def _check_first_tiles(mask: int, melds: Sequence[Meld]) -> None:
    for name in _FIRST_TILES:
        if melds and mask & EVENTS[name]:
            raise InputError("scoring.event_melds", event=name, melds=format_melds(melds))


def _read(rules: Ruleset, hand: Hand, melds: Melds, win: str | int | None, *, with_win: bool) -> _Won:
    size = rules.tiles.set
    counts = parse_hand(hand if isinstance(hand, str) else format_hand(hand), tiles=size)
    found = parse_melds(melds if melds is not None else [], tiles=size)
    _check_wild_melds(rules, found)
    if win is None and with_win:
        win = int(np.flatnonzero(counts)[0])
    tile = _tile(win, size)
    expected = 13 + with_win - 3 * len(found)
    if counts.sum() != expected:
        hint = InputError("scoring.hint.with" if with_win else "scoring.hint.without")
        raise InputError("scoring.hand_size", expected=expected, melds=len(found), hint=hint, count=int(counts.sum()))
    if with_win and not counts[tile]:
        raise InputError("scoring.not_in_hand", tile=tile_name(tile))
    if not with_win:
        counts[tile] += 1
    _check_copies(counts + meld_counts(found))
    return _Won(rules, counts, found, tile)


def _tile(tile: Any, size: int) -> int:
    return parse_tile(tile if isinstance(tile, str) else tile_name(tile), tiles=size)


def _check_copies(counts: Counts) -> None:
    slot = int(counts.argmax())
    if counts[slot] > 4:
        raise InputError("tiles.fifth_copy", tile=tile_name(slot), count=int(counts[slot]))


def _check_wild_melds(rules: Ruleset, melds: Sequence[Meld]) -> None:
    if rules.tiles.wild == "none":
        return
    for meld in melds:
        if meld.tile == RED and meld.kind != "concealed_kong":
            raise InputError("scoring.wild_meld", meld=format_melds([meld]), rules=rules.name)
        if meld.tile == RED and rules.shapes.wild_kong == "none":
            raise InputError("scoring.wild_kong", meld=format_melds([meld]), rules=rules.name)


def _declared(rules: Ruleset, winner: bool, payers: Sequence[bool]) -> list[bool]:
    if len(payers) != 2:
        raise InputError("scoring.two_payers", got=payers)
    declared = [bool(winner), *map(bool, payers)]
    if any(declared) and not rules.liangdao.enabled:
        raise InputError("scoring.liangdao", rules=rules.name)
    return declared


def _piao(rules: Ruleset, piao: Sequence[int]) -> list[int]:
    whole = all(isinstance(choice, (int, np.integer)) and not isinstance(choice, bool) for choice in piao)
    if len(piao) != 3 or not whole or not all(0 <= choice <= rules.piao.max for choice in piao):
        raise InputError("scoring.piao", max=rules.piao.max, rules=rules.name, got=piao)
    return list(piao)


def _maima(won: _Won, maima: str | int | None, by: str, events: int) -> int:
    if maima is None:
        return NO_TILE
    if not won.rules.maima.enabled:
        raise InputError("scoring.maima_rules", rules=won.rules.name)
    if by != "self_draw":
        raise InputError("scoring.maima_by", got=by)
    if events & kernels.EV_LAST_TILE_DRAW:
        raise InputError("scoring.maima_last")
    tile = _tile(maima, won.rules.tiles.set)
    turned = won.hand + meld_counts(won.melds)
    turned[tile] += 1
    _check_copies(turned)
    return tile


def _seat_winner(state: Any, won: _Won) -> None:
    """Put the winner's hand, without the winning tile, and its melds into a round's record."""
    indices = np.array(won.blocks(), np.uint32)
    indices[BLOCK[won.tile]] -= POW5[won.tile]
    state["idx"][WINNER] = indices
    state["pongs"][WINNER], state["kongs"][WINNER] = won.masks()
    for n, meld in enumerate(won.melds):
        state["meld_kind"][WINNER, n] = MELD_KINDS.index(meld.kind) + 1
        state["meld_tile"][WINNER, n] = meld.tile
    state["n_melds"][WINNER] = len(won.melds)
