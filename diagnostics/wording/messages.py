"""A message's sentence, in the current language."""

from diagnostics.language import ENGLISH, _, current_language
from diagnostics.model.messages import Message, Value, render
from diagnostics.model.outcome import Outcome
from diagnostics.punctuation import listed, sentences
from diagnostics.texts import templates
from diagnostics.wording.series import derivation_sentence
from diagnostics.wording.steps import further_episodes

_WORDS = frozenset({"title", "unit", "what", "missing", "origin", "compared"})  # values of messages that are phrases
_LISTS = frozenset({"names", "others"})  # and those that may list titles of metrics
_NAMES = frozenset({"function", "functions", "kinds"})  # and those that list names as they are


def message_text(message: Message | None) -> str:
    """The sentence; empty for no message."""
    if message is None:
        return ""
    code = current_language()
    return render(message if code == ENGLISH else _translated(message), templates(code))


def _translated(message: Message) -> Message:
    """The message with those of its values translated that are words: a metric's title, a unit, a list of titles."""
    return Message(message.template, {key: _translated_value(key, value) for key, value in message.values.items()})


def _translated_value(key: str, value: Value | Message) -> Value | Message:
    if isinstance(value, Message):
        return _translated(value)
    if isinstance(value, str) and key in _LISTS:
        return listed(map(_translated_name, value.split(", ")))
    if isinstance(value, str) and key in _NAMES:
        return listed(value.split(", "))
    return _(value) if isinstance(value, str) and key in _WORDS else value


def _translated_name(name: str) -> str:
    return f"“{_(name[1:-1])}”" if name.startswith("“") else _(name)


def headline(outcome: Outcome) -> str:
    """A fired outcome as one would say it, without its numbers; its message where it has no headline."""
    return message_text(outcome.headline or outcome.message)


def found_text(outcome: Outcome) -> str:
    """An outcome's message, when else it was so, and what of it is not logged: "KL to the reference stayed above 10 …
    Also steps 1 to 9."."""
    return sentences((message_text(outcome.message), further_episodes(outcome), derived_inputs(outcome)))


def derived_inputs(outcome: Outcome) -> str:
    """How the metrics that a rule judged, and that are not logged, were derived; empty where all are logged."""
    return sentences(derivation_sentence(name, derivation) for name, derivation in outcome.derived.items())


def message_with_rule(outcome: Outcome) -> str:
    """What was found and the id of its rule: "KL to the reference stayed above 10 … [kl-too-high]"."""
    return sentences((found_text(outcome), f"[{outcome.rule}]"))


def reason_and_remedy(outcome: Outcome) -> str:
    """Why a rule could not run, and what would let it: "The log has no metric score. Log score."."""
    return sentences((message_text(outcome.message), message_text(outcome.enable)))
