"""What a tokenizer made of prompts and conversations, in every form of report."""

import json
from dataclasses import replace

from diagnostics.model.tokenization import Conversation, PromptTokens, Tokenization
from diagnostics.report.preflight import Review, reviews_form
from diagnostics.report.terminal import Style

PROMPT = PromptTokens("2 + 2?", (0, 0, 5), ("<s>", "<s>", "\x1b|2"), 9, leading_bos=2, end_tokens=1, is_rendered=False)
CONVERSATIONS = (
    Conversation("plain", 4),
    Conversation("thinking", 4, 3, "<think>", "Four"),
    Conversation("tool-call", 4, refused="TemplateError: no\x1b[31m"),
)
TRIED = Tokenization("<s>", "</s>", "</s>", True, True, 1, 2, (PROMPT,) * 5, CONVERSATIONS)


def form(kind: str, tried: Tokenization | None = TRIED) -> str:
    review = Review("a.toml", "grpo", "rlvitals", "", 1, (), (), tokenization=tried)
    return reviews_form([review], kind, Style())


def test_a_terminal_gets_a_line_for_everything_that_was_tried() -> None:
    lines = [line.split(maxsplit=1) for line in form("text").splitlines() if line.startswith("  ")]
    assert lines == [
        ["special", "BOS <s> · end </s> · padding </s>, the end token"],
        ["plain", "text  gets a BOS from the tokenizer"],
        ["template", "writes 1 BOS; tokenised once more as plain text, the prompt would begin with 2"],
        *(
            ["prompt", f"{number}    9 tokens · begins with 2 BOS · 1 end token inside · 0 0 5 (<s>|<s>|␛|2)"]
            for number in (1, 2, 3)
        ),
        ["plain", "4 turns, each appended"],
        ["thinking", "turn 3 of 4 changes the text of those before it"],
        ["tool-call", "cannot be rendered: TemplateError: no␛[31m"],
    ]


def test_markdown_holds_the_same_and_json_all_prompts_as_they_are() -> None:
    assert "| `thinking` | turn 3 of 4 changes the text of those before it |" in form("markdown")
    assert "\x1b" not in form("markdown")
    tokenization = json.loads(form("json"))["configurations"][0]["tokenization"]
    assert (len(tokenization["prompts"]), tokenization["pads_with_end"]) == (5, True)
    assert tokenization["conversations"][1] == {
        "kind": "thinking",
        "turns": 4,
        "changed_by": 3,
        "earlier": "<think>",
        "later": "Four",
        "is_same_text": False,
        "refused": "",
    }


def test_what_was_not_tried_and_what_a_tokenizer_lacks_is_left_out_or_named() -> None:
    assert "tokenizer" not in form("text", None)
    assert json.loads(form("json", None))["configurations"][0]["tokenization"] is None
    bare = replace(TRIED, bos=None, pad="<pad>", adds_bos=False, has_template=False, conversations=())
    assert "BOS none · end </s> · padding <pad>\n" in form("text", bare)
    assert "none: prompts are plain text" in form("text", bare)
