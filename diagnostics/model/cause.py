"""A cause as a diagnosis reports it: what it explains, what contradicts it, and what to change."""

from dataclasses import dataclass

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Fix, Severity


@dataclass(frozen=True, slots=True)
class Rival:
    """Another cause that the same outcomes may mean, and what decides between the two.

    `is_open`: the log does not hold what decides, or it speaks for both.
    """

    cause: str
    decides: Message
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Cause:
    """One explanation for several outcomes: the rules it explains, the rules against it, the settings to change.

    `signs` are those of the rules that show this cause and no mere consequence, the strongest first · `rivals` are
    other causes that they may mean as well.
    """

    cause: str
    severity: Severity
    summary: Message
    first_step: int
    last_step: int
    outcomes: tuple[str, ...]
    signs: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    rivals: tuple[Rival, ...] = ()

    @property
    def is_decided(self) -> bool:
        """Whether the log tells this cause from all of its rivals."""
        return not any(rival.is_open for rival in self.rivals)
