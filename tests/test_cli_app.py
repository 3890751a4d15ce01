"""The command line as a whole: help in both languages, refusals in one line, exit statuses, odd terminals."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from kwx_sim.cli.app import COMMANDS, app


def run(*args, env=None, stdin=None):
    return CliRunner(env={"LANG": "C.UTF-8", "LC_ALL": "", "LC_MESSAGES": ""} | (env or {})).invoke(app, args, stdin)


def process(*args, stdin=None, **env):
    return subprocess.run(
        [sys.executable, "-m", "kwx_sim", *args],
        input=stdin,
        capture_output=True,
        check=False,
        env=os.environ | {"LC_ALL": "", "LANG": "C.UTF-8"} | env,
    )


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
        (("--help",), {"LANG": "zh_CN.UTF-8"}, True),
        (("--help", "--lang", "en"), {"LANG": "zh_CN.UTF-8"}, False),
        (("--lang=zh", "--help"), {}, True),
        (("--lang=zh", "rules", "--help"), {}, True),
    ],
)
def test_language_by_option_else_by_locale(args, env, chinese):
    assert ("命令行" in run(*args, env=env).stdout or "用法" in run(*args, env=env).stdout) == chinese


@pytest.mark.parametrize(
    ("args", "en", "zh"),
    [
        (("hnad",), "no such command hnad; did you mean hand?", "没有命令 hnad；是不是 hand？"),
        (("xyzzy",), "no such command xyzzy; see kwx --help", "没有命令 xyzzy；用法见 kwx --help"),
        (("hand", "--meld", "x"), "no such option --meld; did you mean --melds?", "没有选项 --meld；是不是 --melds？"),
        (("--bogus",), "no such option --bogus; see --help", "没有选项 --bogus；用法见 --help"),
        (("hand", "--rules"), "--rules: give it a value", "--rules：是否少写"),
        (("rules", "--lang", "fr"), "--lang: expected one of en, zh, got 'fr'", "--lang：应为 en, zh 之一"),
        (("rules", "a", "b"), "unexpected extra argument", "用法不对"),
    ],
)
def test_misuse_is_one_line_and_status_2(args, en, zh):
    for env, line in (({}, en), ({"LANG": "zh_CN.UTF-8"}, zh)):
        result = run(*args, env=env)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("kwx: ")
        assert line in result.stderr
        assert result.stderr.count("\n") == 1


def test_version():
    assert run("--version").stdout.startswith("kwx_sim ")


def test_help_does_not_load_compilers_or_tables():
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
    done = process("rules", "nowhere.toml")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_a_closed_pipe_is_quiet():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "kwx_sim", "--help"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert done.stderr == b""


def test_an_ascii_terminal_shows_dragons_as_mpsz():
    done = process("--help", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"7z7z" in done.stdout
    assert process("--help", "--lang", "zh", PYTHONIOENCODING="ascii").returncode == 0
