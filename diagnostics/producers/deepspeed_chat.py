"""DeepSpeed-Chat's third step: `applications/DeepSpeed-Chat/training/step3_rlhf_finetuning/main.py`.

Printed names are those of the same file, and the older ones those of the logs beside it in `training_log_output`.
"""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Trainer, recognised_by, trains_only

TAGS = {"reward": "score", "actor_loss": "policy_loss", "critic_loss": "value_loss"}
PRINTED = {
    "Average reward score": "score",
    "Actor Loss": "policy_loss",
    "Critic Loss": "value_loss",
}
PRINTED_BEFORE = {
    "average reward score": "score",
    "act_loss": "policy_loss",
    "cri_loss": "value_loss",
    "E2E latency": "step_time",
}

TRAINER = Trainer(
    "deepspeed-chat",
    TAGS | PRINTED | PRINTED_BEFORE,
    recognised_by("actor_loss_sum", "critic_loss_sum", ("act_loss", "cri_loss"), ("Actor Loss", "Critic Loss")),
    trains_only("ppo"),
)
PRODUCER = Producer("deepspeed-chat", (TRAINER,))
