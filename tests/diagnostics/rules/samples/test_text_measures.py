"""Tests of what is measured in a text, with closed forms."""

import math

import pytest

from diagnostics.rules.samples import text_measures


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("It's 64, not 65!", ("it's", "64", ",", "not", "65", "!")),
        ("电影很好 ok", ("电", "影", "很", "好", "ok")),
        ("ดี มาก", ("ด", "ี", "ม", "า", "ก")),
        ("очень-очень", ("очень", "-", "очень")),
        ("fine.<|im_end|>[PAD]", ("fine", ".")),
        ("", ()),
    ],
)
def test_units_are_words_marks_and_characters_of_unspaced_scripts(text: str, units: tuple[str, ...]) -> None:
    assert text_measures.units(text) == units


@pytest.mark.parametrize(("text", "share"), [("a b c d", 0.0), ("a a a a", 0.5), ("a b a b a b", 0.5), ("a b", 0.0)])
def test_repetition_is_one_minus_the_distinct_trigrams(text: str, share: float) -> None:
    assert text_measures.repetition(text) == share


@pytest.mark.parametrize(("text", "bits"), [("aaaa", 0.0), ("abab", 1.0), ("abcdabcd", 2.0), ("", 0.0)])
def test_entropy_is_that_of_the_characters(text: str, bits: float) -> None:
    assert math.isclose(text_measures.character_entropy(text), bits)


def test_marks_are_counted_for_each_hundred_characters() -> None:
    assert text_measures.exclamation("ab!¡") == 50.0
    assert text_measures.exclamation("ab🎉c") == 25.0
    assert text_measures.exclamation("a-b, (c) ✕".replace("✕", "x")) == 0.0


def test_scripts_count_letters_only() -> None:
    assert text_measures.scripts("ab 12 кот") == {"LATIN": 2, "CYRILLIC": 3}
    assert text_measures.scripts("日本のア") == {"CJK": 4}
    assert text_measures.scripts("64!") == {}


@pytest.mark.parametrize("word", ["xkcdqrt", "a1b2c3d4", "wоrd", "\ufffd", "x" * 41])
def test_an_odd_word_is_no_word_of_any_language(word: str) -> None:
    assert text_measures.odd_words(word) == 1.0


@pytest.mark.parametrize(
    "word", ["rhythms", "smrž", "getElementById", "gpt2", "x86_64", "e4", "пункт", "使用Python", "CCCXLV", "HTTPXY"]
)
def test_a_rare_word_is_not_odd(word: str) -> None:
    assert text_measures.odd_words(word) == 0.0


def test_a_long_text_is_looked_at_from_both_ends() -> None:
    text = "a" * 5000 + "b" * 5000
    assert text_measures.clipped(text) == "a" * 2000 + "b" * 2000
