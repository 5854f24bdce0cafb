"""OpenRLHF's trainers: bare names under the transport's `train/`.

Names: `openrlhf/trainer/ppo_trainer.py`, `trainer/ray/ppo_actor.py`, `ppo_critic.py` and `models/loss.py`.
"""

from diagnostics.producers.nested_config import planned
from diagnostics.producers.producer import Caveat, Findings, Log, shows
from diagnostics.producers.with_and_without_critic import by_estimator, with_and_without_critic

TAGS = {
    "rollout/reward_mean": "reward",
    "rollout/reward_std": "reward_std",
    "group_reward_std": "reward_std",
    "return": "rlhf_reward",
    "kl": "kl_per_token",
    "ppo_kl": "policy_kl",
    "entropy_loss": "entropy_per_token",
    "policy_loss": "policy_loss",
    "ppo_clip_ratio": "clip_fraction",
    "actor_grad_norm": "grad_norm",
    "actor_lr": "learning_rate",
    "response_length": "length_mean",
    "rollout/response_length_mean": "length_mean",
    "response_clip_ratio": "truncated_fraction",
    "truncated": "truncated_fraction",
    "rollout/truncated_rate": "truncated_fraction",
    "values": "value_mean",
    "vllm_kl": "engine_logprob_difference",
    "rollout/num_samples": "episodes",
    "timing/step_total": "step_time",
}
CAVEATS = (
    Caveat(("kl",), "The estimator is the one that --algo.kl.estimator names: k1, k2 or k3."),
    Caveat(("ppo_kl", "vllm_kl"), "A k1 estimate: small values below 0 are noise."),
    Caveat(("entropy_loss",), "The entropy with its own sign, not the loss that is made of it."),
    Caveat(("group_reward_std",), "The mean of the deviations within groups."),
)


def examine(log: Log, algorithm: str) -> Findings:
    """The algorithm by the advantage estimator, where the settings are logged, and the planned steps."""
    for path in ("algo.advantage.estimator", "advantage_estimator"):
        found, notes = by_estimator(log, path, algorithm)
        if found != algorithm or notes:
            break
    return Findings(found, total=planned(log.config, "max_steps", "trainer.max_steps"), notes=notes)


DIALECTS = with_and_without_critic(
    "openrlhf",
    TAGS,
    reward="reward",
    critic="critic_loss",
    recognise=shows(("train/actor_lr", "train/policy_loss"), ("actor_lr", "policy_loss")),
    caveats=CAVEATS,
    examine=examine,
)
