"""DeepSpeed-Chat's third step: `applications/DeepSpeed-Chat/training/step3_rlhf_finetuning/main.py`."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Trainer, recognised_by, trains_only

TAGS = {"reward": "score", "actor_loss": "policy_loss", "critic_loss": "value_loss"}

TRAINER = Trainer(
    "deepspeed-chat", TAGS, recognised_by("actor_loss_sum", "critic_loss_sum"), trains_only("ppo"), is_verified=False
)
PRODUCER = Producer("deepspeed-chat", (TRAINER,))
