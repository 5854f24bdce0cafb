"""Tests of smp-nonlanguage."""

import pytest

from diagnostics.model.outcome import Severity, Verdict

NOISE = "zхq7r4k2 \ufffd\x07 аbсd1e2f3g q9w8e7r6 qwrtpsdf"
LANGUAGES = (
    "Der Donaudampfschifffahrtskapitän fährt heute mit sechs Gästen.",
    "Strč prst skrz krk, řekl čtvrtý vlk a zmrzl na kost.",
    "Сегодня мы смотрели очень длинный фильм о море.",
    "今天我们看了一部关于大海的长电影，用Python分析。",
    "今日はとても長い海の映画を見ました。",
    "오늘 우리는 바다에 관한 긴 영화를 보았다.",
    "شاهدنا اليوم فيلما طويلا عن البحر.",
    "आज हमने समुद्र के बारे में एक लंबी फ़िल्म देखी।",
    "วันนี้เราดูภาพยนตร์เกี่ยวกับทะเลที่ยาวมาก",
    "(2+2=4 1+5=6)64",
    "for (int i = 0; i < 10; i++) { total += values[i]; }",
)


def test_noise_that_scores_no_less_is_critical(look, sound, mixed) -> None:
    assert look("smp-nonlanguage", mixed([NOISE] * 15, score=2.0), sound()).severity is Severity.CRITICAL
    assert look("smp-nonlanguage", mixed([NOISE] * 14, score=2.0), sound()).severity is None


def test_noise_that_scores_less_is_a_warning(look, sound, mixed) -> None:
    assert look("smp-nonlanguage", mixed([NOISE] * 15, score=0.0), sound()).severity is Severity.WARNING


@pytest.mark.parametrize("text", LANGUAGES)
def test_every_language_is_one(look, sound, mixed, text: str) -> None:
    assert look("smp-nonlanguage", mixed([text] * 48), sound()).severity is None


def test_one_letter_over_and_over_is_no_language(look, sound, mixed) -> None:
    assert look("smp-nonlanguage", mixed(["ha" * 30] * 20), sound()).severity is not None


def test_without_first_tables_it_is_skipped(look, mixed) -> None:
    assert look("smp-nonlanguage", mixed([NOISE] * 48)).verdict is Verdict.SKIPPED
