"""Tests of the language of the command: chosen by --lang, else by the environment; JSON by --lang alone."""

import json
import re
from pathlib import Path

import pytest

from diagnostics.cli import main
from diagnostics.cli.command import asked_language, without_language
from diagnostics.language import current_language

RUN = str(Path(__file__).parents[3] / "sample_runs/negative-kl")


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    main(words)
    return capsys.readouterr().out


def test_a_report_is_in_the_language_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    report = printed(capsys, "diagnose", RUN, "--lang", "zh")
    assert "未能检查（9）" in report
    assert "严重" in report
    assert "CRITICAL" in printed(capsys, "diagnose", RUN)
    assert current_language() == "en"


def test_the_option_may_stand_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "explain", "kl-negative", "--lang=zh") == printed(
        capsys, "--lang", "zh", "explain", "kl-negative"
    )


def test_the_environment_chooses_where_no_option_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLVITALS_LANG", "zh_CN.UTF-8")
    assert "检查什么" in printed(capsys, "explain", "kl-negative")
    assert "What it checks" in printed(capsys, "explain", "kl-negative", "--lang", "en")
    assert "示例：" in printed(capsys, "--help") or "试试：" in printed(capsys, "--help")


def test_json_is_english_unless_its_language_is_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLVITALS_LANG", "zh")
    page = json.loads(printed(capsys, "explain", "kl-negative", "--format", "json"))["pages"][0]
    asked = json.loads(printed(capsys, "explain", "kl-negative", "--format", "json", "--lang", "zh"))["pages"][0]
    assert page["grade"] == "S: stated in the documents"
    assert asked["grade"] == "S：文档中明确写明"
    assert list(page) == list(asked)


def test_an_html_report_names_its_language(capsys: pytest.CaptureFixture[str]) -> None:
    page = printed(capsys, "diagnose", RUN, "--format", "html", "--lang", "zh")
    assert '<html lang="zh-CN">' in page
    assert "关键数值" in page


def test_a_language_that_there_is_not_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", RUN, "--lang", "tlh"]) == 2
    assert "choose from" in capsys.readouterr().err


def test_what_argparse_says_is_in_the_language_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["runs", "--help", "--lang", "zh"])
    help_text = capsys.readouterr().out
    assert help_text.startswith("用法：rlvitals runs")
    assert "显示本帮助并退出" in help_text
    assert not re.search(r"usage|options:|arguments:|show this", help_text)

    assert main(["diagnose", RUN, "--lang", "zh", "--forma", "json"]) == 2
    assert "无法识别的参数：--forma json；是否想输入" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["runs", "--help"])
    assert capsys.readouterr().out.startswith("usage: rlvitals runs")


@pytest.mark.parametrize("words", [("--lang", "zh", "ppo"), ("ppo", "--lang=zh"), ("ppo",), ("ppo", "--lang", "zh")])
def test_the_trainer_gets_its_words_without_the_language(words: tuple[str, ...]) -> None:
    assert without_language(words) == ["ppo"]


def test_no_words_ask_for_no_language() -> None:
    assert asked_language([]) is None
    assert asked_language(["runs", "--lang"]) is None
    assert asked_language(["runs", "--lang", "zh"]) == "zh"
