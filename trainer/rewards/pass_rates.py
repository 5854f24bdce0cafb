"""The rewards of an untrained policy's answers, from one generation with the lengths of the answers."""

from collections.abc import Mapping
from typing import Any

from trainer.config.training import TrainConfig
from trainer.data.conversations import prompt_text
from trainer.rewards import get_reward_funcs
from trainer.rewards.scoring import load_reward_funcs, score
from trainer.rollout.policy_probe import ProbedAnswers, probe_answers
from trainer.tasks import get_task


def probe_policy(config: TrainConfig, prompts: int, generations: int) -> Mapping[str, Any]:
    """`{"lengths": […], "room": …, "prompts": [{"row": …, "prompt": …, "rewards": […]}, …]}`.

    Rewards are the weighted sums, None where no function could score an answer. Single answers are not scored: only
    groups have a pass rate.

    Raises:
        ConfigError: The model or the prompts cannot be read.
        RewardError: A reward function was not found, or failed.
    """
    answers = probe_answers(config, prompts, generations)
    groups = [] if generations == 1 else _groups(config, answers, generations)
    return {"lengths": answers.lengths, "room": answers.room, "prompts": groups}


def _groups(config: TrainConfig, answers: ProbedAnswers, generations: int) -> list[Mapping[str, Any]]:
    functions = get_reward_funcs(config.reward_funcs or get_task(config.task).reward_funcs)
    load_reward_funcs(functions)
    totals: list[float | None] = []
    for first in range(0, len(answers.rows), config.per_device_train_batch_size):
        part = slice(first, first + config.per_device_train_batch_size)
        texts, ids = answers.texts[part], answers.ids[part]
        totals += score(functions, config.reward_weights, answers.rows[part], texts, ids).totals()
    return [
        {"row": row, "prompt": prompt_text(row["prompt"]), "rewards": totals[first : first + generations]}
        for first, row in list(enumerate(answers.rows))[::generations]
    ]
