"""The producer of logs that no other one recognises.

Canonical names keep their meaning, and so do those that can mean nothing else; other tags stay unmapped. The algorithm
is the one that the path names: people call such files and folders after it.
"""

import re
from pathlib import Path

from diagnostics.language import N_
from diagnostics.model.supervised import is_reference_point, optimises_preferences
from diagnostics.producers.log import Log
from diagnostics.producers.loose_names import SPELLINGS, loose_names
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import LogTraits, Trainer
from diagnostics.producers.trl.trainer_rows import has_finished, total_steps
from diagnostics.told import first_of, told

SHOWN_TAGS = 4
FOLDERS = 3  # of the path's last parts, in which an algorithm may be named
_ALGORITHM = re.compile(r"(?i)(?<![a-z])(grpo|ppo|rloo)(?![a-z])")
_OF_RL = {"reward", "kl_per_sequence", "policy_loss"}
NAMED_BY_PATH = N_("The log does not say its algorithm; its path names {algorithm}")
NAMED_BY_NOTHING = N_(
    "The log does not say its algorithm, nor does its path; rlvitals.toml can: algorithm = 'grpo' below [run]"
)
NO_METRIC = N_("The log holds no metric, by which the producer and the algorithm are known")
NO_LOG = N_("This is no log of PPO, GRPO, RLOO or online DPO that is known here: it holds {found}")


def recognise(log: Log) -> float:
    """The last resort: below every other trainer, above none at all."""
    return 0.01


def read_traits(log: Log) -> LogTraits:
    """The algorithm that the path names, if the log holds metrics; else none, and a note what it holds instead."""
    tags = sorted(log.series)
    points = frozenset(filter(is_reference_point, tags)) if optimises_preferences(tags) else frozenset[str]()
    named = loose_names(tag for tag in tags if tag not in points)
    is_of_rl = not _OF_RL.isdisjoint(named.values())
    algorithm = _named_by(log.recording.path) if is_of_rl else None
    note = told(NO_METRIC)
    if is_of_rl:
        note = told(NAMED_BY_PATH, algorithm=algorithm.upper()) if algorithm else told(NAMED_BY_NOTHING)
    elif tags:
        note = told(NO_LOG, found=first_of(tags, SHOWN_TAGS))
    return LogTraits(
        algorithm=algorithm or "unknown",
        renamed=named,
        ignored=points | {tag for tag in tags if tag not in named and TAGS.get(tag) in named.values()},
        total=total_steps(log),
        has_finished=has_finished(log),
        notes=(note,),
    )


def _named_by(path: Path) -> str | None:
    """The algorithm in the name of the log, or else in those of the folders right above it."""
    for part in reversed(path.parts[-FOLDERS:]):
        named = {match[0].lower() for match in _ALGORITHM.finditer(part)}
        if len(named) == 1:
            return named.pop()
    return None


TAGS = {"reward_mean": "reward", "mean_reward": "reward", **SPELLINGS}

PRODUCER = Producer("unknown", (Trainer("unknown", TAGS, recognise, read_traits),))
