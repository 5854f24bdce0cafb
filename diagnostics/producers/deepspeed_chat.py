"""DeepSpeed-Chat's third step: `applications/DeepSpeed-Chat/training/step3_rlhf_finetuning/main.py`."""

from diagnostics.producers.producer import Dialect, Findings, Log, shows

TAGS = {"reward": "score", "actor_loss": "policy_loss", "critic_loss": "value_loss"}


def examine(log: Log) -> Findings:
    """PPO with a critic."""
    return Findings("ppo")


DIALECT = Dialect(
    "deepspeed-chat", "deepspeed-chat", TAGS, shows("actor_loss_sum", "critic_loss_sum"), examine, is_verified=False
)
