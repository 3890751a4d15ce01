"""The house of the report: pages whole and self-contained, the same for a seed, only what is stale made anew."""

import base64
import io
import json
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from fontTools.ttLib import TTFont

from kwx_sim.errors import InputError
from kwx_sim.findings.alike import same, told_once
from kwx_sim.findings.rounds import borderline, judged, said, verdict
from kwx_sim.report import (
    Analysis,
    Bullets,
    Column,
    Figure,
    Heading,
    Paragraph,
    Section,
    Table,
    Words,
    Work,
    cells,
    estimate_columns,
    figures,
    font,
    main,
    publish,
    record,
    run,
    svg,
    words,
    write,
)
from kwx_sim.report.font.make import printed
from kwx_sim.report.section import ruleset_name
from kwx_sim.report.told import _names_rules, draft_of_section
from kwx_sim.report.verdicts import DELTA
from kwx_sim.report.writers import Writers
from kwx_sim.rules import load_rules
from kwx_sim.stats import Estimates, ratio
from kwx_sim.text import LANGS

VOID = {"meta", "img", "br", "link", "hr", "input"}


def drawn(canvas, lang):
    (axes,) = figures.panels(canvas, 1, 1)
    values = np.array([[0.5, -1.0], [np.nan, 0.1]])
    rows = ["听牌 1", "听牌 2"] if lang == "zh" else ["waits 1", "waits 2"]
    image = figures.heat_map(
        axes, values, rows, ["1-3", "4-6"], low=values - 0.2, high=values + 0.2, n=[[9, 9], [0, 9]]
    )
    axes.set_xlabel(figures.label(Words("turn", "巡"), lang))
    canvas.colorbar(image, label=figures.label(Words("bases a round", "底/局"), lang))


def small(work):
    """A section of everything that there can be, from the seed alone."""
    work.progress(Words("rounds", "局"))(work.games, work.games)
    data = np.random.default_rng(work.seed).integers(-3, 4, (4, work.games))
    frame = pd.DataFrame({"who": [Words("dealer", "庄家"), "<b>&", "|x|", "y"], "n": [work.games] * 4})
    size = np.full(4, work.games)
    estimate_columns(frame, "gain", ratio(data.sum(1), size, (data**2).sum(1), data.sum(1), size))
    frame.loc[3, ["gain", "gain_low", "gain_high"]] = np.nan
    columns = [
        Column("who", Words("player", "玩家")),
        Column("n", Words("rounds", "局数"), "count"),
        Column("gain", Words("gain, bases", "得失（底）"), "estimate:+.2f"),
    ]
    return Section(
        name="small",
        title=Words("Small <things>", "小事 <一>"),
        question=Words("What is small?", "什么是小？"),
        headline=[Words("It is small.", "很小。")],
        parts=[
            Heading(Words("1a · a claim", "1a · 一条说法"), "claim-1a"),
            Paragraph(Words("Prose & more", "文字「引文」")),
            Bullets([Words("one", "一"), Words("two", "二")]),
            Table("gains", frame, Words("Gains", "得失"), columns, show=3),
            Figure("map", Words("A map", "热图"), Words('shows "four" cells', "四格热图"), drawn, (4, 3)),
        ],
    )


SMALL = Analysis("small", small, ("suizhou", "xiangyang"), together=False, games=2000, draft_games=500)


@pytest.mark.parametrize(
    ("sentence", "label", "named"),
    [
        ("Suizhou: it gained.", "Suizhou", True),
        ("Of all, Suizhou gained.", "Suizhou", True),
        ("Hongzhong (wild dragons) has no section: nobody may declare.", "online platform", True),
        ("Under Suizhou it gained more.", "online platform", False),
    ],
)
def test_a_headline_that_names_its_ruleset_or_begins_with_another_takes_no_prefix(sentence, label, named):
    assert _names_rules(sentence, label, "en") is named


@pytest.mark.parametrize(
    ("low", "high", "near"), [(0.0501, 0.2, True), (0.0, 0.046, True), (0.0, 0.04, False), (-0.2, 0.0501, False)]
)
def test_a_verdict_that_hangs_on_an_end_near_the_margin_is_borderline(low, high, near):
    found = Estimates(*(np.array(value) for value in (0.01, 0.01, low, high)))
    assert borderline(found) is near
    assert ("borderline" in judged(Words("It is so.", "是。"), found).en) is near


def test_an_estimate_may_tell_its_n():
    found = Estimates(*(np.array(value) for value in (0.5, 0.1, 0.3, 0.7)))
    assert said(found, "+.1f", 1234).en == "+0.5 (+0.3 to +0.7; n 1,234)"


def failing(work):
    raise KeyboardInterrupt


class Page(HTMLParser):
    """Tags that close, addresses, and the text of a page."""

    def __init__(self, source):
        super().__init__()
        self.open, self.addresses, self.images, self.ids, self.text = [], [], [], [], []
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        self.addresses += [(tag, found[name]) for name in ("src", "href") if name in found]
        self.images += [found] if tag == "img" else []
        self.ids += [found["id"]] if "id" in found else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def exit_code(function, *arguments):
    with pytest.raises(SystemExit) as ended:
        function(*arguments)
    return ended.value.code


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A draft of a report of one analysis under two rulesets."""
    folder = tmp_path_factory.mktemp("report")
    main([SMALL], ["--quick", "--seed", "7", "--workers", "1", "--out", str(folder)])
    return folder


PAGES = ["index.html", "index.en.html", "xiangyang/small.html", "suizhou/small.en.html"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_and_needs_no_other_file(out, name):
    source = (out / name).read_text(encoding="utf-8")
    page = Page(source)
    lang = "en" if ".en." in name else "zh"
    for tag, address in page.addresses:
        assert address.startswith(("data:", "#")) or (tag == "a" and address.endswith(".html")), address
    assert not re.search(r"url\((?!\"data:|%23)|@import|<link", source)
    assert len(page.ids) == len(set(page.ids))
    anchors = {address[1:] for _, address in page.addresses if address.startswith("#")}
    assert anchors <= set(page.ids)
    alternative = "四格热图" if lang == "zh" else 'shows "four" cells'
    assert page.images
    assert all(image["alt"] == alternative for image in page.images)
    said = " ".join("".join(page.text).split())
    games = "500" if "/" in name else "1,000"
    assert words("report.basis", margin=DELTA, games=games).told(lang) in said
    assert words("report.draft.section", games="500", full="2,000", each="").told(lang) in said
    assert ("（草稿）</title>" if lang == "zh" else " (draft)</title>") in source
    headed = [place for place in page.ids if place.endswith("-small-claim-1a")]
    assert len(headed) == (1 if "/" in name else 2)
    assert ("小事 <一>" if lang == "zh" else "Small <things>") in said
    assert "<b>&" in said
    assert "seed" in said.lower() or "随机种子" in said
    assert f'lang="{"zh-CN" if lang == "zh" else "en"}"' in source


def test_a_page_carries_every_chinese_character_that_it_shows(out):
    for name in PAGES:
        source = (out / name).read_text(encoding="utf-8")
        found = re.search(r"data:font/woff;base64,([^\"]+)", source)
        with TTFont(io.BytesIO(base64.b64decode(found.group(1)))) as cut:
            carried = {chr(code) for code in cut.getBestCmap()}
        assert {one for one in "".join(Page(source).text) if one >= "\u2e80"} <= carried


def test_the_font_has_every_character_of_the_texts():
    lacking = {one for one in printed() if one >= "\u2e80"} - font.characters()
    assert not lacking, "cut the font anew: kwx_sim/report/font/README.md"
    assert "SIL OPEN FONT LICENSE" in (font.FILE.parent / "OFL.txt").read_text(encoding="utf-8")


def test_a_missing_glyph_would_be_noticed():
    def draw(canvas, lang):
        canvas.text(0, 0, "\U00020bb7")  # no font of the report has it

    with pytest.warns(UserWarning, match="Glyph"):
        figures.draw(Figure("x", Words("", ""), Words("", ""), draw), "zh").draw_without_rendering()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figures.draw(Figure("x", Words("", ""), Words("", ""), drawn), "zh").draw_without_rendering()


@pytest.mark.parametrize(("games", "draft"), [(200, True), (1999, True), (2000, False), (2500, False)])
def test_a_report_of_fewer_rounds_than_its_own_is_marked_as_a_draft(tmp_path, games, draft):
    main([SMALL], ["--games", str(games), "--workers", "1", "--out", str(tmp_path), "--rules", "xiangyang"])
    for name in ("index.en.html", "index.en.md", "xiangyang/small.en.html"):
        source = (tmp_path / name).read_text(encoding="utf-8")
        assert ("DRAFT" in source) == draft, name
        assert (f"{games:,} rounds instead of the 2,000" in source) == draft, name
    front = (tmp_path / "index.en.html").read_text(encoding="utf-8")
    assert (f"“Small &lt;things&gt;”: {games:,} of 2,000" in front) == draft
    assert f"python -m analyses.small --rules xiangyang --games {games} --seed 1" in front
    assert (tmp_path / "xiangyang" / "small" / "map.en.svg").exists() != draft
    assert not (tmp_path / "suizhou").exists()


def test_markdown_shows_figures_by_relative_path(out):
    for lang, name in (("zh", "index.md"), ("en", "index.en.md")):
        told = (out / name).read_text(encoding="utf-8")
        for file in re.findall(r"\]\(([^)]+)\)", told):
            assert (out / file).is_file()
        assert f"xiangyang/small/map.{lang}.png" in told
        assert "\\|x\\|" in told
        assert '<a id="xiangyang-small-claim-1a"></a>1a · ' in told
        rows = [line for line in told.splitlines() if line.startswith("|")]
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}


def test_data_is_written_whole_and_tidy(out):
    folder = out / "xiangyang" / "small"
    frame = pd.read_parquet(folder / "gains.parquet")
    assert list(frame["who_zh"]) == ["庄家", "<b>&", "|x|", "y"]
    assert len(frame) == 4, "the page shows three"
    pd.testing.assert_frame_equal(pd.read_csv(folder / "gains.csv"), frame, check_dtype=False)
    told = json.loads((folder / "section.json").read_text(encoding="utf-8"))
    assert [len(part["rows"]) for part in told["parts"] if part["kind"] == "table"] == [3]


def test_the_same_seed_gives_the_same_files(out, tmp_path):
    main([SMALL], ["--quick", "--seed", "7", "--workers", "1", "--out", str(tmp_path)])
    files = [file.relative_to(out) for file in out.rglob("*") if file.is_file()]
    for file in files:
        if file.name == "made.json":
            continue
        first, second = (root.joinpath(file).read_bytes() for root in (out, tmp_path))
        if file.suffix in (".html", ".md"):
            before = words("report.provenance.title").told("en" if ".en." in file.name else "zh").encode()
            first, second = (
                page.rsplit(b"<h2" if file.suffix == ".html" else before, 1)[0] for page in (first, second)
            )
        assert first == second, file


def test_only_what_is_stale_is_made_anew(tmp_path, monkeypatch):
    asked = []

    def counted(work):
        asked.append(work.rule.name)
        return small(work)

    analysis = Analysis("small", counted, ("suizhou", "xiangyang"), together=False, games=300, draft_games=100)
    arguments = ["--seed", "3", "--workers", "1", "--out", str(tmp_path)]
    for extra, expected in (
        ([], ["suizhou", "xiangyang"]),
        ([], []),
        (["--seed", "4"], ["suizhou", "xiangyang"]),
        (["--seed", "4", "--rules", "xiangyang"], []),
        (["--seed", "4", "--games", "250", "--rules", "xiangyang"], ["xiangyang"]),
        (["--seed", "4"], ["xiangyang"]),
        (["--seed", "4", "--quick"], ["suizhou", "xiangyang"]),
    ):
        main([analysis], [*arguments, *extra])
        assert asked == expected
        asked.clear()
    monkeypatch.setattr(record, "SOURCE_HASH", "another")
    run(analysis, [*arguments, "--seed", "4", "--quick", "--rules", "suizhou"])
    assert asked == ["suizhou"], "kernels have changed"


def test_an_edit_of_an_analysis_or_of_what_it_imports_makes_it_stale(tmp_path):
    folder = tmp_path / "questions"
    folder.mkdir()
    (folder / "one.py").write_text("from questions.helper import x\nfrom questions import other\n", encoding="utf-8")
    (folder / "helper.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "other.py").write_text("import json\n", encoding="utf-8")
    (folder / "beside.py").write_text("", encoding="utf-8")
    found = {file.name for file in record.sources(folder / "one.py")}
    assert found == {"one.py", "helper.py", "other.py"}


def test_a_damaged_section_is_made_anew(tmp_path):
    arguments = ["--rules", "xiangyang", "--quick", "--workers", "1", "--out", str(tmp_path)]
    run(SMALL, arguments)
    made = tmp_path / "xiangyang" / "small" / "made.json"
    for damage in ("", "[]", '{"record": 1}'):
        made.write_text(damage, encoding="utf-8")
        assert not write.is_fresh(made.parent, {})
    run(SMALL, arguments)
    assert json.loads(made.read_text(encoding="utf-8"))["record"]["seed"] == 1


def test_an_interrupt_keeps_finished_sections(tmp_path, capsys):
    stopping = Analysis("stopping", failing, ("xiangyang",), together=False, games=300, draft_games=100)
    arguments = ["--quick", "--workers", "2", "--rules", "xiangyang", "--lang", "en", "--out", str(tmp_path)]
    assert exit_code(main, [SMALL, stopping], arguments) == 130
    assert "finished sections are kept" in capsys.readouterr().err
    assert (tmp_path / "xiangyang" / "small" / "made.json").is_file()
    assert not (tmp_path / "index.html").exists()
    main([SMALL, stopping], [*arguments, "--only", "small"])
    assert "1 of 1 sections are up to date" in capsys.readouterr().err
    assert (tmp_path / "index.html").is_file()


def test_writers_tell_what_went_wrong(tmp_path):
    work = Work((load_rules("xiangyang"),), 100, 1, 2)
    section = small(work)
    repeated = Section(section.name, section.title, section.question, [*section.parts, section.parts[-1]])
    with pytest.raises(ValueError, match="not unique"), Writers(1) as writers:
        writers.submit(repeated, tmp_path, record.record(SMALL, work), 0.1)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--games", "many"], "--games: expected a whole number"),
        (["--games", "0"], "--games: expected a whole number"),
        (["--games", "1.5"], "--games: expected a whole number"),
        (["--games", "1e999999999"], "--games: expected a whole number"),
        (["--games", "nan"], "--games: expected a whole number"),
        (["--seed", "-1"], "--seed: expected a whole number"),
        (["--workers", "x"], "--workers: expected a whole number"),
        (["--rules", "nowhere"], "nowhere"),
        (["--rules", "platform"], "small does not apply under platform"),
        (["--rounds", "3"], "--rounds"),
        (["--out", "/dev/null/x"], "cannot be written"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments, told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    assert exit_code(run, SMALL, arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert told in shown.err
    assert shown.err.count("\n") == 1
    assert exit_code(run, SMALL, [*arguments, "--lang", "zh"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_part_that_does_not_exist_is_refused(capsys):
    assert exit_code(main, [SMALL], ["--only", "small,large", "--lang", "zh"]) == 2
    assert "large" in capsys.readouterr().err


@pytest.mark.parametrize(("lang", "told"), [("en", "a draft"), ("zh", "草稿")])
def test_help_is_told_in_both_languages(lang, told, capsys):
    assert exit_code(run, SMALL, ["--help", "--lang", lang]) == 0
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "form", "told"),
    [
        (0.254, "+.2f", "+0.25"),
        (-0.254, "+.2f", "−0.25"),
        (-0.004, "+.2f", "0.00"),
        (1234.0, ",", "1,234.0"),
        (0.123, ".1%", "12.3%"),
        (-0.0001, "+.1%", "0.0%"),
        (float("nan"), "+.2f", "–"),
    ],
)
def test_numbers_are_written_for_people(value, form, told):
    assert cells.amount(value, form) == told


def test_a_bad_form_is_refused():
    table = Table("t", pd.DataFrame({"x": [1.0]}), Words("", ""), [Column("x", Words("", ""), "figure")])
    with pytest.raises(ValueError, match="no such form"):
        cells.rows(table)


def test_compact_svg_keeps_small_factors():
    path = '<path d="M -12.3456 7.0001\nL 0.12345 1"/>'
    given = f'<?xml version="1.0"?>\n<!-- x -->\n<g transform="scale(0.015625)">\n {path}\n</g>'
    assert svg.compact(given) == "<g transform='scale(0.015625)'><path d='M -12.35 7 L 0.12345 1'/></g>"


def test_words_take_words_by_language():
    name = words("report.ruleset.xiangyang")
    told = words("report.progress.section", place=1, total=2, title=Words("a", "甲"), rules=name)
    assert (told.en, told.zh) == ("1/2 a: Xiangyang", "1/2 甲：襄阳")
    assert {words("report.title").told(lang) for lang in LANGS} == {"卡五星策略报告", "Kawuxing: the strategy report"}


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0.06, 0.2, "above"),
        (-0.2, -0.06, "below"),
        (-0.05, 0.04, "within"),
        (0.01, 0.2, "unclear"),
        (-0.2, 0.2, "unclear"),
    ],
)
def test_more_and_less_are_said_beyond_the_margin_alone(low, high, told):
    found = Estimates(*map(np.array, ((low + high) / 2, 0.0, low, high)))
    assert verdict(found, margin=0.05) == told
    moved = Estimates(*(value + 3 for value in found))
    assert verdict(moved, 3.0, margin=0.05 + 1e-9) == told
    assert verdict(Estimates(*[np.array(np.nan)] * 4)) == "unclear"


def test_nothing_is_said_with_a_sign():
    found = Estimates(*map(np.array, (-0.0001, 0.0, -0.0004, 0.0004)))
    assert said(found, "+.3f").en == "0.000 (0.000 to 0.000)"


def test_a_bound_near_the_margin_is_said_with_a_third_decimal():
    near = Estimates(*map(np.array, (0.11, 0.03, 0.049, 0.171)))
    assert said(near).en == "+0.110 (+0.049 to +0.171)"
    assert said(near, ".1%").en == "11.0% (4.9% to 17.1%)"
    far = Estimates(*map(np.array, (0.11, 0.03, 0.06, 0.17)))
    assert said(far).en == "+0.11 (+0.06 to +0.17)"


def test_rulesets_with_the_same_data_are_told_once():
    rulesets = [load_rules(name) for name in ("suizhou", "xiangyang", "shiyan")]
    frames = [
        {"gain": pd.DataFrame({"ruleset": rules.name, "gain": [gain, np.nan]})}
        for rules, gain in zip(rulesets, (0.1, 0.2, 0.2), strict=True)
    ]
    told = told_once(rulesets, frames)
    assert [(one.rules.name, one.place) for one in told] == [("suizhou", 0), ("xiangyang+shiyan", 1)]
    assert set(told[1].frames["gain"]["ruleset"]) == {"xiangyang+shiyan"}
    assert ruleset_name("xiangyang+shiyan") == Words("Xiangyang and Shiyan", "襄阳与十堰")
    (sentence,) = same(told)
    assert sentence.en.startswith("Xiangyang and Shiyan: not one figure")
    frames[2]["gain"].loc[0, "gain"] += 1e-9
    assert len(told_once(rulesets, frames)) == 3


@pytest.mark.parametrize(("per", "told"), [("", ""), ("all", " in all"), ("ruleset", " a ruleset")])
def test_a_draft_s_size_says_of_what_it_is(per, told):
    sizes = {"draft": True, "games": 100, "full_games": 900, "rules": [{}, {}], "per": per}
    said_of = draft_of_section({"record": sizes}, "en")
    assert f"100 rounds{told} instead of the 900 of the full report;" in said_of


# ---------------------------------------------------------------- publishing


def finished(tmp_path, monkeypatch, commits=("abc123",), **options):
    """A whole report of the small analysis, its sections made from the commits in turn."""
    named = iter(commits * 2)
    monkeypatch.setattr(record, "commit", lambda: next(named))
    main([SMALL], ["--out", str(tmp_path), "--workers", "1", *options.get("given", ())])
    return tmp_path


def test_a_finished_report_is_published_with_all_its_figures(tmp_path, monkeypatch):
    out = finished(tmp_path, monkeypatch)
    written = publish.publish(out, out / "published")
    pages = [file for file in written if file.suffix == ".md"]
    for page in pages:
        shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
        assert shown
        assert all((page.parent / figure).is_file() for figure in shown)
    again = publish.publish(out, out / "published")
    assert again == written


@pytest.mark.parametrize(
    ("commits", "given"), [(("abc+",), ()), (("a", "b"), ()), (("",), ()), (("abc",), ("--quick",))]
)
def test_what_is_no_report_of_one_commit_is_not_published(tmp_path, monkeypatch, commits, given):
    out = finished(tmp_path, monkeypatch, commits, given=given)
    with pytest.raises(InputError):
        publish.publish(out, out / "published")
    assert not (out / "published").exists()


def test_nothing_is_published_before_there_is_a_report(tmp_path):
    with pytest.raises(InputError, match="index"):
        publish.publish(tmp_path, tmp_path / "published")
