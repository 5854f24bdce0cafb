"""Ai2's open-instruct, grpo_fast: `open_instruct/grpo_fast.py`, `grpo_utils.py` and `data_loader.py`."""

from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, Trainer, recognised_by, trains_only

TAGS = {
    "scores": "reward",
    "objective/kl3_avg": "kl_per_token",
    "policy/entropy_avg": "entropy_per_token",
    "loss/total_avg": "loss",
    "loss/policy_avg": "policy_loss",
    "val/ratio": "ratio_mean",
    "val/ratio_var": "ratio_variance",
    "policy/clipfrac_avg": "clip_fraction",
    "optim/grad_norm": "grad_norm",
    "lr": "learning_rate",
    "val/sequence_lengths": "length_mean",
    "val/sequence_lengths_min": "length_min",
    "val/sequence_lengths_max": "length_max",
    "val/advantages_mean": "advantages_mean",
    "debug/vllm_vs_local_logprob_diff_mean": "engine_logprob_difference",
    "debug/vllm_vs_local_logprob_diff_max": "engine_logprob_difference_max",
    "val/rho_weight": "importance_ratio_mean",
    "val/num_total_tokens": "tokens",
    "episode": "episodes",
    "epoch": "epoch",
    "time/total": "step_time",
}
FAMILIES = {"objective/{name}_reward": "reward_func_mean/{name}"}
CAVEATS = (Caveat(("objective/kl3_avg",), "One of four estimates that are logged: k3, which is never below 0."),)

TRAINER = Trainer(
    "open-instruct",
    TAGS,
    recognised_by("objective/kl3_avg"),
    trains_only("grpo"),
    FAMILIES,
    CAVEATS,
    is_verified=False,
)
PRODUCER = Producer("open-instruct", (TRAINER,))
