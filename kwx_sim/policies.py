"""Players by name: `random`, `efficient`, and their parameters, checked, for kernels and for manifests.

A policy is written `efficient`, or `efficient:avoidance=0.5,liangdao=never`, or as a mapping with the same names
(`{"policy": "efficient", "avoidance": 0.5}`), or in a TOML file of such a mapping.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kwx_sim.core import choose
from kwx_sim.core import policy as codes
from kwx_sim.core.jit import records
from kwx_sim.errors import InputError
from kwx_sim.reading import parsed_toml, small_file
from kwx_sim.refusals import context_of, near_to, shown

__all__ = ["Efficient", "Policy", "Random", "parse_policy", "read_parameters"]

MAX_FILE_BYTES = 1 << 13


class Policy(BaseModel):
    """A player: its parameters, and the record that the kernels read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: str

    def describe(self) -> dict[str, Any]:
        """Every parameter by name, as plain JSON values: `parse_policy` makes the same policy of it."""
        return self.model_dump(mode="json")

    def pack(self) -> NDArray[np.void]:
        """The policy as an array of one POLICY record (`core.policy`)."""
        packed = records(1, codes.POLICY)
        for field, value in self._fields().items():
            packed[field] = value
        return packed

    def _fields(self) -> dict[str, Any]:
        raise NotImplementedError


class Random(Policy):
    """Any legal action; wins, calls, kongs and declarations each by a chance of their own.

    Attributes
    ----------
    win, call, own_kong, declare : the chance that it takes a win, calls a discard, kongs on its own turn, declares
    """

    policy: Literal["random"] = "random"
    win: float = Field(0.9, ge=0, le=1)
    call: float = Field(0.5, ge=0, le=1)
    own_kong: float = Field(0.5, ge=0, le=1)
    declare: float = Field(0.5, ge=0, le=1)

    def _fields(self) -> dict[str, Any]:
        return {**self.model_dump(exclude={"policy"}), "kind": codes.RANDOM}


class Efficient(Policy):
    """Shanten, then live acceptance, then value: see `core.choose`, and `core.plans` for what value is.

    It takes every win by self-draw, and every other win of `min_win` fan or more. The defaults held their own against
    other values in paired self-play in all presets together. Single presets differ: under `platform` maima makes speed
    worth more than safety (`avoidance=0` gains 0.3 bases a round), and in `hongzhong` waiting for a self-draw with
    `min_win=4` gains 0.1.

    Attributes
    ----------
    value : weight of fan against speed; 0 plays for speed alone
    pong, kong : appetite for calls: 0 never, 1 as judged, more: eager
    liangdao : never, always, by the rule of the four `liangdao_` fields, or at: from own draw `declare_at` on
    liangdao_kinds, liangdao_fan : fewest kinds of waits, or the best wait's fan that makes up for fewer; to the fan is
        added what maima brings a win on average, about 4
    liangdao_live, liangdao_wall : fewest live tiles, and fewest tiles left in the wall
    declare_at : the first own draw with which `at` declares
    liangdao_after_kong : whether it declares with the discard after a kong's replacement: as the other fields say
        (`mode`), always, or never
    avoidance : λ, the chance that it keeps back a tile that a declared player has shown to wait for
    min_win : smallest fan that it takes from a discard or a robbed kong
    tremble : the chance of a random legal action
    aim_pairs, aim_triplets, aim_flush : leaning towards 七对, 碰碰胡, 清一色: what their expectation is multiplied by
    aim_dragons : weight of what 小三元 and 大三元 promise
    kong_for_pairs, kong_for_flush : appetite for kongs, times `kong`, while it aims for 七对 or 清一色
    keep_middle : weight of holding 4s, 5s and 6s back where discards are about as good
    keep_dragons : live tiles that it gives up to keep a single dragon
    shed_suit : live tiles that it gives up to be rid of a tile of its shorter suit
    follow_wall : with so few tiles left in the wall it discards what was just discarded (跟牌), unless nearly ready
    """

    policy: Literal["efficient"] = "efficient"
    value: float = Field(0.75, ge=0, le=10)
    pong: float = Field(1.0, ge=0, le=10)
    kong: float = Field(1.0, ge=0, le=10)
    liangdao: Literal["never", "always", "rule", "at"] = "rule"
    liangdao_kinds: int = Field(2, ge=1, le=21)
    liangdao_fan: int = Field(4, ge=1, le=1 << 20)
    liangdao_live: int = Field(2, ge=0, le=84)
    liangdao_wall: int = Field(0, ge=0, le=44)
    declare_at: int = Field(1, ge=1, le=44)
    liangdao_after_kong: Literal["mode", "always", "never"] = "mode"
    avoidance: float = Field(1.0, ge=0, le=1)
    min_win: int = Field(1, ge=1, le=1 << 20)
    tremble: float = Field(0.0, ge=0, le=1)
    aim_pairs: float = Field(1.0, ge=0, le=100)
    aim_triplets: float = Field(1.0, ge=0, le=100)
    aim_flush: float = Field(1.0, ge=0, le=100)
    aim_dragons: float = Field(1.0, ge=0, le=100)
    kong_for_pairs: float = Field(1.0, ge=0, le=100)
    kong_for_flush: float = Field(1.0, ge=0, le=100)
    keep_middle: float = Field(1.0, ge=0, le=100)
    keep_dragons: float = Field(0.0, ge=0, le=100)
    shed_suit: float = Field(0.0, ge=0, le=100)
    follow_wall: int = Field(0, ge=0, le=44)

    def _fields(self) -> dict[str, Any]:
        modes = {
            "liangdao_mode": LIANGDAO_MODES[self.liangdao],
            "liangdao_after_kong": AFTER_KONG[self.liangdao_after_kong],
        }
        return {**self.model_dump(exclude={"policy", "liangdao"}), **modes, "kind": codes.EFFICIENT}


AFTER_KONG = {"mode": choose.BY_MODE, "always": choose.ALWAYS, "never": choose.NEVER}
LIANGDAO_MODES = {"never": choose.NEVER, "always": choose.ALWAYS, "rule": choose.BY_RULE, "at": choose.AT_DRAW}

KINDS: dict[str, type[Policy]] = {"random": Random, "efficient": Efficient}


def parse_policy(given: Policy | str | Path | Mapping[str, Any]) -> Policy:
    """The policy that a name with parameters, a mapping or a TOML file describes.

    Raises InputError for an unknown name or parameter (with the nearest known one) or a value out of range.
    """
    if isinstance(given, Policy):
        return given
    if isinstance(given, Path) or (isinstance(given, str) and given.endswith(".toml")):
        return _from_mapping(read_parameters(Path(given)), source=str(given))
    if isinstance(given, str):
        return _from_mapping(_from_text(given), source=given)
    if isinstance(given, Mapping):
        return _from_mapping(dict(given), source="policy")
    raise InputError("policies.form", came=shown(given))


def _from_text(text: str) -> dict[str, Any]:
    name, _, rest = text.partition(":")
    fields: dict[str, Any] = {"policy": name.strip()}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError("policies.parameter", source=text, came=shown(part))
        fields[key.strip()] = value.strip()
    return fields


def read_parameters(path: Path) -> dict[str, Any]:
    """The parameters in a TOML file, unchecked. Raises InputError where it cannot be read."""
    try:
        return parsed_toml(small_file(path, MAX_FILE_BYTES))
    except InputError as problem:
        raise InputError("policies.unreadable", file=str(path), problem=problem) from problem


def _from_mapping(fields: dict[str, Any], source: str) -> Policy:
    name = fields.get("policy", "efficient")
    if not isinstance(name, str) or name not in KINDS:
        raise InputError("policies.name", source=source, names=", ".join(KINDS), came=shown(name))
    try:
        return KINDS[name].model_validate(fields)
    except ValidationError as error:
        raise _refusal(error, source, KINDS[name]) from error


# What pydantic refuses in a policy, as names in the catalogue.
_EXPECTED = {
    "int_type": "whole_number",
    "int_parsing": "whole_number",
    "int_from_float": "whole_number",
    "float_type": "number",
    "float_parsing": "number",
    "finite_number": "number",
    "literal_error": "one_of",
    "greater_than_equal": "at_least",
    "less_than_equal": "at_most",
}


def _refusal(error: ValidationError, source: str, kind: type[Policy]) -> InputError:
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return InputError("policies.unknown", source=source, field=field, near=near_to(field, kind.model_fields))
    name = _EXPECTED.get(first["type"])
    expected: object = InputError(f"policies.expected.{name}", **context_of(first)) if name else first["msg"]
    return InputError("policies.value", source=source, field=field, expected=expected, came=shown(first["input"]))
