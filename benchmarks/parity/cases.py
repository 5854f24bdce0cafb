"""The cases of the parity benchmark: settings under which both trainers make the same updates from the same rollouts.

Option names are TRL's, which are also ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STEPS = 3
"""Steps of a case: the later rollouts are drawn from parameters that the earlier ones have changed."""
LARGEST_DIFFERENCE = 1e-4
"""The tolerance for losses and metrics, relative above 1."""

_GRPO = {
    "task": "addition",
    "reward_funcs": ("addition_accuracy", "addition_format"),
    "reward_weights": (1.0, 0.5),
    "max_completion_length": 26,
    "per_device_train_batch_size": 32,
    "num_generations": 8,
    "learning_rate": 3e-4,
    "max_grad_norm": 0.5,
}
_RLOO = {**_GRPO, "num_generations": 4}
_PPO = {
    "task": "remarks",
    "response_length": 10,
    "per_device_train_batch_size": 16,
    "learning_rate": 2e-4,
    "num_ppo_epochs": 2,
    "num_mini_batches": 2,
    "max_grad_norm": 1e9,  # TRL's PPO does not clip gradients
}
_OF_ALGORITHM: Mapping[str, Mapping[str, Any]] = {"grpo": _GRPO, "rloo": _RLOO, "ppo": _PPO}
_SHARED = {"max_steps": STEPS, "lr_scheduler_type": "constant", "warmup_steps": 0, "num_threads": 1, "seed": 5}


@dataclass(frozen=True, slots=True)
class Case:
    """One setting; `is_padded` says whether completions end before the limit, so that padding exists."""

    name: str
    algorithm: str
    changes: Mapping[str, Any]
    is_padded: bool = True

    @property
    def passes(self) -> int:
        """The number of passes whose gradients are accumulated per update."""
        return int(self.values.get("gradient_accumulation_steps", 1))

    @property
    def accumulates_across_mini_batches(self) -> bool:
        """Whether TRL's PPO accumulates gradients across mini-batches, leaving part of its averages at zero."""
        return self.algorithm == "ppo" and self.passes > 1 and self.values["num_mini_batches"] > 1

    @property
    def values(self) -> dict[str, Any]:
        """Every option that is set, ours and TRL's."""
        return {**_SHARED, **_OF_ALGORITHM[self.algorithm], **self.changes}

    @property
    def clips_completions(self) -> bool:
        """Whether a completion has a single probability ratio, so that the clip fraction is a share of completions."""
        return self.algorithm == "rloo" or self.values.get("importance_sampling_level") == "sequence"


_FULL_LENGTH = {
    "task": "remarks",
    "max_completion_length": 8,
    "min_new_tokens": 8,
    "reward_funcs": ("remark_positivity",),
    "reward_weights": (),
}
_NO_END = {"stop_token": "none"}
_PARTIAL = f"{Path(__file__).with_name('partial_rewards.py')}:short_only"

CASES = (
    Case("grpo loss, β 0", "grpo", {"loss_type": "grpo"}),
    Case("bnpo loss, unscaled", "grpo", {"loss_type": "bnpo", "scale_rewards": "none"}),
    Case("dr_grpo loss, batch scale", "grpo", {"loss_type": "dr_grpo", "scale_rewards": "batch"}),
    Case("dapo loss, β 0.04", "grpo", {"loss_type": "dapo", "beta": 0.04}),
    Case("2 iterations, narrow clip", "grpo", {"num_iterations": 2, "epsilon": 0.05, "epsilon_high": 0.1}),
    Case(
        "grpo loss, 2 iterations, β 0.04, T 0.8",
        "grpo",
        {"loss_type": "grpo", "num_iterations": 2, "beta": 0.04, "epsilon": 0.05, "temperature": 0.8},
    ),
    Case(
        "KL with bias correction, 2 iterations",
        "grpo",
        {"num_iterations": 2, "beta": 0.1, "use_bias_correction_kl": True},
    ),
    Case("some completions unscorable", "grpo", {"reward_funcs": (_PARTIAL,), "reward_weights": ()}),
    Case("linear schedule", "grpo", {"lr_scheduler_type": "linear"}),
    Case(
        "2 × 16 passes, full length",
        "grpo",
        {
            "per_device_train_batch_size": 16,
            "gradient_accumulation_steps": 2,
            "num_iterations": 2,
            "epsilon": 0.05,
            "beta": 0.04,
            **_FULL_LENGTH,
        },
        is_padded=False,
    ),
    Case(
        "2 × 16 passes, padded",
        "grpo",
        {"per_device_train_batch_size": 16, "gradient_accumulation_steps": 2, "beta": 0.04},
    ),
    Case(
        "GSPO: sequence level, grpo loss, 2 iterations",
        "grpo",
        {"importance_sampling_level": "sequence", "loss_type": "grpo", "num_iterations": 2, "epsilon": 0.005},
    ),
    Case(
        "sequence level, dapo loss, KL with bias correction, 2 iterations",
        "grpo",
        {
            "importance_sampling_level": "sequence",
            "num_iterations": 2,
            "epsilon": 0.01,
            "beta": 0.1,
            "use_bias_correction_kl": True,
        },
    ),
    Case(
        "CISPO: weights up to 1.02, 2 iterations, β 0.04",
        "grpo",
        {"loss_type": "cispo", "epsilon_high": 1.02, "num_iterations": 2, "beta": 0.04},
    ),
    Case(
        "cispo loss, 2 × 16 passes",
        "grpo",
        {
            "loss_type": "cispo",
            "epsilon_high": 5.0,
            "per_device_train_batch_size": 16,
            "gradient_accumulation_steps": 2,
        },
    ),
    Case("β 0.05", "rloo", {}),
    Case("no reference, pairs", "rloo", {"beta": 0.0, "num_generations": 2}),
    Case("3 iterations, narrow clip, T 0.8", "rloo", {"num_iterations": 3, "epsilon": 0.05, "temperature": 0.8}),
    Case(
        "normalised advantages, clipped rewards, β 0.5",
        "rloo",
        {"normalize_advantages": True, "reward_clip_range": (0.25, 1.0), "beta": 0.5, "num_iterations": 2},
    ),
    Case(
        "unscorable completions, groups of 8",
        "rloo",
        {"reward_funcs": (_PARTIAL,), "reward_weights": (), "num_generations": 8},
    ),
    Case(
        "2 × 16 passes, 2 iterations",
        "rloo",
        {
            "per_device_train_batch_size": 16,
            "gradient_accumulation_steps": 2,
            "num_iterations": 2,
            "epsilon": 0.05,
        },
    ),
    Case("full length, k1", "ppo", _NO_END, is_padded=False),
    Case("k3, whitened rewards", "ppo", {**_NO_END, "kl_estimator": "k3", "whiten_rewards": True}, is_padded=False),
    Case(
        "narrow clips, γ 0.9, λ 0.8, T 0.7",
        "ppo",
        {**_NO_END, "cliprange": 0.05, "cliprange_value": 0.02, "gamma": 0.9, "lam": 0.8, "temperature": 0.7},
        is_padded=False,
    ),
    Case(
        "1 mini-batch, 2 passes",
        "ppo",
        {**_NO_END, "per_device_train_batch_size": 8, "gradient_accumulation_steps": 2, "num_mini_batches": 1},
        is_padded=False,
    ),
    Case(
        "warm-up, linear schedule",
        "ppo",
        {**_NO_END, "lr_scheduler_type": "linear", "warmup_steps": 1},
        is_padded=False,
    ),
    Case(
        "2 mini-batches, 2 passes",
        "ppo",
        {**_NO_END, "per_device_train_batch_size": 8, "gradient_accumulation_steps": 2},
        is_padded=False,
    ),
    Case("responses end", "ppo", {"stop_token": "eos"}),
    Case(
        "responses end, EOS penalty",
        "ppo",
        {"stop_token": "eos", "missing_eos_penalty": 1.0, "response_length": 6, "whiten_rewards": True},
    ),
)
