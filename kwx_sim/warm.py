"""Compiling beside a process that compiles: `core.helper` starts this one where kernels are missing.

The first process takes kernels as it comes to them, from a round's deal to its tallies. This one takes large ones that
it will come to later, with the types that they will be called with; what one compiles the other loads.
"""

import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from numba import boolean, from_dtype, int64, typeof, types, uint8, uint32, uint64

from kwx_sim.core import (
    acceptance,
    arms,
    choose,
    cloud,
    dealing,
    fans,
    fork,
    legal,
    plans,
    policy,
    rows,
    run,
    series,
    tally,
    trials,
    world,
)
from kwx_sim.core import round as rounds
from kwx_sim.core.cache import MISSING, POLL, TAKEN
from kwx_sim.core.helper import ask_nobody
from kwx_sim.core.jit import CACHE_DIR, records
from kwx_sim.core.layout import TABLES
from kwx_sim.core.locks import release_all
from kwx_sim.core.state import STATE
from kwx_sim.rules import RULES

__all__ = ["Step", "main", "steps"]


class Step(NamedTuple):
    """A kernel to compile with types, once nobody is still at work on those that it calls."""

    kernel: Any
    types: tuple[Any, ...]
    calls: tuple["Step", ...] = ()

    @property
    def state(self) -> str:
        """How it stands with it, among all processes; see core.cache."""
        return str(self.kernel._cache.state(self.types, self.kernel.targetctx))


def main(arguments: Sequence[str]) -> None:
    """Compile what the process that started this one may need, and end with it.

    The arguments are the name of its cache directory and the kernels' modules that it has imported.
    """
    threading.Thread(target=_end_with_parent, daemon=True).start()
    ask_nobody()
    directory, *modules = arguments
    if CACHE_DIR is None or CACHE_DIR.name != directory:
        return
    waiting: Sequence[Step] = steps(modules)
    while waiting:
        # What another process has taken it will also finish.
        waiting = [step for step in waiting if step.state == MISSING]
        ready = (step for step in waiting if all(called.state != TAKEN for called in step.calls))
        step = next(ready, None)
        if step is None:
            time.sleep(POLL)
        else:
            step.kernel.compile(step.types)


def steps(modules: Sequence[str]) -> tuple[Step, ...]:
    """Give the steps for what the named modules of kernels need, those first that are called for first."""
    # Who asks about a hand imports series too, and plays none.
    played = ((arms, WORLDS),) if arms.__name__ in modules else ((series, SERIES), (trials, TRIALS))
    return tuple(step for module, group in ((run, PLAY), *played) if module.__name__ in modules for step in group)


def _end_with_parent() -> None:
    """Wait for the end of stdin, which is that of the parent, be it killed."""
    sys.stdin.buffer.read()
    release_all()
    os._exit(1)


TABLE = from_dtype(TABLES), from_dtype(RULES)
STATE_OF_ROUND, PLAYER = from_dtype(STATE), from_dtype(policy.POLICY)
STATES, PLAYERS, RULESETS = (typeof(records(1, dtype)) for dtype in (STATE, policy.POLICY, RULES))
FORKS = from_dtype(fork.FORKS_OF_ROUND)
NUMBERS, CUBE = int64[::1], int64[:, :, ::1]
HAND, LIVE = types.NamedUniTuple(uint32, len(plans.Hand._fields), plans.Hand), types.UniTuple(uint32, 4)
BLOCKS_AND_MELDS = (uint32,) * 5

BEGIN_TURN = Step(rounds._begin_turn, (*TABLE, STATE_OF_ROUND))
ADVANCE = Step(choose._advance, (*TABLE, PLAYER, HAND, LIVE, uint64))
APPLY = Step(rounds.apply, (*TABLE, STATE_OF_ROUND, int64), (BEGIN_TURN,))
DECIDE = Step(policy.decide, (*TABLE, STATE_OF_ROUND, PLAYER, uint64))
PLAY_ON = Step(run.play_until_ready, (*TABLE, STATE_OF_ROUND, PLAYERS, uint64, int64), (DECIDE, APPLY))
PLAY_OUT = Step(run.play_out, (*TABLE, STATE_OF_ROUND, PLAYERS, uint64), (PLAY_ON,))
NOTE_ROUND = Step(rows.note_round, (STATE_OF_ROUND, int64, from_dtype(rows.ROUND)))
PLAY_TO = Step(trials._play_to, (*TABLE, STATE_OF_ROUND, PLAYERS, uint64, int64, int64), (DECIDE, APPLY))
COMPARE = Step(trials._compare, (*TABLE, STATES, PLAYERS, uint64, int64, from_dtype(trials.CHOICE)), (PLAY_OUT,))
DEAL = Step(rounds.deal, (*TABLE, STATE_OF_ROUND, uint8[::1], int64, uint8[::1]), (BEGIN_TURN,))

PLAY = (
    Step(fans.best_reading, (*TABLE, *BLOCKS_AND_MELDS, *(int64,) * 4)),
    Step(acceptance.discard_mask, (*TABLE, *BLOCKS_AND_MELDS)),
    Step(acceptance.accept_mask, (*TABLE, *BLOCKS_AND_MELDS)),
    ADVANCE,
    Step(legal.fan_on_offer, (*TABLE, STATE_OF_ROUND, int64)),
    Step(choose.choose_call, (*TABLE, STATE_OF_ROUND, PLAYER)),
    APPLY,
)

SERIES = (
    Step(fork._look_at, (*TABLE, STATE_OF_ROUND, int64, from_dtype(fork.FORKED))),
    Step(fork._part, (*TABLE, STATES, int64, int64, int64, FORKS.typeof("branch")), (APPLY,)),
    Step(tally.add_kawuxing, (TABLE[0], RULESETS, STATES, NUMBERS, CUBE, from_dtype(tally.KAWUXING))),
    Step(tally.add_maima, (TABLE[0], RULESETS, STATES, int64, NUMBERS, from_dtype(tally.MAIMA))),
    NOTE_ROUND,
    Step(fork.add_forks, (FORKS, from_dtype(fork.LIANGDAO_SUMS))),
)

TRIALS = (
    PLAY_TO,
    COMPARE,
    Step(
        trials.play_choices,
        (*TABLE, STATES, PLAYERS, uint64, int64, int64, typeof(records(1, trials.CHOICE))),
        (DEAL, PLAY_TO, COMPARE),
    ),
    Step(
        trials.play_seats,
        (*TABLE, STATE_OF_ROUND, PLAYERS, uint8[::1], uint64, int64, typeof(records(3, rows.ROUND).reshape(1, 3))),
        (DEAL, PLAY_OUT, NOTE_ROUND),
    ),
)

KNOWN = typeof(
    world.Known(
        base=records(1, STATE),
        world=records(1, dealing.WORLD),
        hands=records(1, dealing.READY_HAND),
        story=records(1, cloud.STORY),
        moments=records(1, cloud.MOMENT),
        uses=records(1, cloud.USE),
        minds=records(6, policy.POLICY).reshape(3, 2),
        cast=records(1, cloud.CAST),
    )
)
NOTES = typeof(records(1, cloud.HAND_NOTE))
TILES_OF_KINDS = STATE_OF_ROUND.typeof("seen")

WORLDS = (
    Step(
        cloud.imagine,
        (
            *TABLE,
            STATE_OF_ROUND,
            int64,
            KNOWN,
            boolean,
            TILES_OF_KINDS,
            uint64,
            STATES,
            typeof(records(1, cloud.HAND_NOTE)),
        ),
    ),
    Step(world.begin, (*TABLE, STATE_OF_ROUND, PLAYERS, uint64), (DECIDE, APPLY)),
    Step(
        arms._play,
        (*TABLE, STATE_OF_ROUND, PLAYERS, uint64, from_dtype(arms.ARM), from_dtype(arms.RESULT)),
        (DECIDE, APPLY),
    ),
)

if __name__ == "__main__":
    main(sys.argv[1:])
