"""Tests of columns: Chinese characters are two wide, and lines may end after them."""

from diagnostics.report.columns import columns, fill, padded, wrap


def test_a_chinese_character_takes_two_columns() -> None:
    assert [columns("KL"), columns("奖励"), columns("第 3 步"), columns("→")] == [2, 4, 7, 1]
    assert padded("奖励", 6) + "|" == "奖励  |"


def test_a_line_ends_between_characters_and_never_before_a_full_stop() -> None:
    assert wrap("奖励一直上升。", 8) == ["奖励一直", "上升。"]
    assert wrap("奖励一直升。", 6) == ["奖励一", "直升。"]
    assert wrap("奖励一直。", 7) == ["奖励一", "直。"]


def test_words_of_latin_letters_stay_whole() -> None:
    assert wrap("与参考模型的 objective/kl", 14) == ["与参考模型的", "objective/kl"]


def test_every_line_fits_under_its_indent() -> None:
    filled = fill("从第 8 步到第 39 步，KL 一直低于界限，最低为 −3.68。" * 4, 40, "发现  ", "      ")
    assert all(columns(line) <= 40 for line in filled.splitlines())
    assert all(line.startswith(("发现  ", "      ")) for line in filled.splitlines())


def test_english_is_wrapped_as_ever() -> None:
    assert wrap("KL to the reference", 10) == ["KL to the", "reference"]
