"""Tries a training's rewards, policy and tokenizer before it starts, in a process of the trainer with a time limit."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any

from diagnostics.configs.trainer_process import TrialError, answers_of
from diagnostics.model.messages import shortened
from diagnostics.model.setup import Probe, ProbedPrompt, Trial
from diagnostics.model.tokenization import Conversation, PromptTokens, Tokenization
from diagnostics.told import told

SECONDS = 120.0
"""The time limit for all reward functions; loading a reward model takes a while."""
ANSWER_SECONDS = 30.0
"""The time limit for one answer's score: a function that takes longer is cut off and the others are tried."""
PROBE_SECONDS = 600.0
"""Loading a model and writing answers takes longer."""
PROMPTS = 32
"""Prompts that the untrained policy answers, or that are read in tokens."""

_QUOTED = 40  # characters of an answer in a message


def _always_true() -> bool:
    return True


def try_rewards(
    algorithm: str,
    config: Mapping[str, Any],
    seconds: float = SECONDS,
    is_wanted: Callable[[], bool] = _always_true,
    *,
    trust: bool = False,
    answer_seconds: float = ANSWER_SECONDS,
) -> tuple[Trial, ...]:
    """What the reward functions of a training give to right, wrong and worthless answers, and how they do it.

    A function that does not answer in time has one last trial, which `is_hung`.

    Args:
        config: The training's options, by the trainer's names.
        seconds: The process is killed when it takes longer.
        is_wanted: Asked several times a second; the process is killed as soon as it says no.
        trust: Also run code of the user's that is not trusted yet, and remember its content as trusted.

    Raises:
        TrialError: the process took too long, was not wanted any more, or says why it cannot.
    """
    deadline = time.monotonic() + seconds
    trials: list[Trial] = []
    is_done = False
    while not is_done:
        done = list(dict.fromkeys(trial.function for trial in trials))
        request = {"algorithm": algorithm, "config": dict(config), "done": done}
        with closing(answers_of(_command("smoke", trust), request, told("the reward functions"), is_wanted)) as answers:
            found = _trials_in(answers, deadline, seconds, answer_seconds)
        trials += found
        is_done = not (found and found[-1].is_hung)
    return tuple(trials)


def _trials_in(
    answers: Iterable[dict[str, Any] | None], deadline: float, seconds: float, answer_seconds: float
) -> list[Trial]:
    """The trials of a process, up to a function that hangs."""
    trials: list[Trial] = []
    trying: Mapping[str, Any] = {}
    began = allowed = 0.0
    for answer in answers:
        now = time.monotonic()
        if answer is not None:
            trials += [Trial(**item) for item in answer.get("trials", ())]
            trying, began = answer.get("trying", {}), now
            allowed = answer_seconds + 2 * answer.get("expected", 0.0)
        elif now > deadline:
            raise TrialError(
                told(
                    "the reward functions gave no answer within {seconds} s{busy}",
                    seconds=f"{seconds:.0f}",
                    busy=_busy_with(trying),
                )
            )
        elif trying and now - began > allowed:
            return [*trials, Trial(**trying, score=None, seconds=allowed, is_hung=True)]
    if trying:
        raise TrialError(
            told(
                "the reward functions' process ended by itself{busy}; a reward function must return and not exit",
                busy=_busy_with(trying),
            )
        )
    return trials


def _busy_with(trying: Mapping[str, Any]) -> str:
    if not trying:
        return ""
    return told(
        ": {function} had to score the {policy} answer “{answer}”",
        function=trying["function"],
        policy=trying["policy"],
        answer=shortened(trying["answer"], _QUOTED),
    )


def probe_policy(
    algorithm: str,
    config: Mapping[str, Any],
    seconds: float = PROBE_SECONDS,
    is_wanted: Callable[[], bool] = _always_true,
    *,
    trust: bool = False,
    prompts: int = PROMPTS,
    generations: int = 1,
) -> Probe:
    """How long the answers of the untrained policy get with four times the room; as `try_rewards` otherwise.

    Args:
        generations: Answers to each prompt. Those of two or more are scored, as far as a training would keep them.
    """
    request = {"algorithm": algorithm, "config": dict(config), "prompts": prompts, "generations": generations}
    said = _only_answer(_command("probe", trust), request, told("the untrained policy"), seconds, is_wanted)
    groups = (ProbedPrompt(item["row"], item["prompt"], tuple(item["rewards"])) for item in said["prompts"])
    return Probe(tuple(said["lengths"]), said["room"], tuple(groups))


def try_tokenizer(
    algorithm: str,
    config: Mapping[str, Any],
    seconds: float = SECONDS,
    *,
    trust: bool = False,
    prompts: int = PROMPTS,
) -> Tokenization:
    """What the tokenizer makes of the first prompts, and of conversations as they grow; as `try_rewards` otherwise.

    Args:
        prompts: With 0 no data are read, and the model's tokenizer alone is tried.
    """
    request = {"algorithm": algorithm, "config": dict(config), "prompts": prompts}
    said = _only_answer(_command("tokens", trust), request, told("the tokenizer"), seconds, _always_true)
    read = (
        PromptTokens(**{**item, "ids": tuple(item["ids"]), "tokens": tuple(item["tokens"])}) for item in said["prompts"]
    )
    grown = (Conversation(**item) for item in said["conversations"])
    return Tokenization(**{**said, "prompts": tuple(read), "conversations": tuple(grown)})


def _only_answer(
    command: Sequence[str], request: Mapping[str, Any], whom: str, seconds: float, is_wanted: Callable[[], bool]
) -> dict[str, Any]:
    """The answer of a process that gives one. Raises TrialError where it gives none in time."""
    deadline = time.monotonic() + seconds
    said: dict[str, Any] = {}
    with closing(answers_of(command, request, whom, is_wanted)) as answers:
        for answer in answers:
            said = answer or said
            if not said and time.monotonic() > deadline:
                raise TrialError(told("{whom} gave no answer within {seconds} s", whom=whom, seconds=f"{seconds:.0f}"))
    if not said:
        raise TrialError(
            told(
                "{whom} gave no answer: its process ended by itself, with exit code 0; code that it ran, such as a "
                "reward function, must return and not exit",
                whom=whom,
            )
        )
    return said


def _command(name: str, trust: bool) -> Sequence[str]:
    return [name, "--trust"] if trust else [name]
