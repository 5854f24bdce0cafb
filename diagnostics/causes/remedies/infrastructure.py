"""Remedies in what surrounds the policy: memory, engine, processes, log."""

from diagnostics.causes.remedies.changed_settings import DEVICE_BATCH
from diagnostics.causes.remedies.remedy import ANY, Remedy
from diagnostics.causes.remedies.suggestions import by_hand, half_the_count, lower_to, multiply_by, set_to

INFRASTRUCTURE_REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "bounded-wait", {ANY: ("process_timeout",)}, by_hand,
        "A wait with an end turns a silent hang into an error that names the place.",
        "transformers TrainingArguments: ddp_timeout", only_if_stated=True,
    ),
    Remedy(
        "smaller-device-batch", {**DEVICE_BATCH, "ppo": ("rollout_forward_batch_size", *DEVICE_BATCH[ANY])},
        half_the_count, "Half as many sequences at a time need about half of the memory for activations.",
        "TRL PPO page, memory tips",
    ),
    Remedy(
        "more-accumulation", {ANY: ("gradient_accumulation_steps",)}, multiply_by(2),
        "Twice the accumulation keeps the batch as large as it was, at half of the size per device.",
        "TRL PPO page, memory tips", if_unstated=2,
    ),
    Remedy(
        "smaller-engine-share", {"grpo": ("engine_memory",)}, lower_to(0.3, above=0.3),
        "What the rollout engine reserves for its cache is missing in training.",
        "TRL documentation: vllm_gpu_memory_utilization 0.3, vllm_enable_sleep_mode", only_if_stated=True,
    ),
    Remedy(
        "no-dropout", {ANY: ("disable_dropout",)}, set_to(True),
        "With dropout on, the same weights give other probabilities each time.",
        "TRL GRPOConfig: disable_dropout", only_if_stated=True,
    ),
    Remedy(
        "same-reference", {"ppo": ("reference_model", "model"), ANY: ("model",)}, by_hand,
        "Load policy and reference from the same weights in the same precision, the adapter off in the reference.",
        "TRL trainers: policy and reference start from the same weights",
    ),
    Remedy(
        "checked-logging", {ANY: ("report_to",)}, by_hand,
        "Compare what is logged with TRL: rlhf_reward = score + non_score_reward, which is −kl_coef · kl.",
        "TRL, ppo_trainer.py",
    ),
    Remedy(
        "importance-correction", {"grpo": ("is_correction",)}, set_to(True),
        "Importance sampling corrects for what the two engines disagree about.",
        "TRL GRPOConfig: vllm_importance_sampling_correction", only_if_stated=True,
    ),
    Remedy(
        "token-truncation", {"grpo": ("is_mode",)}, set_to("token_truncate"),
        "Truncating the ratio of single tokens keeps sequences that masking drops whole.",
        "TRL GRPOConfig: vllm_importance_sampling_mode", only_if_stated=True,
    ),
    Remedy(
        "exact-head", {"grpo": ("fp32_head",)}, set_to(True),
        "A language-model head in float32 brings the two engines' log-probabilities together.",
        "MiniMax-M1 (arXiv 2506.13585): float32 head", only_if_stated=True,
    ),
    Remedy(
        "later-release", {ANY: ("report_to",)}, by_hand,
        "Use TRL 1.10 or later, or read policy/entropy_avg in place of objective/entropy.", "TRL pull request 6121",
    ),
    Remedy(
        "checked-tools", {"grpo": ("tools", "environment")}, by_hand,
        "Call the tools by hand with what the samples send them: if they fail, it is the environment.",
        "TRL GRPO page: tools/failure_frequency", only_if_stated=True,
    ),
)  # fmt: skip
