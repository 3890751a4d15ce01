"""Backends: each gives the same, stops when told, and does again what a dead worker had; real processes throughout."""

import itertools
import time
from functools import partial

import errands
import numpy as np
import pytest
from clusters import Cluster, wait_for

from kwx_sim.backends import BACKENDS, Backend, choice, finished
from kwx_sim.backends.desk import DEATHS, IN_HAND
from kwx_sim.errors import InputError

LOKY = Backend.of("loky", 2)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(params=["threading", "threading of one", "loky", "loky of one", "dask"])
def backend(request):
    name, *one = request.param.split(" of ")
    if name == "dask":
        return Backend.of(name, scheduler=request.getfixturevalue("cluster").address)
    return Backend.of(name, 1 if one else 2)


# ---------------------------------------------------------------- what is asked for


def test_threads_are_the_default():
    assert Backend.of() == Backend("threading", choice.default_workers(), None)
    assert Backend.of("loky", 3) == Backend("loky", 3, None)
    assert Backend.of("dask", scheduler="tcp://host:8786") == Backend("dask", 0, "tcp://host:8786")
    assert BACKENDS == ("threading", "loky", "dask")


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"name": "ray"}, "backend: expected threading, loky, dask, got ray"),
        ({"workers": 0}, "workers: expected a whole number from 1 to 1024, got 0"),
        ({"workers": True}, "workers: expected a whole number"),
        ({"workers": 1025}, "workers: expected a whole number"),
        ({"name": "dask"}, "as tcp://HOST:PORT, got –"),
        ({"name": "dask", "scheduler": "host:8786"}, "as tcp://HOST:PORT, got host:8786"),
        ({"name": "dask", "scheduler": "tcp://host"}, "as tcp://HOST:PORT, got tcp://host"),
        ({"name": "dask", "scheduler": "tcp://host:1 x"}, "as tcp://HOST:PORT"),
        ({"name": "dask", "scheduler": "tcp://host:1", "workers": 2}, "takes all that its scheduler has"),
        ({"scheduler": "tcp://host:1"}, "only the backend dask has one, got tcp://host:1 for threading"),
        ({"name": "loky", "scheduler": "tcp://host:1"}, "only the backend dask has one"),
    ],
)
def test_what_makes_no_sense_is_refused(given, part):
    with pytest.raises(InputError) as refused:
        Backend.of(**given)
    assert part in str(refused.value)
    assert refused.value.message("zh") != str(refused.value)


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(choice, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'kwx-sim\[dask\]'"):
        Backend.of("dask", scheduler="tcp://host:1")


# ---------------------------------------------------------------- what is given


def test_every_item_once_and_the_same_bits(backend):
    found = dict(finished(backend, errands.squares, range(40), fingerprint=errands.fingerprint))
    assert sorted(found) == list(range(40))
    for item, result in found.items():
        assert result.dtype == np.int64
        assert result.tobytes() == errands.squares(item, None).tobytes()


def test_nothing_to_do(backend):
    assert list(finished(backend, errands.squares, [])) == []


def test_no_more_items_are_taken_than_needed(backend):
    taken = itertools.count()
    work = finished(backend, errands.squares, taken)
    next(work)
    # Nobody asks for results: on a slow disk they must not pile up.
    time.sleep(1)
    assert next(taken) <= IN_HAND + 4
    assert len({item for item, _ in itertools.islice(work, 150)}) == 150
    work.close()


def test_a_slow_taker_gets_everything(backend):
    found = []
    for item, _ in finished(backend, errands.obedient, range(200)):
        found.append(item)
        if item % 80 == 0:
            time.sleep(0.5)
    assert sorted(found) == list(range(200))


def test_a_refusal_comes_back_in_one_piece(backend):
    with pytest.raises(InputError, match="5 copies of 5p"):
        list(finished(backend, errands.refusing, range(20)))


def test_a_mistake_comes_back_as_it_is(backend):
    with pytest.raises(ZeroDivisionError, match="item"):
        list(finished(backend, errands.broken, range(20)))


def test_closing_stops_the_workers_at_once_and_without_a_warning(backend, tmp_path):
    work = finished(backend, partial(errands.first_is_quick, str(tmp_path)), range(100))
    assert next(work) == (0, 0)
    if backend.name != "threading" or backend.workers > 1:
        wait_for((tmp_path / "begun").exists)
    began = time.monotonic()
    work.close()
    assert time.monotonic() - began < 1
    # A next call finds workers that are free.
    assert len(list(finished(backend, errands.squares, range(4)))) == 4
    assert time.monotonic() - began < 6


# ---------------------------------------------------------------- workers that die


def test_a_dead_process_is_replaced(tmp_path):
    told = []
    work = partial(errands.deadly, str(tmp_path), 7, 2)
    assert sorted(finished(LOKY, work, range(40), notice=told.append)) == [(item, item) for item in range(40)]
    assert [notice.key for notice in told] == ["backends.worker_died"] * 2


@pytest.mark.parametrize("workers", [1, 2])
def test_an_item_that_ends_every_process_is_named(tmp_path, workers):
    found = []
    with pytest.raises(InputError, match=f"block 7: each of {DEATHS} workers"):
        found.extend(finished(Backend.of("loky", workers), partial(errands.deadly, str(tmp_path), 7, 99), range(40)))
    assert len(list(tmp_path.glob("died-*"))) == DEATHS
    assert not (tmp_path / "done-7").exists()


def test_a_lost_worker_of_a_cluster_is_made_up_for(tmp_path):
    told = []
    with Cluster(tmp_path) as cluster:
        backend = Backend.of("dask", scheduler=cluster.address)
        found = []
        for item, _ in finished(backend, partial(errands.slow, 0.05, str(tmp_path)), range(60), notice=told.append):
            found.append(item)
            if len(found) == 5:
                cluster.workers[0].kill()
            if len(found) == 20:
                cluster.join()
        assert sorted(found) == list(range(60))
        assert [notice.key for notice in told] == ["backends.worker_gone"]


@pytest.mark.verify
def test_with_all_workers_lost_it_waits_for_others(tmp_path):
    told = []
    with Cluster(tmp_path, workers=1) as cluster:
        backend = Backend.of("dask", scheduler=cluster.address)
        found = []
        for item, _ in finished(backend, partial(errands.slow, 0.05, str(tmp_path)), range(30), notice=told.append):
            found.append(item)
            if len(found) == 5:
                cluster.workers[0].kill()
                cluster.workers[0].wait()
                cluster.join()
        assert sorted(found) == list(range(30))
        assert told[0].key == "backends.worker_gone"


@pytest.mark.verify
def test_an_item_that_ends_every_worker_of_a_cluster_is_named(tmp_path):
    with Cluster(tmp_path, workers=4, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1") as cluster:
        backend = Backend.of("dask", scheduler=cluster.address)
        wait_for_workers(backend, 4)
        with pytest.raises(InputError, match="block 7: each of 2 workers"):
            list(finished(backend, partial(errands.deadly, str(tmp_path), 7, 99), range(40)))


@pytest.mark.verify
def test_a_lost_scheduler_ends_the_work_in_one_line(tmp_path):
    with Cluster(tmp_path) as cluster:
        backend = Backend.of("dask", scheduler=cluster.address)
        work = finished(backend, partial(errands.slow, 0.1, str(tmp_path)), itertools.count())
        next(work)
        cluster.scheduler.kill()
        began = time.monotonic()
        with pytest.raises(InputError, match="the scheduler is lost") as refused:
            list(work)
        assert "\n" not in str(refused.value)
        assert time.monotonic() - began < 10


# ---------------------------------------------------------------- workers that differ


def test_another_process_that_differs_is_refused():
    with pytest.raises(InputError, match=r"worker process \d+ cannot take part: process is \d+ there and \d+ here"):
        list(finished(LOKY, errands.never_here, range(4), fingerprint=errands.own_process))


def test_a_worker_that_differs_is_refused_before_anything_is_done(tmp_path):
    with Cluster(tmp_path, workers=1) as cluster:
        cluster.join(TEST_FINGERPRINT="older")
        backend = Backend.of("dask", scheduler=cluster.address)
        wait_for_workers(backend, 2)
        with pytest.raises(InputError, match=r"worker tcp://\S+ cannot take part: kernels is older there and same"):
            list(finished(backend, errands.never_here, range(4), fingerprint=errands.fingerprint))


@pytest.mark.verify
def test_a_worker_that_differs_and_joins_late_is_refused(tmp_path):
    work = partial(errands.slow, 0.05, str(tmp_path))
    with Cluster(tmp_path, workers=1) as cluster:
        backend = Backend.of("dask", scheduler=cluster.address)
        going_on = finished(backend, work, itertools.count(), fingerprint=errands.fingerprint)
        next(going_on)
        cluster.join(TEST_FINGERPRINT="older")
        with pytest.raises(InputError, match="kernels is older there and same here"):
            list(going_on)


def test_a_cluster_that_is_not_there_is_refused(monkeypatch, tmp_path):
    from kwx_sim.backends import cluster as module

    monkeypatch.setattr(module, "PATIENCE", 1)
    with pytest.raises(InputError, match="no Dask scheduler answers there"):
        list(finished(Backend.of("dask", scheduler="tcp://127.0.0.1:9"), errands.squares, range(4)))
    with (
        Cluster(tmp_path, workers=0) as cluster,
        pytest.raises(InputError, match=f"start some with: dask worker {cluster.address}"),
    ):
        list(finished(Backend.of("dask", scheduler=cluster.address), errands.squares, range(4)))


def wait_for_workers(backend, many):
    from distributed import Client

    with Client(backend.scheduler, set_as_default=False) as client:
        client.wait_for_workers(many, timeout=60)
