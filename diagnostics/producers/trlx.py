"""CarperAI's trlx, PPO: `trlx/models/modeling_ppo.py` and `trainer/accelerate_ppo_trainer.py`."""

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, LogTraits, Trainer, recognised_by

TAGS = {
    "rollout_scores/mean": "score",
    "rollout_scores/std": "score_std",
    "policy/sqrt_kl": "kl_per_sequence",
    "policy/kl_per_token": "kl_per_token",
    "kl_ctl_value": "kl_coef",
    "policy/approx_kl": "approx_kl",
    "losses/total_loss": "loss",
    "losses/policy_loss": "policy_loss",
    "losses/value_loss": "value_loss",
    "ratio": "ratio_mean",
    "policy/clipfrac": "clip_fraction",
    "values/clipfrac": "value_clip_fraction",
    "values/mean": "value_mean",
    "values/values_error": "value_error",
    "returns/mean": "returns_mean",
    "learning_rate_group_0": "learning_rate",
}
ROOTS = ("policy/sqrt_kl", "policy/kl_per_token")
CAVEATS = (
    Caveat(ROOTS, "trlx logs the square root: it is squared here."),
    Caveat(("policy/approx_kl",), "Averaged over padding too."),
)


def read_traits(log: Log) -> LogTraits:
    """PPO with a critic."""
    return LogTraits("ppo", powers=dict.fromkeys(ROOTS, 2.0))


TRAINER = Trainer("trlx", TAGS, recognised_by("losses/total_loss"), read_traits, caveats=CAVEATS, is_verified=False)
PRODUCER = Producer("trlx", (TRAINER,))
