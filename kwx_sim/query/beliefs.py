"""What the record says of the hidden hands: each decision of the other players, as kernels weigh it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kwx_sim.core import state as codes
from kwx_sim.core.cloud import CAST, MOMENT, STORY, USE
from kwx_sim.core.jit import records
from kwx_sim.core.policy import POLICY
from kwx_sim.policies import Efficient, Policy
from kwx_sim.positions import Table
from kwx_sim.positions.course import Act

__all__ = ["HEAT", "SLIP", "Record", "can_recall", "cast_of", "minds_of", "record_of"]

SLIP, HEAT = 0.1, 1.0
"""ε, and the power of likelihoods.

On 160 positions of self-play (xiangyang, 800 worlds each, clouds of 32), log loss of "is ready" and of its waits:
uniform 0.71 and 1.1 on others of the kind; ε 0.05: 0.32, 0.72; 0.1: 0.34, 0.66; 0.2: 0.36, 0.68; 0.1 at a power of 0.7:
0.37, 0.69. The smaller ε is, the fewer worlds carry the weight.
"""

SEATS, DEALT, LAST_HAND = 3, 13, 39
OTHERS = (1, 2)
MELDED = {codes.PONG: 2, codes.DIRECT_KONG: 3, codes.CONCEALED_KONG: 4, codes.ADDED_KONG: 1}
"""Tiles that leave the concealed hand with a call or a kong."""

OWN_KONGS = (codes.CONCEALED_KONG, codes.ADDED_KONG)
MELD_OF = {codes.CONCEALED_KONG: codes.MELD_CONCEALED, codes.ADDED_KONG: codes.MELD_ADDED}


class Record(NamedTuple):
    """The record as the kernels take it: (1,) STORY, (n,) MOMENT, (n,) USE."""

    story: NDArray[np.void]
    moments: NDArray[np.void]
    uses: NDArray[np.void]


def can_recall(table: Table, rules: np.void, policies: Sequence[Policy]) -> bool:
    """Whether hidden hands can be drawn by what their players did.

    Everything that was done must be known, the players must be such as have reasons, and a hand that was shown must not
    have changed since.
    """
    reasoned = all(isinstance(policies[seat], Efficient) for seat in OTHERS)
    kept = bool(rules["locks_hand"]) or not table.state[0]["declared"].any()
    return table.course is not None and reasoned and kept


def cast_of(policies: Sequence[Policy], slip: float = SLIP, heat: float = HEAT) -> NDArray[np.void]:
    """How surely the players are taken to follow their policies, (1,) CAST."""
    cast = records(1, CAST)
    cast["slip"], cast["heat"] = slip, heat
    for seat in OTHERS:
        policy = policies[seat]
        if isinstance(policy, Efficient):
            cast["avoidance"][0, seat], cast["tremble"][0, seat] = policy.avoidance, policy.tremble
    return cast


def minds_of(policies: Sequence[Policy]) -> NDArray[np.void]:
    """Each seat's policy without tremble, as it plays when it avoids shown waits and when not, (3, 2) POLICY."""
    minds = records(SEATS * 2, POLICY).reshape(SEATS, 2)
    for seat, policy in enumerate(policies):
        if isinstance(policy, Efficient):
            sure = policy.model_copy(update={"tremble": 0.0, "avoidance": float(policy.avoidance > 0)})
            minds[seat, 0] = sure.pack()[0]
            minds[seat, 1] = sure.model_copy(update={"avoidance": 0.0}).pack()[0]
    return minds


def record_of(table: Table, rules: np.void, *, first: int = 1) -> Record | None:
    """What the course of a position says; None where it does not lead to the position.

    first : the other seat of which the hand is drawn first
    """
    walk = _Walk(table, rules)
    walk.go()
    return walk.record(first) if walk.has_arrived() else None


class _Walk:
    """The round's course, gone through act by act with what lies on the table."""

    def __init__(self, table: Table, rules: np.void) -> None:
        assert table.course is not None
        self.rules, self.end, self.course = rules, table.state[0], table.course
        self.seen, self.declared = np.zeros(27, np.int64), [0] * SEATS
        self.front, self.tail = LAST_HAND, int(rules["wall_size"])
        self.draws = [0] * SEATS
        self.chain, self.calls, self.replacement = 0, 0, 0
        self.drawn = False
        self.moments: list[list[dict[str, Any]]] = [[] for _ in range(SEATS)]
        self.uses: list[list[tuple[int, int, bool]]] = [[] for _ in range(SEATS)]

    def go(self) -> None:
        self._draw(int(self.end["dealer"]))
        for place, act in enumerate(self.course):
            follows = self.course[place + 1] if place + 1 < len(self.course) else None
            if act.kind in (codes.DISCARD, codes.LIANGDAO):
                self._discard(act, follows)
            elif act.kind in OWN_KONGS:
                self._own_kong(act)
            else:
                self._call(act)

    def has_arrived(self) -> bool:
        """Whether what lies on the table now is what the position says."""
        end = self.end
        draws = [int(n) for n in end["draws"]] == self.draws
        wall = (int(end["front"]), int(end["tail"])) == (self.front, self.tail)
        table = np.array_equal(end["seen"], self.seen) and [int(n) for n in end["declared"]] == self.declared
        return draws and wall and table

    # ------------------------------------------------------------ acts

    def _draw(self, seat: int) -> None:
        self.front += 1
        self.replacement = 0
        self._took(seat)

    def _draw_replacement(self, seat: int, tile: int) -> None:
        self.tail -= 1
        self.replacement = 2 if self.rules["wild"] and tile == codes.RED else 1
        self._took(seat)

    def _took(self, seat: int) -> None:
        self.draws[seat] += 1
        self.drawn = True

    def _discard(self, act: Act, follows: Act | None) -> None:
        self._decided(act)
        self._use(act, 1)
        self.declared[act.seat] |= int(act.kind == codes.LIANGDAO)
        self.seen[act.tile] += 1
        cannon = int(self.replacement != 0)
        called = follows is not None and follows.kind in (codes.PONG, codes.DIRECT_KONG)
        last = follows is None
        if not (last and self.end["phase"] == codes.CLAIM):
            for seat in OTHERS:
                if seat != act.seat:
                    takes = called and follows is not None and follows.seat == seat
                    kind = follows.kind if takes and follows is not None else codes.PASS
                    self._offered(seat, act, kind, cannon=cannon)
        if not called and not (last and self.end["phase"] != codes.TURN):
            self.chain = 0
            self._draw((act.seat + 1) % SEATS)

    def _call(self, act: Act) -> None:
        self._use(act, MELDED[act.kind])
        self.seen[act.tile] += MELDED[act.kind]
        self.calls += 1
        if act.kind == codes.PONG:
            self.chain, self.replacement, self.drawn = 0, 0, False
            return
        if self.rules["kong_chain"] != 2:
            self.chain = 0
        self.chain += 1
        self._draw_replacement(act.seat, act.tile)

    def _own_kong(self, act: Act) -> None:
        self._decided(act)
        self._use(act, MELDED[act.kind])
        red = bool(self.rules["wild"]) and act.tile == codes.RED
        if act.kind == codes.ADDED_KONG or (self.rules["rob_concealed_kong"] and not red):
            for seat in OTHERS:
                if seat != act.seat:
                    self._offered(seat, act, codes.PASS, robbing=MELD_OF[act.kind])
        self.seen[act.tile] += MELDED[act.kind]
        self.calls += 1
        self.chain += 1
        self._draw_replacement(act.seat, act.tile)

    # ------------------------------------------------------------ what is written down of them

    def _use(self, act: Act, copies: int) -> None:
        locked = bool(self.rules["locks_hand"] and self.declared[act.seat])
        called = act.kind in (codes.PONG, codes.DIRECT_KONG)
        just_drawn = act.kind == codes.ADDED_KONG or (locked and not called)
        for n in range(copies):
            exact = just_drawn and n == 0
            self.uses[act.seat].append((act.tile, DEALT + self.draws[act.seat], exact))

    def _decided(self, act: Act) -> None:
        self._note(act.seat, phase=codes.TURN, action=act.kind << 5 | act.tile, drawn=int(self.drawn), feeder=act.seat)

    def _offered(self, seat: int, act: Act, kind: int, *, robbing: int = 0, cannon: int = 0) -> None:
        self._note(
            seat,
            phase=codes.CLAIM,
            action=kind << 5 | act.tile,
            tile=act.tile,
            feeder=act.seat,
            robbing=robbing,
            cannon=cannon,
        )

    def _note(self, seat: int, **fields: int) -> None:
        moment: dict[str, Any] = {
            "draws": self.draws[seat],
            "replacement": self.replacement,
            "chain": self.chain,
            "calls": self.calls,
            "front": self.front,
            "tail": self.tail,
            "declared": tuple(self.declared),
            "seen": self.seen.copy(),
        }
        self.moments[seat].append(moment | fields)

    def record(self, first: int) -> Record:
        story = records(1, STORY)
        story["first"] = first
        told = [moment for seat in OTHERS for moment in self.moments[seat]]
        used = [use for seat in OTHERS for use in self.uses[seat]]
        moments, uses = records(len(told), MOMENT), records(len(used), USE)
        for row, moment in zip(moments, told, strict=True):
            for name, value in moment.items():
                row[name] = value
        for row, (tile, before, exact) in zip(uses, used, strict=True):
            row["tile"], row["before"], row["exact"] = tile, before, exact
        for field, lists in (("moments", self.moments), ("uses", self.uses)):
            at = 0
            for seat in OTHERS:
                story[field][0, seat] = at, at + len(lists[seat])
                at += len(lists[seat])
        return Record(story, moments, uses)
