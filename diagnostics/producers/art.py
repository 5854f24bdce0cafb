"""OpenPipe's ART: `src/art/local/backend.py` and `train.py`, names of before and after 2025."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Trainer, recognised_by, trains_only

TAGS = {
    "reward": "reward",
    "reward_std_dev": "reward_std",
    "loss/kl_div": "kl_per_token",
    "kl_div": "kl_per_token",
    "loss/entropy": "entropy_per_token",
    "loss/train": "loss",
    "loss": "loss",
    "policy_loss": "policy_loss",
    "loss/grad_norm": "grad_norm",
    "grad_norm": "grad_norm",
    "loss/learning_rate": "learning_rate",
    "completion_tokens": "length_mean",
    "time/step_wall_s": "step_time",
}

TRAINER = Trainer(
    "art",
    TAGS,
    recognised_by("train/reward_std_dev", "reward_std_dev", "data/step_num_groups_trainable"),
    trains_only("grpo"),
    is_verified=False,
)
PRODUCER = Producer("art", (TRAINER,))
