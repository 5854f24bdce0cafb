"""Recipes: named training settings, healthy ones that learn in under two minutes and sick ones to study."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from trainer.faults.learning import DRASTIC_UPDATES
from trainer.faults.sampling import FORBIDDEN_END

_TINY = {"learning_rate": 3e-4, "lr_scheduler_type": "constant_with_warmup", "max_steps": 100, "num_threads": 1}
_PPO = {
    **_TINY,
    "task": "remarks",
    "response_length": 14,
    "per_device_train_batch_size": 64,
    "num_ppo_epochs": 2,
    "num_mini_batches": 2,
    "kl_coef": 0.05,
    "warmup_steps": 5,  # Adam's first step is as long as any other: without this it moves some tokens by a factor of 5
}
_GRPO = {
    **_TINY,
    "task": "addition",
    "learning_rate": 1e-4,
    "max_completion_length": 26,
    "per_device_train_batch_size": 128,
    "num_generations": 16,
    "beta": 0.02,
}
_RLOO = {**_GRPO, "max_steps": 60}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named set of option values for one algorithm.

    `rules` names the rules that the run should set off; a healthy recipe has none.
    """

    name: str
    algorithm: str
    title: str
    description: str
    values: Mapping[str, Any]
    rules: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether no rule is expected to fire."""
        return not self.rules


_ALL = (
    Recipe(
        "ppo-remarks",
        "ppo",
        "PPO learns to be nice about films",
        "A tiny language model finishes openings of film remarks; a small learned reward likes positive ones.",
        _PPO,
    ),
    Recipe(
        "grpo-addition",
        "grpo",
        "GRPO learns to use a scratchpad",
        "A tiny model adds two numbers. It can work with a scratchpad but rarely does; the accuracy reward makes it.",
        _GRPO,
    ),
    Recipe(
        "ppo-addition",
        "ppo",
        "PPO on addition",
        "The addition task with PPO: a value model instead of groups.",
        {**_PPO, "task": "addition", "max_steps": 60, "response_length": 26, "learning_rate": 2e-4, "warmup_steps": 10},
    ),
    Recipe(
        "grpo-remarks",
        "grpo",
        "GRPO on film remarks",
        "The remarks task with GRPO: groups instead of a value model.",
        {**_GRPO, "task": "remarks", "max_steps": 60, "max_completion_length": 14, "beta": 0.05},
    ),
    Recipe(
        "rloo-addition",
        "rloo",
        "RLOO on addition",
        "The addition task with RLOO: each answer against the mean of the others, and the KL penalty in the reward.",
        _RLOO,
    ),
    Recipe(
        "ppo-kl-negative",
        "ppo",
        "Negative KL",
        "The end is forbidden for 12 tokens, and a response that has not ended after 14 pays. So the policy makes the "
        "end likelier everywhere, also where it is never drawn: the drawn tokens become less likely than under the "
        "reference, the KL estimate falls below 0, and that is rewarded.",
        {**_PPO, "max_steps": 50, **FORBIDDEN_END, "learning_rate": 2.5e-4},
        rules=("kl-negative",),
    ),
    Recipe(
        "ppo-ratio-explosion",
        "ppo",
        "Ratio far from 1",
        "Sixteen passes over each batch at a learning rate several times too high, and neither the clip range nor the "
        "gradient norm limits an update.",
        {**_PPO, "max_steps": 15, "warmup_steps": 0, **DRASTIC_UPDATES},
        rules=("ratio-far-from-one",),
    ),
    Recipe(
        "ppo-value-nan",
        "ppo",
        "Value loss becomes NaN",
        "A reward function returns NaN from its 41st call on; one update later every weight is NaN.",
        {**_PPO, "max_steps": 60, "reward_funcs": ("remark_positivity", "nan_after:40")},
        rules=("nonfinite-metric",),
    ),
    Recipe(
        "grpo-cut-off",
        "grpo",
        "Completions are cut off",
        "A remark takes seven tokens on average, but max_completion_length allows three: nine in ten never end.",
        {**_GRPO, "task": "remarks", "max_steps": 60, "max_completion_length": 3},
        rules=("truncation-high",),
    ),
    Recipe(
        "grpo-length-reward",
        "grpo",
        "The reward pays for length",
        "The only reward is the length of the answer: the policy stops ending its completions until all hit the limit.",
        {
            **_GRPO,
            "max_steps": 60,
            "learning_rate": 5e-4,
            "max_completion_length": 12,
            "reward_funcs": ("length",),
        },
        rules=("truncation-high",),
    ),
)

RECIPES: Mapping[str, Recipe] = MappingProxyType({recipe.name: recipe for recipe in _ALL})


def demo_recipe(algorithm: str, task: str) -> Recipe | None:
    """The healthy recipe of an algorithm on a demo task, if there is one."""
    return RECIPES.get(f"{algorithm}-{task}")
