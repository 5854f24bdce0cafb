"""Logs that hold no reinforcement learning: supervised training, preference optimisation or evaluation alone."""

import re
from collections.abc import Iterable

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
_OF_BOTH_ANSWERS = ({"rewards/chosen", "rewards/rejected"}, {"eval/rewards/chosen", "eval/rewards/rejected"})
_REFERENCE_POINT = re.compile(r"(^|/)kl$")
"""What KTO logs beside them: a baseline of its loss, taken over answers that belong to other prompts."""
_OF_A_REWARD_MODEL = re.compile(r"(^|/)(min|max|mean)[ _]reward$")
_BESIDE_IT = frozenset({"accuracy", "margin"})
"""What the training of a reward model logs of its answers to pairs; no RL logs both."""
_SCORES_OF_EVALUATION = re.compile(r"^eval[/_](?!.*(reward|return|policy|critic|actor|episode|rollout))")
_SETTINGS_OF_RL = frozenset({"num_generations", "max_completion_length", "num_ppo_epochs", "cliprange", "init_kl_coef"})
_SETTINGS_OF_PREFERENCES = frozenset({"max_completion_length"})  # of DPO, KTO, CPO and BCO as well


def optimises_preferences(tags: Iterable[str]) -> bool:
    """Whether these are tags of DPO, KTO and their kin, which train on given answers and log what these imply."""
    bare = {tag.lower().removeprefix("train/") for tag in tags}
    return any(bare >= pair for pair in _OF_BOTH_ANSWERS)


def is_reference_point(tag: str) -> bool:
    """Whether a tag in a log of preferences is no KL to a reference, but the baseline of KTO's loss."""
    return _REFERENCE_POINT.search(tag.lower()) is not None


def supervised_tags(run: Run) -> tuple[str, ...]:
    """The losses and accuracies of a log that holds no RL; empty where there is any sign of RL, or no sign of these.

    Signs of RL are an algorithm that the producer names, a setting that only RL has, samples, and any metric or tag
    about reward, score, advantage, KL, value, policy or rollout. What a reward model is trained with is none, nor what
    the optimisation of preferences logs, nor is a score of an evaluation that no trainer names.
    """
    by_preferences = optimises_preferences(series.tag for series in run.series.values())
    settings = _SETTINGS_OF_RL - _SETTINGS_OF_PREFERENCES if by_preferences else _SETTINGS_OF_RL
    has_sign = run.algorithm != "unknown" or run.samples.steps or not settings.isdisjoint(run.config)
    names = _names_but_of_a_reward_model(run)
    if by_preferences:
        names = [name for name in names if not is_reference_point(run.series[name].tag)]
    if has_sign or any(_is_of_rl(run, name) for name in names):
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
