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
_OF_A_REWARD_MODEL = re.compile(r"(^|/)(min|max|mean)[ _]reward$")
_BESIDE_IT = frozenset({"accuracy", "margin"})
"""What the training of a reward model logs of its answers to pairs; no RL logs both."""
_SCORES_OF_EVALUATION = re.compile(r"^eval[/_](?!.*(reward|return|policy|critic|actor|episode|rollout))")
_SETTINGS_OF_RL = frozenset({"num_generations", "max_completion_length", "num_ppo_epochs", "cliprange", "init_kl_coef"})


def supervised_tags(run: Run) -> tuple[str, ...]:
    """The losses and accuracies of a log that holds no RL; empty where there is any sign of RL, or no sign of these.

    Signs of RL are an algorithm that the producer names, a setting that only RL has, samples, and any metric or tag
    about reward, score, advantage, KL, value, policy or rollout. What a reward model is trained with is none, nor is a
    score of an evaluation that no trainer names.
    """
    has_sign = run.algorithm != "unknown" or run.samples.steps or not _SETTINGS_OF_RL.isdisjoint(run.config)
    if has_sign or any(_is_of_rl(run, name) for name in _names_but_of_a_reward_model(run)):
        return ()
    tags = (series.tag for series in run.series.values() if len(series))
    return tuple(tag for tag in tags if _WORDS_OF_SUPERVISION.search(tag.lower()))


def _is_of_rl(run: Run, name: str) -> bool:
    series, base = run.series[name], name.removeprefix(EVAL_PREFIX)
    metric = series.metric
    if metric is not None and base not in _METRICS_OF_BOTH and metric.section not in _SECTIONS_OF_BOTH:
        return True
    tag = series.tag.lower()
    is_of_none = _OF_PREFERENCES.search(tag) or _SCORES_OF_EVALUATION.search(tag)
    return not is_of_none and _WORDS_OF_RL.search(tag) is not None


def _names_but_of_a_reward_model(run: Run) -> list[str]:
    """The names of all series, but those of the rewards of a reward model that learns to judge pairs."""
    tags = {name: series.tag.lower() for name, series in run.series.items()}
    judges_pairs = {tag.rpartition("/")[2] for tag in tags.values()} >= _BESIDE_IT
    return [name for name, tag in tags.items() if not (judges_pairs and _OF_A_REWARD_MODEL.search(tag))]
