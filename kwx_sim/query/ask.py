"""What to do in a position: the questions that a player asks, each answered in shared worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, TypeGuard, Unpack

from kwx_sim.ensemble import Opponents, parse_opponents, parse_player
from kwx_sim.errors import InputError
from kwx_sim.policies import Policy
from kwx_sim.positions import Position, position_of, read_position
from kwx_sim.query.decision import Decision
from kwx_sim.query.question import PRECISION, Options, Progress, Question
from kwx_sim.refusals import shown
from kwx_sim.rules import Ruleset, load_rules

__all__ = ["best_discard", "players_of", "question", "ruleset_of", "should_claim", "should_liangdao"]

Asked = Position | Mapping[str, Any] | str | Path
Players = Opponents | Sequence[Opponents] | Mapping[str, Policy] | None


def should_liangdao(
    position: Asked,
    rules: Ruleset | str | Path = "xiangyang",
    *,
    opponents: Players = "efficient",
    me: Policy | str = "efficient",
    worlds: int | None = None,
    precision: float = PRECISION,
    seconds: float | None = None,
    seed: int = 1,
    workers: int = 0,
    exact: bool | None = None,
    belief: str | None = None,
    progress: Progress | None = None,
) -> Decision:
    """Compare everything that a player could do with a hand that is ready, or that a discard makes ready.

    Parameters
    ----------
    position : a Position, a mapping of its fields, a hand as text, or a TOML or JSON file of a position
    rules : a ruleset, a preset's name or a TOML file
    opponents : the policies that the others follow, as `kwx_sim.ensemble.parse_opponents` takes them; of several (None:
        of all members), the first is the headline's and the rest are cells
    me : the policy, or the member, that the asker follows afterwards
    worlds : most worlds that are sampled, the pilot's among them; whole numbers may be numpy's; None: 20,000, or 4,800
        and fewer where hidden hands are drawn by a record, the longer the fewer
    precision : bases a round within which arms count as equal, 0 or more
    seconds : time after which it ends with what is known, 0 or more; results then depend on the machine
    seed : of all chance, a whole number from 0 on
    workers : threads (0: as many as there are processors); the answer is the same for any number
    exact : enumerate; None: where that is cheaper than sampling
    belief : played, played_in or uniform for the headline; None: the best that the position allows
    progress : told how it goes

    Raises
    ------
    InputError : a position that cannot be, a hand of which no discard leaves it ready, or an option out of range
    """
    options = Options(worlds, precision, seconds, seed, workers, exact, belief)
    return answer(question("liangdao", position, rules, me=me, opponents=opponents, options=options, progress=progress))


class Choices(TypedDict, total=False):
    """What a question may be given beside its position and rules: see `should_liangdao`."""

    opponents: Players
    me: Policy | str
    worlds: int | None
    precision: float
    seconds: float | None
    seed: int
    workers: int
    exact: bool | None
    belief: str | None
    progress: Progress | None


def best_discard(position: Asked, rules: Ruleset | str | Path = "xiangyang", **choices: Unpack[Choices]) -> Decision:
    """Compare every discard of an own turn, with any hand; shares tell how likely each is won at once, and the cost.

    Parameters
    ----------
    position, rules, choices : as for `should_liangdao`
    """
    return answer(asked("discard", position, rules, **choices))


def should_claim(position: Asked, rules: Ruleset | str | Path = "xiangyang", **choices: Unpack[Choices]) -> Decision:
    """Compare what a player could do with another's tile: win it or let it go, pong or make a kong of it.

    Parameters
    ----------
    position : as for `should_liangdao`, with `offered` and `offered_by`
    rules, choices : as for `should_liangdao`

    Raises
    ------
    InputError : a position that cannot be, or a tile with which nothing can be done
    """
    return answer(asked("claim", position, rules, **choices))


def asked(
    about: str, position: Asked, rules: Ruleset | str | Path = "xiangyang", **choices: Unpack[Choices]
) -> Question:
    """The question of any of these that has been asked, not yet answered."""
    given: dict[str, Any] = dict(choices)
    players = {name: given.pop(name, "efficient") for name in ("me", "opponents")}
    progress = given.pop("progress", None)
    return question(about, position, rules, **players, options=Options(**given), progress=progress)


def question(
    about: str,
    position: Asked,
    rules: Ruleset | str | Path,
    *,
    me: Policy | str,
    opponents: Players,
    options: Options,
    progress: Progress | None = None,
) -> Question:
    """A question that can be answered step by step: `headline`, then `cells`."""
    table, rest = ruleset_of(rules), players_of(opponents)
    return Question(_position(position), table, about, parse_player(me), rest, options, progress)


def answer(asked: Question) -> Decision:
    """The whole answer: the headline, and the verdict over all cells."""
    decision = asked.headline()
    return asked.with_cells(decision, list(asked.cells(decision)))


def ruleset_of(given: Ruleset | str | Path) -> Ruleset:
    """The rules of a question or a review. Raises InputError."""
    if isinstance(given, Ruleset):
        return given
    if not isinstance(given, str | Path):
        raise InputError("refusals.ruleset", came=shown(given))
    return load_rules(given)


def players_of(given: Players) -> Mapping[str, Policy]:
    """The other players by name, the headline's first. Raises InputError."""
    if isinstance(given, Mapping) and not given:
        raise InputError("ensemble.nobody")
    return given if _are_named(given) else parse_opponents(given)


def _are_named(opponents: Players) -> TypeGuard[Mapping[str, Policy]]:
    """Whether these are policies by name already."""
    return isinstance(opponents, Mapping) and all(isinstance(each, Policy) for each in opponents.values())


def _position(given: Asked) -> Position:
    if isinstance(given, Position | Mapping):
        return position_of(given)
    if isinstance(given, Path) or (isinstance(given, str) and given.endswith((".toml", ".json"))):
        return read_position(given)
    if not isinstance(given, str):
        raise InputError("refusals.position", came=shown(given))
    return Position.of(given)
