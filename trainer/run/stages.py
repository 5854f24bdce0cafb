"""The two stages of a training with a fault: before the onset, and from the onset on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from trainer.config.fault_values import fault_case, faulty_config
from trainer.config.training import TrainConfig
from trainer.data.dataset import Row
from trainer.data.prompts import Prompts
from trainer.faults.fault import Case
from trainer.rewards import RewardFunc, get_reward_funcs

Config = TypeVar("Config", bound=TrainConfig)


class Stage(NamedTuple, Generic[Config]):
    """What a training runs with for a range of its steps."""

    config: Config
    prompts: Prompts
    reward_funcs: Sequence[RewardFunc]


@dataclass(frozen=True, slots=True)
class Changes(Generic[Config]):
    """The stages before and after a fault's onset; the step alone decides which one applies."""

    onset_step: int
    before: Stage[Config]
    after: Stage[Config]

    def at(self, step: int) -> Stage[Config]:
        """The stage of a step; steps count from 1."""
        return self.before if step < self.onset_step else self.after


class _Altered(Prompts):
    """Alters the rows drawn by another prompt source: both share one order, which is saved and restored once."""

    def __init__(self, prompts: Prompts, alter: Callable[[Sequence[Row]], list[Row]]) -> None:
        self._prompts = prompts
        self._alter = alter

    def __len__(self) -> int:
        return len(self._prompts)

    def draw(self, count: int) -> list[Row]:
        return self._alter(self._prompts.draw(count))

    def state_dict(self) -> dict[str, Any]:
        return self._prompts.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._prompts.load_state_dict(state)


def changes_of(healthy: Stage[Config]) -> Changes[Config] | None:
    """The changes made by the configuration's fault; None without a fault.

    Raises:
        ConfigError: The fault's values conflict with others in the configuration.
    """
    config = healthy.config
    case = fault_case(config)
    if case is None:
        return None
    sick = Stage(
        config=faulty_config(config),
        prompts=healthy.prompts if case.rows is None else _Altered(healthy.prompts, case.rows),
        reward_funcs=_reward_funcs(case, healthy),
    )
    return Changes(config.fault_step, healthy, sick)


def _reward_funcs(case: Case, healthy: Stage[Any]) -> Sequence[RewardFunc]:
    return get_reward_funcs(case.values["reward_funcs"]) if "reward_funcs" in case.values else healthy.reward_funcs
