"""Tries reward functions before a training on right, empty, junk and extreme answers. Imports no torch."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TextIO

from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError, options_of
from trainer.config.training import TrainConfig
from trainer.data.conversations import as_completion, prompt_text
from trainer.data.dataset import Row, load_rows
from trainer.rewards import get_reward_funcs
from trainer.tasks import get_task

PROMPTS = 4
LONG = 200  # words of the longest answer
_GOLD_COLUMNS = ("answer", "solution", "ground_truth", "reference", "reference_answer", "target", "completion")
_GOLD_FORMS = (
    "{}", "\\boxed{{{}}}", "#### {}", "<answer>{}</answer>", "<think>\nLet me see.\n</think>\n<answer>\n{}\n</answer>",
)  # fmt: skip
_OTHERS: Mapping[str, tuple[str, ...]] = {
    "empty": ("",),
    "junk": ("asdf jkl qwer", "%$ ]] 0x7f }{ ~~"),
    "extreme": (
        "!" * 40,
        " ".join(["word"] * LONG),
        "This is wonderful, great, excellent, the best.",
        "This is terrible, awful, boring, the worst.",
    ),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One function's score of one answer, None if unscorable; `kind` is gold, empty, junk or extreme."""

    function: str
    kind: str
    prompt: str
    answer: str
    score: float | None


def smoke_test(config: TrainConfig) -> dict[str, Any]:
    """The answer to a request for a smoke test, as plain data: `{"trials": […]}`.

    Raises:
        RewardError: A function was not found, raised, or returned something other than a list of rewards.
    """
    return {"trials": [asdict(trial) for trial in try_rewards(config)]}


def try_rewards(config: TrainConfig) -> list[Trial]:
    """Try every reward function of a training on answers to its first prompts, function by function.

    If the rows have right answers, those are tried in the forms that a format reward may expect.
    """
    rows = load_rows(config)[:PROMPTS]
    asked = [(row, kind, answer) for row in rows for kind, answer in _answers(row)]
    prompts = [row["prompt"] for row, _, _ in asked]
    completions = [as_completion(answer, row["prompt"]) for row, _, answer in asked]
    trials = []
    for function in get_reward_funcs(config.reward_funcs or get_task(config.task).reward_funcs):
        scores = function(prompts, completions, **_columns([row for row, _, _ in asked]))
        trials += [
            Trial(function.name, kind, prompt_text(row["prompt"]), answer, score)
            for (row, kind, answer), score in zip(asked, scores, strict=True)
        ]
    return trials


def _answers(row: Row) -> Iterator[tuple[str, str]]:
    due = next((row[column] for column in _GOLD_COLUMNS if row.get(column) is not None), None)
    if isinstance(due, str | int | float):
        yield from (("gold", form.format(due)) for form in _GOLD_FORMS)
    for kind, answers in _OTHERS.items():
        yield from ((kind, answer) for answer in answers)


def _columns(rows: Sequence[Row]) -> dict[str, list[object]]:
    names = {name for row in rows for name in row} - {"prompt", "prompts", "completions"}
    return {name: [row.get(name) for row in rows] for name in names}


def config_of_request(source: TextIO) -> TrainConfig:
    """The configuration in a JSON request `{"algorithm": …, "config": {…}}`; options of other versions are ignored.

    Raises:
        ConfigError: The request or its options do not describe a training.
    """
    try:
        request: Mapping[str, Any] = json.load(source)
        algorithm, values = str(request["algorithm"]), dict(request["config"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            'the request must be {"algorithm": …, "config": {…}} as JSON on the standard input'
        ) from error
    checked = make_config(algorithm, {})  # reports an unknown algorithm before its options are looked up
    known = {option.name for option in options_of(type(checked))}
    return make_config(algorithm, {name: value for name, value in values.items() if name in known})
