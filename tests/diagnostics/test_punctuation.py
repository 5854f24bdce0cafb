"""Tests of how the parts of a text are joined in each language."""

from diagnostics.language import language
from diagnostics.model.messages import Message
from diagnostics.punctuation import bracketed, clauses, labelled, listed, sentences, with_remark
from diagnostics.rules.lists import at_most
from diagnostics.wording.messages import message_text


def test_english_joins_with_blanks() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert clauses(["a", "b"]) == "a; b"
    assert labelled("a", "b") == "a: b"
    assert sentences(["One.", "", "Two."]) == "One. Two."
    assert (bracketed("b"), with_remark("a", "b"), with_remark("a", "")) == ("(b)", "a (b)", "a")


def test_chinese_joins_with_full_width_signs() -> None:
    with language("zh"):
        assert listed(["a", "b"]) == "a、b"
        assert clauses(["a", "b"]) == "a；b"
        assert labelled("a", "b") == "a：b"
        assert sentences(["一。", "二", "[kl-too-high]"]) == "一。二 [kl-too-high]"
        assert (bracketed("b"), with_remark("a", "b"), bracketed("")) == ("（b）", "a（b）", "")


def test_a_message_lists_its_parts_as_the_language_does() -> None:
    parts = [Message("grader.no-score"), 0.5, "a"]
    message = Message("list.alternative", {"before": at_most(2, parts), "item": "b"})
    assert message_text(message) == "no score, 0.5, and 1 more or b"
    with language("zh"):
        assert message_text(message) == "没有得分、0.5，另有 1 个 或 b"
