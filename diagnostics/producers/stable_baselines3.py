"""Stable-Baselines3's PPO: `stable_baselines3/ppo/ppo.py` and `common/on_policy_algorithm.py`."""

from diagnostics.producers.environment_steps import environment_producer

TAGS = {
    "rollout/ep_rew_mean": "score",
    "rollout/ep_len_mean": "length_mean",
    "approx_kl": "approx_kl",
    "entropy_loss": "entropy_per_token",
    "policy_gradient_loss": "policy_loss",
    "value_loss": "value_loss",
    "clip_fraction": "clip_fraction",
    "explained_variance": "explained_variance",
    "learning_rate": "learning_rate",
    "loss": "loss",
}

PRODUCER = environment_producer("stable-baselines3", TAGS, "train/policy_gradient_loss", negated="entropy_loss")
