"""Remedies in what surrounds the policy: memory, engine, processes, log."""

from diagnostics.causes.argument_names import DEVICE_BATCH
from diagnostics.causes.remedy import ANY, Remedy, always, at_most, halved, scaled

INFRASTRUCTURE = (
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
        "checked-logging", {ANY: ("report_to",)}, always(None),
        "Compare what is logged with TRL: rlhf_reward = score + non_score_reward, which is −kl_coef · kl.",
        "TRL, ppo_trainer.py",
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
        "later-release", {ANY: ("report_to",)}, always(None),
        "Use TRL 1.10 or later, or read policy/entropy_avg in place of objective/entropy.", "TRL pull request 6121",
    ),
    Remedy(
        "checked-tools", {"grpo": ("tools", "environment_factory")}, always(None),
        "Call the tools by hand with what the samples send them: if they fail, it is the environment.",
        "TRL GRPO page: tools/failure_frequency", only_stated=True,
    ),
)  # fmt: skip
