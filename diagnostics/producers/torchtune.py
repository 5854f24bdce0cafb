"""torchtune's PPO and GRPO recipes: `recipes/ppo_full_finetune_single_device.py`, `recipes/dev/grpo_…`."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, Trainer, recognised_by, trains_only

SHARED = {
    "lr": "learning_rate",
    "loss": "loss",
    "approx_policy_kl": "approx_kl",
    "approx_policy_kls": "approx_kl",
    "clipfrac": "clip_fraction",
    "ratios": "ratio_mean",
    "policy_loss": "policy_loss",
    "response_lengths": "length_mean",
}
PPO_TAGS = SHARED | {
    "scores": "score",
    "rlhf_reward": "rlhf_reward",
    "kl": "kl_per_sequence",
    "kl_reward": "non_score_reward",
    "value_loss": "value_loss",
}
GRPO_TAGS = SHARED | {"rewards": "reward", "kl_loss": "kl_per_token"}
CAVEATS = (Caveat(("kl",), "Summed over the tokens of a response."),)

TRAINERS = (
    Trainer(
        "torchtune-ppo",
        PPO_TAGS,
        recognised_by(("approx_policy_kl", "value_loss"), ("approx_policy_kl", "rlhf_reward")),
        trains_only("ppo"),
        caveats=CAVEATS,
        is_verified=False,
    ),
    Trainer(
        "torchtune-grpo",
        GRPO_TAGS,
        recognised_by(("rewards", "successes", "kl_loss"), "approx_policy_kls"),
        trains_only("grpo"),
        is_verified=False,
    ),
)
PRODUCER = Producer("torchtune", TRAINERS)
