"""The status of a training: its state, its step and what ended it."""

from dataclasses import dataclass

from diagnostics.model.messages import shortened

LONGEST_ERROR = 600  # characters shown
LIVE_STATES = frozenset({"queued", "starting", "running"})
FAILED_STATES = frozenset({"failed", "died"})
_ENDS = frozenset({"finished", "stopped", *FAILED_STATES})


@dataclass(frozen=True, slots=True)
class Status:
    """The progress of a training. `state` is one of the states of the public JSON report.

    `last_written` is the last sign of life in the run's files (heartbeat, or the newest event), in seconds since the
    epoch; `last_printed` and `last_sampled` are when its console and its samples were last written, by their files;
    `total` is the number of planned steps.
    """

    state: str = "unknown"
    step: int | None = None
    total: int | None = None
    last_written: float | None = None
    error: str | None = None
    suspended: int | None = None  # the pid of its process where that is stopped (SIGSTOP): no step can end
    is_ours: bool = False  # started by rlvitals on this host: it can be stopped from here
    last_printed: float | None = None
    last_sampled: float | None = None
    activity: str = ""  # what the main thread of a quiet process does, in psutil's words: running, sleeping, disk-sleep

    @property
    def has_ended(self) -> bool:
        """Whether the training is over, by its own account or not."""
        return self.state in _ENDS

    @property
    def has_failed(self) -> bool:
        """Whether the training ended by an error, or its process without a word."""
        return self.state in FAILED_STATES

    @property
    def short_error(self) -> str:
        """The error for a page; one line where it is long, as where it quotes a completion. Empty for none."""
        error = self.error or ""
        return error if len(error) <= LONGEST_ERROR else shortened(error, LONGEST_ERROR)
