"""slime: `slime/backends/megatron_utils/loss.py` and `slime/observability/`; two axes, `train/…` and `rollout/…`."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, recognised_by
from diagnostics.producers.with_and_without_critic import with_and_without_critic

TAGS = {
    "kl_loss": "kl_per_token",
    "rollout/kl": "kl_per_token",
    "ppo_kl": "policy_kl",
    "entropy_loss": "entropy_per_token",
    "rollout/entropy": "entropy_per_token",
    "loss": "loss",
    "pg_loss": "policy_loss",
    "pg_clipfrac": "clip_fraction",
    "critic-value_clipfrac": "value_clip_fraction",
    "grad_norm": "grad_norm",
    "lr-pg_0": "learning_rate",
    "rollout/response_len/mean": "length_mean",
    "rollout/response_len/min": "length_min",
    "rollout/response_len/max": "length_max",
    "rollout/response_lengths": "length_mean",
    "rollout/truncated_ratio": "truncated_fraction",
    "rollout/values": "value_mean",
    "rollout/advantages": "advantages_mean",
    "rollout/returns": "returns_mean",
    "train_rollout_logprob_abs_diff": "engine_logprob_difference",
    "ois": "importance_ratio_mean",
    "perf/step_time": "step_time",
}
CAVEATS = (
    Caveat(("ppo_kl",), "A k1 estimate: small values below 0 are noise."),
    Caveat(("entropy_loss",), "The entropy with its own sign, not the loss that is made of it."),
)
TRAINERS = with_and_without_critic(
    "slime",
    TAGS,
    reward="rollout/raw_reward",
    critic="critic-value_loss",
    recognise=recognised_by(("rollout/raw_reward", "train/ppo_kl"), ("rollout/raw_reward", "ppo_kl")),
    caveats=CAVEATS,
)
PRODUCER = Producer("slime", TRAINERS)
