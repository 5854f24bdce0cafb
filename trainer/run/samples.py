"""The sampled completions that a step saves in the run directory: all, or the best, the worst and random ones."""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from trainer.data.conversations import prompt_text
from trainer.data.dataset import Row
from trainer.rewards.scoring import Scores


def sample_rows(
    rows: Sequence[Row],
    responses: Sequence[str],
    lengths_B: Tensor,
    advantages_BT: Tensor,
    scores: Scores,
    terminated_B: Tensor,
    *,
    limit: int,
    seed: int,
    group_size: int = 1,
) -> list[dict[str, Any]]:
    """One dictionary per chosen completion, in batch order, so that the completions of a group stay together.

    `score` is the weighted sum of the rewards, None if no function gave one; `advantage` is the mean over the
    completion's tokens; `group` numbers the prompts of the step. Columns logged by the reward functions are added,
    unless their name is taken.
    """
    totals, lengths, terminated = scores.totals(), lengths_B.tolist(), terminated_B.tolist()
    advantages, rewards = (advantages_BT.sum(1) / lengths_B).tolist(), scores.of_completions()
    return [
        {
            **scores.notes.of_completion(index),
            **sample_row(rows[index], responses[index], totals[index], rewards[index]),
            "advantage": advantages[index],
            "terminated": terminated[index],
            "length": lengths[index],
            "group": index // group_size,
        }
        for index in choose_samples(totals, limit, seed)
    ]


def sample_row(row: Row, response: str, total: float | None, rewards: Mapping[str, float]) -> dict[str, Any]:
    """The fields of every sample: the prompt, the completion, its weighted reward and each function's."""
    return {
        "query": prompt_text(row["prompt"]),
        "response": response,
        "score": total,
        "rewards": rewards,
    }


def choose_samples(totals: Sequence[float | None], limit: int, seed: int) -> list[int]:
    """At most `limit` indices, increasing: a quarter the best, a quarter the worst, the rest at random.

    NaN and missing scores count as worst.
    """
    if len(totals) <= limit:
        return list(range(len(totals)))
    ranks = [-math.inf if total is None or math.isnan(total) else total for total in totals]
    order = sorted(range(len(totals)), key=ranks.__getitem__)
    edge = max(limit // 4, min(limit, 1))
    extremes = [*order[-edge:], *order[:edge]][:limit]
    others = [index for index in range(len(totals)) if index not in set(extremes)]
    return sorted([*extremes, *random.Random(seed).sample(others, limit - len(extremes))])
