"""A message's English sentence."""

from diagnostics.model.messages import Message, render
from diagnostics.model.outcome import Outcome
from diagnostics.texts import templates
from diagnostics.wording.series import derivation_sentence
from diagnostics.wording.steps import further_episodes


def message_text(message: Message | None) -> str:
    """The sentence; empty for no message."""
    return render(message, templates("en")) if message else ""


def headline(outcome: Outcome) -> str:
    """A fired outcome as one would say it, without its numbers; its message where it has no headline."""
    return message_text(outcome.headline or outcome.message)


def found_text(outcome: Outcome) -> str:
    """An outcome's message, when else it was so, and what of it is not logged: "KL to the reference stayed above 10 …
    Also steps 1 to 9."."""
    return " ".join(filter(None, (message_text(outcome.message), further_episodes(outcome), derived_inputs(outcome))))


def derived_inputs(outcome: Outcome) -> str:
    """How the metrics that a rule judged, and that are not logged, were derived; empty where all are logged."""
    return " ".join(derivation_sentence(name, derivation) for name, derivation in outcome.derived.items())


def message_with_rule(outcome: Outcome) -> str:
    """What was found and the id of its rule: "KL to the reference stayed above 10 … [kl-too-high]"."""
    return f"{found_text(outcome)} [{outcome.rule}]"


def reason_and_remedy(outcome: Outcome) -> str:
    """Why a rule could not run, and what would let it: "The log has no metric score. Log score."."""
    return f"{message_text(outcome.message)} {message_text(outcome.enable)}".rstrip()
