"""The smoke test: tries reward functions before a training on answers that are known to be good or bad.

Imports no torch.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from diagnostics.told import told
from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError, options_of
from trainer.config.training import TrainConfig
from trainer.data.conversations import prompt_text
from trainer.data.dataset import Row, load_rows
from trainer.rewards import get_reward_funcs
from trainer.rewards.answer_policies import Question, short_answer
from trainer.rewards.trials import Event, Task, try_function
from trainer.tasks import get_task

PROMPTS = 4
_GOLD_COLUMNS = ("answer", "solution", "ground_truth", "reference", "reference_answer", "target", "completion")


def smoke_test(config: TrainConfig, done: Sequence[str] = ()) -> Iterator[Event]:
    """Try every reward function of a training on answers to its first prompts, one function after another.

    Before each call comes `{"trying": …, "expected": seconds}`, after each function `{"trials": […]}`.

    Args:
        done: Functions that are left out.

    Raises:
        RewardError: A function was not found, raised whatever the answer, or returned something other than a list of
            rewards.
    """
    tasks = _tasks(load_rows(config)[:PROMPTS])
    for function in get_reward_funcs(config.reward_funcs or get_task(config.task).reward_funcs):
        if function.name not in done:
            trials = yield from try_function(function, tasks)
            yield {"trials": [asdict(trial) for trial in trials]}


def _tasks(rows: Sequence[Row]) -> list[Task]:
    golds = [_gold(row) for row in rows]
    known = tuple(dict.fromkeys(gold for gold in golds if gold is not None))
    return [
        Task(row, Question(prompt_text(row["prompt"]), gold, tuple(other for other in known if other != gold)))
        for row, gold in zip(rows, golds, strict=True)
    ]


def _gold(row: Row) -> str | None:
    due = next((row[column] for column in _GOLD_COLUMNS if row.get(column) is not None), None)
    return short_answer(str(due)) if isinstance(due, str | int | float) else None


def read_trial_request(source: TextIO) -> tuple[TrainConfig, Mapping[str, Any]]:
    """The configuration in a JSON request `{"algorithm": …, "config": {…}}`, and the whole request.

    Options of other versions are ignored.

    Raises:
        ConfigError: The request or its options do not describe a training.
    """
    try:
        request: Mapping[str, Any] = json.load(source)
        algorithm, values = str(request["algorithm"]), dict(request["config"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            told('the request must be {{"algorithm": …, "config": {{…}}}} as JSON on the standard input')
        ) from error
    checked = make_config(algorithm, {})  # reports an unknown algorithm before its options are looked up
    known = {option.name for option in options_of(type(checked))}
    return make_config(algorithm, {name: value for name, value in values.items() if name in known}), request
