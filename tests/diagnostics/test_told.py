"""Tests of sentences that are composed before anybody reads them in their language."""

import json
from pathlib import Path

import pytest

from diagnostics.api import UnreadableRun, open_run
from diagnostics.language import language
from diagnostics.told import first_of, from_plain, plain, reason, said, told


def test_a_sentence_is_english_until_it_is_said() -> None:
    sentence = told("{file} ends within a line; its last {count} bytes were left out", file="events.jsonl", count=3)
    assert sentence == "events.jsonl ends within a line; its last 3 bytes were left out"
    assert said(sentence) == sentence
    with language("zh"):
        assert said(sentence) == "events.jsonl 在一行中间结束；略去了最后 3 字节"
        assert said("a note of somebody else") == "a note of somebody else"


def test_a_sentence_within_another_is_said_too_also_after_it_was_stored() -> None:
    sentence = told(
        "{file}: {why}; its limits are not used", file="a.toml", why=told("{path} does not exist", path="x")
    )
    stored = from_plain(json.loads(json.dumps(plain(sentence))))
    assert stored == sentence
    with language("zh"):
        assert said(stored) == "a.toml：x 不存在；不采用其中的界限"
        assert said(first_of(["a", "b", "c"], 2)) == "a, b 和另外 1 个"


def test_a_path_that_cannot_be_read_says_why_in_the_language_of_who_asked(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRun) as caught:
        open_run(tmp_path)
    assert str(caught.value) == f"{tmp_path} is an empty folder: no run has been written into it yet"
    with language("zh"):
        assert reason(caught.value) == f"{tmp_path} 是空文件夹：还没有运行写入"
