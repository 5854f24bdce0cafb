"""Remedies in the reward, in the KL penalty beside it, and in the prompts."""

from diagnostics.causes.remedies.changed_settings import KL_WEIGHT, PROMPTS, REWARD_SOURCE
from diagnostics.causes.remedies.kl_weight import (
    fitted_kl_weight,
    may_have_kl_penalty,
    switch_on_if_there_is_no_penalty,
    usual_kl_weight,
)
from diagnostics.causes.remedies.remedy import ANY, BY_HAND, Remedy
from diagnostics.causes.remedies.reward_functions import (
    finite_functions,
    has_several_rewards,
    is_short_of_full_marks,
    weights_that_pay_no_marks,
)
from diagnostics.causes.remedies.suggestions import (
    by_hand,
    multiply_by,
    positive_weights,
    scale_by_batch_not_group,
    scale_if_unscaled,
    set_to,
    stronger_kl_weight,
)

REWARD_REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "whitened-rewards", {"ppo": ("whiten_rewards",), "ppo-legacy": ("whiten_rewards",)}, set_to(True),
        "Rewards of a common scale give advantages and returns that the critic can follow.",
        "TRL PPOConfig: whiten_rewards", unstated={ANY: True},
    ),
    Remedy(
        "stronger-kl", KL_WEIGHT, stronger_kl_weight,
        "A stronger KL penalty holds the policy nearer to the reference.",
        "TRL training FAQ: keep the KL between 0 and 10", is_advice=True, applies=may_have_kl_penalty,
    ),
    Remedy(
        "kl-penalty-on", {ANY: ("use_kl_loss",)}, switch_on_if_there_is_no_penalty,
        "Without a KL penalty nothing holds the policy near the reference.",
        "TRL training FAQ: keep the KL between 0 and 10",
    ),
    Remedy(
        "fitted-kl", KL_WEIGHT, fitted_kl_weight,
        "On the way to 0.2 nats per token and beyond, each nat of an answer's KL earned up to {gain} of reward as the "
        "loss counts it: a penalty of as much makes going there not worthwhile.",
        "Gao et al. 2022 (arXiv 2210.10760): reward over the root of KL; TRL training FAQ: keep the KL between 0 and "
        "10",
    ),
    Remedy(
        "checked-reward", REWARD_SOURCE, by_hand,
        "Call the reward on a right, a wrong, an empty and an extreme answer: it must be finite and rank them.",
        "TRL training FAQ: inspect the reward model", is_advice=True,
    ),
    Remedy(
        "reweighted-rewards", {ANY: ("reward_weights",)}, by_hand,
        "Give the function that does not move more weight, or train on it alone first.",
        "TRL training FAQ: start simple", applies=has_several_rewards, is_advice=True,
    ),
    Remedy(
        "unpaid-marks", {ANY: ("reward_weights",)}, weights_that_pay_no_marks,
        "Of the reward functions it is {function} that pays for the marks: without weight it can be corrected while "
        "the others train.",
        "TRL training FAQ: inspect the reward model",
    ),
    Remedy(
        "finite-functions", REWARD_SOURCE, finite_functions,
        "{function} returned a value that is not a number: leave it out until it is corrected.",
        "by definition: one NaN in the loss reaches every weight",
    ),
    Remedy(
        "positive-weights", {ANY: ("reward_weights",)}, positive_weights,
        "A weight below 0 makes the policy learn the opposite of what its function pays for.",
        "TRL GRPOConfig: reward_weights", is_advice=True,
    ),
    Remedy(
        "weaker-kl", KL_WEIGHT, usual_kl_weight,
        "A third of the KL penalty, or the default where it is far beyond that, leaves more of the reward to the "
        "score.",
        "TRL training FAQ: the actual reward can be very small compared to the penalty; PPOConfig: kl_coef 0.05, "
        "GRPOConfig up to 0.18: beta 0.04", is_advice=True,
    ),
    Remedy(
        "score-scaling", {"ppo": ("use_score_scaling",), "ppo-legacy": ("use_score_scaling",)}, set_to(True),
        "Scores of a common scale fit the KL penalty and the value model's clip range.",
        "TRL PPOConfig (up to 0.11): use_score_scaling; The N Implementation Details of RLHF with PPO",
    ),
    Remedy(
        "checked-prompts", PROMPTS, by_hand,
        "Print one prompt as the model gets it: the question must be in it, after the template and the tokenizer.",
        "by definition: an answer can only depend on what the prompt says",
    ),
    Remedy(
        "easier-prompts", PROMPTS, by_hand,
        "Begin with prompts that the model solves now and then; without a success there is nothing to raise.",
        "rlhf-book: prompts that are solved in 20 to 80 % of cases", is_advice=True, applies=is_short_of_full_marks,
    ),
    Remedy(
        "harder-prompts", PROMPTS, by_hand,
        "Go on with prompts that are not solved yet, or stop.",
        "rlhf-book: prompts that are solved in 20 to 80 % of cases", is_advice=True,
    ),
    Remedy(
        "mixed-prompts", PROMPTS, by_hand,
        "Keep the prompts that are solved in 20 to 80 % of cases: only they tell answers apart.",
        "DAPO (arXiv 2503.14476), dynamic sampling", is_advice=True,
    ),
    Remedy(
        "more-generations", {"grpo": ("num_generations",), "rloo": ("num_generations",)}, multiply_by(2),
        "With twice as many answers to a prompt a group of equal rewards is rarer.",
        "TRL GRPOConfig: num_generations 8", is_advice=True,
    ),
    Remedy(
        "unscaled-rewards", {"grpo": ("scale_rewards",)}, scale_by_batch_not_group,
        "A spread taken over the batch does not blow up what differs by next to nothing.",
        "TRL GRPOConfig: scale_rewards; Dr. GRPO (arXiv 2503.20783)", unstated=BY_HAND,
    ),
    Remedy(
        "scaled-rewards", {"grpo": ("scale_rewards",)}, scale_if_unscaled,
        "Divided by the spread of the batch, advantages are about 1, whatever the rewards' scale.",
        "TRL GRPOConfig: scale_rewards; Liu et al. 2025 (arXiv 2508.08221)",
    ),
    Remedy(
        "normalised-rewards", {"grpo": ("reward_aggregation",)}, set_to("normalize_then_sum"),
        "Normalising each function on its own keeps one of large scale from deciding alone.",
        "GDPO (arXiv 2601.05242)", unstated={ANY: "normalize_then_sum"}, applies=has_several_rewards,
    ),
    Remedy(
        "gated-format", REWARD_SOURCE, by_hand,
        "Pay for the form only together with a right answer: multiply the two instead of adding them.",
        "open-r1 issue 403; LessWrong testbed of verifiable rewards", is_advice=True,
    ),
    Remedy(
        "length-neutral-reward", REWARD_SOURCE, by_hand,
        "Take from the reward what length alone explains, or make long answers cost something.",
        "A Long Way to Go (arXiv 2310.03716)", is_advice=True,
    ),
    Remedy(
        "query-baseline", REWARD_SOURCE, by_hand,
        "Subtract the reward of the query alone, r(query + answer) − r(query), so that the answer decides.",
        "TRL training FAQ: the reward may be dominated by the query", is_advice=True,
    ),
)  # fmt: skip
