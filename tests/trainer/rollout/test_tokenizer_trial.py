"""The trial of a tokenizer, with tokenizers that are sound and sick."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from diagnostics.model.tokenization import Conversation
from tests.trainer.tiny_tokenizers import (
    BOS,
    END,
    ENDS_CALLS_OTHERWISE,
    ESCAPES,
    FORGETS_THOUGHTS,
    MERGES,
    REFUSES,
    SOUND,
    TWO_BOS,
    WITHOUT_BOS,
    tiny_tokenizer,
    write_tokenizer,
)
from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError
from trainer.rollout.growing_conversations import grown_conversations
from trainer.rollout.tokenizer_trial import try_tokenizer

CHAT = [{"role": "user", "content": "Hello"}]

Tried = Callable[..., dict[str, Any]]


@pytest.fixture
def tried(tmp_path: Path) -> Tried:
    """What the trial says of a tokenizer and of prompts."""

    def try_out(template: str | None, *prompts: Any, adds_bos: bool = False) -> dict[str, Any]:
        model = write_tokenizer(tmp_path / "model", template, adds_bos=adds_bos)
        data = tmp_path / "rows.jsonl"
        data.write_text("".join(json.dumps({"prompt": prompt}) + "\n" for prompt in prompts))
        config = make_config("grpo", {"model_name_or_path": str(model), "dataset": str(data)})
        return dict(try_tokenizer(config, len(prompts)))

    return try_out


def grown(template: str) -> dict[str, Conversation]:
    found = [Conversation(**item) for item in grown_conversations(tiny_tokenizer(template))]
    return {item.kind: item for item in found}


def test_a_rendered_text_gets_a_second_bos_from_the_tokenizer_and_a_message_does_not(tried: Tried) -> None:
    found = tried(SOUND, f"{BOS}[user]\nHello", CHAT, "Hello", adds_bos=True)
    assert [prompt["leading_bos"] for prompt in found["prompts"]] == [2, 1, 1]
    assert [prompt["is_rendered"] for prompt in found["prompts"]] == [False, True, False]
    assert (found["adds_bos"], found["template_bos"], found["retokenized_bos"]) == (True, 1, 2)


@pytest.mark.parametrize(
    ("template", "adds_bos", "expected"),
    [(SOUND, False, (1, 1)), (WITHOUT_BOS, True, (0, 1)), (WITHOUT_BOS, False, (0, 0)), (TWO_BOS, True, (2, 3))],
)
def test_bos_of_template_and_tokenizer_are_counted_apart(tried: Tried, template, adds_bos, expected) -> None:
    found = tried(template, CHAT, adds_bos=adds_bos)
    assert (found["template_bos"], found["retokenized_bos"]) == expected
    assert found["prompts"][0]["leading_bos"] == expected[0]


def test_a_bos_inside_a_text_and_words_that_look_like_one_are_not_at_its_start(tried: Tried) -> None:
    found = tried(None, f"What is {BOS}?", "< s>Hello", adds_bos=True)
    assert [prompt["leading_bos"] for prompt in found["prompts"]] == [1, 1]


def test_end_tokens_inside_and_the_first_tokens_are_told(tried: Tried) -> None:
    (prompt,) = tried(SOUND, [*CHAT, {"role": "assistant", "content": "Hi"}, *CHAT])["prompts"]
    assert prompt["end_tokens"] == 3
    assert (prompt["ids"][0], prompt["tokens"][:3]) == (0, [BOS, "[", "u"])
    assert len(prompt["ids"]) == 8
    assert prompt["count"] > 50


def test_without_a_padding_token_the_end_token_pads(tried: Tried) -> None:
    found = tried(SOUND, CHAT)
    assert (found["bos"], found["eos"], found["pad"]) == (BOS, END, END)


def test_a_tokenizer_without_a_template_is_tried_on_texts(tried: Tried) -> None:
    found = tried(None, "Hello")
    assert (found["has_template"], found["conversations"]) == (False, [])
    with pytest.raises(ConfigError, match="has no chat template"):
        tried(None, CHAT)


def test_the_bundled_checkpoint_is_tried_without_data() -> None:
    found = try_tokenizer(make_config("grpo", {"task": "addition"}), 0)
    assert (found["bos"], found["prompts"], found["pad"] == found["eos"]) == (None, [], False)


def test_a_template_that_only_appends_keeps_all_conversations() -> None:
    assert [(item.kind, item.turns, item.changed_by) for item in grown(SOUND).values()] == [
        ("plain", 4, None),
        ("thinking", 4, None),
        ("tool-call", 4, None),
    ]


def test_a_template_without_tool_calls_is_not_asked_for_any() -> None:
    assert list(grown(MERGES)) == ["plain", "thinking"]


def test_dropped_thoughts_are_found_where_the_next_turn_drops_them() -> None:
    found = grown(FORGETS_THOUGHTS)
    assert (found["plain"].changed_by, found["tool-call"].changed_by) == (None, None)
    assert found["thinking"].changed_by == 3
    assert found["thinking"].earlier.endswith("[assistant]\n<think>\nTwo and two.\n</think>\n\nFour.</s>\n")
    assert "[assistant]\n\n\nFour." in found["thinking"].later
    assert not found["thinking"].is_same_text


def test_thoughts_are_given_where_the_template_reads_them() -> None:
    reads = SOUND.replace("{{ m.content }}", "{{ m.reasoning_content }}{{ m.content }}")
    assert grown(reads)["thinking"].changed_by is None
    drops = SOUND.replace("{{ m.content }}", "{{ m.reasoning_content if loop.last }}{{ m.content }}")
    assert grown(drops)["thinking"].changed_by == 3
    assert "Two and two.Four." in grown(drops)["thinking"].earlier


@pytest.mark.parametrize(
    ("asked_with", "plain", "thinking"),
    [("<think>\n", None, None), ("<think>\n\n</think>\n\n", 2, None), ("Well: ", 2, 2)],
)
def test_a_prompt_that_settles_whether_to_think_is_not_held_against_the_other_kind_of_answer(
    asked_with: str, plain: int | None, thinking: int | None
) -> None:
    found = grown(SOUND.replace("[assistant]\n", f"[assistant]\n{asked_with}"))
    assert (found["plain"].changed_by, found["thinking"].changed_by) == (plain, thinking)


def test_a_template_that_can_only_join_texts_gets_the_arguments_of_a_call_as_text() -> None:
    joins = SOUND.replace("tool_calls[0].function.name", "tool_calls[0].function.arguments + '.'")
    assert grown(joins)["tool-call"] == Conversation("tool-call", 4)


def test_a_last_turn_with_an_end_of_its_own_is_found() -> None:
    found = grown(ENDS_CALLS_OTHERWISE)
    assert [item.changed_by for item in found.values()] == [None, None, 3]
    assert "<return>" in found["tool-call"].earlier


def test_tokens_that_merge_across_turns_are_found_in_a_text_that_stays() -> None:
    found = grown(MERGES)["plain"]
    assert (found.changed_by, found.is_same_text) == (2, True)
    assert found.earlier.endswith("|\n")
    assert "|\n\n|F" in found.later


@pytest.mark.parametrize(
    ("template", "said"), [(REFUSES, "only for"), (ESCAPES, "SecurityError"), ("{% if %}", "Templ")]
)
def test_a_template_that_raises_is_told_and_runs_nothing(template: str, said: str) -> None:
    found = grown(template)
    assert all(said in item.refused for item in found.values())


def test_excerpts_are_bounded_however_long_the_rendering_is() -> None:
    found = grown("{{ 'x' * 10000 }}" + FORGETS_THOUGHTS.replace("{{ eos_token }}", "{{ m.role * 99 }}"))["thinking"]
    assert found.changed_by == 3
    assert max(len(found.earlier), len(found.later)) <= 72


def test_a_saved_tokenizer_keeps_its_bos(tmp_path: Path) -> None:
    folder = write_tokenizer(tmp_path / "model", SOUND, adds_bos=True)
    assert AutoTokenizer.from_pretrained(folder)("Hi")["input_ids"][0] == 0
