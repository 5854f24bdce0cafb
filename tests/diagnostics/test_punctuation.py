"""Tests of how the parts of a text are joined in each language."""

from diagnostics.language import language
from diagnostics.model.messages import Message
from diagnostics.punctuation import bracketed, clauses, labelled, listed, sentences, with_remark
from diagnostics.rules.lists import at_most
from diagnostics.wording.messages import message_text


def test_english_joins_with_blanks() -> None:
    assert "a, b" == listed(["a", "b"])
    assert "a; b" == clauses(["a", "b"])
    assert "a: b" == labelled("a", "b")
    assert "One. Two." == sentences(["One.", "", "Two."])
    assert ("(b)", "a (b)", "a") == (bracketed("b"), with_remark("a", "b"), with_remark("a", ""))


def test_chinese_joins_with_full_width_signs() -> None:
    with language("zh"):
        assert "a、b" == listed(["a", "b"])
        assert "a；b" == clauses(["a", "b"])
        assert "a：b" == labelled("a", "b")
        assert "一。二 [kl-too-high]" == sentences(["一。", "二", "[kl-too-high]"])
        assert ("（b）", "a（b）", "") == (bracketed("b"), with_remark("a", "b"), bracketed(""))


def test_a_message_lists_its_parts_as_the_language_does() -> None:
    parts = [Message("grader.no-score"), 0.5, "a"]
    message = Message("list.alternative", {"before": at_most(2, parts), "item": "b"})
    assert "no score, 0.5, and 1 more or b" == message_text(message)
    with language("zh"):
        assert "没有得分、0.5，另有 1 个 或 b" == message_text(message)
