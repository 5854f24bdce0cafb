"""RL4LMs' PPO, built on Stable-Baselines3: `rl4lms/envs/text_generation/alg_wrappers.py`."""

from diagnostics.producers.environment_steps import environment_producer

TAGS = {
    "rollout_info/ep_rew": "score",
    "rollout_info/ep_rew_std": "score_std",
    "rollout_info/ep_kl_rew": "non_score_reward",
    "rollout_info/kl_div_mean": "kl_per_token",
    "rollout_info/kl_coeff": "kl_coef",
    "rollout_info/ep_lens": "length_mean",
    "rollout_info/values": "value_mean",
    "ppo/approx_kl": "approx_kl",
    "ppo/entropy_loss": "entropy_per_token",
    "ppo/policy_gradient_loss": "policy_loss",
    "ppo/value_loss": "value_loss",
    "ppo/explained_variance": "explained_variance",
}

PRODUCER = environment_producer("rl4lms", TAGS, "rollout_info/ep_rew", negated="ppo/entropy_loss")
