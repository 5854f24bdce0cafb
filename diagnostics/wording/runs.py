"""A run in a line: what it is, how far it is, and the quality of its log."""

from diagnostics.language import _
from diagnostics.model.run import DataHealth, Run
from diagnostics.punctuation import listed
from diagnostics.wording.live import silence
from diagnostics.wording.steps import progress
from diagnostics.wording.times import age
from diagnostics.wording.values import counted

UNKNOWN = "unknown"
"""The name of an algorithm, and of a producer, that nothing tells."""


def run_line(run: Run) -> str:
    """What a run is and how far it is: "grpo · trl 1.16.0 · running · step 143 of 200"."""
    return " · ".join((_(run.algorithm), producer(run), state(run), progress(run)))


def producer(run: Run) -> str:
    """The program that wrote the log, with its version where that is known: "trl 1.16.0"."""
    return f"{_(run.producer)} {run.producer_version or ''}".rstrip()


def training_kind(algorithm: str, producer: str) -> tuple[str, ...]:
    """The algorithm, then the program that logged it; what is not known of both is said once."""
    if producer != UNKNOWN:
        return (_("algorithm unknown") if algorithm == UNKNOWN else algorithm.upper(), producer)
    return (_("unknown trainer"),) if algorithm == UNKNOWN else (algorithm.upper(), _("unknown trainer"))


def state(run: Run) -> str:
    """The state in words: with the age of its last sign of life for a run that fell silent or died, and with what holds
    it up for one that lives but does not move."""
    if run.status.state in ("silent", "died") and run.status.last_written is not None:
        written = age(run.status.last_written, run.observed_at)
        return _("{state}, last written {age}").format(state=state_word(run), age=written)
    held_up = standstill(run)
    return listed((state_word(run), held_up)) if held_up else state_word(run)


def state_word(run: Run) -> str:
    """The state of a run as a word: "running", "finished"."""
    return _(run.status.state)


def standstill(run: Run) -> str:
    """What keeps a run whose process lives from moving, as it was read: suspended, or no step for long; else empty."""
    return silence(run, run.observed_at) if run.status.is_ours else ""


def data_line(health: DataHealth) -> str:
    """The quality of the log: "4,576 points · 3 NaN · 1 rewind"; zeros are left out."""
    tags = len(health.unmapped_tags) - len(health.understood_tags)
    counts = (
        (health.nan, _("{count} NaN").format(count=f"{health.nan:,}")),
        (health.inf, _("{count} infinite").format(count=f"{health.inf:,}")),
        (health.duplicates, counted(health.duplicates, "duplicate")),
        (health.rewinds, counted(health.rewinds, "rewind")),
        (health.gaps, counted(health.gaps, "gap")),
        (health.malformed, _("{count} malformed").format(count=f"{health.malformed:,}")),
        (tags, _("{tags} outside the vocabulary").format(tags=counted(tags, "tag"))),
    )
    return " · ".join([counted(health.points, "point"), *(text for count, text in counts if count)])
