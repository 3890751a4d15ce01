"""`python -m bench`: measure, print, and write JSON."""

import argparse
import datetime
import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from bench import kernels, rounds, whole
from bench.agree import DisagreementError
from bench.figures import Figure
from bench.peers import PACKAGES, installed
from bench.show import show
from bench.timing import CORES, pin
from kwx_sim.core.jit import SOURCE_HASH
from kwx_sim.rules import PRESETS

REPORT = Path(__file__).parents[2] / "reports" / "bench.json"


def made() -> dict[str, Any]:
    """When, on what, and with which versions."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cpu": _cpu(),
        "cores": len(CORES),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {
            **{name: version(name) for name in ("kwx-sim", "numpy", "numba", "llvmlite")},
            **{package: installed(package) for package in PACKAGES},
        },
        "kernels": SOURCE_HASH,
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def sections(cold: bool) -> dict[str, list[Figure]]:
    """Everything, by the heading under which it is printed."""
    return {
        "Kernels": [*kernels.kernel_rows(), *(kernels.price_row(rounds.Table(name, "efficient")) for name in PRESETS)],
        "One hand a call, from Python": list(kernels.scalar_rows()),
        "Whole rounds": list(rounds.round_rows()),
        "Rounds kept, and forks": [*rounds.recording_rows(), *rounds.fork_rows()],
        "Peers' rounds, their own games at random from Python": list(rounds.peer_round_rows()),
        "Start-up": [*whole.start_rows(), *(whole.cold_rows() if cold else ())],
        "The query": list(whole.query_rows()),
        "Memory and scaling": [*whole.memory_rows(), *whole.scaling_rows()],
    }


def main() -> None:
    """Measure everything; exit status 1 where a peer answers otherwise than it must."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--json", type=Path, default=REPORT, help="where the figures go (%(default)s)")
    parser.add_argument("--cold", action="store_true", help="start once with an empty cache too")
    options = parser.parse_args()
    pin()
    try:
        report = {"made": made(), "sections": {name: rows for name, rows in sections(options.cold).items() if rows}}
    except DisagreementError as disagreement:
        print(f"the games agree on this hand, the packages do not: {disagreement}", file=sys.stderr)
        sys.exit(1)
    show(report, Console(width=None if os.isatty(1) else 170))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
