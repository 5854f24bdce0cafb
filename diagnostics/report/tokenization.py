"""What a tokenizer made of prompts and of growing conversations, for a terminal, Markdown and JSON."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from diagnostics.model.tokenization import Conversation, PromptTokens, Tokenization
from diagnostics.report.markdown_elements import code, escaped, table
from diagnostics.report.terminal import Style
from diagnostics.wording.values import counted

TITLE = "Prompts as the tokenizer reads them"
_MOST_PROMPTS = 3  # shown; JSON holds all that were tried


def token_lines(found: Tokenization | None, style: Style) -> Iterator[str]:
    """A line for each thing that was tried; none if nothing was."""
    if found is None:
        return
    yield TITLE
    rows = list(_rows(found))
    column = max(len(label) for label, _ in rows) + 2
    for label, text in rows:
        yield style.labelled(label, text, indent=2, column=column)
    yield ""


def token_table(found: Tokenization) -> str:
    """The same as a Markdown table."""
    return table(("Tried", TITLE), [(code(label), escaped(text)) for label, text in _rows(found)])


def token_document(found: Tokenization | None) -> dict[str, Any] | None:
    """The same for JSON; None where nothing was tried."""
    return None if found is None else {**dataclasses.asdict(found), "pads_with_end": found.pads_with_end}


def _rows(found: Tokenization) -> Iterator[tuple[str, str]]:
    padding = f"padding {found.pad or 'none'}" + (", the end token" if found.pads_with_end else "")
    yield "special", f"BOS {found.bos or 'none'} · end {found.eos or 'none'} · {padding}"
    yield "plain text", "gets a BOS from the tokenizer" if found.adds_bos else "gets no BOS from the tokenizer"
    yield "template", _template(found)
    for number, prompt in enumerate(found.prompts[:_MOST_PROMPTS], start=1):
        yield f"prompt {number}", " · ".join(_prompt(prompt))
    for conversation in found.conversations:
        yield conversation.kind, _conversation(conversation)


def _template(found: Tokenization) -> str:
    if not found.has_template:
        return "none: prompts are plain text"
    again = f"; tokenised once more as plain text, the prompt would begin with {found.retokenized_bos}"
    return f"writes {found.template_bos} BOS" + (again if found.retokenized_bos != found.template_bos else "")


def _prompt(prompt: PromptTokens) -> Iterator[str]:
    yield counted(prompt.count, "token")
    yield f"begins with {prompt.leading_bos} BOS"
    if prompt.end_tokens:
        yield f"{counted(prompt.end_tokens, 'end token')} inside"
    yield f"{' '.join(map(str, prompt.ids))} ({'|'.join(prompt.tokens)})"


def _conversation(conversation: Conversation) -> str:
    if conversation.refused:
        return f"cannot be rendered: {conversation.refused}"
    if conversation.changed_by is None:
        return f"{conversation.turns} turns, each appended"
    what = "the tokens" if conversation.is_same_text else "the text"
    return f"turn {conversation.changed_by} of {conversation.turns} changes {what} of those before it"
