"""The status of a training: its state, its step and what ended it."""

from dataclasses import dataclass

from diagnostics.model.messages import one_line

LONGEST_ERROR = 600  # characters shown
LIVE_STATES = frozenset({"queued", "starting", "running"})
_ENDS = frozenset({"finished", "stopped", "failed", "died"})


@dataclass(frozen=True, slots=True)
class Status:
    """Where the training stands. `state` is one of the states of the public JSON report.

    `last_written` is when the run's files last said that it lives (heartbeat, or the newest event), in seconds since
    the epoch; `total` the planned steps.
    """

    state: str = "unknown"
    step: int | None = None
    total: int | None = None
    last_written: float | None = None
    error: str | None = None
    is_ours: bool = False  # started by rlvitals on this host: it can be stopped from here

    @property
    def has_ended(self) -> bool:
        """Whether it trains no more, said so or not."""
        return self.state in _ENDS

    @property
    def short_error(self) -> str:
        """The error for a page; one line where it is long, as what quotes a model's answer can be. Empty for none."""
        error = self.error or ""
        return error if len(error) <= LONGEST_ERROR else one_line(error, LONGEST_ERROR)
