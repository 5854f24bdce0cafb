"""A run in a line: what it is, how far it is, and the quality of its log."""

from diagnostics.model.run import DataHealth, Run
from diagnostics.wording.live import silence
from diagnostics.wording.steps import progress
from diagnostics.wording.times import age
from diagnostics.wording.values import counted


def run_line(run: Run) -> str:
    """What a run is and how far it is: "grpo · trl 1.16.0 · running · step 143 of 200"."""
    return " · ".join((run.algorithm, producer(run), state(run), progress(run)))


def producer(run: Run) -> str:
    """The program that wrote the log, with its version where that is known: "trl 1.16.0"."""
    return f"{run.producer} {run.producer_version or ''}".rstrip()


def state(run: Run) -> str:
    """The state in words: with the age of its last sign of life for a run that fell silent or died, and with what holds
    it up for one that lives but does not move."""
    if run.status.state in ("silent", "died") and run.status.last_written is not None:
        return f"{run.status.state}, last written {age(run.status.last_written, run.observed_at)}"
    held_up = standstill(run)
    return f"{run.status.state}, {held_up}" if held_up else run.status.state


def standstill(run: Run) -> str:
    """What keeps a run whose process lives from moving, as it was read: suspended, or no step for long; else empty."""
    return silence(run, run.observed_at) if run.status.is_ours else ""


def data_line(health: DataHealth) -> str:
    """The quality of the log: "4,576 points · 3 NaN · 1 rewind"; zeros are left out."""
    adjectives = {"NaN": health.nan, "infinite": health.inf, "malformed": health.malformed}
    nouns = {"duplicate": health.duplicates, "rewind": health.rewinds, "gap": health.gaps}
    order = ("NaN", "infinite", "duplicate", "rewind", "gap", "malformed")
    counts = [
        f"{adjectives[word]:,} {word}" if word in adjectives else counted(nouns[word], word)
        for word in order
        if adjectives.get(word) or nouns.get(word)
    ]
    tags = len(health.unmapped_tags) - len(health.understood_tags)
    counts += [f"{counted(tags, 'tag')} outside the vocabulary"] if tags else []
    return " · ".join([counted(health.points, "point"), *counts])
