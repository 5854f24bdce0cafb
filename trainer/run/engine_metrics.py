"""Metrics of a step whose completions an engine apart from the trainer generated; names as in TRL.

Axis X: one column per token or one per completion.
"""

from torch import Tensor

from trainer.algorithms.engine_correction import mismatch_metrics, weight_metrics
from trainer.run.rollouts import Rollout


def engine_metrics(rollout: Rollout, weights_BX: Tensor | None) -> dict[str, float]:
    """Log-probabilities apart, importance weights if they correct for it, staleness; empty if the policy generated.

    TRL logs the first only together with the correction. Its AsyncGRPO counts staleness in weight transfers, of which
    there is one in each step here.
    """
    engine, mask_BT = rollout.from_engine, rollout.tokens.mask_BT
    if engine is None:
        return {}
    return {
        **mismatch_metrics(rollout.logprobs_BT, engine.logprobs_BT, mask_BT),
        **({} if weights_BX is None else weight_metrics(weights_BX, mask_BT)),
        "sample/staleness_mean": float(engine.staleness),
        "sample/staleness_max": float(engine.staleness),
    }
