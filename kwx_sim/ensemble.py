"""The players that an answer may be about: a named set, a user's own, and how both are asked for.

A figure of the query means "against players like these". Which players is not known, so a verdict is tried on several
that differ where it could matter: whether they keep back shown waits, how eagerly they call, when they declare, whether
they hurry. `tests/self_play.py` is how they were chosen: nobody who loses much to the reference is among them. What
each is called and how it plays, in words, stands in the text catalogue `ensemble`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kwx_sim.errors import InputError
from kwx_sim.policies import KINDS, Policy, parse_policy, read_parameters
from kwx_sim.refusals import near_to, shown
from kwx_sim.text import LANGS, t

__all__ = ["MEMBERS", "REFERENCE", "Opponents", "called", "parse_model", "parse_opponents", "parse_player", "written"]

Opponents = str | Policy | Path | Mapping[str, Any]
"""One item of what a user asks for; a text may hold several."""

REFERENCE = "careful"
"""The member of the headline: `efficient` as it is, whose defaults held their own in self-play."""

_TEXTS = {
    REFERENCE: "efficient",
    "wavering": "efficient:avoidance=0.75",
    "caller": "efficient:pong=1.6,kong=1.5",
    "closed": "efficient:pong=0.8",
    "racer": "efficient:value=0",
    "hunter": "efficient:value=1.5",
    "declarer": "efficient:liangdao=always",
    "secretive": "efficient:liangdao_kinds=21,liangdao_fan=5",
}

MEMBERS: Mapping[str, Policy] = MappingProxyType({name: parse_policy(text) for name, text in _TEXTS.items()})
"""Members by name, the reference first."""

ALL = "all"

SEPARATOR = re.compile(r"[;；]|[,，](?!\s*\w+\s*=)")
"""Between items: a comma before name=value stands between the parameters of one policy."""


def parse_opponents(given: Opponents | Sequence[Opponents] | None) -> dict[str, Policy]:
    """Players by name, in the order in which they were asked for: the first is the headline's.

    Parameters
    ----------
    given : one item, several in a sequence, or several in a text between `;` or `,`. An item is a member's name in
        either language, `all` (as is None), a policy (`efficient:avoidance=0.5,pong=2`) as text, as a mapping or made,
        or a TOML file as `parse_model` reads it. A policy that is a member's goes by that member's name, another by its
        text, a file by its stem. Twice the same is once.

    Raises InputError where an item is none of these (with the nearest known name), where two different players have one
    name, or where there is no item.
    """
    players: dict[str, Policy] = {}
    for name, policy in _players(ALL if given is None else given):
        if players.setdefault(name, policy) != policy:
            raise InputError("ensemble.twice", name=name)
    if not players:
        raise InputError("ensemble.nobody")
    return players


def parse_player(given: Policy | str | Path | Mapping[str, Any]) -> Policy:
    """One player: a member by its name in either language, or a policy as `parse_policy` reads it."""
    if isinstance(given, str) and not given.endswith(".toml") and ":" not in given and given not in KINDS:
        return _member(given)
    return parse_policy(given)


def parse_model(path: Path | str) -> tuple[str, Policy]:
    """A user's own player from a TOML file: the file's stem, and the policy.

    The file holds the parameters of a policy, as `parse_policy` knows them, and may name in `base` the member from
    which it takes those that it does not hold. Raises InputError, also where a member has the file's name.
    """
    path = Path(path)
    fields = read_parameters(path)
    if not fields:
        raise InputError("ensemble.empty", file=str(path))
    if "base" in fields:
        fields = {**_base(path, fields.pop("base")).describe(), **fields}
    try:
        policy = parse_policy(fields)
    except InputError as refusal:
        raise InputError(refusal.key, **{**refusal.params, "source": str(path)}) from refusal
    name = path.stem
    if MEMBERS.get(name, policy) != policy:
        raise InputError("ensemble.taken", file=str(path), name=name)
    return name, policy


def called(name: str, lang: str = "en") -> str:
    """What a player is called: a member by its name in `lang`, another as the user named it."""
    return t(f"ensemble.{name}.name", lang) if name in MEMBERS else name


def written(policy: Policy) -> str:
    """A policy as `parse_policy` reads it: its name, and the parameters that are not their defaults."""
    changed = policy.model_dump(mode="json", exclude_defaults=True, exclude={"policy"})
    return policy.policy + (":" if changed else "") + ",".join(f"{name}={value}" for name, value in changed.items())


def _players(given: Any) -> Iterator[tuple[str, Policy]]:
    if isinstance(given, str):
        for item in filter(None, map(str.strip, SEPARATOR.split(given))):
            yield from _of_text(item)
    elif isinstance(given, Path):
        yield parse_model(given)
    elif isinstance(given, Policy | Mapping):
        yield _named(parse_policy(given))
    elif isinstance(given, Sequence):
        for item in given:
            yield from _players(item)
    else:
        raise InputError("ensemble.form", came=shown(given))


def _of_text(item: str) -> Iterator[tuple[str, Policy]]:
    if item == ALL:
        yield from MEMBERS.items()
    elif item.endswith(".toml"):
        yield parse_model(item)
    else:
        yield _named(parse_player(item))


def _named(policy: Policy) -> tuple[str, Policy]:
    known = (name for name, member in MEMBERS.items() if member == policy)
    return next(known, written(policy)), policy


HALF = 0.5
"""Likeness from which a player's name is worth a hint: the Chinese ones have two characters, of which one is right."""


def _member(name: str) -> Policy:
    """The member of that name, in either language."""
    names = {called(member, lang): member for lang in LANGS for member in MEMBERS} | {each: each for each in MEMBERS}
    if name not in names:
        raise InputError(
            "ensemble.unknown", came=shown(name), near=near_to(name, names, least=HALF), names=", ".join(MEMBERS)
        )
    return MEMBERS[names[name]]


def _base(path: Path, name: object) -> Policy:
    try:
        return _member(name if isinstance(name, str) else shown(name))
    except InputError as refusal:
        raise InputError("ensemble.base", file=str(path), problem=refusal) from refusal
