"""What a first call says while kernels are compiled, and that no other call says it."""

import subprocess
import sys

import numba
from cli_runs import environment

from kwx_sim.cli.compiling import tell_once
from kwx_sim.cli.terminal import announce_compiling
from kwx_sim.core import jit

# The smallest of kernels stands for those of a command, which take ten seconds and more.
CALLS = """
import sys
sys.stderr.isatty = lambda: {terminal}
from kwx_sim.cli.compiling import tell_once
from kwx_sim.cli.terminal import announce_compiling
announce_compiling("{lang}", seconds=7)
from kwx_sim.core.rng import mix, stream_key
print(stream_key(1, 2) > 0, mix(3) > 0)
"""


def said(cache, *, terminal=True, lang="en"):
    """What a process that calls kernels says on stderr."""
    code = CALLS.format(terminal=terminal, lang=lang)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=environment(NUMBA_CACHE_DIR=str(cache))
    )
    assert done.stdout == b"True True\n"
    return done.stderr.decode()


def test_a_first_run_says_once_that_it_compiles(tmp_path):
    told = said(tmp_path)
    assert told == "Compiling what is used for the first time, up to some 7 seconds; kept from then on.\n"
    assert said(tmp_path) == "", "all is in the cache"
    for kept in tmp_path.rglob("*mix*.nbc"):
        kept.unlink()
    assert "最多约 7 秒" in said(tmp_path, lang="zh"), "a part is not in the cache"


def test_a_first_run_that_nobody_watches_says_nothing(tmp_path):
    assert said(tmp_path, terminal=False) == ""


def test_without_a_cache_every_run_says_so(monkeypatch, capsys):
    monkeypatch.setattr(jit, "CACHE_KEEPS", False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    announce_compiling("en", seconds=7)
    assert capsys.readouterr().err == ""
    for _ in range(2):
        numba.njit(lambda x: x + 1)(1)
    shown = capsys.readouterr()
    assert shown.err.count("nothing can be kept") == 1
    assert shown.out == ""


def test_of_several_who_wait_for_a_compilation_the_last_is_told():
    told = []
    for n in range(3):
        tell_once(lambda n=n: told.append(n))
    for _ in range(2):
        numba.njit(lambda x: x + 2)(1)
    assert told == [2]
