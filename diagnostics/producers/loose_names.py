"""What people call the metrics of loops of their own: `avg_reward`, `Mean Reward`, `train/kl_div`.

A name counts when its words, without those that say "the mean" or "of this step" and what it is a mean over, are one
of a few that can hardly mean anything else. Extremes and deviations keep their word and are never taken for the mean. A
length counts where the name says that it is the answers', a count of tokens where it says that it is a mean. What a
loop evaluates, and what its reward functions give, are known only beside the reward that it trains on.
"""

import re
from collections.abc import Iterable
from itertools import takewhile

_MEAN = frozenset(("avg", "average", "mean"))
_SILENT = _MEAN | {"train", "training", "batch", "step", "current", "the", "of"}
_OVER = frozenset(("over", "across"))  # what follows is what the mean is of
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SHARES = ("success rate", "solve rate", "win rate", "return")  # the reward where nothing else is
_EVALUATIONS = ("eval", "evaluation", "val", "validation", "test")
_MARKS = ("reward", "score", "accuracy", "acc")
_EVALUATED = "eval/reward"
_FUNCTION = "reward_func_mean/"
_FUNCTIONS = ("format", "answer", "accuracy", "correctness", "length", "reasoning")  # what rewards are most often for
_MEANINGS = {
    "reward": ("reward", "rewards", "total reward", "episode reward", "rollout reward", "running reward", *_SHARES),
    "reward_std": ("reward std", "rewards std", "std reward", "reward stddev"),
    "loss": ("loss", "losses", "grpo loss", "ppo loss", "rl loss"),
    "policy_loss": ("policy loss", "policy losses", "pg loss", "actor loss", "pi loss"),
    "value_loss": (
        "value loss",
        "value losses",
        "critic loss",
        "vf loss",
        "v loss",
        "value fn loss",
        "value function loss",
    ),
    "kl_per_sequence": (
        "objective kl",
        "kl",
        "kls",
        "kl div",
        "kl divergence",
        "ref kl",
        "kl ref",
        "kl to ref",
        "kl reference",
    ),
    "approx_kl": ("approx kl", "approxkl", "approx kl old"),
    "entropy_per_token": ("entropy", "entropies", "policy entropy", "token entropy"),
    "grad_norm": ("grad norm", "grad norms", "gradient norm", "gradnorm"),
    "learning_rate": ("lr", "learning rate"),
    "clip_fraction": ("clip frac", "clipfrac", "clip fraction", "clipped frac"),
    "explained_variance": (
        "explained variance",
        "explained var",
        "var explained",
        "val var explained",
        "variance explained",
    ),
    "zero_std_fraction": ("frac reward zero std", "frac zero std", "zero std frac", "zero std fraction"),
    "truncated_fraction": tuple(
        f"{cut} {share}"
        for cut in ("truncated", "truncation", "trunc")
        for share in ("fraction", "frac", "rate", "ratio")
    ),
    "length_mean": tuple(
        f"{whose} {length}"
        for whose in ("completion", "response", "answer", "generation", "gen")
        for length in ("length", "len", "token length", "tokens")
    ),
    **{f"{_FUNCTION}{of}": (f"{of} reward", f"reward {of}", f"{of} rewards") for of in _FUNCTIONS},
    _EVALUATED: tuple(f"{when} {marks}" for marks in _MARKS for when in _EVALUATIONS),
}
_RANKS = {spelled: rank for spellings in _MEANINGS.values() for rank, spelled in enumerate(spellings)}
_METRIC = {spelled: metric for metric, spellings in _MEANINGS.items() for spelled in spellings}


def _needs_a_reward(metric: str) -> bool:
    return metric.startswith((_EVALUATED, _FUNCTION))


SPELLINGS = {
    "_".join(spelled.split()): metric
    for spelled, metric in _METRIC.items()
    if not (spelled in _SHARES or spelled.endswith("tokens") or _needs_a_reward(metric))
}
"""The plainest spelling of each name that needs nothing beside it, by which it is listed and looked up."""


def loose_names(tags: Iterable[str]) -> dict[str, str]:
    """The metric of each tag that is known by its words; of several tags of one metric the best known spelling."""
    spelled = {tag: spelling for tag in tags if (spelling := _spelling(tag)) in _METRIC}
    first: dict[str, str] = {}  # metric → tag
    for tag in sorted(spelled, key=lambda tag: _RANKS[spelled[tag]]):
        first.setdefault(_METRIC[spelled[tag]], tag)
    return {tag: metric for metric, tag in first.items() if "reward" in first or not _needs_a_reward(metric)}


def _spelling(tag: str) -> str:
    """The words that count; none of a count of tokens that does not say that it is a mean, and may be a sum."""
    words = list(takewhile(lambda word: word not in _OVER, map(str.lower, _WORD.findall(tag))))
    if words[-1:] == ["tokens"] and _MEAN.isdisjoint(words):
        return ""
    return " ".join(word for word in words if word not in _SILENT)
