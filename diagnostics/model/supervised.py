"""Logs that hold no reinforcement learning: supervised training, preference optimisation or evaluation alone."""

import re

from diagnostics.model.run import Run
from diagnostics.model.vocabulary import EVAL_PREFIX

_METRICS_OF_BOTH = frozenset({"loss", "total_loss", "grad_norm", "learning_rate", "entropy_per_token"})
_SECTIONS_OF_BOTH = frozenset({"progress", "time", "memory"})
_WORDS_OF_RL = re.compile(
    r"reward|score|advantage|return|rollout|policy|critic|actor|episode|(^|[^a-z])(kl|ppo|grpo|rloo|env)([^a-z]|$)"
)
_WORDS_OF_SUPERVISION = re.compile(r"loss|acc(uracy)?([^a-z]|$)|perplexity|(^|[^a-z])(ppl|bleu|rouge|f1|wer|auc|mse)")
_OF_PREFERENCES = re.compile(r"(^|/)rewards/(chosen|rejected|margins|accuracies)$")
"""DPO's implicit rewards, which nobody gave."""


def supervised_tags(run: Run) -> tuple[str, ...]:
    """The losses and accuracies of a log that holds no RL; empty where there is any sign of RL, or no sign of these.

    Signs of RL are an algorithm that the producer names, samples, and any metric or tag about reward, score, advantage,
    KL, value, policy or rollout.
    """
    if run.algorithm != "unknown" or run.samples.steps or any(_is_of_rl(run, name) for name in run.series):
        return ()
    tags = (series.tag for series in run.series.values() if len(series))
    return tuple(tag for tag in tags if _WORDS_OF_SUPERVISION.search(tag.lower()))


def _is_of_rl(run: Run, name: str) -> bool:
    series, base = run.series[name], name.removeprefix(EVAL_PREFIX)
    metric = series.metric
    if metric is not None and base not in _METRICS_OF_BOTH and metric.section not in _SECTIONS_OF_BOTH:
        return True
    tag = series.tag.lower()
    return _OF_PREFERENCES.search(tag) is None and _WORDS_OF_RL.search(tag) is not None
