"""NVIDIA's NeMo-RL: `nemo_rl/algorithms/grpo.py`, `ppo.py` and `loss/loss_functions.py`."""

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, LogTraits, recognised_by
from diagnostics.producers.with_and_without_critic import with_and_without_critic

TAGS = {
    "kl_penalty": "kl_per_token",
    "approx_entropy": "entropy_per_token",
    "loss": "loss",
    "probs_ratio": "ratio_mean",
    "probs_ratio_max": "ratio_max",
    "critic/vf_clipfrac": "value_clip_fraction",
    "critic/explained_var": "explained_variance",
    "critic/values_mean": "value_mean",
    "critic/returns_mean": "returns_mean",
    "advantages/mean": "advantages_mean",
    "grad_norm": "grad_norm",
    "lr": "learning_rate",
    "mean_gen_tokens_per_sample": "length_mean",
    "max_gen_tokens_per_sample": "length_max",
    "truncation_rate": "truncated_fraction",
    "gen_kl_error": "engine_logprob_difference",
    "sampling_importance_ratio": "importance_ratio_mean",
    "timing/train/total_step_time": "step_time",
}
CAVEATS = (
    Caveat(("kl_penalty",), "Divided by the weight of the penalty; the literal 0 where there is no reference model."),
    Caveat(("probs_ratio_max",), "−1 stands for no valid value."),
)


def _read_traits(log: Log, algorithm: str) -> LogTraits:
    """Ignores a penalty that is always 0: it was never computed."""
    penalty = log.series.get("kl_penalty")
    is_absent = penalty is not None and not penalty.values.any()
    return LogTraits(algorithm, ignored=frozenset({"kl_penalty"}) if is_absent else frozenset())


TRAINERS = with_and_without_critic(
    "nemo-rl",
    TAGS,
    reward="reward",
    critic="critic/loss",
    recognise=recognised_by("train/token_mult_prob_error", "token_mult_prob_error"),
    caveats=CAVEATS,
    read_traits=_read_traits,
)
PRODUCER = Producer("nemo-rl", TRAINERS)
