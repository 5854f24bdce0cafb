"""What people call the metrics of loops of their own: `avg_reward`, `Mean Reward`, `train/kl_div`.

A name counts when its words, without those that say "the mean" or "of this step" and what it is a mean over, are one
of a few that can hardly mean anything else. Extremes and deviations keep their word and are never taken for the mean. A
length is not among them: it may be of tokens, characters or whole sequences.
"""

import re
from collections.abc import Iterable
from itertools import takewhile

_SILENT = frozenset(("avg", "average", "mean", "train", "training", "batch", "step", "current", "the", "of"))
_OVER = frozenset(("over", "across"))  # what follows is what the mean is of
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SHARES = ("success rate", "solve rate", "win rate")  # the reward where nothing else is
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
}
_RANKS = {spelled: rank for spellings in _MEANINGS.values() for rank, spelled in enumerate(spellings)}
_METRIC = {spelled: metric for metric, spellings in _MEANINGS.items() for spelled in spellings}
SPELLINGS = {"_".join(spelled.split()): metric for spelled, metric in _METRIC.items() if spelled not in _SHARES}
"""The plainest spelling of each name, by which it is listed and looked up."""


def loose_names(tags: Iterable[str]) -> dict[str, str]:
    """The metric of each tag that is known by its words; of several tags of one metric the best known spelling."""
    spelled = {tag: words for tag in tags if (words := _words(tag)) in _METRIC}
    first: dict[str, str] = {}  # metric → tag
    for tag in sorted(spelled, key=lambda tag: _RANKS[spelled[tag]]):
        first.setdefault(_METRIC[spelled[tag]], tag)
    return {tag: metric for metric, tag in first.items()}


def _words(tag: str) -> str:
    words = takewhile(lambda word: word not in _OVER, map(str.lower, _WORD.findall(tag)))
    return " ".join(word for word in words if word not in _SILENT)
