"""The vocabulary: every metric that rlvitals knows, under one name whatever the trainer calls it.

A canonical name says what is measured and, where units differ between trainers, per what: `kl_per_sequence` (nats
summed over a response) and `kl_per_token` (nats) are two metrics. A metric of one reward function carries its name
after a slash: `reward_func_mean/accuracy`. Evaluation metrics carry the prefix `eval/`, those of every rollout, whether
it is trained on or not, `all/`, and those of a part of the data `part/` and its name: `part/gsm8k/reward`.
"""

from diagnostics.model.metric import Metric
from diagnostics.model.vocabulary.advantage import ADVANTAGE_METRICS
from diagnostics.model.vocabulary.clipping import CLIPPING_METRICS
from diagnostics.model.vocabulary.correction import CORRECTION_METRICS
from diagnostics.model.vocabulary.engine import ENGINE_METRICS
from diagnostics.model.vocabulary.environment import ENVIRONMENT_METRICS
from diagnostics.model.vocabulary.kl import KL_METRICS
from diagnostics.model.vocabulary.length import LENGTH_METRICS
from diagnostics.model.vocabulary.loss_mask import LOSS_MASK_METRICS
from diagnostics.model.vocabulary.memory import MEMORY_METRICS
from diagnostics.model.vocabulary.packing import PACKING_METRICS
from diagnostics.model.vocabulary.part_time import PART_TIME_METRICS
from diagnostics.model.vocabulary.policy import POLICY_METRICS
from diagnostics.model.vocabulary.progress import PROGRESS_METRICS
from diagnostics.model.vocabulary.reward import REWARD_METRICS
from diagnostics.model.vocabulary.rollout_time import ROLLOUT_TIME_METRICS
from diagnostics.model.vocabulary.staleness import STALENESS_METRICS
from diagnostics.model.vocabulary.throughput import THROUGHPUT_METRICS
from diagnostics.model.vocabulary.time import TIME_METRICS
from diagnostics.model.vocabulary.update import UPDATE_METRICS
from diagnostics.model.vocabulary.value import VALUE_METRICS

METRICS: tuple[Metric, ...] = (
    *REWARD_METRICS,
    *KL_METRICS,
    *UPDATE_METRICS,
    *CLIPPING_METRICS,
    *ADVANTAGE_METRICS,
    *LOSS_MASK_METRICS,
    *POLICY_METRICS,
    *VALUE_METRICS,
    *LENGTH_METRICS,
    *ENGINE_METRICS,
    *CORRECTION_METRICS,
    *STALENESS_METRICS,
    *ENVIRONMENT_METRICS,
    *TIME_METRICS,
    *PART_TIME_METRICS,
    *ROLLOUT_TIME_METRICS,
    *THROUGHPUT_METRICS,
    *PACKING_METRICS,
    *MEMORY_METRICS,
    *PROGRESS_METRICS,
)
"""All entries, section by section."""

EVAL_PREFIX = "eval/"
ALL_PREFIX = "all/"
PART_PREFIX = "part/"
PER_FUNCTION = frozenset({"reward_func_mean", "reward_func_std"})  # metrics of one reward function, named after a slash

_BY_NAME = {entry.name: entry for entry in METRICS}
_BEFORE_SLASH = PER_FUNCTION | {prefix.removesuffix("/") for prefix in (EVAL_PREFIX, ALL_PREFIX, PART_PREFIX)}


def metric(name: str) -> Metric | None:
    """The entry for a canonical name, a reward function's too (`reward_func_mean/accuracy`); None for a raw tag."""
    first, slash, _ = name.partition("/")
    if not slash:
        return _BY_NAME.get(name)
    if first not in _BEFORE_SLASH:
        return None
    base = _of_whole(name.removeprefix(EVAL_PREFIX)).removeprefix(ALL_PREFIX)
    family = base.split("/", 1)[0]
    return _BY_NAME.get(family if family in PER_FUNCTION else base)


def subject(name: str) -> str:
    """What a canonical name is about: a reward function, a part of the data, all rollouts; empty for the whole."""
    base = name.removeprefix(EVAL_PREFIX)
    if is_of_part(name):
        return base.removeprefix(PART_PREFIX).rpartition("/")[0]
    if base.startswith(ALL_PREFIX):
        return "all rollouts"
    return base.partition("/")[2]


def is_of_part(name: str) -> bool:
    """Whether a canonical name is about a part of the data."""
    return name.removeprefix(EVAL_PREFIX).startswith(PART_PREFIX)


def _of_whole(name: str) -> str:
    """The name without the part of the data that it is about."""
    return name.rpartition("/")[2] if name.startswith(PART_PREFIX) else name
