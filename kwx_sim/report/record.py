"""What a section rests on, and whether what lies on disk still does."""

from __future__ import annotations

import ast
import hashlib
import inspect
import platform
import subprocess
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kwx_sim.core.jit import SOURCE_HASH
from kwx_sim.report.section import Analysis, Work
from kwx_sim.rules import rules_hash

__all__ = ["commit", "machine", "made", "record", "sources"]

PACKAGE = Path(__file__).parent.parent
VERSIONS = ("kwx-sim", "numpy", "numba", "pandas", "scipy", "matplotlib")
DIGITS = 16


def record(analysis: Analysis, work: Work) -> dict[str, Any]:
    """Everything that can change a section, as plain JSON values: with the same record it need not be made anew."""
    return {
        "analysis": analysis.name,
        "rules": [{"name": rules.name, "hash": rules_hash(rules)} for rules in work.rules],
        "games": work.games,
        "seed": work.seed,
        "full_games": analysis.games,
        "per": analysis.per,
        "draft": work.draft,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in VERSIONS}},
        "kernels": SOURCE_HASH,
        "package": _package_hash(),
        "source": _hash(sorted(sources(Path(inspect.getfile(inspect.unwrap(analysis.analyse)))))),
    }


def made(seconds: float) -> dict[str, Any]:
    """Tell when a section was made, on what, and in how many seconds: all of it that differs from run to run."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(seconds, 1),
        "machine": machine(),
        "commit": commit(),
    }


@cache
def machine() -> str:
    """Name the processor and the number of cores; never the host."""
    from kwx_sim.runs import default_workers

    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{model} × {default_workers()}, {platform.system()}"


@cache
def commit() -> str:
    """Name the commit of the sources, with a plus where files differ from it; empty where there is no repository."""
    try:
        head, changes = (
            subprocess.run(
                ["git", "-C", str(PACKAGE), *arguments], capture_output=True, text=True, check=True, timeout=10
            ).stdout.strip()
            for arguments in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return head + ("+" if changes else "")


@cache
def _package_hash() -> str:
    """A hash of the package but for its bytecode: an edit anywhere in it makes every section stale."""
    return _hash(path for path in sorted(PACKAGE.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def sources(module: Path) -> Iterator[Path]:
    """The file of an analysis, and those beside it that it imports, by way of others too."""
    seen, waiting = set(), [module]
    while waiting:
        file = waiting.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        yield file
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(module.parent.name):
                inside = node.module.split(".")[1:]
                names = [".".join(inside)] if inside else [alias.name for alias in node.names]
                waiting += [module.parent / f"{name.replace('.', '/')}.py" for name in names]


def _hash(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:DIGITS]
