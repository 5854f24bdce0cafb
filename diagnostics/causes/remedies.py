"""Fixes as data: what to change, under the name that the run's trainer gives it, to what, and why."""

from collections.abc import Mapping

from diagnostics.causes.measured import (
    default_learning_rate,
    fitted_learning_rate,
    functions_that_are_numbers,
    usual_kl_weight,
    weights_without_what_pays,
)
from diagnostics.causes.remedy import (
    ANY,
    Keep,
    Measured,
    Remedy,
    always,
    at_most,
    bf16_for_fp16,
    clipped_gradient,
    halved,
    halved_epochs,
    neutral_least_length,
    neutral_top_k,
    positive_weights,
    scaled,
    scored_temperature,
    stronger_kl,
    unset_only,
    wider_clip_range,
)
from diagnostics.diagnosis import Fix
from diagnostics.run import Run

LEARNING_RATE = {ANY: ("learning_rate",)}
EPOCHS = {
    "ppo": ("num_ppo_epochs",),
    "ppo-legacy": ("ppo_epochs",),
    "grpo": ("num_iterations",),
    "rloo": ("num_iterations",),
}
KL_WEIGHT = {"ppo": ("kl_coef",), "ppo-legacy": ("init_kl_coef",), ANY: ("beta",)}
LENGTH_LIMIT = {"ppo": ("response_length",), "ppo-legacy": ("max_new_tokens",), ANY: ("max_completion_length",)}
VALUE_CLIP_RANGE = {"ppo": ("cliprange_value",), "ppo-legacy": ("cliprange_value",)}
CLIP_RANGE = {"ppo": ("cliprange",), "ppo-legacy": ("cliprange",), ANY: ("epsilon",)}
REWARD_SOURCE = {"ppo": ("reward_model_path", "reward_funcs"), ANY: ("reward_funcs",)}
DEVICE_BATCH = {ANY: ("per_device_train_batch_size",), "ppo-legacy": ("mini_batch_size",)}
END_TOKENS = {"ppo": ("stop_token_id", "stop_token"), ANY: ("generation_kwargs", "stop_token_id")}
PROMPTS = {ANY: ("dataset_name", "dataset")}
LEAST_LENGTH = {"ppo-legacy": ("min_length",), ANY: ("min_new_tokens", "min_length")}
FAQ = "TRL training FAQ: how to generate text for training"


def fixes_for(run: Run, names: tuple[str, ...]) -> tuple[Fix, ...]:
    """The fixes of these remedies that mean something for the run, in order, each argument once."""
    found: dict[str, Fix] = {}
    for name in names:
        fix = REMEDIES[name].fix(run)
        if fix is not None:
            found.setdefault(fix.parameter, fix)
    return tuple(found.values())


_ALL = (
    Remedy(
        "fitted-learning-rate", LEARNING_RATE, Measured(fitted_learning_rate),
        "One update went as far as {size} nats per token, {times} times the target of 0.01. Its KL grows with the "
        "square of the learning rate, so that a rate {factor} times lower reaches the target.",
        "Schulman's target KL of 0.01; TRL logging page (policy/approxkl_avg)", only_stated=True,
    ),
    Remedy(
        "much-lower-learning-rate", LEARNING_RATE, scaled(0.1),
        "A tenth of the learning rate makes each update small enough for the clipping to be the exception.",
        "TRL logging page (val/ratio); rules of thumb from public runs: ÷3 to ÷10",
    ),
    Remedy(
        "lower-learning-rate", LEARNING_RATE, scaled(1 / 3),
        "A third of the learning rate shrinks each update.",
        "TRL logging page: the clip fraction is high where the learning rate is too high",
    ),
    Remedy(
        "fewer-epochs", EPOCHS, halved_epochs,
        "Fewer passes over the same samples let the policy move less before it generates new ones.",
        "Schulman et al. 2017, PPO: several epochs per batch of samples", only_stated=True,
    ),
    Remedy(
        "restored-clip-range", CLIP_RANGE, at_most(0.3, 0.2),
        "With a clip range this wide the surrogate loss hardly holds the ratio near 1.",
        "TRL PPO page: the ratio gets clipped by cliprange 0.2", only_stated=True,
    ),
    Remedy(
        "restored-value-clip-range", VALUE_CLIP_RANGE, at_most(1.0, 0.2),
        "A bounded step keeps the value model from following one bad batch.",
        "TRL PPOConfig: cliprange_value 0.2", only_stated=True,
    ),
    Remedy(
        "clipped-gradient", {ANY: ("max_grad_norm",)}, clipped_gradient,
        "Clipping the gradient bounds what one bad batch can do.",
        "transformers TrainingArguments: max_grad_norm 1.0", only_stated=True,
    ),
    Remedy(
        "whitened-rewards", {"ppo": ("whiten_rewards",), "ppo-legacy": ("whiten_rewards",)}, always(True),
        "Rewards of a common scale give advantages and returns that the critic can follow.",
        "TRL PPOConfig: whiten_rewards", unstated=True,
    ),
    Remedy(
        "no-top-k", {ANY: ("top_k",)}, neutral_top_k,
        "Top-k sampling picks from another distribution than the one that is scored.", FAQ, unstated=0,
    ),
    Remedy(
        "no-top-p", {ANY: ("top_p",)}, always(1.0),
        "Nucleus sampling picks from another distribution than the one that is scored.", FAQ, unstated=1.0,
    ),
    Remedy(
        "no-min-p", {ANY: ("min_p",)}, lambda current, config: 0.0 if current else Keep.AS_IS,
        "A floor on probabilities samples from another distribution than the one that is scored.", FAQ,
        only_stated=True,
    ),
    Remedy(
        "free-end", LEAST_LENGTH, neutral_least_length,
        "While the end token is forbidden, the policy may push its probability to nothing and be paid for it.",
        FAQ, unstated=-1,
    ),
    Remedy(
        "true-sampling", {ANY: ("do_sample",)}, always(True),
        "Taking the likeliest token explores nothing and is not what is scored.", FAQ, only_stated=True,
    ),
    Remedy(
        "no-repetition-penalty", {ANY: ("repetition_penalty",)}, always(1.0),
        "The penalty samples from a distribution that depends on what was said, which is not the one scored.",
        FAQ, only_stated=True,
    ),
    Remedy(
        "scored-temperature", {ANY: ("rollout_temperature",)}, scored_temperature,
        "Sampling at the temperature that is scored makes the KL an unbiased estimate again.", FAQ, only_stated=True,
    ),
    Remedy(
        "stronger-kl", KL_WEIGHT, stronger_kl,
        "A stronger KL penalty holds the policy nearer to the reference.",
        "TRL training FAQ: keep the KL between 0 and 10",
    ),
    Remedy(
        "longer-completions", LENGTH_LIMIT, scaled(3),
        "Answers that fit are scored for what they say and can end by themselves.",
        "TRL logging page (completions/clipped_ratio); TRL issue 5697",
    ),
    Remedy(
        "eos-trick", {"ppo": ("missing_eos_penalty",)}, unset_only(1.0),
        "A penalty on answers without an end token teaches the policy to end them.", "TRL PPO page: the EOS trick",
        unstated=1.0,
    ),
    Remedy(
        "stop-at-eos", {"ppo": ("stop_token",)}, unset_only("eos"),
        "Without a stop token everything behind the first end token is scored as well.", "TRL PPO page: the EOS trick",
        unstated="eos",
    ),
    Remedy(
        "wider-clip-range", {**CLIP_RANGE, "grpo": ("epsilon_high", "epsilon"), "rloo": ("epsilon_high", "epsilon")},
        wider_clip_range,
        "A wider clip range lets small updates through.",
        "DAPO (arXiv 2503.14476): epsilon_high 0.28; TRL: cliprange, epsilon 0.2",
    ),
    Remedy(
        "bf16", {ANY: ("bf16",)}, bf16_for_fp16,
        "bfloat16 has the range of float32; float16 overflows at 65504.", "TRL GRPOConfig: bf16 by default",
        only_stated=True,
    ),
    Remedy(
        "checked-reward", REWARD_SOURCE, always(None),
        "Call the reward on a right, a wrong, an empty and an extreme answer: it must be finite and rank them.",
        "TRL training FAQ: inspect the reward model",
    ),
    Remedy(
        "reweighted-rewards", {ANY: ("reward_weights",)}, always(None),
        "Give the function that does not move more weight, or train on it alone first.",
        "TRL training FAQ: start simple",
    ),
    Remedy(
        "unpaid-marks", {ANY: ("reward_weights",)}, Measured(weights_without_what_pays),
        "Of the reward functions it is {function} that pays for the marks: without weight it can be corrected while "
        "the others train.",
        "TRL training FAQ: inspect the reward model", only_stated=True,
    ),
    Remedy(
        "finite-functions", REWARD_SOURCE, Measured(functions_that_are_numbers),
        "{function} returned something that is no number: leave it out until it is corrected.",
        "by definition: one NaN in the loss reaches every weight", only_stated=True,
    ),
    Remedy(
        "positive-weights", {ANY: ("reward_weights",)}, positive_weights,
        "A weight below 0 makes the policy learn the opposite of what its function pays for.",
        "TRL GRPOConfig: reward_weights",
    ),
    Remedy(
        "earlier-checkpoint", {ANY: ("model_name_or_path",)}, always(None),
        "Go back to a checkpoint from before the first step of the finding.", "Gao et al. 2022 (arXiv 2210.10760)",
    ),
    Remedy(
        "unfiltered-nan", {ANY: ("logging_nan_inf_filter",)}, always(False),
        "Without the filter a NaN loss is logged as NaN and not as the mean of the losses before.",
        "transformers TrainingArguments: logging_nan_inf_filter", only_stated=True,
    ),
    Remedy(
        "raised-learning-rate", LEARNING_RATE, Measured(default_learning_rate),
        "With a learning rate of 0 no update does anything.",
        "TRL: learning_rate 1e-6 (GRPOConfig), 3e-6 (PPOConfig)", only_stated=True,
    ),
    Remedy(
        "checked-parameters", {ANY: ("model_name_or_path",)}, always(None),
        "Count the parameters that require a gradient: a frozen model or an adapter on other modules learns nothing.",
        "ms-swift issues 5571, 5890",
    ),
    Remedy(
        "bounded-wait", {ANY: ("ddp_timeout",)}, always(None),
        "A wait with an end turns a silent hang into an error that names the place.",
        "transformers TrainingArguments: ddp_timeout", only_stated=True,
    ),
    Remedy(
        "smaller-device-batch", {**DEVICE_BATCH, "ppo": ("local_rollout_forward_batch_size", *DEVICE_BATCH[ANY])},
        halved, "Half as many sequences at a time need about half of the memory for activations.",
        "TRL PPO page, memory tips",
    ),
    Remedy(
        "more-accumulation", {ANY: ("gradient_accumulation_steps",)}, scaled(2),
        "Twice the accumulation keeps the batch as large as it was, at half of the size per device.",
        "TRL PPO page, memory tips", unstated=2,
    ),
    Remedy(
        "smaller-engine-share", {"grpo": ("vllm_gpu_memory_utilization",)}, at_most(0.3, 0.3),
        "What the rollout engine reserves for its cache is missing in training.",
        "TRL documentation: vllm_gpu_memory_utilization 0.3, vllm_enable_sleep_mode", only_stated=True,
    ),
    Remedy(
        "no-dropout", {ANY: ("disable_dropout",)}, always(True),
        "With dropout on, the same weights give other probabilities each time.",
        "TRL GRPOConfig: disable_dropout", only_stated=True,
    ),
    Remedy(
        "same-reference", {"ppo": ("sft_model_path", "model_name_or_path"), ANY: ("model_name_or_path",)}, always(None),
        "Load policy and reference from the same weights in the same precision, the adapter off in the reference.",
        "TRL trainers: policy and reference start from the same weights",
    ),
    Remedy(
        "weaker-kl", KL_WEIGHT, Measured(usual_kl_weight),
        "A third of the KL penalty, or the default where it is far beyond that, leaves more of the reward "
        "to the score.",
        "TRL training FAQ: the actual reward can be very small compared to the penalty; PPOConfig: kl_coef 0.05, "
        "GRPOConfig up to 0.18: beta 0.04",
    ),
    Remedy(
        "score-scaling", {"ppo": ("use_score_scaling",), "ppo-legacy": ("use_score_scaling",)}, always(True),
        "Scores of a common scale fit the KL penalty and the value model's clip range.",
        "TRL PPOConfig (up to 0.11): use_score_scaling; The N Implementation Details of RLHF with PPO",
        only_stated=True,
    ),
    Remedy(
        "checked-logging", {ANY: ("report_to",)}, always(None),
        "Compare what is logged with TRL: rlhf_reward = score + non_score_reward, which is −kl_coef · kl.",
        "TRL, ppo_trainer.py",
    ),
    Remedy(
        "easier-prompts", PROMPTS, always(None),
        "Begin with prompts that the model solves now and then; without a success there is nothing to raise.",
        "rlhf-book: prompts that are solved in 20 to 80 % of cases",
    ),
    Remedy(
        "harder-prompts", PROMPTS, always(None),
        "Go on with prompts that are not solved yet, or stop.",
        "rlhf-book: prompts that are solved in 20 to 80 % of cases",
    ),
    Remedy(
        "mixed-prompts", PROMPTS, always(None),
        "Keep the prompts that are solved in 20 to 80 % of cases: only they tell answers apart.",
        "DAPO (arXiv 2503.14476), dynamic sampling",
    ),
    Remedy(
        "more-generations", {"grpo": ("num_generations",), "rloo": ("num_generations",)}, scaled(2),
        "With twice as many answers to a prompt a group of equal rewards is rarer.",
        "TRL GRPOConfig: num_generations 8",
    ),
    Remedy(
        "unscaled-rewards", {"grpo": ("scale_rewards",)}, always("batch"),
        "A spread taken over the batch does not blow up what differs by next to nothing.",
        "TRL GRPOConfig: scale_rewards; Dr. GRPO (arXiv 2503.20783)", unstated="batch",
    ),
    Remedy(
        "normalised-rewards", {"grpo": ("multi_objective_aggregation",)}, always("normalize_then_sum"),
        "Normalising each function on its own keeps one of large scale from deciding alone.",
        "GDPO (arXiv 2601.05242)", unstated="normalize_then_sum",
    ),
    Remedy(
        "larger-batch", DEVICE_BATCH, scaled(2),
        "Twice the batch halves the variance of its mean reward and of its gradient.",
        "TRL issue 615: a batch of 256",
    ),
    Remedy(
        "true-temperature", {ANY: ("temperature",)}, always(1.0),
        "Sampling at temperature 1 keeps the variety that the policy itself has.",
        "DAPO (arXiv 2503.14476) and TRL GRPOConfig: temperature 1.0", unstated=1.0,
    ),
    Remedy(
        "adaptive-entropy", {"grpo": ("use_adaptive_entropy",)}, always(True),
        "An entropy bonus that adapts itself holds the entropy near a target.",
        "TRL GRPOConfig: use_adaptive_entropy, entropy_target", only_stated=True,
    ),
    Remedy(
        "token-loss", {"grpo": ("loss_type",)}, lambda current, config: "dr_grpo" if current == "grpo" else Keep.AS_IS,
        "Dividing by each answer's own length makes long wrong answers cheap; dr_grpo divides by a constant.",
        "Dr. GRPO (arXiv 2503.20783)", only_stated=True,
    ),
    Remedy(
        "counted-truncated", {"grpo": ("mask_truncated_completions",)}, always(False),
        "Where most answers are cut off, masking them leaves next to no gradient.",
        "TRL GRPOConfig: mask_truncated_completions", only_stated=True,
    ),
    Remedy(
        "true-end-tokens", END_TOKENS, always(None),
        "List every token that ends a turn (the tokenizer's and the chat template's) as an end token.",
        "TRL pull request 7039",
    ),
    Remedy(
        "own-padding", {"ppo": ("model_name_or_path",), "ppo-legacy": ("model_name",)}, always(None),
        "Give the tokenizer a padding token of its own, or end tokens are taken for padding.",
        "The N+ Implementation Details of RLHF with PPO (arXiv 2403.17031)",
    ),
    Remedy(
        "gated-format", REWARD_SOURCE, always(None),
        "Pay for the form only together with a right answer: multiply the two instead of adding them.",
        "open-r1 issue 403; LessWrong testbed of verifiable rewards",
    ),
    Remedy(
        "length-neutral-reward", REWARD_SOURCE, always(None),
        "Take from the reward what length alone explains, or make long answers cost something.",
        "A Long Way to Go (arXiv 2310.03716)",
    ),
    Remedy(
        "query-baseline", REWARD_SOURCE, always(None),
        "Subtract the reward of the query alone, r(query + answer) − r(query), so that the answer decides.",
        "TRL training FAQ: the reward may be dominated by the query",
    ),
    Remedy(
        "wider-value-clip-range", VALUE_CLIP_RANGE, scaled(2),
        "A wider value clip range lets the critic follow returns of this scale.", "TRL PPOConfig: cliprange_value",
        only_stated=True,
    ),
    Remedy(
        "importance-correction", {"grpo": ("vllm_importance_sampling_correction",)}, always(True),
        "Importance sampling corrects for what the two engines disagree about.",
        "TRL GRPOConfig: vllm_importance_sampling_correction", only_stated=True,
    ),
    Remedy(
        "token-truncation", {"grpo": ("vllm_importance_sampling_mode",)}, always("token_truncate"),
        "Truncating the ratio of single tokens keeps sequences that masking drops whole.",
        "TRL GRPOConfig: vllm_importance_sampling_mode", only_stated=True,
    ),
    Remedy(
        "exact-head", {"grpo": ("cast_lm_head_to_fp32",)}, always(True),
        "A language-model head in float32 brings the two engines' log-probabilities together.",
        "MiniMax-M1 (arXiv 2506.13585): float32 head", only_stated=True,
    ),
    Remedy(
        "later-decay", {ANY: ("lr_scheduler_type",)},
        lambda current, config: Keep.AS_IS if str(current).startswith("constant") else "constant_with_warmup",
        "A learning rate that stays up goes on teaching; a decayed one has stopped to.",
        "transformers TrainingArguments: lr_scheduler_type", only_stated=True,
    ),
    Remedy(
        "later-release", {ANY: ("report_to",)}, always(None),
        "Use TRL 1.10 or later, or read policy/entropy_avg in place of objective/entropy.", "TRL pull request 6121",
    ),
    Remedy(
        "checked-tools", {"grpo": ("tools", "environment_factory")}, always(None),
        "Call the tools by hand with what the samples send them: if they fail, it is the environment.",
        "TRL GRPO page: tools/failure_frequency", only_stated=True,
    ),
)  # fmt: skip

REMEDIES: Mapping[str, Remedy] = {remedy.name: remedy for remedy in _ALL}
TEXTS: Mapping[str, str] = {remedy.template: remedy.why for remedy in _ALL}
