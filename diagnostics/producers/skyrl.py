"""SkyRL: `skyrl/train/trainer.py`, `train/generators/utils.py` and `backends/skyrl_train/workers/worker.py`."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, recognised_by
from diagnostics.producers.with_and_without_critic import with_and_without_critic

TAGS = {
    "loss/avg_final_rewards": "rlhf_reward",
    "policy/policy_kl": "kl_per_token",
    "loss/avg_kl": "kl_per_token",
    "loss/kl_loss_coef": "kl_coef",
    "policy/policy_entropy": "entropy_per_token",
    "policy/final_loss": "loss",
    "policy/policy_loss": "policy_loss",
    "policy/loss_metrics/clip_ratio": "clip_fraction",
    "policy/ppo_clip_ratio": "clip_fraction",
    "critic/values_clipfrac": "value_clip_fraction",
    "critic/values_mean": "value_mean",
    "policy/grad_norm": "grad_norm",
    "policy/raw_grad_norm": "grad_norm",
    "policy/policy_lr": "learning_rate",
    "generate/avg_num_tokens": "length_mean",
    "generate/min_num_tokens": "length_min",
    "generate/max_num_tokens": "length_max",
    "generate/std_num_tokens": "length_std",
    "loss/avg_raw_advantages": "advantages_mean",
    "policy/rollout_train_logprobs_abs_diff_mean": "engine_logprob_difference",
    "policy/rollout_train_logprobs_abs_diff_max": "engine_logprob_difference_max",
    "policy/loss_metrics/is_ratio_mean": "importance_ratio_mean",
    "policy/loss_metrics/is_ratio_min": "importance_ratio_min",
    "policy/loss_metrics/is_ratio_max": "importance_ratio_max",
    "timing/step": "step_time",
    "trainer/epoch": "epoch",
}
CAVEATS = (Caveat(("policy/loss_metrics/clip_ratio",), "0 throughout under losses that clip nothing."),)
TRAINERS = with_and_without_critic(
    "skyrl",
    TAGS,
    reward="reward/avg_raw_reward",
    critic="critic/critic_loss",
    recognise=recognised_by("reward/avg_raw_reward"),
    caveats=CAVEATS,
)
PRODUCER = Producer("skyrl", TRAINERS)
