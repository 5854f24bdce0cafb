"""The vocabulary: every metric that rlvitals knows, under one name whatever the trainer calls it.

A canonical name says what is measured and, where units differ between trainers, per what: `kl_per_sequence` (nats
summed over a response) and `kl_per_token` (nats) are two metrics. A metric of one reward function carries its name
after a slash: `reward_func_mean/accuracy`. Evaluation metrics carry the prefix `eval/`.
"""

from diagnostics.model.metric import Metric
from diagnostics.model.vocabulary.kl import KL_METRICS
from diagnostics.model.vocabulary.length import LENGTH_METRICS
from diagnostics.model.vocabulary.policy import POLICY_METRICS
from diagnostics.model.vocabulary.progress import PROGRESS_METRICS
from diagnostics.model.vocabulary.reward import REWARD_METRICS
from diagnostics.model.vocabulary.rollout import ROLLOUT_METRICS
from diagnostics.model.vocabulary.update import UPDATE_METRICS
from diagnostics.model.vocabulary.value import VALUE_METRICS

METRICS: tuple[Metric, ...] = (
    *REWARD_METRICS,
    *KL_METRICS,
    *UPDATE_METRICS,
    *POLICY_METRICS,
    *VALUE_METRICS,
    *LENGTH_METRICS,
    *ROLLOUT_METRICS,
    *PROGRESS_METRICS,
)
"""All entries, section by section."""

EVAL_PREFIX = "eval/"
PER_FUNCTION = frozenset({"reward_func_mean", "reward_func_std"})  # metrics of one reward function, named after a slash

_BY_NAME = {entry.name: entry for entry in METRICS}


def metric(name: str) -> Metric | None:
    """The entry for a canonical name, a reward function's too (`reward_func_mean/accuracy`); None for a raw tag."""
    base = name.removeprefix(EVAL_PREFIX)
    family = base.split("/", 1)[0]
    return _BY_NAME.get(family if family in PER_FUNCTION else base)
