"""The dialect of logs that no other one knows: canonical names mean themselves, everything else is kept unmapped."""

from diagnostics.producers.producer import Dialect, Findings, Log
from diagnostics.producers.trl import has_finished, total_steps

SHOWN_TAGS = 4
NO_METRIC = "The log holds no metric, by which the producer and the algorithm are known"


def recognise(log: Log) -> float:
    """Never sure, never out."""
    return 0.01


def examine(log: Log) -> Findings:
    """No algorithm that is known here, and a sentence that says so."""
    tags = sorted(log.series)
    found = ", ".join(tags[:SHOWN_TAGS]) + (f" and {len(tags) - SHOWN_TAGS} more" if len(tags) > SHOWN_TAGS else "")
    note = (
        f"This is no log of PPO, GRPO, RLOO or online DPO that is known here: it holds {found}" if tags else NO_METRIC
    )
    return Findings(algorithm="unknown", total=total_steps(log), has_finished=has_finished(log), notes=(note,))


DIALECT = Dialect("unknown", "unknown", {}, recognise, examine)
