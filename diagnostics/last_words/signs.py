"""Signs: the lines of a text that match a signature, and which of them tells the ending."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnostics.last_words.kinds import KINDS, Kind, Part
from diagnostics.last_words.signatures import SIGNATURES, Signature
from diagnostics.model.messages import Message
from diagnostics.model.run import Run

LONGEST_LINE = 4000  # characters of a line that are looked at; what a log quotes may be far longer
MOST_LINES = 5000  # the last ones; an error may quote a whole log
WAITING = "collective"  # the kind of those who waited for another process
_LINE = re.compile(r"[\r\n]+")

TEXTS: Mapping[str, str] = {
    **{f"last-words.{signature.name}": signature.text for signature in SIGNATURES},
    **{f"last-words.of.{kind.name}": kind.of for kind in KINDS.values()},
    **{f"last-words.because.{kind.name}": kind.because for kind in KINDS.values()},
}
"""Template id → part of a sentence."""


@dataclass(frozen=True, slots=True)
class Sign:
    """One signature that a text shows: the first line that matches, what its groups hold, and how many lines match."""

    signature: Signature
    line: str
    values: Mapping[str, str]
    count: int = 1

    @property
    def kind(self) -> Kind:
        """The kind of ending that it is a sign of."""
        return KINDS[self.signature.kind]

    @property
    def message(self) -> Message:
        """What it means, as part of a sentence."""
        return Message(f"last-words.{self.signature.name}", self.values)

    @property
    def of(self) -> Message:
        """Completes "The run died of …"."""
        return Message(f"last-words.of.{self.kind.name}")

    @property
    def because(self) -> Message:
        """Completes "The run hangs because …"."""
        return Message(f"last-words.because.{self.kind.name}")


def signs_in(text: str) -> tuple[Sign, ...]:
    """The signs in the last lines of a text, ordered by first appearance; a line is a sign of one signature at most."""
    found: dict[str, Sign] = {}
    for line in _LINE.split(text)[-MOST_LINES:]:
        matched = _matched(line[:LONGEST_LINE].strip())
        if matched is None:
            continue
        known = found.get(matched.signature.name)
        found[matched.signature.name] = (
            matched if known is None else Sign(known.signature, known.line, known.values, known.count + 1)
        )
    return tuple(found.values())


def leading_sign(run: Run) -> Sign | None:
    """The sign that tells how a run died or where it hangs; None where its last lines and its error show none.

    What ends a training by itself comes first, and of several the earliest: the others fail because of it. Then an
    exception of the training's own, which is no sign. What may hold a training up explains a hang, and processes that
    waited; last come those who only waited, or found another one dead.
    """
    of_error = signs_in(run.status.error or "")
    signs = (*signs_in(run.console_tail), *of_error)
    own = [sign for sign in of_error if sign.kind.part is not Part.FOLLOWS]
    ending = own or [sign for sign in signs if sign.kind.part is Part.ENDS]
    if ending:
        return _fullest(ending, signs)
    if run.status.state == "failed" and run.status.error and not of_error:
        return None
    holding = [sign for sign in signs if sign.kind.part is Part.HOLDS]
    if holding and (not run.status.has_ended or _someone_waited(signs)):
        return _fullest(holding, signs)
    following = [sign for sign in signs if sign.kind.part is Part.FOLLOWS]
    return _fullest(following, signs) if following else None


def kind_of(run: Run) -> str:
    """The name of the kind of its ending; empty where nothing shows it."""
    sign = leading_sign(run)
    return sign.kind.name if sign else ""


def bystander(run: Run, leading: Sign) -> Sign | None:
    """The sign of processes that waited, beside one that tells what they waited for."""
    if leading.kind.part is Part.FOLLOWS:
        return None
    return next((sign for sign in signs_in(run.console_tail) if sign.kind.name == WAITING), None)


def _someone_waited(signs: Sequence[Sign]) -> bool:
    return any(sign.kind.name == WAITING for sign in signs)


def _fullest(candidates: Sequence[Sign], signs: Sequence[Sign]) -> Sign:
    """Of the signs of the first candidate's kind the one that tells most: signatures are listed in that order."""
    kind = candidates[0].kind
    same = [sign for sign in signs if sign.kind is kind]
    return min(same, key=lambda sign: SIGNATURES.index(sign.signature))


def _matched(line: str) -> Sign | None:
    for signature in SIGNATURES:
        match = signature.pattern.search(line)
        if match is not None:
            return Sign(signature, line, match.groupdict())
    return None
