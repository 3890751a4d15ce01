"""How the tests call the command line: in this process, or as a process of its own."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from kwx_sim.cli.app import app

DATA = Path(__file__).parent / "data"
# xdist gives its workers a narrow terminal; here a pipe has no width of its own.
PLAIN = {"LANG": "C.UTF-8", "LC_ALL": "", "LC_MESSAGES": "", "COLUMNS": None}
CHINESE = {"LANG": "zh_CN.UTF-8"}


def environment(**changes):
    """Give the environment of a process: plain, with changes; None takes a variable out."""
    return {name: value for name, value in (os.environ | PLAIN | changes).items() if value is not None}


def run(*args, env=None, stdin=None):
    """Call `kwx` in this process, in an English locale unless told otherwise."""
    return CliRunner(env=PLAIN | (env or {})).invoke(app, args, stdin)


def answer(*args):
    """Call `kwx … --json` and read its one line."""
    result = run(*args, "--json")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def batch(command, lines, *options, by="--batch"):
    """Feed lines (dicts, or raw text) to `kwx COMMAND --batch -`: the exit status and the answers."""
    raw = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    result = run(command, by, "-", *options, stdin=raw)
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


def process(*args, stdin=None, stderr_to_stdout=False, **env):
    """Run `python -m kwx_sim` as a process."""
    return subprocess.run(
        [sys.executable, "-m", "kwx_sim", *args],
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if stderr_to_stdout else subprocess.PIPE,
        check=False,
        env=environment(**env),
    )


def start(*args, **env):
    """Start `python -m kwx_sim` and leave it running."""
    command = [sys.executable, "-m", "kwx_sim", *args]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**env), text=True)


def terminal(*args, stderr=None, **env):
    """Run `python -m kwx_sim` on a terminal, with stderr too unless told otherwise: exit status, all that it showed."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "kwx_sim", *args]
    where = {"stdout": theirs, "stderr": theirs if stderr is None else stderr}
    child = subprocess.Popen(command, **where, env=environment(TERM="xterm", **env))
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 1 << 16):
            shown += part
    except OSError:  # Linux: the other end is closed
        pass
    os.close(ours)
    return child.wait(), shown.decode().replace("\r\n", "\n")


def golden(name):
    """Read a file of golden cases."""
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def refused(result, *parts):
    """Check that a call was refused: status 2, one line on stderr that holds the parts, nothing on stdout."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("kwx: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr
