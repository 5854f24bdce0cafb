"""What rules about endings share: the finding that a run ended, and the quote of what it printed."""

from collections.abc import Mapping

from diagnostics.last_words import Sign, bystander
from diagnostics.model.messages import Message, shortened
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules.rule import Fired

SHOWN = 160  # characters of the line that a sentence may quote

TEXTS: Mapping[str, str] = {
    "ending.nothing": "",
    "ending.after": "after step {last}",
    "ending.before": "before its first step",
    "ending.bystander": "; NCCL's watchdog fired as well ({waited}): it tells who waited, not for what",
    "ending.why": ". Its last lines say why: {what}. It printed: {text}{bystander}",
    "ending.computes": "; its main thread computes",
    "ending.waits": "; its main thread waits",
    "ending.waits-for-disk": "; its main thread waits for a disk",
    "ending.heard": "; it last printed {printed}, and last wrote samples {sampled} minutes before it was read",
    "ending.printed": "; it last printed {printed} minutes before it was read",
    "ending.sampled": "; it last wrote samples {sampled} minutes before it was read",
    "ending.between": "between {earliest} and {latest}",
    "ending.from": "{earliest} at the earliest",
    "ending.in-time": ", before the planned end at {total}",
    "ending.too-late": ", not before the planned end at {total}",
}
"""Parts of sentences about endings: template id → format string."""
NOTHING = Message("ending.nothing")


def quoted(sign: Sign) -> str:
    """The line that shows a sign, from where the sign begins, as a part of a sentence."""
    match = sign.signature.pattern.search(sign.line)
    begin = 0 if match is None or match.end() <= SHOWN else match.start()
    return shortened(sign.line[begin:], SHOWN).rstrip(".: ")


def when(step: int) -> Message:
    """After which step, as a part of a sentence; 0 stands for before the first."""
    return Message("ending.after", {"last": step}) if step else Message("ending.before")


def who_waited(run: Run, sign: Sign) -> Message:
    """A part of a sentence about those who only waited for what a sign tells; empty where nobody says so."""
    waiting = bystander(run, sign)
    return Message("ending.bystander", {"waited": waiting.message}) if waiting else NOTHING


def ended(
    message: Message,
    headline: Message,
    severity: Severity,
    *,
    step: int,
    messages: int,
    remedies: tuple[str, ...] | None = None,
) -> Fired:
    """The finding that a run ended after a step, by this many of its messages."""
    return Fired(
        severity=severity,
        message=message,
        headline=headline,
        first_step=step,
        last_step=step,
        still=True,
        measured=float(messages),
        unit="messages",
        remedies=remedies,
    )
