"""A message's English sentence."""

from diagnostics.model.messages import Message, render
from diagnostics.model.outcome import Outcome
from diagnostics.texts import templates


def message_text(message: Message | None) -> str:
    """The sentence; empty for no message."""
    return render(message, templates("en")) if message else ""


def headline(outcome: Outcome) -> str:
    """A fired outcome as one would say it, without its numbers; its message where it has no headline."""
    return message_text(outcome.headline or outcome.message)


def message_with_rule(outcome: Outcome) -> str:
    """An outcome's message and the id of its rule: "KL to the reference stayed above 10 … [kl-too-high]"."""
    return f"{message_text(outcome.message)} [{outcome.rule}]"


def reason_and_remedy(outcome: Outcome) -> str:
    """Why a rule could not run, and what would let it: "The log has no metric score. Log score."."""
    return f"{message_text(outcome.message)} {message_text(outcome.enable)}".rstrip()
