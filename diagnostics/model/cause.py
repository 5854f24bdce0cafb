"""A cause as a diagnosis reports it: what it explains, what contradicts it, and what to change."""

from dataclasses import dataclass

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Fix, Severity


@dataclass(frozen=True, slots=True)
class Rival:
    """Another cause that the same outcomes may mean, and what decides between the two."""

    cause: str
    decides: Message


@dataclass(frozen=True, slots=True)
class Cause:
    """One explanation for several outcomes: the rules it explains, the rules against it, the settings to change.

    `rivals` are other causes that its core outcomes may mean as well.
    """

    cause: str
    severity: Severity
    summary: Message
    first_step: int
    last_step: int
    outcomes: tuple[str, ...]
    against: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    rivals: tuple[Rival, ...] = ()
