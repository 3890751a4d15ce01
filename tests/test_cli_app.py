"""The command line as a whole: help in both languages, refusals in one line, exit statuses, odd terminals."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runs import CHINESE, process, refused, run

from kwx_sim import text
from kwx_sim.cli.app import COMMANDS
from kwx_sim.cli.terminal import cells, hang


@pytest.mark.parametrize("args", [(), ("--help",), ("-h",)])
def test_the_front_page_names_every_command(args):
    result = run(*args)
    assert result.exit_code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_command_explains_itself_in_both_languages(name, lang):
    result = run(name, "--help", "--lang", lang)
    assert result.exit_code == 0
    assert {"en": "Usage: kwx", "zh": "用法: kwx"}[lang] in result.stdout
    assert ("显示本页" in result.stdout) == (lang == "zh")


@pytest.mark.parametrize(
    ("args", "env", "chinese"),
    [
        (("--help",), {}, False),
        (("--help",), CHINESE, True),
        (("--help", "--lang", "en"), CHINESE, False),
        (("--lang=zh", "--help"), {}, True),
        (("--lang=zh", "rules", "--help"), {}, True),
        (("rules", "--help", "--lang", "zh"), {}, True),
        (("hand", "--", "--lang", "zh"), {}, False),
    ],
)
def test_language_by_option_else_by_locale(args, env, chinese):
    opening = run(*args, env=env).output.replace("卡五星", "")[:60]
    assert any("\u4e00" <= mark <= "\u9fff" for mark in opening) == chinese


def short_examples(key, lang):
    """Give the examples of a help page that need no file, write none and do not take long."""
    lines = text.t(key, lang).strip().splitlines() if text.has(key) else []
    return [line for line in lines if not any(word in line for word in ("--batch", ".toml", ".jsonl", "simulate"))]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("page", ["app", "hand", "score", "rules", "play"])
def test_the_examples_of_the_help_pages_work(page, lang):
    for line in short_examples(f"cli.{page}.examples", lang):
        name, *args = shlex.split(line)
        assert name == "kwx"
        result = run(*args)
        assert result.exit_code == 0, (line, result.stderr)
        assert result.stdout


@pytest.mark.parametrize(
    ("args", "en", "zh"),
    [
        (("hnad",), "no such command hnad; did you mean hand?", "没有命令 hnad；是不是 hand？"),
        (("xyzzy",), "no such command xyzzy; see kwx --help", "没有命令 xyzzy；用法见 kwx --help"),
        (("hand", "--meld", "x"), "no such option --meld; did you mean --melds?", "没有选项 --meld；是不是 --melds？"),
        (("--bogus",), "no such option --bogus; see --help", "没有选项 --bogus；用法见 --help"),
        (("liangdao", "--belief", "x"), "no such option --belief; see --help", "没有选项 --belief；用法见 --help"),
        (("liangdao", "--wall", "-1"), "--wall: expected a whole number of at least 0, got -1", "--wall：应为不小于 0"),
        (("liangdao", "--wall", "x"), "--wall: expected a whole number, as in 20000", "--wall：应为整数"),
        (("hand", "--rules"), "--rules: give it a value", "--rules：是否少写"),
        (("rules", "--lang", "fr"), "--lang: expected one of en, zh, got 'fr'", "--lang：应为 en, zh 之一"),
        (("rules", "a", "b"), "unexpected extra argument", "用法不对"),
        (("rules", "nowhere.toml"), "no such preset or file", "找不到"),
        (("hand", "--batch", ""), "--batch: expected a file or directory", "--batch：应为文件或目录"),
        (("simulate", "--out", " "), "--out: expected a file or directory", "--out：应为文件或目录"),
    ],
)
def test_misuse_is_one_line_and_status_2(args, en, zh):
    refused(run(*args), en)
    refused(run(*args, env=CHINESE), zh)


def test_version():
    assert run("--version").stdout.startswith("kwx_sim ")


def test_help_loads_no_compiler_and_no_tables():
    code = (
        "import sys; sys.argv = ['kwx', '--help']\n"
        "from kwx_sim.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'pandas', 'pydantic', 'numpy', 'scipy', 'joblib'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_real_process_refuses_in_one_line():
    done = process("hand", "123m")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().count("\n") == 1


@pytest.mark.parametrize("args", [("rules", "platform"), ("--help",), ("play", "--games", "40", "--json")])
def test_a_closed_pipe_is_quiet(args):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "kwx_sim", *args], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full is a file of Linux")
@pytest.mark.parametrize("args", [("rules",), ("--help",), ("hand", "--batch", "-"), ("play", "--record", "/dev/full")])
def test_a_full_disk_is_told_in_one_line(args):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kwx_sim", *args], stdout=full, stderr=subprocess.PIPE, input=b"{}", check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"kwx: the output cannot be written: No space left on device\n"


def test_closed_streams_are_none_at_all():
    command = f"{sys.executable} -m kwx_sim hand --batch - <&-; {sys.executable} -m kwx_sim rules >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_megabyte_for_a_name_does_not_come_back_whole():
    for args in (("hand", "1" * 10_000), ("rules", "x" * 10_000), ("play", "--room", "x" * 10_000)):
        result = run(*args)
        assert result.exit_code == 2
        assert len(result.stderr) < 3_000


def test_an_interrupt_ends_with_130_and_no_traceback():
    command = [sys.executable, "-m", "kwx_sim", "hand", "--batch", "-"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdin.write(b'{"id": 1, "hand": "1112345678999p"}\n')
    child.stdin.flush()
    assert child.stdout.readline()
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate(timeout=30)
    assert child.returncode == 130
    assert b"Traceback" not in stderr


def test_an_interrupt_of_the_imports_ends_with_130_and_no_traceback():
    script = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'click':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from kwx_sim.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


@pytest.mark.parametrize("columns", ["0", "1"])
def test_no_width_loses_what_is_shown(columns):
    hand = ("hand", "123s789s46p88p中中中5s")
    wide, narrow = run(*hand).stdout, run(*hand, env={"COLUMNS": columns}).stdout
    assert narrow.split() == wide.split() if columns == "0" else set("456789ps中") & set(wide) <= set(narrow)


def test_an_ascii_terminal_shows_dragons_as_mpsz():
    page = process("--help", PYTHONIOENCODING="ascii")
    assert page.returncode == 0
    assert b"7z7z" in page.stdout
    for args in (("--help",), ("rules", "platform"), ("hand", "1112345678p 中中白"), ("hand", "亮倒")):
        done = process(*args, "--lang", "zh", PYTHONIOENCODING="ascii")
        assert b"Traceback" not in done.stderr
        assert (done.stdout + done.stderr).isascii()


def test_json_on_an_ascii_terminal_keeps_every_mark():
    done = process("hand", "1112345678p 中中白", "--json", PYTHONIOENCODING="ascii")
    assert b'"hand": "1112345678p \\u4e2d\\u4e2d\\u767d"' in done.stdout


def test_prose_is_folded_by_cells(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    folded = hang("(D) ", "庄家摸第 14 张，" * 9, indent=2)
    lines = folded.splitlines()
    assert all(cells(line) <= 40 for line in lines)
    assert all(line.startswith("      ") for line in lines[1:])
    assert not any(line.strip().startswith("，") for line in lines)
    assert "".join(line.strip() for line in lines).replace("(D) ", "").replace(" ", "") == "庄家摸第14张，" * 9


def test_english_is_folded_between_words(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    lines = hang("", "every decomposition and every place of the winning tile").splitlines()
    assert lines == ["every decomposition and every", "place of the winning tile"]
