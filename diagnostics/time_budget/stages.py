"""The stages of a step, and the metrics that time each of them."""

from collections.abc import Mapping
from typing import NamedTuple


class Stage(NamedTuple):
    """One stage. `timed_by`: groups of metrics, the first group with one that is logged counts, and is added up."""

    name: str
    title: str
    timed_by: tuple[tuple[str, ...], ...]


WAIT = "wait"
GENERATE = "generate"
SCORE = "score"
UPDATE = "update"
SYNC = "sync"
OTHER = "other"

STAGES: tuple[Stage, ...] = (
    Stage(WAIT, "waiting for rollouts", (("rollout_wait_time",),)),
    Stage(GENERATE, "generation", (("generation_time",),)),
    Stage(SCORE, "scoring", (("reward_time",),)),
    Stage("reference", "the reference model", (("reference_time",),)),
    Stage("old-logprobs", "old log-probabilities and values", (("old_logprobs_time", "values_time"),)),
    Stage("advantages", "advantages", (("advantages_time",),)),
    Stage(UPDATE, "updates", (("update_time", "value_update_time"), ("forward_backward_time", "optimizer_time"))),
    Stage(SYNC, "weight syncs", (("weight_sync_time",),)),
    Stage("data", "data", (("data_time",),)),
    Stage("evaluation", "evaluation", (("evaluation_time",),)),
    Stage("checkpoint", "checkpoints", (("checkpoint_time",),)),
    Stage("log", "logging", (("logging_time",),)),
)
"""In the order in which a step passes through them."""

TITLES: Mapping[str, str] = {**{stage.name: stage.title for stage in STAGES}, OTHER: "not timed"}
"""What each stage is called in a sentence."""

OF_ROLLOUTS = frozenset({GENERATE, SCORE})
"""What the rollout workers do; beside the trainer's step where the two overlap."""
