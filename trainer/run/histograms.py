"""Histograms of a step: rewards, KL, ratios, advantages, lengths and log-probabilities.

They match the logging page of TRL's first PPOTrainer, but over real tokens only (that trainer's include padding).

Axes: B completions, T tokens, Q prompt tokens.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainer.acceleration.parallel.processes import Processes
from trainer.algorithms.experience import Tokens
from trainer.algorithms.kl import Estimator, k3
from trainer.algorithms.means import sequence_sums

BINS = 32

Histograms = dict[str, dict[str, Any]]
"""Name → `edges` (one more than bins, increasing), `counts`, and the counts of `nan`, `inf` and `-inf`, if any."""


def histogram(values_N: Tensor) -> dict[str, Any]:
    """Equal bins from the smallest to the largest finite value; a single bin if they are almost equal.

    Non-finite values are counted separately, outside the bins; without finite values there are no bins.
    """
    values = values_N.detach().double().cpu().numpy().ravel()
    others = {"nan": np.isnan(values), "inf": np.isposinf(values), "-inf": np.isneginf(values)}
    counted = {name: int(found.sum()) for name, found in others.items() if found.any()}
    finite = values[np.isfinite(values)]
    if not len(finite):
        return {"edges": [], "counts": [], **counted}
    low, high = float(finite.min()), float(finite.max())
    if high - low <= BINS * np.spacing(max(abs(low), abs(high))):
        return {"edges": [low, high], "counts": [len(finite)], **counted}
    counts, edges = np.histogram(finite, BINS, (low, high))
    return {"edges": edges.tolist(), "counts": counts.tolist(), **counted}


class StepHistograms:
    """Collects one step's histograms: ratios during the updates, everything else when the step is logged."""

    def __init__(self, step: int, every: int) -> None:
        """Collect on the first step and on every `every`-th; 0 means never."""
        self.are_due = bool(every) and (step == 1 or step % every == 0)
        self._ratios: list[Tensor] = []

    def add_ratios(self, logprobs_BT: Tensor, old_logprobs_BT: Tensor, mask_BT: Tensor) -> None:
        """Add the probability ratios of one pass."""
        if self.are_due:
            self._ratios.append((logprobs_BT.detach() - old_logprobs_BT).exp()[mask_BT])

    def of(
        self,
        processes: Processes,
        scores_B: Tensor,
        tokens: Tokens,
        logprobs_BT: Tensor,
        advantages_BT: Tensor,
        ref_logprobs_BT: Tensor | None,
        estimator: Estimator = k3,
    ) -> Histograms:
        """Every histogram that the step has values for; empty if none is due.

        Args:
            scores_B: The reward functions' weighted sums.
            ref_logprobs_BT: None without a reference; otherwise `estimator` gives the KL at each token.
        """
        if not self.are_due:
            return {}
        mask_BT = tokens.mask_BT
        found = {
            "env/reward_dist": scores_B,
            "objective/logprobs": logprobs_BT[mask_BT],
            "policy/ratio": torch.cat(processes.gather_objects(torch.cat(self._ratios).cpu())),
            "policy/advantages": advantages_BT[mask_BT],
            "tokens/queries_len_dist": tokens.prompt_mask_BQ.sum(1),
            "tokens/responses_len_dist": mask_BT.sum(1),
        }
        if ref_logprobs_BT is not None:
            found["objective/ref_logprobs"] = ref_logprobs_BT[mask_BT]
            found["objective/kl_dist"] = sequence_sums(estimator(logprobs_BT, ref_logprobs_BT), mask_BT)
        return {name: histogram(values_N) for name, values_N in found.items()}
