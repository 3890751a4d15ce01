"""An answer as plain JSON values, by the names in docs/query.md."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from kwx_sim.query.decision import ArmFigures, CellFigures, Decision, Ready
from kwx_sim.query.telling import assumed, best_declaring, first_clear, warning, whole
from kwx_sim.tiles import tile_name

__all__ = ["as_json"]


def as_json(decision: Decision, lang: str = "en") -> dict[str, Any]:
    """Every figure as plain JSON values; null where nothing is known.

    `lang` is that of the sentence, the warning and the assumptions' texts; everything else is the same in both.
    """
    verdict, known = decision.verdict, decision.arms[0].worlds > 0
    told: dict[str, Any] = _json_value(
        {
            "about": decision.about,
            "sentence": whole(decision, lang),
            "warning": warning(decision, lang) or None,
            "rules": decision.rules,
            "verdict": {
                "outcome": verdict.outcome.value,
                "action": verdict.action,
                "first_action": first_clear(decision),
                "best": decision.best.name if known else None,
                "other": decision.other.name if known and decision.other else None,
                "told_by": [arm.name for arm in decision.told_by] if known and decision.told_by else None,
                "cells": [state.value for state in verdict.states],
                "more_worlds": verdict.more_worlds,
                "precision": decision.precision,
            },
            "difference": asdict(decision.difference) if decision.difference else None,
            "ready": [_ready_as_json(ready) for ready in decision.ready],
            "arms": [_arm_as_json(figures) for figures in decision.arms],
            "ladder": _ladder_as_json(decision),
            "break_even": asdict(decision.break_even) if decision.break_even else None,
            "cells": [_cell_as_json(cell) for cell in decision.cells],
            "belief": decision.belief,
            "opponents": decision.opponents,
            "me": decision.me,
            "no_liangdao": decision.no_liangdao,
            "assumptions": [{"key": each.key, "text": each.text(lang)} for each in assumed(decision)],
            "sampling": asdict(decision.sampling),
        }
    )
    return told


def _cell_as_json(cell: CellFigures) -> dict[str, Any]:
    told = {name: getattr(cell, name) for name in ("belief", "opponents", "worlds", "effective")}
    return told | {"difference": asdict(cell.difference), "state": cell.state.value}


def _ready_as_json(ready: Ready) -> dict[str, Any]:
    waits = [{"tile": tile_name(wait.tile), "left": wait.left} for wait in ready.waits]
    return {"tile": tile_name(ready.tile), "waits": waits}


def _arm_as_json(figures: ArmFigures) -> dict[str, Any]:
    return {
        "arm": figures.arm.name,
        "way": figures.arm.way,
        "tile": tile_name(figures.arm.tile),
        "mean": figures.mean,
        "low": figures.low,
        "high": figures.high,
        "worlds": figures.worlds or None,
        **figures.shares._asdict(),
        "behind": asdict(figures.behind) if figures.behind else None,
        "dropped_by": figures.dropped_by.name if figures.dropped_by else None,
    }


def _ladder_as_json(decision: Decision) -> dict[str, Any] | None:
    declare = best_declaring(decision)
    if declare is None or decision.ladder_against is None:
        return None
    return {
        "declare": declare.name,
        "against": decision.ladder_against.name,
        "rungs": [asdict(rung) for rung in decision.ladder],
        "total": asdict(decision.ladder_total) if decision.ladder_total else None,
    }


def _json_value(value: Any) -> Any:
    """The value with numpy's numbers as Python's, and with null for what is not a finite number."""
    if isinstance(value, dict):
        return {name: _json_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    if isinstance(value, float):  # numpy's float64 is one too
        return float(value) if math.isfinite(value) else None
    return value
