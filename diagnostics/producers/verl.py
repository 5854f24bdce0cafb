"""verl's trainers, and rLLM's on verl: `critic/…` holds the rewards whether there is a critic or not.

Metrics: `verl/trainer/ppo/metric_utils.py`, `ray_trainer.py`, `core_algos.py` and `rollout_corr_helper.py`. Settings:
`verl/trainer/config/ppo_trainer.yaml`.
"""

from pathlib import Path

from diagnostics.producers.estimators import by_estimator
from diagnostics.producers.log import Log
from diagnostics.producers.nested_config import planned_steps
from diagnostics.producers.producer import Config, Producer
from diagnostics.producers.trainer import SURE, Caveat, LogTraits, recognised_by
from diagnostics.producers.with_and_without_critic import with_and_without_critic

TAGS = {
    "critic/rewards/mean": "rlhf_reward",
    "actor/kl_loss": "kl_per_token",
    "actor/reward_kl_penalty": "kl_per_token",
    "critic/kl": "kl_per_token",
    "actor/reward_kl_penalty_coeff": "kl_coef",
    "actor/kl_coef": "kl_coef",
    "critic/kl_coeff": "kl_coef",
    "actor/ppo_kl": "policy_kl",
    "actor/entropy": "entropy_per_token",
    "actor/entropy_loss": "entropy_per_token",
    "actor/loss": "loss",
    "actor/pg_loss": "policy_loss",
    "actor/pg_clipfrac": "clip_fraction",
    "critic/vf_clipfrac": "value_clip_fraction",
    "critic/vf_explained_var": "explained_variance",
    "critic/values/mean": "value_mean",
    "critic/vpred_mean": "value_prediction",
    "critic/advantages/mean": "advantages_mean",
    "critic/returns/mean": "returns_mean",
    "actor/grad_norm": "grad_norm",
    "actor/lr": "learning_rate",
    "response_length/mean": "length_mean",
    "response_length/min": "length_min",
    "response_length/max": "length_max",
    "response_length/clip_ratio": "truncated_fraction",
    "prompt_length/mean": "query_length_mean",
    "training/rollout_probs_diff_mean": "engine_probability_difference",
    "rollout_corr/log_ppl_abs_diff": "engine_logprob_difference",
    "rollout_corr/rollout_is_mean": "importance_ratio_mean",
    "rollout_corr/rollout_is_min": "importance_ratio_min",
    "rollout_corr/rollout_is_max": "importance_ratio_max",
    "rollout_corr/rollout_is_eff_sample_size": "effective_sample_size",
    "training/epoch": "epoch",
    "timing_s/step": "step_time",
}
CAVEATS = (
    Caveat(("actor/ppo_kl",), "The k1 estimate of old against new policy: small values below 0 are noise."),
    Caveat(("actor/reward_kl_penalty",), "The KL itself, with a positive sign; its weight is a metric of its own."),
    Caveat(("actor/entropy_loss",), "The entropy with its own sign, not the loss that is made of it."),
    Caveat(("critic/rewards/mean",), "The score plus the KL penalty where the penalty is in the reward."),
)


VALIDATIONS = (
    "val/test_score/{name}",
    *(f"val-{part}/{{name}}/reward/mean@{answers}" for part in ("core", "aux") for answers in (1, 2, 4, 8, 16, 32, 64)),
)


_SHOWS = recognised_by(("critic/score/mean", "actor/ppo_kl"), ("critic/score/mean", "actor/pg_clipfrac"))


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
    total = planned_steps(log.config, "trainer.total_training_steps")
    return LogTraits(found, ignored=validated if len(validated) > 1 else frozenset(), total=total, notes=notes)


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
    "use_peft": ("actor_rollout_ref.model.lora_rank",),
    "value_clip_range": ("critic.cliprange_value",),
    "bypass_mode": ("algorithm.rollout_correction.bypass_mode",),
    "logprobs_mode": (f"{_ROLLOUT}.logprobs_mode",),
}
SWITCHES = {
    f"{_ACTOR}.kl_loss_coef": f"{_ACTOR}.use_kl_loss",
    "algorithm.kl_ctrl.kl_coef": "algorithm.use_kl_in_reward",
}


def recognise_config(config: Config, path: Path) -> float:
    """Sure of the section that holds actor, rollout and reference."""
    return SURE if any(name.startswith("actor_rollout_ref.") for name in config) else 0.0


PRODUCER = Producer(
    "verl", TRAINERS, settings=SETTINGS, switches=SWITCHES, neutral={"top_k": -1}, recognise_config=recognise_config
)
