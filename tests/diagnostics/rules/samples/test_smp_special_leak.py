"""Tests of smp-special-leak."""

import pytest

from diagnostics.model.outcome import Severity

LEAKS = ("Fine.<|im_end|>\n<|im_start|>user\nAnd now?", "Fine.<|endoftext|>The next", "Fine.[PAD] more", "Hi</s> you")


@pytest.mark.parametrize("response", LEAKS)
def test_text_behind_a_special_token_is_a_leak(look, sound, mixed, response: str) -> None:
    assert look("smp-special-leak", mixed([response] * 4), sound()).severity is Severity.WARNING
    assert look("smp-special-leak", mixed([response] * 3), sound()).severity is None


@pytest.mark.parametrize("response", ["Fine.<|endoftext|>[PAD][PAD]", "if a < b and b > c", "x <- 3", "[1, 2]"])
def test_special_tokens_at_the_end_and_plain_brackets_are_none(look, sound, mixed, response: str) -> None:
    assert look("smp-special-leak", mixed([response] * 48), sound()).severity is None
