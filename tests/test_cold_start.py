"""Processes that start with no cache, with a spoilt one, with another's, or where none can be: all answer alike."""

import json
import os
import subprocess
import sys
import time

import numba
import pytest
from cli_runs import environment

from kwx_sim import warm
from kwx_sim.core import cache, jit, locks, tables
from kwx_sim.core.cache import KernelCache, read_checked, write_checked
from kwx_sim.core.locks import Lock

# The smallest of kernels stand for those of a command, which take ten seconds and more: `mix` is called by both.
CHILD = """
import json, sys
from numba.core import event
from kwx_sim.core import locks
locks.HOST = "{host}" or locks.HOST
from kwx_sim.core.rng import mix, stream_key
with event.install_recorder("numba:compile") as compiled:
    answer = [int(stream_key(1, 2)), int(mix(3))]
compiled = [e.data["dispatcher"].py_func.__name__ for _, e in compiled.buffer if e.is_start]
from kwx_sim.core.jit import CACHE_KEEPS
print(json.dumps({{"answer": answer, "compiled": compiled, "keeps": CACHE_KEEPS}}))
"""


def started(directory, host="", **options):
    changes = {"NUMBA_CACHE_DIR": None if directory is None else str(directory)} | options.pop("env", {})
    return subprocess.Popen(
        [sys.executable, "-c", CHILD.format(host=host)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**changes),
        **options,
    )


def finished(child):
    out, err = child.communicate(timeout=300)
    assert (child.returncode, err) == (0, b""), err.decode()
    return json.loads(out)


def called(directory, **options):
    return finished(started(directory, **options))


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one process says that finds nothing."""
    said = called(tmp_path_factory.mktemp("alone"))
    assert sorted(set(said["compiled"])) == ["mix", "stream_key"]
    return said


def kept(directory):
    return sorted(directory.glob("kernels-*/*.nbc"))


# ---------------------------------------------------------------- several at once


def test_of_many_that_start_at_once_on_two_hosts_each_kernel_is_compiled_by_one(tmp_path, alone):
    children = [started(tmp_path, host=host) for host in ("", "", "another", "another")]
    said = [finished(child) for child in children]
    assert [one["answer"] for one in said] == [alone["answer"]] * 4
    assert sorted(name for one in said for name in one["compiled"]) == sorted(alone["compiled"])
    assert not list(tmp_path.rglob("*.lock"))


def test_who_waits_for_a_lock_goes_on_when_its_owner_is_killed(tmp_path, alone):
    called(tmp_path)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for path in kept(tmp_path):
        path.with_suffix(".lock").write_text(f"{locks.HOST} {gone.pid}")
        path.unlink()
    began = time.monotonic()
    assert called(tmp_path) == alone
    assert time.monotonic() - began < locks.ABANDONED


@pytest.fixture
def lock(tmp_path):
    return Lock(tmp_path / "kernel.lock")


def test_a_lock_is_taken_once_and_given_back(tmp_path, lock):
    assert lock.take()
    other = Lock(tmp_path / "kernel.lock")
    assert not other.take()
    assert other.is_taken()
    lock.release()
    assert not other.is_taken()
    assert other.take()
    lock.release()
    assert not other.is_taken(), "of one process"


def test_another_hosts_lock_is_taken_over_when_it_is_quiet_for_long(tmp_path, lock):
    path = tmp_path / "kernel.lock"
    path.write_text("another 1")
    assert not lock.take()
    quiet = time.time() - locks.ABANDONED
    os.utime(path, (quiet + 5, quiet + 5))
    assert not lock.take()
    os.utime(path, (quiet - 1, quiet - 1))
    assert lock.take()
    assert path.read_text() == f"{locks.HOST} {os.getpid()}"
    os.utime(path, (quiet - 1, quiet - 1))
    locks.touch_held()
    assert time.time() - path.stat().st_mtime < 5
    path.write_text("another 1")
    lock.release()
    assert path.exists(), "it was taken over by another"


@pytest.mark.parametrize("mark", ["", "nonsense", f"{locks.HOST} {10**30}", "\0"])
def test_a_garbled_lock_is_taken_over_too(tmp_path, lock, mark):
    path = tmp_path / "kernel.lock"
    path.write_text(mark)
    assert not lock.take()
    os.utime(path, (1, 1))
    assert lock.take()
    lock.release()
    assert not path.exists()


def test_where_no_lock_can_be_made_everybody_has_it():
    nowhere = Lock(jit.Path(os.devnull) / "kernel.lock")
    assert nowhere.take()
    assert nowhere.take()
    nowhere.release()


# ---------------------------------------------------------------- spoilt and stale files


def test_spoilt_files_are_compiled_anew(tmp_path, alone):
    called(tmp_path)
    spoil = [lambda data: data[: len(data) // 2], lambda data: b"", flipped, lambda data: os.urandom(len(data))]
    for change in spoil:
        for path in kept(tmp_path):
            path.write_bytes(change(path.read_bytes()))
        assert called(tmp_path) == alone
    assert called(tmp_path)["compiled"] == []


def flipped(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def test_a_file_holds_for_its_own_key_only(tmp_path):
    write_checked(tmp_path / "file", b"key", b"data")
    assert read_checked(tmp_path / "file", b"key") == b"data"
    assert read_checked(tmp_path / "file", b"another key") is None
    assert read_checked(tmp_path / "missing", b"key") is None
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_another_processor_has_files_of_its_own(tmp_path, alone):
    called(tmp_path)
    elsewhere = {"NUMBA_CPU_NAME": "generic"}
    assert called(tmp_path, env=elsewhere) == alone
    assert called(tmp_path, env=elsewhere)["compiled"] == []
    assert called(tmp_path)["compiled"] == []


@pytest.mark.parametrize(
    ("owner", "name", "value"),
    [
        (numba, "__version__", "99"),
        (jit.llvmlite, "__version__", "99"),
        (jit.platform, "python_version", lambda: "3.99"),
        (numba.config, "OPT", 1),
        (numba.config, "BOUNDSCHECK", 1),
    ],
)
def test_what_changes_the_code_changes_the_directory(monkeypatch, owner, name, value):
    monkeypatch.setattr(owner, name, value)
    assert jit._source_hash() != jit.SOURCE_HASH


def test_a_kernel_that_is_edited_is_compiled_anew(tmp_path):
    """Outside core too, where no hash of all sources tells."""
    source = "def shift(x):\n    return x + {n}\n"
    places = []
    for n in (1, 2):
        file = tmp_path / f"{n}" / "shifts.py"
        file.parent.mkdir()
        file.write_text(source.format(n=n))
        module = {}
        exec(compile(source.format(n=n), file, "exec"), module)
        compiled = numba.njit(module["shift"])
        compiled._cache = KernelCache(compiled.py_func, tmp_path)
        assert compiled(1) == 1 + n
        places.append(compiled._cache._place((numba.int64,), compiled.targetctx.codegen())[0])
    assert places[0] != places[1]
    assert all(place.exists() for place in places)


def test_what_other_versions_left_is_removed_when_it_is_old(tmp_path):
    names = ["kernels-0123456789abcdef", "kernels-1123456789abcdef", "kernels-other", "other"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
        os.utime(tmp_path / name, (1, 1))
    (tmp_path / "kernels-2123456789abcdef").mkdir()
    (tmp_path / "kernels-3123456789abcdef").symlink_to(tmp_path / "other")
    cache._remove_unused(tmp_path / names[0])
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted({*names, "kernels-2123456789abcdef", "kernels-3123456789abcdef"} - {names[1]})
    assert (tmp_path / "other" / "file").exists()


def test_tables_of_which_one_bit_is_wrong_are_built_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "CACHE_DIR", tmp_path)
    built = tables.load_tables.__wrapped__()
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(flipped(whole))
    assert tables.load_tables.__wrapped__().tobytes() == built.tobytes()
    assert file.read_bytes() == whole


# ---------------------------------------------------------------- nowhere to keep anything


def test_without_a_home_kernels_are_compiled_each_time(alone):
    nowhere = {"HOME": f"{os.devnull}/home", "XDG_CACHE_HOME": None}
    for _ in range(2):
        assert called(None, env=nowhere) == alone | {"keeps": False}


def test_a_full_disk_keeps_nothing_and_fails_nothing(tmp_path, alone):
    resource = pytest.importorskip("resource")

    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    assert called(tmp_path, preexec_fn=full) == alone
    assert kept(tmp_path) == []
    assert not list(tmp_path.rglob("*.lock"))
    assert called(tmp_path) == alone
    assert called(tmp_path)["compiled"] == []


def test_a_cache_that_is_mounted_read_only_is_used(tmp_path, alone):
    called(tmp_path)
    command = f"mount --bind -o ro {tmp_path} {tmp_path} && exec {sys.executable} -c '{CHILD.format(host='')}'"
    if subprocess.run(["unshare", "-rm", "sh", "-c", command.partition("&&")[0]], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    shell = subprocess.Popen(
        ["unshare", "-rm", "sh", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(NUMBA_CACHE_DIR=str(tmp_path)),
    )
    assert finished(shell) == alone | {"compiled": [], "keeps": False}


# ---------------------------------------------------------------- two that compile together

ROUNDS, WORLDS = (
    [module.__name__ for module in modules]
    for modules in ((warm.run, warm.series, warm.trials), (warm.run, warm.series, warm.arms))
)

COUNTED = """
from numba.core import event
{imports}
with event.install_recorder("numba:compile") as compiled:
{calls}
print(sum(e.data["dispatcher"].py_func.__module__.startswith("kwx_sim") for _, e in compiled.buffer if e.is_start))
"""

PLAYS_ROUNDS = COUNTED.format(
    imports="from kwx_sim import simulate, trials",
    calls="""
    simulate("platform", games=1, workers=1)
    trials.play_seats("platform", "efficient", walls=1, seed=1, workers=1)
    trials.play_choices("platform", walls=1, seed=1, workers=1)
""",
)

ASKS_ABOUT_A_HAND = COUNTED.format(
    imports="from kwx_sim import best_discard",
    calls="""
    best_discard({"hand": "123s 789s 46p 88p 777z 5s", "wall": 30}, worlds=800, workers=1)
""",
)

two_processors = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="one processor"
)


def test_who_asks_about_a_hand_gets_help_for_worlds_and_not_for_series():
    assert warm.steps(WORLDS) == warm.PLAY + warm.WORLDS
    assert warm.steps(ROUNDS[:2]) == warm.PLAY + warm.SERIES
    assert warm.steps(ROUNDS) == warm.PLAY + warm.SERIES + warm.TRIALS
    assert warm.steps([]) == ()


@two_processors
def test_the_helper_ends_with_the_process_that_it_helps(tmp_path):
    command = [sys.executable, "-m", "kwx_sim", "simulate", "--games", "10", "--rules", "platform"]
    with subprocess.Popen(command, env=environment(NUMBA_CACHE_DIR=str(tmp_path))) as child:
        helper = wait_for(lambda: {pid for pid in owners(tmp_path) if pid != child.pid})
        child.kill()
    wait_for(lambda: not any(map(locks._lives, helper)))
    assert not helper & owners(tmp_path), "it has given back what it had taken"


def owners(directory):
    """The processes that are at work."""
    found = set()
    for path in directory.rglob("*.lock"):
        try:
            found.add(int(path.read_text().split()[-1]))
        except (OSError, IndexError):  # given back, or not written yet
            continue
    return found


def wait_for(look):
    end = time.monotonic() + 120
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


@two_processors
@pytest.mark.verify
@pytest.mark.parametrize(("script", "modules"), [(PLAYS_ROUNDS, ROUNDS), (ASKS_ABOUT_A_HAND, WORLDS)])
def test_two_processes_share_a_cold_compilation(script, modules, tmp_path):
    def compiled():
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            check=True,
            env=environment(NUMBA_CACHE_DIR=str(tmp_path)),
        )
        return int(done.stdout)

    by_one, files = compiled(), kept(tmp_path)
    assert 0.3 * len(files) < by_one < 0.7 * len(files)
    assert not list(tmp_path.rglob("*.lock"))
    for step in warm.steps(modules):
        # Compiled for types that no kernel is called with, it would be there twice.
        assert len([path for path in files if path.name.startswith(f"{step.kernel._cache._kernel}.")]) == 1, step
    assert compiled() == 0
    assert kept(tmp_path) == files
