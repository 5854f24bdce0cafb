"""A model's text as turns: nothing of it is lost, and its roles and special tokens are found."""

import pytest

from app.widgets.transcript import Turn, turns
from diagnostics.visible_text import visible
from tests.hostile_text import EVERYTHING

CHATML = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>"
LLAMA = (
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\nho<|eot_id|>"
)
THINKING = (
    '<think>\nWhat is 2+2?\n</think>\nFour. <tool_call>{"name": "add"}</tool_call><tool_response>4</tool_response>'
)
LINES = "system: Be brief.\nuser: 2+2?\nWith care.\nassistant: 4"


def whole(found: tuple[Turn, ...]) -> str:
    return "".join(piece.text for turn in found for piece in turn.pieces)


def roles(text: str) -> list[str]:
    return [turn.role for turn in turns(text) if any(piece.text.strip() for piece in turn.pieces)]


@pytest.mark.parametrize(
    "text",
    ["", "plain\n  text\n", CHATML, LLAMA, THINKING, LINES, EVERYTHING, "</s>" * 5000, "<think>" * 5000, "a" * 10**6],
)
def test_nothing_of_a_text_is_lost_or_moved(text: str) -> None:
    assert whole(turns(text)) == visible(text)


def test_chat_turns_are_told_by_their_role() -> None:
    assert roles(CHATML) == ["system", "user", "assistant"]
    assert roles(LLAMA) == ["", "user", "assistant"]
    assert roles(LINES) == ["system", "user", "assistant"]
    assert roles("<start_of_turn>model\nhi<end_of_turn>") == ["assistant"]
    assert roles("[INST] hi [/INST] ho") == ["user", "assistant"]


def test_thinking_and_tools_are_turns_of_their_own() -> None:
    assert roles(THINKING) == ["thinking", "", "tool call", "tool result"]


def test_a_word_with_a_colon_in_the_middle_is_no_role() -> None:
    assert roles("As the user: said") == [""]
    assert roles("Dear all,\nuser: this is a quote") == [""]


def test_special_tokens_are_pieces_of_their_own() -> None:
    (turn,) = turns("yes</s><pad>")
    assert [(piece.kind, piece.text) for piece in turn.pieces] == [
        ("text", "yes"),
        ("token", "</s>"),
        ("token", "<pad>"),
    ]


def test_a_text_of_nothing_but_tokens_has_a_bounded_number_of_pieces() -> None:
    assert sum(len(turn.pieces) for turn in turns("</s>" * 5000)) <= 2000
