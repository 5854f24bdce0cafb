"""The settings of a training by canonical name: what each is, what its producer calls it, and who says so."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Origin = Literal["config", "generation_config", "default"]
Notation = Literal["keyword", "override", "flag", "dashed-flag", "assignment"]
"""How a producer's user writes a setting: a keyword argument of its configuration's class, an override of a nested
configuration, a flag of a command (with dashes where the setting's name has underscores) or, where that is not known, a
line of a file."""
_OFF = frozenset({"", "no", "none", "null", "false"})


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting in effect: the argument that sets it in its producer's words, its value, and where it comes from."""

    parameter: str
    value: Any
    origin: Origin

    @property
    def is_given(self) -> bool:
        return self.origin == "config"

    @property
    def number(self) -> float | None:
        """The value as a number, text such as `1e-6` included; None where it is none."""
        return as_number(self.value)

    @property
    def is_on(self) -> bool:
        """Whether the value switches something on: neither empty, 0, `no` nor false."""
        return is_on(self.value)


NEAR_GREEDY_TEMPERATURE = 0.3  # below it sampling is as good as greedy
UNSCALED_REWARDS = ("none", False)
"""Values of `scale_rewards` with which advantages differ as much as the rewards; with others they are about 1."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A training's settings, resolved by whoever knows its producer.

    known: by canonical name · arguments: by canonical name, what the producer calls a setting that is not given, of
    those that it has · neutral: by canonical name, the value with which a setting does nothing, where it is not the
    usual one · notation: how a setting is written.
    """

    known: Mapping[str, Setting] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    neutral: Mapping[str, Any] = field(default_factory=dict)
    notation: Notation = "assignment"

    def get(self, name: str) -> Setting | None:
        """A setting in effect; None where it is not known."""
        return self.known.get(name)

    def value(self, name: str, default: Any = None) -> Any:
        """A setting's value; the default where it is not known."""
        setting = self.known.get(name)
        return default if setting is None else setting.value

    def number(self, name: str) -> float | None:
        """A setting's value as a number; None where it is not known or none."""
        setting = self.known.get(name)
        return setting.number if setting else None

    def is_on(self, name: str) -> bool:
        """Whether a setting is known to be switched on."""
        setting = self.known.get(name)
        return setting is not None and setting.is_on

    def argument(self, name: str) -> str | None:
        """What the producer calls a setting: the argument that is given, else its usual one; None where it has none."""
        setting = self.known.get(name)
        return setting.parameter if setting is not None and setting.is_given else self.arguments.get(name)

    def named(self, name: str) -> str:
        """What the producer calls a setting, else what it is in plain words: "max tokens"."""
        return self.argument(name) or name.replace("_", " ")

    @property
    def kl_weight(self) -> float | None:
        """The weight of the KL to the reference, 0 where every penalty is switched off; None where it is not known.

        Some producers state the weights of two penalties, in the loss and in the reward, and beside each a switch.
        """
        switches = [item for name in ("use_kl_loss", "use_kl_in_reward") if (item := self.known.get(name)) is not None]
        is_off = bool(switches) and not any(item.is_on for item in switches)
        return 0.0 if is_off else self.number("kl_weight")

    @property
    def corrects_sequences(self) -> bool | None:
        """Whether the correction for the rollout engine weights whole completions, not tokens; None where that is not
        known."""
        level = str(self.value("is_mode", "")).partition("_")[0]
        return level == "sequence" if level in ("sequence", "token") else None

    @property
    def samples_near_greedily(self) -> bool:
        """Whether the temperature is known to be so low that sampling is as good as greedy."""
        temperature = self.number("temperature")
        return temperature is not None and temperature < NEAR_GREEDY_TEMPERATURE

    @property
    def updates_per_generation(self) -> int:
        """How often the policy is updated from the same completions before the next ones are logged."""
        passes = self.value("logged_passes")  # PPO's epochs are no part of it: its first point precedes all of them
        return max(1, passes) if isinstance(passes, int) else self.updates_per_batch or 1

    @property
    def updates_per_batch(self) -> int | None:
        """How many updates are made of a batch of completions; None where the settings do not tell.

        Passes over the batch, times its parts. Producers state the size of a part in prompts or in completions.
        """
        passes, prompts, part = map(self.number, ("epochs", "prompts_per_batch", "prompts_per_update"))
        if part is None:
            completions, group = self.number("answers_per_update"), self.number("num_generations")
            part = completions / group if completions and group else None
        return math.ceil(passes) * max(1, math.ceil(prompts / part)) if passes and prompts and part else None


def is_on(value: Any) -> bool:
    """Whether a setting's value switches something on: neither empty, 0, `no` nor false."""
    return value.strip().lower() not in _OFF if isinstance(value, str) else bool(value)


def as_number(value: Any) -> float | None:
    """A finite number, text such as `1e-6` included (YAML reads it as text); None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
