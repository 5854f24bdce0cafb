"""OpenRLHF's trainers: bare names under the transport's `train/`.

Metrics: `openrlhf/trainer/ppo_trainer.py`, `trainer/ray/ppo_actor.py`, `ppo_critic.py` and `models/loss.py`. Settings:
`openrlhf/cli/train_ppo_ray.py`.
"""

from pathlib import Path

from diagnostics.producers.estimators import by_estimator
from diagnostics.producers.log import Log
from diagnostics.producers.nested_config import planned_steps
from diagnostics.producers.producer import Config, Producer
from diagnostics.producers.trainer import SURE, Caveat, LogTraits, recognised_by
from diagnostics.producers.with_and_without_critic import with_and_without_critic

TAGS = {
    "rollout/reward_mean": "reward",
    "rollout/reward_std": "reward_std",
    "group_reward_std": "reward_std",
    "return": "rlhf_reward",
    "kl": "kl_per_token",
    "ppo_kl": "policy_kl",
    "entropy_loss": "entropy_per_token",
    "policy_loss": "policy_loss",
    "ppo_clip_ratio": "clip_fraction",
    "actor_grad_norm": "grad_norm",
    "actor_lr": "learning_rate",
    "response_length": "length_mean",
    "rollout/response_length_mean": "length_mean",
    "response_clip_ratio": "truncated_fraction",
    "truncated": "truncated_fraction",
    "rollout/truncated_rate": "truncated_fraction",
    "values": "value_mean",
    "vllm_kl": "engine_kl_k1",
    "critic_lr": "value_learning_rate",
    "critic_grad_norm": "value_grad_norm",
    "total_length": "total_length_mean",
    "rollout/num_samples": "step_samples",
    "timing/step_total": "step_time",
    "timing/generation": "generation_time",
    "timing/make_experience": "experience_time",
    "timing/ppo_train": "update_time",
    "timing/broadcast": "weight_sync_time",
}
ESTIMATORS = ("algo.advantage.estimator", "advantage_estimator")
CAVEATS = (
    Caveat(("kl",), "The estimator is the one that --algo.kl.estimator names: k1, k2 or k3."),
    Caveat(("ppo_kl", "vllm_kl"), "A k1 estimate: small values below 0 are noise."),
    Caveat(("entropy_loss",), "The entropy with its own sign, not the loss that is made of it."),
    Caveat(("group_reward_std",), "The mean of the deviations within groups."),
    Caveat(("timing/ppo_train",), "With a critic its update too."),
)


def read_traits(log: Log, algorithm: str) -> LogTraits:
    """The algorithm from the advantage estimator, where settings are logged, and the planned steps."""
    for path in ESTIMATORS:
        found, notes = by_estimator(log.config, path, algorithm)
        if found != algorithm or notes:
            break
    return LogTraits(found, total=planned_steps(log.config, "max_steps", "trainer.max_steps"), notes=notes)


TRAINERS = with_and_without_critic(
    "openrlhf",
    TAGS,
    reward="reward",
    critic="critic_loss",
    recognise=recognised_by(("train/actor_lr", "train/policy_loss"), ("actor_lr", "policy_loss")),
    caveats=CAVEATS,
    read_traits=read_traits,
)

SETTINGS = {
    "advantage_estimator": ESTIMATORS,
    "learning_rate": ("actor_learning_rate",),
    "max_grad_norm": ("max_norm",),
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "max_tokens": ("generate_max_len",),
    "num_generations": ("n_samples_per_prompt",),
    "epochs": ("max_epochs",),
    "prompts_per_batch": ("rollout_batch_size",),
    "answers_per_update": ("train_batch_size",),
    "epsilon": ("eps_clip",),
    "kl_weight": ("init_kl_coef",),
    "reward_model": ("reward_pretrain",),
    "dataset": ("prompt_data",),
    "model": ("pretrain",),
    "use_peft": ("lora_rank",),
    "value_clip_range": ("value_clip",),
    "value_learning_rate": ("critic_learning_rate",),
    "use_score_scaling": ("normalize_reward",),
}


def recognise_config(config: Config, path: Path) -> float:
    """Sure of arguments that nobody else has."""
    return SURE if {"actor_learning_rate", "n_samples_per_prompt"} & config.keys() else 0.0


PRODUCER = Producer("openrlhf", TRAINERS, settings=SETTINGS, notation="flag", recognise_config=recognise_config)
