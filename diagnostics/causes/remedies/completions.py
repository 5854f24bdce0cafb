"""Remedies in how answers are sampled and how they end."""

from diagnostics.causes.remedies.changed_settings import END_TOKENS, LEAST_LENGTH, LENGTH_LIMIT
from diagnostics.causes.remedies.remedy import ANY, Keep, Remedy
from diagnostics.causes.remedies.suggestions import (
    by_hand,
    multiply_by,
    no_least_length,
    no_top_k,
    scored_temperature,
    set_if_unset,
    set_to,
)

FAQ = "TRL training FAQ: how to generate text for training"

COMPLETION_REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "no-top-k", {ANY: ("top_k",)}, no_top_k,
        "Top-k sampling picks from another distribution than the one that is scored.", FAQ,
        unstated={"ppo-legacy": 0},
    ),
    Remedy(
        "no-top-p", {ANY: ("top_p",)}, set_to(1.0),
        "Nucleus sampling picks from another distribution than the one that is scored.", FAQ,
        unstated={"ppo-legacy": 1.0},
    ),
    Remedy(
        "no-min-p", {ANY: ("min_p",)}, lambda current, run: 0.0 if current else Keep.AS_IS,
        "A floor on probabilities samples from another distribution than the one that is scored.", FAQ,
    ),
    Remedy(
        "free-end", LEAST_LENGTH, no_least_length,
        "While the end token is forbidden, the policy may push its probability to nothing and be paid for it.",
        FAQ, unstated={"ppo-legacy": -1},
    ),
    Remedy(
        "true-sampling", {ANY: ("do_sample",)}, set_to(True),
        "Taking the likeliest token explores nothing and is not what is scored.", FAQ,
    ),
    Remedy(
        "no-repetition-penalty", {ANY: ("repetition_penalty",)}, set_to(1.0),
        "The penalty samples from a distribution that depends on what was said, which is not the one scored.",
        FAQ,
    ),
    Remedy(
        "scored-temperature", {ANY: ("rollout_temperature",)}, scored_temperature,
        "Sampling at the temperature that is scored makes the KL an unbiased estimate again.", FAQ,
    ),
    Remedy(
        "longer-completions", LENGTH_LIMIT, multiply_by(3),
        "Answers that fit are scored for what they say and can end by themselves.",
        "TRL logging page (completions/clipped_ratio); TRL issue 5697", is_advice=True,
    ),
    Remedy(
        "eos-trick", {"ppo": ("missing_eos_penalty",)}, set_if_unset(1.0),
        "A penalty on answers without an end token teaches the policy to end them.", "TRL PPO page: the EOS trick",
        unstated={ANY: 1.0},
    ),
    Remedy(
        "stop-at-eos", {"ppo": ("stop_token",)}, set_if_unset("eos"),
        "Without a stop token everything behind the first end token is scored as well.", "TRL PPO page: the EOS trick",
        unstated={ANY: "eos"},
    ),
    Remedy(
        "true-temperature", {ANY: ("temperature",)}, set_to(1.0),
        "Sampling at temperature 1 keeps the variety that the policy itself has.",
        "DAPO (arXiv 2503.14476) and TRL GRPOConfig: temperature 1.0",
    ),
    Remedy(
        "adaptive-entropy", {"grpo": ("adaptive_entropy",)}, set_to(True),
        "An entropy bonus that adapts itself holds the entropy near a target.",
        "TRL GRPOConfig: use_adaptive_entropy, entropy_target",
    ),
    Remedy(
        "token-loss", {"grpo": ("loss_type",)}, lambda current, run: "dr_grpo" if current == "grpo" else Keep.AS_IS,
        "Dividing by each answer's own length makes long wrong answers cheap; dr_grpo divides by a constant.",
        "Dr. GRPO (arXiv 2503.20783)",
    ),
    Remedy(
        "counted-truncated", {"grpo": ("mask_truncated",)}, set_to(False),
        "Where most answers are cut off, masking them leaves next to no gradient.",
        "TRL GRPOConfig: mask_truncated_completions",
    ),
    Remedy(
        "true-end-tokens", END_TOKENS, by_hand,
        "List every token that ends a turn (the tokenizer's and the chat template's) as an end token.",
        "TRL pull request 7039", is_advice=True,
    ),
    Remedy(
        "own-padding", {"ppo": (), "ppo-legacy": ()}, by_hand,
        "Give the tokenizer a padding token of its own, or end tokens are taken for padding.",
        "The N+ Implementation Details of RLHF with PPO (arXiv 2403.17031)", is_advice=True,
    ),
)  # fmt: skip
