"""rlvitals' own trainer: TRL's names and a few that TRL lacks. Every mean is masked, so only RLOO needs caveats."""

from pathlib import Path

import diagnostics
from diagnostics.model.quirks import Quirk
from diagnostics.producers.log import Log
from diagnostics.producers.producer import Config, Producer, Trait
from diagnostics.producers.trainer import LogTraits, Trainer
from diagnostics.producers.trl import grpo, ppo
from diagnostics.producers.trl.training_arguments import ARGUMENTS, FIRST_ARGUMENTS

OF_THE_PROCESS = {
    "system/process_rss_gb": "process_memory",
    "step_time": "step_time",
    "perf/generate_s": "generation_time",
    "perf/score_s": "reward_time",
    "perf/reference_s": "reference_time",
    "perf/old_logprobs_s": "old_logprobs_time",
    "perf/update_s": "update_time",
    "perf/weight_sync_s": "weight_sync_time",
    "perf/evaluate_s": "evaluation_time",
    "perf/log_s": "logging_time",
    "perf/checkpoint_s": "checkpoint_time",
}
"""Times and memory of the training process; loops of one's own may log them through the run log, too."""
_OF_GRPO = {
    **grpo.TAGS,
    "sample/staleness_mean": "staleness_mean",
    "sample/staleness_max": "staleness_max",
}
TAGS = {
    **ppo.TAGS,
    **_OF_GRPO,
    **OF_THE_PROCESS,
    "val/ratio_max": "ratio_max",
    "val/var_explained": "explained_variance",
    "tokens/responses_len_mean": "length_mean",
    "tokens/responses_len_min": "length_min",
    "tokens/responses_len_max": "length_max",
    "objective/kl_coef": "kl_coef",
    "objective/query_scores": "query_score",
    "objective/scaled_scores": "scaled_score",
    "objective/scaled_scores_std": "scaled_score_std",
    "policy/policykl_avg": "policy_kl",
    "policy/updates": "updates",
    "env/reward_dist": "reward_distribution",
    "objective/kl_dist": "kl_distribution",
    "objective/logprobs": "logprobs_distribution",
    "objective/ref_logprobs": "ref_logprobs_distribution",
    "policy/ratio": "ratio_distribution",
    "policy/advantages": "advantages_distribution",
    "tokens/queries_len_dist": "query_length_distribution",
    "tokens/responses_len_dist": "length_distribution",
}


def recognise(log: Log) -> float:
    """Sure where the run log names its writer; in another format, by what only this trainer logs."""
    if log.recording.producer == "rlvitals":
        return 1.0
    is_ours = log.has("val/ratio", "val/ratio_max") or log.has("objective/entropy", "clip_ratio/region_mean")
    return 0.95 if is_ours else 0.0


def read_traits(log: Log) -> LogTraits:
    """The algorithm that the run log names; where it names none, the one that its tags show."""
    named = log.recording.algorithm
    if named not in ("", "unknown"):
        return LogTraits(algorithm=named)
    if ppo.recognise(log):
        return LogTraits(algorithm="ppo")
    if grpo.recognise(log):
        return LogTraits(algorithm="rloo" if grpo.is_rloo(log) else "grpo")
    return LogTraits(algorithm="unknown")


TRAINER = Trainer(
    "rlvitals",
    TAGS,
    recognise,
    read_traits,
    grpo.FAMILIES,
    grpo.RLOO_CAVEATS,
    tags_by_algorithm={
        "ppo": {tag: metric for tag, metric in TAGS.items() if tag not in _OF_GRPO} | OF_THE_PROCESS,
        "grpo": {**_OF_GRPO, **OF_THE_PROCESS},
        "rloo": {**grpo.TAGS, **OF_THE_PROCESS},
    },
)

_NEVER = {"top_p": 1.0, "repetition_penalty": 1.0, "min_new_tokens": 0, "suppress_tokens": None, "grammar": None}
_SHARED = {
    **_NEVER, "max_grad_norm": 1.0, "adam_epsilon": 1e-8, "temperature": 1.0, "top_k": 0, "min_p": 0.0,
    "do_sample": True, "gradient_accumulation_steps": 1, "per_device_train_batch_size": 64, "num_processes": 1,
    "epsilon": 0.2, "disable_dropout": True, "eval_strategy": "no", "save_strategy": "steps",
    "num_completions_to_log": 64, "precision": "no", "gradient_checkpointing": False,
}  # fmt: skip
_OF_ALL = frozenset({
    "adam_epsilon", "dataset", "do_sample", "dtype", "eval_strategy", "gradient_accumulation_steps",
    "gradient_checkpointing", "learning_rate", "lr_scheduler_type", "max_grad_norm", "max_steps", "min_new_tokens",
    "min_p", "mixed_precision",
    "model_name_or_path", "num_completions_to_log", "num_eval_prompts", "num_processes", "num_sample_generations",
    "per_device_train_batch_size", "repetition_penalty", "report_to", "reward_funcs", "reward_weights",
    "rollout_temperature", "save_strategy", "stop_token_id", "task", "temperature", "top_k", "top_p", "use_cpu",
    "use_peft",
})  # fmt: skip
_OF_GROUPS = _OF_ALL | {
    "beta", "epsilon", "epsilon_high", "max_completion_length", "num_generations", "num_iterations",
}  # fmt: skip
OF_TRAINERS = {
    "grpo": _OF_GROUPS | {
        "async_staleness", "importance_sampling_level", "logprobs_mode", "loss_type", "rollout_dtype", "scale_rewards",
        "vllm_importance_sampling_correction", "vllm_importance_sampling_mode", "weight_sync",
    },
    "rloo": _OF_GROUPS,
    "ppo": _OF_ALL | {
        "cliprange", "cliprange_value", "horizon", "init_kl_coef", "kl_coef", "missing_eos_penalty", "non_eos_penalty",
        "num_mini_batches", "num_ppo_epochs", "response_length", "stop_token", "use_score_norm", "use_score_scaling",
        "value_learning_rate", "whiten_rewards",
    },
}  # fmt: skip
"""By algorithm, the arguments in the table that its configuration class has."""
RUN_FILE = "run.json"
DEFAULTS = {
    "ppo": (
        ((), {
            **_SHARED, "learning_rate": 3e-6, "max_tokens": 53, "stop_token": "eos", "missing_eos_penalty": None,
            "non_eos_penalty": False, "epochs": 4, "num_mini_batches": 1, "kl_weight": 0.05, "value_clip_range": 0.2,
            "use_score_scaling": False, "whiten_rewards": False,
        }),
    ),
    "grpo": (
        ((), {
            **_SHARED, "learning_rate": 1e-6, "max_tokens": 512, "num_generations": 8, "epochs": 1, "kl_weight": 0.0,
            "loss_type": "dapo", "importance_sampling_level": "token",
        }),
    ),
    "rloo": (
        ((), {
            **_SHARED, "learning_rate": 1e-6, "max_tokens": 512, "num_generations": 2, "epochs": 1, "kl_weight": 0.05,
        }),
    ),
}  # fmt: skip
_DEMO_MODELS = Path(diagnostics.__file__).parents[1] / "trainer" / "tasks" / "assets"
DEMO_REWARDS = {"remarks": "remark_positivity", "addition": "addition_accuracy"}
"""The reward of each demo task, where none is named."""


def recognise_config(config: Config, path: Path) -> float:
    """TOML is the trainer's own format, and a run directory holds its settings."""
    is_ours = path.suffix == ".toml" or path.name == RUN_FILE or "num_completions_to_log" in config
    return 0.8 if is_ours else 0.0


def demo_rewards(config: Config) -> tuple[str, ...]:
    """The reward of the demo task that is trained; "" for a task that has none."""
    return () if config.get("dataset") else (DEMO_REWARDS.get(str(config.get("task")), ""),)


def demo_model(algorithm: str, config: Config) -> Path:
    """The folder of the demo task's model."""
    return _DEMO_MODELS / str(config.get("task") or ("remarks" if algorithm == "ppo" else "addition"))


PRODUCER = Producer(
    "rlvitals",
    (TRAINER,),
    notation="flag",
    settings={
        **ARGUMENTS,
        "dataset": ("dataset", "dataset_name", "task"),
        "engine_dtype": ("rollout_dtype",),
        "engine_sync": ("weight_sync",),
        "staleness_bound": ("async_staleness",),
        "value_learning_rate": ("value_learning_rate",),
    },
    arguments=OF_TRAINERS,
    first_arguments=FIRST_ARGUMENTS,
    own_words=frozenset({"task"}),
    defaults=DEFAULTS,
    recognise_config=recognise_config,
    default_rewards=demo_rewards,
    learned_rewards=frozenset({"remark_positivity", "sentiment"}),
    bundled_model=demo_model,
    is_ours=True,
    quirks=(Trait(Quirk.STATES_WHAT_IT_LOGS), Trait(Quirk.SELECTS_SAMPLES), Trait(Quirk.LOGS_BATCH_REWARD_STD)),
)
