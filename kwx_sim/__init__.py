"""Monte Carlo strategy analysis for Kawuxing (卡五星), the three-player mahjong of Hubei.

The names below are loaded when first used: importing the package, and `kwx --help`, cost next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kwx_sim.errors import InputError as InputError
    from kwx_sim.hands import acceptance as acceptance
    from kwx_sim.hands import is_hu as is_hu
    from kwx_sim.hands import shanten as shanten
    from kwx_sim.hands import waits as waits
    from kwx_sim.play import Round as Round
    from kwx_sim.play import play_script as play_script
    from kwx_sim.positions import Position as Position
    from kwx_sim.query import Decision as Decision
    from kwx_sim.query import best_discard as best_discard
    from kwx_sim.query import should_claim as should_claim
    from kwx_sim.query import should_liangdao as should_liangdao
    from kwx_sim.rules import Ruleset as Ruleset
    from kwx_sim.rules import load_rules as load_rules
    from kwx_sim.scoring import score as score
    from kwx_sim.simulation import simulate as simulate
    from kwx_sim.tiles import format_hand as format_hand
    from kwx_sim.tiles import parse_hand as parse_hand

__version__ = "0.1.0"

_HOMES = {
    "Decision": "query",
    "InputError": "errors",
    "Position": "positions",
    "Round": "play",
    "Ruleset": "rules",
    "acceptance": "hands",
    "best_discard": "query",
    "best_discards": "hands",
    "format_hand": "tiles",
    "is_hu": "hands",
    "load_rules": "rules",
    "parse_hand": "tiles",
    "play_script": "play",
    "score": "scoring",
    "shanten": "hands",
    "should_claim": "query",
    "should_liangdao": "query",
    "simulate": "simulation",
    "waits": "hands",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
