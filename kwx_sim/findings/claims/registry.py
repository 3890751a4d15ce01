"""The documents' claims as data: what is said where, and the one contrast that tests it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from string import ascii_lowercase
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from kwx_sim import text
from kwx_sim.policies import parse_policy
from kwx_sim.report.section import Words, words

__all__ = ["COUNTED", "PRESETS_OF", "Claim", "claims", "player"]

PRESETS_OF = {"A": ("platform",), "B": ("hongzhong",), "C": ("suizhou", "xiangyang", "shiyan")}
"""The presets of a document."""

COUNTED = ("share", "loser")
"""Units of figures that are never below 0: they have no sign, and nobody asks whether they are 0."""

Preset = Literal["platform", "hongzhong", "suizhou", "xiangyang", "shiyan"]


class Claim(BaseModel):
    """A claim and its contrast; `claims.toml` says what the fields mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    number: int = Field(ge=1, le=12)
    letter: str = ""
    document: Literal["A", "B", "C"]
    test: Literal["players", "fact", "exact", "none"]
    follows: str = ""
    against: str = ""
    others: str = ""
    measure: str = ""
    unit: str = "round"
    margin: float = 0.05
    expected: float | None = None
    also: tuple[Preset, ...] = ()
    variants: dict[Literal["follows", "against", "others"], tuple[str, ...]] = {}
    split: str = ""
    by: tuple[Literal["turn", "live", "kinds", "fan"], ...] = ()
    beside: str = ""
    see: Literal["", "kawuxing", "kongs"] = ""

    @property
    def presets(self) -> tuple[str, ...]:
        """The presets of the contrasts that are judged."""
        return PRESETS_OF[self.document]

    @property
    def label(self) -> str:
        """Its number, and its letter among the claims of that number: 1a."""
        return f"{self.number}{self.letter}"

    @property
    def contrast(self) -> tuple[str, ...]:
        """What is compared, whatever it is said to show."""
        return self.test, self.follows, self.against, self.others, self.measure

    @property
    def turned_about(self) -> tuple[str, ...]:
        """The contrast of who follows the other one."""
        return self.test, self.against, self.follows, self.others, self.measure

    def text(self, name: str, **params: Any) -> Words:
        """Give one of the claim's texts: `short`, `said`, `test`, …"""
        return words(f"report_claims.claim.{self.id}.{name}", **params)

    @property
    def told_as_gain(self) -> bool:
        """Whether its figure is a gain or a difference, that may lie on either side of 0 and is compared with it."""
        return self.expected is None and self.unit not in COUNTED

    @property
    def stands_in(self) -> bool:
        """Whether another way of play stands in for the saying, which the text `stands` names."""
        return self.has("stands")

    def has(self, name: str) -> bool:
        """Tell whether the claim has that text."""
        return text.has(f"report_claims.claim.{self.id}.{name}")

    def varied(self) -> Iterator[tuple[str, str, Claim]]:
        """Give the exploratory contrasts: the field that is changed, its value, and the claim with it."""
        for field, values in self.variants.items():
            for value in values:
                yield field, value, self.model_copy(update={field: value})


@cache
def claims() -> tuple[Claim, ...]:
    """Read every claim, in the order of the documents; raises ValueError for one that is wrong."""
    source = files(__package__) / "claims.toml"
    found = tuple(Claim.model_validate(entry) for entry in tomllib.loads(source.read_text(encoding="utf-8"))["claim"])
    if len({claim.id for claim in found}) != len(found):
        raise ValueError("claims.toml: two claims have the same id")
    for claim in found:
        for parameters in (claim.follows, claim.against, claim.others):
            parse_policy(player(parameters))
    return tuple(_lettered(found))


def _lettered(found: Sequence[Claim]) -> Iterator[Claim]:
    """Tell claims of one number apart."""
    for _, group in groupby(found, lambda claim: claim.number):
        same = list(group)
        letters = ascii_lowercase if len(same) > 1 else ("",)
        for claim, letter in zip(same, letters, strict=False):
            yield claim.model_copy(update={"letter": letter})


def player(parameters: str) -> str:
    """Name the efficient player of some parameters as policies are named."""
    return f"efficient:{parameters}" if parameters else "efficient"
