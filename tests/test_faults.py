"""Runs that something happens to, for real: killed, interrupted, out of disk, damaged; the tables stay the same.

Each is a `kwx simulate` of its own. The run that nothing happened to is the measure: every file of its tables must come
out equal, byte for byte.
"""

import os
import shutil
import signal
import subprocess
import sys
import time

import psutil
import pytest
from cli_runs import environment
from clusters import Cluster, wait_for

from kwx_sim.runs import BLOCK

BLOCKS = 16
RUN = (
    "--rules", "suizhou", "--games", str(BLOCKS * BLOCK - 100), "--seed", "11", "--tables", "kawuxing_frequency",
)  # fmt: skip
TABLES = ("kawuxing_frequency.csv", "kawuxing_frequency.parquet", "notes.md", "provenance.json")
SECONDS = 2
"""Within which Ctrl-C must have ended a run."""


class Playing:
    """A simulation as a process in a session of its own, as a terminal's foreground job is."""

    def __init__(self, where, *args, **env):
        self.where = where
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kwx_sim", "simulate", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(**env),
            text=True,
            start_new_session=True,
        )

    def blocks(self):
        """Number of finished blocks."""
        return len(finished(self.where))

    def wait_for_blocks(self, many=2):
        """Wait until so many blocks are finished, which is in the midst of others."""
        wait_for(lambda: self.blocks() >= many, self.process, seconds=300)
        return self

    def workers(self):
        """Processes that loky has started to work for this one."""
        children = psutil.Process(self.process.pid).children()
        return [child for child in children if any("popen_loky" in word for word in child.cmdline())]

    def end(self, signal_number=None):
        """Give the exit status, and what was said, once the simulation has ended; first send it a signal."""
        if signal_number:
            self.process.send_signal(signal_number)
        said = self.process.communicate(timeout=300)
        return self.process.returncode, "".join(said)

    def interrupt(self):
        """Press Ctrl-C, which a terminal sends to all processes of the job: exit status, seconds, what was said."""
        sent = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        status, said = self.end()
        return status, time.monotonic() - sent, said


def finished(where):
    return list((where / "blocks").glob("*.block"))


def begun(where, *args, **env):
    """Begin the run in a directory."""
    return Playing(where, *RUN, "--out", str(where), *args, **env)


def resumed(where, *args):
    """Go on with the run there: what was said."""
    status, said = Playing(where, "--resume", str(where), *args).end()
    assert status == 0, said
    return said


def backend_options(name, tmp_path, request):
    """Give the options for a backend, its cluster started."""
    if name != "dask":
        return "--backend", name, "--workers", "2"
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster")
    request.addfinalizer(cluster.__exit__)
    return "--backend", name, "--scheduler", cluster.address


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run that nothing happened to."""
    where = tmp_path_factory.mktemp("whole") / "run"
    status, said = begun(where).end()
    assert status == 0, said
    return where


@pytest.fixture
def same(whole):
    """Tells whether a directory has the same tables as the run that nothing happened to."""

    def compare(where):
        assert len(finished(where)) == BLOCKS
        return all((where / name).read_bytes() == (whole / name).read_bytes() for name in TABLES)

    return compare


# ---------------------------------------------------------------- killed


def test_a_killed_process_of_loky_is_made_up_for(tmp_path, same):
    playing = begun(tmp_path / "run", "--backend", "loky", "--workers", "2").wait_for_blocks()
    max(playing.workers(), key=lambda worker: worker.cpu_times().user).kill()
    status, said = playing.end()
    assert status == 0, said
    assert "kwx: a worker has died; what it had in hand is done again\n" in said
    assert same(playing.where)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_killed_run_goes_on_where_it_was_and_leaves_nobody_behind(tmp_path, same, backend):
    playing = begun(tmp_path / "run", "--backend", backend, "--workers", "2").wait_for_blocks()
    workers = playing.workers()
    assert len(workers) == (2 if backend == "loky" else 0)
    status, _ = playing.end(signal.SIGKILL)
    assert status == -signal.SIGKILL
    there = playing.blocks()
    assert 2 <= there < BLOCKS
    assert psutil.wait_procs(workers, timeout=10)[1] == []
    assert playing.blocks() == there
    assert "damaged" not in resumed(playing.where)
    assert same(playing.where)


def test_a_terminated_run_leaves_nobody_behind(tmp_path):
    playing = begun(tmp_path / "run", "--backend", "loky", "--workers", "2").wait_for_blocks(1)
    everybody = psutil.Process(playing.process.pid).children(recursive=True)
    status, said = playing.end(signal.SIGTERM)
    assert status == 128 + signal.SIGTERM
    assert said == f"Interrupted; finished blocks are kept. To go on: kwx simulate --resume {playing.where}\n"
    assert psutil.wait_procs(everybody, timeout=10)[1] == []


@pytest.mark.verify
def test_a_lost_worker_of_a_cluster_and_one_that_joins(tmp_path, same):
    with Cluster(tmp_path) as cluster:
        playing = begun(tmp_path / "run", "--backend", "dask", "--scheduler", cluster.address).wait_for_blocks()
        cluster.workers[0].kill()
        cluster.join()
        status, said = playing.end()
    assert status == 0, said
    assert "is gone; what it had in hand is done again" in said
    assert same(playing.where)


@pytest.mark.verify
def test_a_lost_scheduler_ends_the_run_in_one_line(tmp_path, same):
    with Cluster(tmp_path) as cluster:
        playing = begun(tmp_path / "run", "--backend", "dask", "--scheduler", cluster.address).wait_for_blocks()
        cluster.scheduler.kill()
        status, said = playing.end()
    assert status == 2
    assert said.splitlines()[-1].startswith(f"kwx: {cluster.address}: the scheduler is lost")
    assert "Traceback" not in said
    resumed(playing.where)
    assert same(playing.where)


# ---------------------------------------------------------------- interrupted


@pytest.mark.parametrize(
    "backend",
    ["threading", pytest.param("loky", marks=pytest.mark.verify), pytest.param("dask", marks=pytest.mark.verify)],
)
def test_ctrl_c_ends_within_two_seconds_and_can_be_resumed(tmp_path, same, request, backend):
    options = backend_options(backend, tmp_path, request)
    playing = begun(tmp_path / "run", *options).wait_for_blocks()
    everybody = psutil.Process(playing.process.pid).children(recursive=True)
    status, seconds, said = playing.interrupt()
    assert status == 130
    assert seconds < SECONDS
    assert f"To go on: kwx simulate --resume {playing.where}\n" in said
    assert "Traceback" not in said
    assert psutil.wait_procs(everybody, timeout=5)[1] == []
    assert 2 <= playing.blocks() < BLOCKS
    resumed(playing.where, *options)
    assert same(playing.where)


@pytest.mark.verify
def test_ctrl_c_while_processes_start_is_as_quiet(tmp_path):
    playing = begun(tmp_path / "run", "--backend", "loky", "--workers", "2")
    wait_for(playing.workers, playing.process, seconds=300)
    status, seconds, said = playing.interrupt()
    assert status == 130
    assert seconds < SECONDS
    # One may be finished by then, on a quick machine.
    assert said in (
        f"Interrupted before a block was finished. To go on: kwx simulate --resume {playing.where}\n",
        f"Interrupted; finished blocks are kept. To go on: kwx simulate --resume {playing.where}\n",
    )


# ---------------------------------------------------------------- the disk


@pytest.fixture
def small_disk(tmp_path):
    """A file system with room for some blocks only, of a page each."""
    where = tmp_path / "disk"
    where.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", where], capture_output=True).returncode:
        pytest.skip("only root may mount a file system")
    yield where
    subprocess.run(["umount", where], check=True)


def test_a_full_disk_ends_the_run_and_keeps_what_is_finished(small_disk, tmp_path, same):
    where = small_disk / "run"
    status, said = begun(where).end()
    assert status == 2
    assert said.splitlines()[-1].startswith(f"kwx: {where}")
    assert "Traceback" not in said
    there = len(finished(where))
    assert 2 <= there < BLOCKS
    assert not list(where.rglob("*.part"))
    subprocess.run(["mount", "-o", "remount,size=20m", small_disk], check=True)
    resumed(where)
    assert same(where)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on files")
def test_a_block_that_does_not_fit_ends_the_run_and_keeps_what_is_finished(whole, tmp_path, same):
    where = shutil.copytree(whole, tmp_path / "run")
    for file in finished(where)[3:]:
        file.unlink()
    limited = f"ulimit -f 1; exec {sys.executable} -m kwx_sim simulate --resume {where}"
    done = subprocess.run(["bash", "-c", limited], env=environment(), capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"kwx: {where}")
    assert len(finished(where)) == 3
    resumed(where)
    assert same(where)


def test_damaged_blocks_are_told_and_played_again(whole, tmp_path, same):
    where = shutil.copytree(whole, tmp_path / "run")
    short, garbled, flipped, empty = sorted(finished(where))[3:7]
    short.write_bytes(short.read_bytes()[:-100])
    garbled.write_bytes(os.urandom(len(garbled.read_bytes())))
    content = bytearray(flipped.read_bytes())
    content[len(content) // 2] ^= 1
    flipped.write_bytes(content)
    empty.write_bytes(b"")
    for name in TABLES:
        (where / name).unlink()
    said = resumed(where)
    for file in (short, garbled, flipped, empty):
        assert f"kwx: {file}: damaged" in said
    assert said.count(": damaged or cut short") == 4
    assert same(where)


# ---------------------------------------------------------------- two at once


def test_a_second_run_into_the_same_directory_is_refused(tmp_path, same):
    first = begun(tmp_path / "run", "--workers", "1").wait_for_blocks(1)
    for args in (("--resume", str(first.where)), (*RUN, "--out", str(first.where))):
        status, said = Playing(first.where, *args).end()
        assert status == 2
        assert said.count("\n") == 1
        assert said.startswith(f"kwx: {first.where}")
    status, said = first.end()
    assert status == 0, said
    assert same(first.where)
