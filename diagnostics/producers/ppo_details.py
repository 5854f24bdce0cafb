"""The reproductions of RLHF by Huang et al.: lm-human-preference-details and summarize_from_feedback_details."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, Trainer, recognised_by, trains_only

TAGS = {
    "objective/scores": "score",
    "objective/score_total": "rlhf_reward",
    "objective/kl": "kl_per_sequence",
    "objective/non_score_reward": "non_score_reward",
    "objective/kl_coef": "kl_coef",
    "objective/entropy": "entropy_per_sequence",
    "ppo/policy/approxkl_avg": "approx_kl",
    "ppo/policy/approxkl": "approx_kl",
    "ppo/policy/entropy_avg": "entropy_per_token",
    "ppo/loss/total": "total_loss",
    "ppo/loss/policy_avg": "policy_loss",
    "ppo/loss/value_avg": "value_loss",
    "ppo/val/ratio": "ratio_mean",
    "ppo/val/ratio_var": "ratio_variance",
    "ppo/policy/clipfrac_avg": "clip_fraction",
    "ppo/val/clipfrac_avg": "value_clip_fraction",
    "ppo/val/num_eos_tokens": "eos_tokens",
    "ppo/val/mean": "value_mean",
    "ppo/returns/mean": "returns_mean",
    "ppo/val/advantage": "advantages_mean",
    "ppo/lr": "learning_rate",
    "ppo/episode": "episodes",
    "ppo/eps": "episodes_per_second",
}
CAVEATS = (Caveat(("ppo/val/num_eos_tokens",), "Counts padding too where the end token pads."),)

TRAINER = Trainer(
    "ppo-details",
    TAGS,
    recognised_by("ppo/policy/approxkl_avg"),
    trains_only("ppo"),
    caveats=CAVEATS,
    is_verified=False,
)
PRODUCER = Producer("summarize_from_feedback_details", (TRAINER,))
