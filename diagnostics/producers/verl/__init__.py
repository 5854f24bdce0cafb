"""verl's trainers, and rLLM's on verl: `critic/…` holds the rewards whether there is a critic or not.

Settings: `verl/trainer/config/ppo_trainer.yaml`.
"""

from pathlib import Path

from diagnostics.language import N_
from diagnostics.producers.estimators import by_estimator
from diagnostics.producers.log import Log
from diagnostics.producers.nested_config import planned_steps, value_at
from diagnostics.producers.producer import Config, Producer
from diagnostics.producers.trainer import SURE, Caveat, LogTraits, recognised_by
from diagnostics.producers.verl.tags import GENERATES_ALONE, IN_ASYNCHRONOUS_LOGS, TAGS
from diagnostics.producers.with_and_without_critic import with_and_without_critic

SCALES = {"actor/lr(1e-4)": 1e-4, "critic/lr(1e-4)": 1e-4, "reward/format_error_ratio": -1.0}
OFFSETS = {
    "reward/format_error_ratio": 1.0,
    **{f"training/off_policy/trajectory_spans/{end}": -1.0 for end in ("mean", "min", "max")},  # 1 is no update
}
CAVEATS = (
    Caveat(("actor/ppo_kl",), "The k1 estimate of old against new policy: small values below 0 are noise."),
    Caveat(("actor/reward_kl_penalty",), "The KL itself, with a positive sign; its weight is a metric of its own."),
    Caveat(("actor/entropy_loss",), "The entropy with its own sign, not the loss that is made of it."),
    Caveat(("actor/lr(1e-4)", "critic/lr(1e-4)"), "Early versions log it times 10,000."),
    Caveat(("reward/all_correct_ratio",), "The share of answers with the full score, of a fork with rewards by rules."),
    Caveat(
        ("reward/format_error_ratio",), "1 − the share of answers in a wrong format, of a fork with rewards by rules."
    ),
    Caveat(("critic/rewards/mean",), "The score plus the KL penalty where the penalty is in the reward."),
    Caveat(GENERATES_ALONE, "Its generation alone, without tools and reward."),
    Caveat(
        tuple(tag for tag, metric in TAGS.items() if metric.startswith("preemptions")),
        "How often a rollout was preempted; −1 where the engine does not count it.",
    ),
    Caveat(
        ("training/off_policy/evicted_samples", "training/filter_groups/evicted_samples"),
        "Prompts, each with all of its completions.",
    ),
    Caveat(
        ("fully_async/trainer/idle_ratio",), "The time in which samples are fetched over the time of the whole step."
    ),
)


VALIDATIONS = (
    *(f"val-{part}/{{name}}/reward/mean@{answers}" for part in ("core", "aux") for answers in (1, 2, 4, 8, 16, 32, 64)),
    "val/test_score/{name}",
)
SEVERAL_VALIDATIONS = N_("there are several validation sets, and none of their scores is that of the run")

_SHOWS = recognised_by(
    *(("critic/score/mean", tag) for tag in ("actor/ppo_kl", "actor/pg_clipfrac", "response_length/mean")),
    *(("critic/score/mean", f"timing_s/{stage}") for stage in ("step", "gen", "update_actor")),
    ("critic/rewards/mean", "response_length/mean"),
    ("actor/grad_norm", "timing_s/update_actor"),
)


def recognise(log: Log) -> float:
    """Recognised by its metrics or, before the first one, by its settings."""
    has_only_settings = not log.series and any(name.startswith("actor_rollout_ref") for name in log.config)
    return SURE if has_only_settings else _SHOWS(log)


def read_traits(log: Log, algorithm: str) -> LogTraits:
    """The algorithm from `algorithm.adv_estimator`, where settings are logged, and the planned steps.

    With several validation sets none of them is *the* held-out reward.
    """
    found, notes = by_estimator(log.config, "algorithm.adv_estimator", algorithm)
    validated = frozenset(tag for tag in log.series if _is_validation(tag))
    ignored = validated if len(validated) > 1 else frozenset[str]()
    total = planned_steps(log.config, "trainer.total_training_steps")
    return LogTraits(
        found,
        scales=SCALES,
        offsets=OFFSETS,
        ignored=ignored,
        why_ignored=dict.fromkeys(ignored, SEVERAL_VALIDATIONS),
        total=total,
        notes=notes,
        renamed=IN_ASYNCHRONOUS_LOGS if _samples_beside(log) else {},
    )


def _samples_beside(log: Log) -> bool:
    """Whether samples are generated beside the training, so that fetching them is a waiting."""
    mode = value_at(log.config, "trainer.v1.trainer_mode")
    return mode == "separate_async" or log.has("fully_async/trainer/idle_ratio")


def _is_validation(tag: str) -> bool:
    ends = (pattern.split("{name}") for pattern in VALIDATIONS)
    return any(tag.startswith(before) and tag.endswith(after) for before, after in ends)


TRAINERS = with_and_without_critic(
    "verl",
    TAGS,
    reward="critic/score/mean",
    critic="critic/vf_loss",
    recognise=recognise,
    validations=VALIDATIONS,
    caveats=CAVEATS,
    read_traits=read_traits,
    is_verified=True,
)

_ACTOR, _ROLLOUT = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
SETTINGS = {
    "advantage_estimator": ("algorithm.adv_estimator",),
    "learning_rate": (f"{_ACTOR}.optim.lr",),
    "max_grad_norm": (f"{_ACTOR}.grad_clip",),
    "temperature": (f"{_ROLLOUT}.temperature",),
    "do_sample": (f"{_ROLLOUT}.do_sample",),
    "engine_dtype": (f"{_ROLLOUT}.dtype",),
    "routing_replay": (f"{_ACTOR}.router_replay.mode",),
    "sync_interval": ("async_training.trigger_parameter_sync_step",),
    "top_k": (f"{_ROLLOUT}.top_k",),
    "top_p": (f"{_ROLLOUT}.top_p",),
    "repetition_penalty": (f"{_ROLLOUT}.repetition_penalty",),
    "max_tokens": ("data.max_response_length",),
    "num_generations": (f"{_ROLLOUT}.n",),
    "epochs": (f"{_ACTOR}.ppo_epochs",),
    "prompts_per_batch": ("data.train_batch_size",),
    "prompts_per_update": (f"{_ACTOR}.ppo_mini_batch_size",),
    "epsilon": (f"{_ACTOR}.clip_ratio",),
    "scale_rewards": ("algorithm.norm_adv_by_std_in_grpo",),
    "kl_weight": (f"{_ACTOR}.kl_loss_coef", "algorithm.kl_ctrl.kl_coef"),
    "use_kl_loss": (f"{_ACTOR}.use_kl_loss",),
    "use_kl_in_reward": ("algorithm.use_kl_in_reward",),
    "reward_funcs": ("custom_reward_function.path", "reward.custom_reward_function.path"),
    "reward_model": ("reward_model.path",),
    "dataset": ("data.train_files",),
    "model": ("actor_rollout_ref.model.path",),
    "chat_template": ("actor_rollout_ref.model.custom_chat_template",),
    "multi_turn": (f"{_ROLLOUT}.multi_turn.enable",),
    "use_peft": ("actor_rollout_ref.model.lora_rank",),
    "log_completions": ("trainer.rollout_data_dir",),
    "resumed_from": ("trainer.resume_from_path",),
    "value_clip_range": ("critic.cliprange_value",),
    "value_learning_rate": ("critic.optim.lr",),
    "bypass_mode": ("algorithm.rollout_correction.bypass_mode",),
    "logprobs_mode": (f"{_ROLLOUT}.logprobs_mode",),
    "engine_memory": (f"{_ROLLOUT}.gpu_memory_utilization",),
    "gradient_checkpointing": ("actor_rollout_ref.model.enable_gradient_checkpointing",),
    "token_budget": (f"{_ACTOR}.ppo_max_token_len_per_gpu",),
    "weight_sync_steps": ("async_training.trigger_parameter_sync_step",),
    "device": ("trainer.device",),
    "num_nodes": ("trainer.nnodes",),
    "gpus_per_node": ("trainer.n_gpus_per_node",),
    "rollout_nodes": ("rollout.nnodes", f"{_ROLLOUT}.nnodes"),
    "rollout_gpus_per_node": ("rollout.n_gpus_per_node", f"{_ROLLOUT}.n_gpus_per_node"),
}
SWITCHES = {
    f"{_ACTOR}.kl_loss_coef": f"{_ACTOR}.use_kl_loss",
    "algorithm.kl_ctrl.kl_coef": "algorithm.use_kl_in_reward",
}


def recognise_config(config: Config, path: Path) -> float:
    """Sure of the section that holds actor, rollout and reference."""
    return SURE if any(name.startswith("actor_rollout_ref.") for name in config) else 0.0


PRODUCER = Producer(
    "verl",
    TRAINERS,
    settings=SETTINGS,
    switches=SWITCHES,
    neutral={"top_k": -1},
    notation="override",
    recognise_config=recognise_config,
)
