"""What a tokenizer made of prompts and of growing conversations, for a terminal, Markdown and JSON."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from diagnostics.language import N_, _
from diagnostics.model.tokenization import Conversation, PromptTokens, Tokenization
from diagnostics.report.markdown_elements import code, escaped, table
from diagnostics.report.terminal import Style
from diagnostics.wording.values import counted

TITLE = N_("Prompts as the tokenizer reads them")
_MOST_PROMPTS = 3  # shown; JSON holds all that were tried


def token_lines(found: Tokenization | None, style: Style) -> Iterator[str]:
    """A line for each thing that was tried; none if nothing was."""
    if found is None:
        return
    yield _(TITLE)
    rows = list(_rows(found))
    column = max(len(label) for label, _ in rows) + 2
    for label, text in rows:
        yield style.labelled(label, text, indent=2, column=column)
    yield ""


def token_table(found: Tokenization) -> str:
    """The same as a Markdown table."""
    return table((_("Tried"), _(TITLE)), [(code(label), escaped(text)) for label, text in _rows(found)])


def token_document(found: Tokenization | None) -> dict[str, Any] | None:
    """The same for JSON; None where nothing was tried."""
    return None if found is None else {**dataclasses.asdict(found), "pads_with_end": found.pads_with_end}


def _rows(found: Tokenization) -> Iterator[tuple[str, str]]:
    padding = _("padding {token}, the end token") if found.pads_with_end else _("padding {token}")
    none = _("none")
    special = _("BOS {bos} · end {end}").format(bos=found.bos or none, end=found.eos or none)
    yield _("special"), f"{special} · {padding.format(token=found.pad or none)}"
    adds_bos = _("gets a BOS from the tokenizer") if found.adds_bos else _("gets no BOS from the tokenizer")
    yield _("plain text"), adds_bos
    yield _("template"), _template(found)
    for number, prompt in enumerate(found.prompts[:_MOST_PROMPTS], start=1):
        yield _("prompt {number}").format(number=number), " · ".join(_prompt(prompt))
    for conversation in found.conversations:
        yield _(conversation.kind), _conversation(conversation)


def _template(found: Tokenization) -> str:
    if not found.has_template:
        return _("none: prompts are plain text")
    if found.retokenized_bos == found.template_bos:
        return _("writes {count} BOS").format(count=found.template_bos)
    return _("writes {count} BOS; tokenised once more as plain text, the prompt would begin with {again}").format(
        count=found.template_bos, again=found.retokenized_bos
    )


def _prompt(prompt: PromptTokens) -> Iterator[str]:
    yield counted(prompt.count, "token")
    yield _("begins with {count} BOS").format(count=prompt.leading_bos)
    if prompt.end_tokens:
        yield _("{end_tokens} inside").format(end_tokens=counted(prompt.end_tokens, "end token"))
    yield f"{' '.join(map(str, prompt.ids))} ({'|'.join(prompt.tokens)})"


def _conversation(conversation: Conversation) -> str:
    if conversation.refused:
        return _("cannot be rendered: {why}").format(why=conversation.refused)
    if conversation.changed_by is None:
        return _("{count} turns, each appended").format(count=conversation.turns)
    words = _("turn {turn} of {turns} changes the text of those before it")
    if conversation.is_same_text:
        words = _("turn {turn} of {turns} changes the tokens of those before it")
    return words.format(turn=conversation.changed_by, turns=conversation.turns)
