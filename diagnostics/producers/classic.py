"""PPO outside of language models, whose logs share the names' meaning: Stable-Baselines3, RL4LMs on it, and CleanRL."""

from collections.abc import Mapping

from diagnostics.producers.producer import Caveat, Dialect, Findings, Log, shows

SB3_TAGS = {
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
RL4LMS_TAGS = {
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
CLEANRL_TAGS = {
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
STEPS = "Per step of the environment, which here stands for a token."


def _dialect(producer: str, tags: Mapping[str, str], fingerprint: str, negated: str = "") -> Dialect:
    """A dialect of PPO; `negated` is the tag that holds the entropy as a loss, below 0."""
    caveats = [Caveat(tuple(tags), STEPS)]
    if negated:
        caveats.append(Caveat((negated,), "Logged as a loss, below 0: its sign is turned here."))

    def examine(log: Log) -> Findings:
        return Findings("ppo", scales={negated: -1.0} if negated else {})

    return Dialect(producer, producer, tags, shows(fingerprint), examine, caveats=tuple(caveats), is_verified=False)


DIALECTS = (
    _dialect("stable-baselines3", SB3_TAGS, "train/policy_gradient_loss", negated="entropy_loss"),
    _dialect("rl4lms", RL4LMS_TAGS, "rollout_info/ep_rew", negated="ppo/entropy_loss"),
    _dialect("cleanrl", CLEANRL_TAGS, "losses/old_approx_kl"),
)
