"""CleanRL's PPO: `cleanrl/ppo.py` and its variants."""

from diagnostics.producers.environment_steps import environment_producer

TAGS = {
    "charts/episodic_return": "score",
    "charts/episodic_length": "length_mean",
    "charts/learning_rate": "learning_rate",
    "losses/approx_kl": "approx_kl",
    "losses/old_approx_kl": "policy_kl",
    "losses/entropy": "entropy_per_token",
    "losses/policy_loss": "policy_loss",
    "losses/value_loss": "value_loss",
    "losses/clipfrac": "clip_fraction",
    "losses/explained_variance": "explained_variance",
}

PRODUCER = environment_producer("cleanrl", TAGS, "losses/old_approx_kl")
