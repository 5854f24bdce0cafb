"""The judges that run in this process: a reward function or reward model, and the user's own function."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.told import told
from trainer.config.options import ConfigError
from trainer.config.reward_names import is_function_in_file
from trainer.data.conversations import prompt_text
from trainer.evaluate.arguments import JUDGES
from trainer.evaluate.contest import Judge, Pair, Verdict
from trainer.evaluate.endpoint import Endpoint, EndpointJudge
from trainer.rewards import RewardFunc, get_reward_funcs, user_file
from trainer.rewards.scoring import score

_VERDICTS: tuple[Verdict, ...] = ("a", "b", "tie")


@dataclass(frozen=True, slots=True)
class RewardJudge:
    """The answer with the higher reward wins; rewards that differ by no more than `tolerance` are a tie."""

    function: RewardFunc
    tolerance: float

    @property
    def is_position_biased(self) -> bool:
        return False

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        rows = [pair.row for pair in pairs]
        rewards_a = self._rewards(rows, [pair.a for pair in pairs])
        rewards_b = self._rewards(rows, [pair.b for pair in pairs])
        return [self._verdict(a, b) for a, b in zip(rewards_a, rewards_b, strict=True)]

    def _rewards(self, rows: Sequence[Any], answers: Sequence[str]) -> list[float]:
        """One reward per answer; NaN if the function could not score it."""
        if not rows:
            return []
        scores = score([self.function], (), rows, answers)
        given = zip(scores.rewards_FB[0].tolist(), scores.given_FB[0].tolist(), strict=True)
        return [reward if is_given else math.nan for reward, is_given in given]

    def _verdict(self, a: float, b: float) -> Verdict | None:
        if math.isnan(a) or math.isnan(b):
            return None
        if a == b or abs(a - b) <= self.tolerance:
            return "tie"
        return "a" if a > b else "b"


@dataclass(frozen=True, slots=True)
class FunctionJudge:
    """The user's own `function(prompt, a, b)`, which returns "a", "b" or "tie"; anything else is no verdict."""

    name: str
    function: Callable[[str, str, str], Any]

    @property
    def is_position_biased(self) -> bool:
        return True

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict | None]:
        return [self._verdict(pair) for pair in pairs]

    def _verdict(self, pair: Pair) -> Verdict | None:
        prompt = prompt_text(pair.row["prompt"])
        try:
            said = self.function(prompt, pair.a, pair.b)
        except Exception as error:  # the user's code may raise anything
            problem = f"{type(error).__name__}: {error}"
            raise ConfigError(
                told(
                    "the judge {name} raised {problem} (prompt {prompt!r}); correct it",
                    name=self.name,
                    problem=problem,
                    prompt=prompt,
                )
            ) from error
        return next((verdict for verdict in _VERDICTS if verdict == said), None)


def get_judge(name: str, tolerance: float, endpoint: Endpoint) -> Judge:
    """The judge with this name.

    Raises:
        ConfigError: There is no such judge.
        RewardError: Its reward function or file does not exist.
    """
    kind, _, rest = name.partition(":")
    if kind == "openai" and rest:
        return EndpointJudge(rest, endpoint)
    if kind in ("reward", "reward_model") and rest:
        return RewardJudge(get_reward_funcs([rest if kind == "reward" else name])[0], tolerance)
    if is_function_in_file(name):
        return FunctionJudge(name, user_file.load(name, told("judge"))[1])
    raise ConfigError(told("there is no judge {name!r}; write {judges}", name=name, judges=JUDGES))
