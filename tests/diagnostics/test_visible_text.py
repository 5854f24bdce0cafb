"""Tests of visible text: what could deceive is seen, and what people write stays as they wrote it."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as some

from diagnostics.visible_text import one_line, visible

KEPT_FORMAT_CHARACTERS = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"  # seen with their number
)
HIEROGLYPHS = frozenset(map(chr, range(0x13430, 0x13456)))  # how many are known depends on Python's Unicode


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07", "␛]0;owned␇"),
        ("\x1b[2J", "␛[2J"),
        ("a\x00b\x08\x7f", "a␀b␈␡"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("all good\rbad", "all good␍bad"),
        ("user\u202egnp.exe", "user⟨U+202E⟩gnp.exe"),
        ("\u2066a\u2069\u200f\u061c", "⟨U+2066⟩a⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩"),
        ("re\xadward\u200b\ufeff", "re⟨U+00AD⟩ward⟨U+200B⟩⟨U+FEFF⟩"),
        ("a\u2028b\u2029c", "a⟨U+2028⟩b⟨U+2029⟩c"),
        ("caf\udce9", "caf⟨U+DCE9⟩"),
        ("hi\U000e0068\U000e0069", "hi⟨U+E0068⟩⟨U+E0069⟩"),
        ("pay\u200dpal \u200cx", "pay⟨U+200D⟩pal ⟨U+200C⟩x"),
        ("☺\ufe01\ufe02\ufe03", "☺\ufe01⟨U+FE02⟩⟨U+FE03⟩"),
    ],
)
def test_what_commands_turns_around_or_hides_is_seen(text: str, shown: str) -> None:
    assert shown == visible(text)


@pytest.mark.parametrize(
    "text",
    [
        "objective/kl 0.2 → 0.3 «×10⁻³»",
        "👩‍👩‍👧‍👦 👍🏽 ❤️ 🏳️‍🌈 1️⃣",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "مرحبا بالعالم",
        "می‌خواهم",
        "שלום עולם",
        "क्‍ष ক্‌ষ",
        "奖励 보상 ご褒美 葛\U000e0100",
        "e\u0301 Zalgo̶",
        "two\nlines\tand a tab",
    ],
)
def test_what_people_write_stays_as_they_wrote_it(text: str) -> None:
    assert text == visible(text)


def test_a_line_is_one_line() -> None:
    assert one_line("a\r\nb\nc\td") == "a⏎b⏎c␉d"
    assert visible("a\r\nb") == "a\nb"


def test_every_control_and_format_character_of_unicode_is_seen_unless_it_is_part_of_a_script() -> None:
    categories = ("Cc", "Cf", "Cs", "Zl", "Zp")
    hidden = [sign for sign in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(sign) in categories]
    left = {sign for sign in hidden if visible(f"a{sign}") == f"a{sign}"}
    assert left - HIEROGLYPHS == KEPT_FORMAT_CHARACTERS | {"\n", "\t"}


@given(some.text())
def test_any_text_is_the_same_when_it_is_made_visible_twice(text: str) -> None:
    assert visible(text) == visible(visible(text))
    assert one_line(text) == one_line(one_line(text)) == visible(one_line(text))


@given(some.text(some.sampled_from("a é☺⟩\u200c\u200d\ufe0e\ufe0f\r\n\x1b\U0001f3f4\U000e0067\U000e007f"), max_size=12))
def test_what_depends_on_its_neighbours_is_settled_at_once(text: str) -> None:
    assert visible(text) == visible(visible(text))


@given(some.text())
def test_nothing_in_any_text_commands_a_terminal(text: str) -> None:
    assert not [sign for sign in one_line(text) if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")]


@given(some.text(some.characters(exclude_categories=["C", "Zl", "Zp", "Mn"])))
def test_any_printable_text_is_left_alone(text: str) -> None:
    assert text == one_line(text)
