"""The checks of BOS tokens and chat templates, at their boundaries."""

from dataclasses import replace

import pytest

from diagnostics.model.tokenization import Conversation, PromptTokens, Tokenization

PLAIN = Conversation("plain", 4)
FORGETFUL = Conversation("thinking", 4, 3, "</think>\nFour.", "Four.")
MERGED = Conversation("plain", 4, 2, ":|\n", ":|\n\n", is_same_text=True)
REFUSED = Conversation("plain", 4, refused="TemplateError: only for friends")


def prompts(*leading: int, is_rendered: bool = False) -> tuple[PromptTokens, ...]:
    return tuple(PromptTokens("Hello", (1, 1, 5), ("<s>",), 9, count, 0, is_rendered) for count in leading)


def tokenized(*conversations: Conversation, read: tuple[PromptTokens, ...] = (), **changes: object) -> Tokenization:
    found = Tokenization("<s>", "</s>", "</s>", True, True, 1, 2, read, conversations or (PLAIN,))
    return replace(found, **changes)


@pytest.mark.parametrize(
    ("leading", "word"), [((0, 0), "quiet"), ((1, 1), "quiet"), ((1, 2), "warning"), ((3, 3), "warning")]
)
def test_two_bos_at_the_start_of_any_prompt_are_a_warning(judged, leading, word) -> None:
    assert judged("pf-double-bos", {}, tokenization=tokenized(read=prompts(*leading))).word == word


def test_it_says_who_writes_the_second_bos_and_what_to_change(judged) -> None:
    of_texts = tokenized(read=prompts(1, 2))
    found = judged("pf-double-bos", {"dataset": "rows.jsonl"}, tokenization=of_texts)
    assert "1 of 2 prompts begin with 2 BOS tokens: their text begins with <s>, and the" in found.sentence
    assert found.fix == ("dataset", None)
    assert "that often" in judged("pf-double-bos", {}, tokenization=replace(of_texts, adds_bos=False)).sentence
    rendered = judged("pf-double-bos", {}, tokenization=tokenized(read=prompts(2, is_rendered=True)))
    assert "rendered by the chat template" in rendered.sentence
    assert rendered.fix == ("chat template", None)


@pytest.mark.parametrize(
    ("template", "again", "word"), [(1, 1, "quiet"), (0, 1, "quiet"), (1, 2, "skipped"), (2, 2, "warning")]
)
def test_of_another_program_the_template_alone_is_judged(judged, template, again, word) -> None:
    alone = tokenized(template_bos=template, retokenized_bos=again)
    found = judged("pf-double-bos", {"output_dir": "x"}, producer="trl", tokenization=alone)
    assert found.word == word
    if word == "skipped":
        assert "whether this one does is not known" in found.sentence
        assert "token ids" in found.enable


def test_an_outcome_tells_how_many_bos_tokens_there_were_and_how_many_are_too_many(judged) -> None:
    found = judged("pf-double-bos", {}, tokenization=tokenized(read=prompts(1)))
    assert (found.outcome.measured, found.outcome.limit, found.outcome.limit_is_default) == (1.0, 2.0, True)


@pytest.mark.parametrize("name", ["pf-double-bos", "pf-template-not-prefix"])
def test_what_was_not_tried_is_skipped_for_the_bundled_trainer_alone(judged, name) -> None:
    found = judged(name, {})
    assert found.word == "skipped"
    assert "--tokens" in found.enable
    assert judged(name, {"output_dir": "x"}, producer="trl") is None


@pytest.mark.parametrize(
    ("conversations", "word"),
    [((PLAIN,), "quiet"), ((PLAIN, REFUSED), "quiet"), ((PLAIN, FORGETFUL), "info"), ((MERGED,), "info")],
)
def test_a_rewritten_conversation_is_a_note_where_completions_have_one_turn(judged, conversations, word) -> None:
    assert judged("pf-template-not-prefix", {}, tokenization=tokenized(*conversations)).word == word


def test_over_several_turns_it_is_a_warning_in_the_producers_own_words(judged) -> None:
    on = {"actor_rollout_ref.rollout.multi_turn.enable": True}
    found = judged("pf-template-not-prefix", on, producer="verl", tokenization=tokenized(FORGETFUL))
    assert found.word == "warning"
    assert "The completions of this training have several turns." in found.sentence
    assert found.fix == ("actor_rollout_ref.model.custom_chat_template", None)
    off = {"actor_rollout_ref.rollout.multi_turn.enable": False}
    single = judged("pf-template-not-prefix", off, producer="verl", tokenization=tokenized(FORGETFUL))
    assert single.word == "info"
    assert "Completions of one turn are not affected." in single.sentence


def test_it_shows_what_became_of_what_and_a_changed_text_before_changed_tokens(judged) -> None:
    found = judged("pf-template-not-prefix", {}, tokenization=tokenized(MERGED, FORGETFUL))
    assert "With turn 3 of the thinking conversation, “</think>\nFour.” becomes “Four.”" in found.sentence
    merged = judged("pf-template-not-prefix", {}, tokenization=tokenized(MERGED))
    assert "“:|\n” becomes “:|\n\n”" in merged.sentence


def test_without_a_template_or_with_one_that_renders_nothing_it_says_why(judged) -> None:
    none = judged("pf-template-not-prefix", {}, tokenization=tokenized(has_template=False, conversations=()))
    assert (none.word, none.sentence) == ("skipped", "The tokenizer has no chat template: prompts are plain text.")
    refused = judged("pf-template-not-prefix", {}, tokenization=tokenized(REFUSED))
    assert refused.word == "skipped"
    assert "only for friends" in refused.sentence
