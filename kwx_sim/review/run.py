"""A record reviewed: its decisions found first, then weighed one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kwx_sim.contest import PILOT
from kwx_sim.core.jit import SOURCE_HASH
from kwx_sim.ensemble import Opponents, parse_player, written
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy
from kwx_sim.positions.model import SEATS
from kwx_sim.query.ask import players_of, ruleset_of
from kwx_sim.query.question import Options
from kwx_sim.records import read_rounds
from kwx_sim.refusals import shown
from kwx_sim.review.faced import Faced, decisions_of
from kwx_sim.review.judge import PRECISION, WORLDS, Judge, Judged
from kwx_sim.review.report import Review, Settings
from kwx_sim.rules import Ruleset
from kwx_sim.runs import whole
from kwx_sim.sequences import FIRST_LOOK

__all__ = ["Progress", "review"]

FEWEST = PILOT + FIRST_LOOK
"""Worlds without which nothing can be said of a decision."""

MOST_ROUNDS = 10_000
"""Of one call; each takes some seconds."""

LAST_ROUND = 10**9
"""The largest number by which a round may be called."""

FIRST_AND_LAST = 2
Span = tuple[int | None, int | None]
"""The first and the last round, from 1; None: from the beginning, to the end."""

Progress = Callable[[int, int], None]
"""Told the decisions that have been weighed and those in all; first before any is."""


def review(
    record: str | Path,
    *,
    seats: Collection[int] | None = None,
    rounds: Span = (None, None),
    rules: Ruleset | str | Path = "xiangyang",
    form: str | None = None,
    opponents: Opponents | Mapping[str, Policy] = "efficient",
    me: Policy | str | Path = "efficient",
    worlds: int | None = None,
    precision: float = PRECISION,
    seed: int = 1,
    workers: int = 0,
    progress: Progress | None = None,
) -> Review:
    """Go through the rounds of a record, and find the decisions where another choice was better.

    Parameters
    ----------
    record : a file of one of records.FORMS, or "-" for standard input
    seats : whose decisions; None: of all whose hands the record shows
    rounds : the first and the last to go through, from 1; None: from the beginning, to the end
    rules : of rounds that do not name theirs
    form : of the record; None: found out
    opponents, me : the policies that the others, and the seat after its choice, go on by
    worlds : most worlds for a decision, the pilot's 400 among them; None: 8,000
    precision : bases a round that make no difference
    seed, workers : as everywhere: the same answer for any number of workers (0: as many as there are processors)
    progress : told how far it is

    An interrupt ends it with what has been weighed. Raises InputError for a record that cannot be.
    """
    if not isinstance(record, str | Path):
        raise InputError("review.record", came=shown(record))
    options = Options(worlds, precision, seed=seed, workers=workers)
    most = WORLDS if options.worlds is None else options.worlds
    if most < FEWEST:
        raise InputError("query.worlds", fewest=FEWEST, came=most)
    others = players_of(opponents)
    if len(others) > 1:
        raise InputError("review.opponents", came="; ".join(others))
    judge = Judge(parse_player(me), others, most, options.precision, options.seed, options.workers)
    found = _find(record, ruleset_of(rules), form, _span(rounds), _seats(seats))
    judged = list(_weighed(found.faced, judge, progress or (lambda *_: None)))
    interrupted = len(judged) < len(found.faced)
    settings = Settings(
        record=str(record),
        rules=found.rules,
        me=written(judge.me),
        opponents=written(next(iter(others.values()))),
        worlds=judge.worlds,
        precision=judge.precision,
        seed=judge.seed,
        kernels=SOURCE_HASH,
        version=version("kwx-sim"),
    )
    return Review(settings, tuple(judged), _rounds_of(judged) if interrupted else found.rounds, interrupted)


def _span(given: Span) -> Span:
    if not isinstance(given, tuple | list) or len(given) != FIRST_AND_LAST:
        raise InputError("review.rounds", came=shown(given))
    first, last = (None if end is None else whole("rounds", end, 1, LAST_ROUND) for end in given)
    return first, last


def _seats(given: Collection[int] | None) -> frozenset[int] | None:
    if given is None:
        return None
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, Collection) or not given:
        raise InputError("review.seats", came=shown(given))
    return frozenset(whole("seats", seat, 0, SEATS - 1) for seat in given)


def _weighed(faced: Sequence[Faced], judge: Judge, tell: Progress) -> Iterator[Judged]:
    """Weigh decision by decision; an interrupt ends it."""
    try:
        tell(0, len(faced))
        for done, each in enumerate(faced, 1):
            judged = judge(each)
            tell(done, len(faced))
            yield judged
    except KeyboardInterrupt:
        return


def _rounds_of(judged: Iterable[Judged]) -> dict[int, int]:
    """How many rounds of each seat these decisions are of."""
    begun = {(each.faced.round, each.faced.seat) for each in judged}
    return dict(sorted(Counter(seat for _, seat in begun).items()))


class _Found(NamedTuple):
    """The decisions of a record, the names of its rulesets, and how many rounds of each seat there are."""

    faced: list[Faced]
    rules: tuple[str, ...]
    rounds: dict[int, int]


def _find(
    record: str | Path,
    rules: Ruleset,
    form: str | None,
    rounds: Span,
    seats: frozenset[int] | None,
) -> _Found:
    first, last = rounds
    number = 0
    faced: list[Faced] = []
    names: dict[str, None] = {}
    counts: dict[int, int] = {}
    for number, recorded in islice(enumerate(read_rounds(record, rules, form), 1), last):
        if number < (first or 1):
            continue
        if sum(counts.values()) >= MOST_ROUNDS * SEATS:
            raise InputError("review.too_many", limit=MOST_ROUNDS)
        chosen = recorded.known if seats is None else recorded.known & seats
        faced += decisions_of(recorded, number, chosen)
        names[recorded.played.rules.name] = None
        for seat in chosen:
            counts[seat] = counts.get(seat, 0) + 1
    if not number:
        raise InputError("review.no_rounds", record=str(record))
    if not names:
        raise InputError("review.beyond", record=str(record), count=number, first=first)
    if not counts:
        raise InputError("review.hidden", record=str(record))
    return _Found(faced, tuple(names), counts)
