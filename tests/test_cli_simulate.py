"""`kwx simulate` and `kwx tables`: files and summaries, interruption and resumption, what is refused."""

import json
import os
import signal
import time

import pandas as pd
import pytest
from cli_runs import CHINESE, answer, process, refused, run, start, terminal

from kwx_sim import backends, text
from kwx_sim.cli import progress
from kwx_sim.cli.progress import Progress
from kwx_sim.cli.simulate import BACKENDS
from kwx_sim.cli.terminal import cells
from kwx_sim.errors import InputError
from kwx_sim.rules import PRESETS
from kwx_sim.runs import BLOCK, TALLIES

QUICK = ("--tables", "kawuxing_frequency", "--workers", "1")
BLOCKS = 24


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A small run: its directory, and what was shown of it."""
    where = tmp_path_factory.mktemp("runs") / "platform"
    result = run("simulate", "--rules", "platform", "--games", "1e3", "--seed", "3", "--out", str(where))
    assert result.exit_code == 0, result.stderr
    return where, result


def test_tables_are_written_and_summed_up(simulated):
    where, result = simulated
    for name in TALLIES:
        csv, parquet = pd.read_csv(where / f"{name}.csv"), pd.read_parquet(where / f"{name}.parquet")
        assert len(csv) == len(parquet) > 10
        assert f"{name}  " in result.stdout
    assert "rounds with a kawuxing win" in result.stdout
    assert result.stdout.splitlines()[-1] == f"Tables: {where}"
    assert result.stderr.endswith("1,000 of 1,000 rounds\n")
    assert json.loads((where / "manifest.json").read_text("utf-8"))["games"] == 1000


def test_a_finished_run_can_be_looked_at_again(simulated):
    where, _ = simulated
    before = (where / "liangdao_timing.csv").read_bytes()
    result = run("simulate", "--resume", str(where), env=CHINESE)
    assert result.exit_code == 0
    assert "出现卡五星的局" in result.stdout
    assert f"各表在：{where}" in result.stdout
    assert (where / "liangdao_timing.csv").read_bytes() == before


def test_a_run_is_not_mixed_with_another(simulated):
    where, _ = simulated
    refused(run("simulate", "--out", str(where)), "already holds a run")
    refused(run("simulate", "--resume", str(where), "--games", "999"), "more rounds, not fewer", "it has 1000")
    refused(run("simulate", "--resume", str(where), "--rules", "suizhou"), "cannot be continued", "suizhou")
    refused(run("simulate", "--resume", str(where), "--policies", "random"), "cannot be continued", "policies")
    refused(run("simulate", "--resume", str(where), "--out", str(where)), "got both")


def test_as_json():
    told = answer("simulate", "--games", "256", *QUICK)
    assert list(told["tables"]) == ["kawuxing_frequency"]
    assert told["files"] == []
    assert told["blocks_missing"] == 0
    assert told["provenance"][0]["rules"]["name"] == "xiangyang"
    assert {"measure", "n", "mean", "ci_low", "ci_high"} <= set(told["tables"]["kawuxing_frequency"][0])
    # What the rules have not has no figure.
    assert answer("simulate", "--games", "16", "--tables", "maima_value")["tables"]["maima_value"][0]["mean"] is None


def test_without_a_directory_the_summary_is_all():
    result = run("simulate", "--games", "256", *QUICK)
    assert result.stdout.splitlines()[-1] == "Not saved; --out DIR writes the whole tables."
    assert "maima_value" not in result.stdout


def test_every_option_reaches_the_run():
    told = answer(
        "simulate", "--rules", "platform", "--room", "官甲场", "--piao", "2,0,1", "--seed", "9", "--games", "0.16e2",
        "--tables", "maima_value, kawuxing_frequency", "--policies", "random,efficient:pong=0,kong=0,random",
    )  # fmt: skip
    manifest = told["provenance"][0]
    assert (manifest["room"], manifest["piao"], manifest["seed"], manifest["games"]) == ("官甲场", [2, 0, 1], 9, 16)
    assert [policy["policy"] for policy in manifest["policies"]] == ["random", "efficient", "random"]
    assert manifest["policies"][1]["kong"] == 0
    assert manifest["tables"] == ["kawuxing_frequency", "maima_value"]


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("--rules", "nope"), "no such preset or file"),
        (("--games", "0"), "kwx: --games: expected a whole number from 1 to"),
        (("--games", "1e12"), "games: expected a whole number from 1 to"),
        (("--games", "-5"), "--games: expected a whole number"),
        (("--games", "many"), "--games: expected a whole number"),
        (("--games", "2.5"), "--games: expected a whole number"),
        (("--seed", "1e29"), "kwx: --seed: expected a whole number from 0 to"),
        (("--tables", "kawuxing"), "expected some of kawuxing_frequency"),
        (("--tables", ""), "expected some of kawuxing_frequency"),
        (("--policies", "efficient:avoidance=2"), "avoidance"),
        (("--policies", "nowhere.toml"), "nowhere.toml"),
        (("--room", "官甲场"), "no room"),
        (("--piao", "9"), "the rules xiangyang have no piao"),
        (("--rules", "platform", "--piao", "9"), "--piao: expected a whole number from 0 to"),
        (("--workers", "two"), "--workers: expected a whole number"),
        (("--out", "/dev/null/run"), "cannot be written"),
        (("--resume", "/nowhere"), "expected the directory of a run"),
        (("--blocks", "0:1"), "--blocks: needs the directory of a run"),
        (("--blocks", "5"), "--blocks: expected A:B"),
        (("--blocks", "a:b"), "--blocks: expected A:B"),
        (("--blocks", "-1:2"), "--blocks: expected A:B"),
        (("--blocks", ":"), "--blocks: expected A:B"),
        (("--blocks", "1:1", "--out", "/nowhere"), "expected A:B with 0 <= A < B <= 7"),
        (("--rounds",), "--rounds: needs the directory of a run"),
        (("--backend", "ray"), "--backend: expected one of threading, loky, dask"),
        (("--backend", "dask"), "--scheduler: the backend dask needs"),
        (("--scheduler", "tcp://127.0.0.1:1"), "--scheduler: only"),
        (("extra",), "unexpected extra argument"),
    ],
)
def test_refusals(args, part):
    refused(run("simulate", *args), part)
    assert run("simulate", *args, env=CHINESE).exit_code == 2


def test_the_help_knows_every_backend():
    assert backends.BACKENDS == BACKENDS


# ---------------------------------------------------------------- interrupted


def wait_for(condition, child):
    """Wait until a running simulation has come so far."""
    deadline = time.monotonic() + 300
    while not condition():
        assert child.poll() is None, child.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def interrupt(child):
    """Send Ctrl-C: exit status, seconds until the end, and what was said."""
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    stdout, stderr = child.communicate(timeout=60)
    assert stdout == ""
    return child.returncode, time.monotonic() - sent, stderr


def test_interrupted_and_resumed_gives_the_same_tables(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    asked = ("--rules", "suizhou", "--games", str(BLOCKS * BLOCK), "--seed", "11", *QUICK)
    child = start("simulate", *asked, "--out", str(parts))
    wait_for(lambda: len(list(parts.glob("blocks/*.block"))) > 1, child)
    status, seconds, said = interrupt(child)
    assert status == 130
    assert seconds < 2
    assert f"To go on: kwx simulate --resume {parts}\n" in said
    assert "Traceback" not in said
    assert 2 <= len(list(parts.glob("blocks/*"))) < BLOCKS
    assert not (parts / "kawuxing_frequency.csv").exists()

    assert run("simulate", "--resume", str(parts), "--workers", "2").exit_code == 0
    assert run("simulate", *asked, "--out", str(whole)).exit_code == 0
    for name in ("kawuxing_frequency.csv", "kawuxing_frequency.parquet", "notes.md", "provenance.json"):
        assert (parts / name).read_bytes() == (whole / name).read_bytes()


def test_interrupted_while_compiling(tmp_path):
    child = start("simulate", "--games", "1e6", "--out", str(tmp_path / "run"), NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert child.stderr.readline().startswith("Compiling what")
    time.sleep(2)
    status, seconds, said = interrupt(child)
    assert (status, "Traceback" in said) == (130, False)
    assert seconds < 2
    assert "To go on" in said


def test_interrupted_with_nothing_kept():
    child = start("simulate", "--games", "1e8", *QUICK, LANG="zh_CN.UTF-8", LC_ALL="")
    time.sleep(3)
    status, seconds, said = interrupt(child)
    assert status == 130
    assert seconds < 2
    assert "Traceback" not in said


# ---------------------------------------------------------------- progress


def test_progress_in_a_file_is_a_line_now_and_then(monkeypatch, capsys):
    clock = iter([0.0, 0.0, 40.0, 40.2, 41.2, 42.2, 60.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(progress, "_compile", lambda: None)
    monkeypatch.setattr(progress, "announce_compiling", lambda *args, **how: None)
    with Progress("en") as told:
        for done in (0, 4_000, 8_000, 12_000, 16_000, 24_000):
            told(done, 24_000)
        told.remark(InputError("simulate.damaged", file="x" * 200))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "4,000 of 24,000 rounds"
    assert lines[1] == "24,000 of 24,000 rounds"
    assert lines[2].startswith("kwx: xxx")
    assert len(lines) == 3


def test_the_rate_leaves_out_compiling_and_the_first_blocks():
    told = Progress("en")
    told._first_block, told._since, told._counted_from, told._done = 40.0, 40.2, 8_000, 16_000
    assert told._line(42.2, 256_000) == "16,000 of 256,000 rounds, 4,000 a second, 0:01:00 left"


def test_a_terminal_has_a_bar_which_does_not_stay(tmp_path):
    status, shown = terminal("simulate", "--games", "512", *QUICK, COLUMNS="80")
    assert status == 0
    assert "━━━" in shown
    assert "512 of 512 rounds" in shown
    assert shown.rstrip().endswith("Not saved; --out DIR writes the whole tables.")


# ---------------------------------------------------------------- kwx tables


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Every preset, small: the directory and what was shown, as `make tables` calls it."""
    where = tmp_path_factory.mktemp("tables")
    options = ("--seed", "1", "--rules", "all", "--workers", "0", "--games", "1600", "--out", str(where))
    return where, run("tables", *options, env={"COLUMNS": "80"})


def test_every_preset_has_its_line_in_each_table(tables):
    where, result = tables
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-1] == f"Tables: {where}"
    for name in TALLIES:
        frame = pd.read_parquet(where / f"{name}.parquet")
        assert list(frame["ruleset"].unique()) == list(PRESETS)
        assert len(pd.read_csv(where / f"{name}.csv")) == len(frame)
    assert "Not in the rules of: hongzhong, suizhou, xiangyang, shiyan." in result.stdout
    assert "Not in the rules of: hongzhong.\n" in result.stdout
    for named in ("platform 32", "platform 64", "platform 128", "hongzhong", "suizhou", "xiangyang 8", "shiyan 8"):
        assert f"\n{named}  " in result.stdout


def test_figures_are_not_folded(tables):
    _, result = tables
    figures = [line for line in result.stdout.splitlines() if line.startswith("platform")]
    assert len(figures) == 9
    assert all(line.count("±") >= 3 for line in figures)
    assert max(map(cells, result.stdout.splitlines())) <= 100


def test_one_ruleset_in_chinese(tmp_path):
    where = tmp_path / "deep" / "down"
    result = run("tables", "--rules", "xiangyang", "--games", "64", "--out", str(where), env=CHINESE)
    assert result.exit_code == 0
    assert "没有此项的规则：xiangyang。" in result.stdout
    assert sorted(path.name for path in where.iterdir()) == sorted(
        [*(f"{name}.{kind}" for name in TALLIES for kind in ("csv", "parquet")), "notes.md", "provenance.json"]
    )


def test_tables_go_under_reports_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("tables", "--rules", "suizhou", "--games", "16")
    assert result.stdout.splitlines()[-1] == f"Tables: {os.path.join('reports', 'tables')}"
    assert (tmp_path / "reports" / "tables" / "maima_value.csv").exists()


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("--rules", "nope"), "no such preset or file"),
        (("--games", "0"), "games: expected"),
        (("--workers", "-1"), "--workers: expected a whole number"),
        (("--out", "/dev/null"), "/dev/null: cannot be written"),
    ],
)
def test_refused_before_anything_is_run(args, part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(run("tables", *args), part)
    assert run("tables", *args, env=CHINESE).exit_code == 2


def test_interrupted_tables_write_nothing(tmp_path):
    child = start("tables", "--games", "1e8", "--out", str(tmp_path / "tables"))
    time.sleep(3)
    status, seconds, said = interrupt(child)
    assert status == 130
    assert seconds < 2
    assert "Traceback" not in said
    assert not list(tmp_path.glob("tables/*"))


@pytest.mark.parametrize("lang", text.LANGS)
def test_an_ascii_terminal_survives_summary_and_bar(lang):
    done = process("tables", "--rules", "suizhou", "--games", "16", "--out", os.devnull, "--lang", lang)
    assert done.returncode == 2
    done = process("simulate", "--games", "16", *QUICK, "--lang", lang, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert (done.stdout + done.stderr).isascii()
