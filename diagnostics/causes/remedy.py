"""What a remedy is: an argument by its name in the run's trainer, and how to come from its value to a better one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Fix
from diagnostics.model.run import Run
from diagnostics.producers.settings import stated
from diagnostics.traits.hyperparameters import UNSCALED

Config = Mapping[str, Any]
Suggest = Callable[[Any, Config], Any]


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A better value with the numbers that its reason states."""

    value: Any
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Measured:
    """A suggestion that follows from what the run shows, given the current value and the run.

    It may answer with a `Reasoned`, and must where the remedy's reason has places for numbers.
    """

    suggest: Callable[[Any, Run], Any]


class Keep(Enum):
    """The answer of a remedy that finds its argument well set."""

    AS_IS = "as is"


USUAL_CLIP_RANGE = 0.2  # TRL's own, of PPO and GRPO
ANY = ""
"""In a remedy's parameters: every algorithm that is not named."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to try.

    `parameters` maps an algorithm (ANY: every other) to the argument's possible names. `suggest` turns the current
    value and the whole configuration (or, as `Measured`, the run) into a better value: the same or `Keep.AS_IS` where
    nothing is to be changed, None where something is and only a person can say to what. `fits` says whether a run has
    what the remedy is about.
    `unstated` is suggested where the configuration does not state the argument; with `only_stated` nothing is.
    """

    name: str
    parameters: Mapping[str, tuple[str, ...]]
    suggest: Suggest | Measured
    why: str
    source: str
    unstated: Any = None
    only_stated: bool = False
    fits: Callable[[Run], bool] = lambda run: True

    @property
    def template(self) -> str:
        """The id of the sentence that says why."""
        return f"remedy.{self.name}"

    def names(self, run: Run) -> tuple[str, ...]:
        """The argument's possible names in this run, by its algorithm."""
        if run.algorithm == "unknown":
            return tuple(name for group in self.parameters.values() for name in group)
        return self.parameters.get(run.algorithm, self.parameters.get(ANY, ()))

    def fix(self, run: Run) -> Fix | None:
        """This remedy for this run; None where the run has no such argument or it is well set already.

        It goes by the name that the configuration states, in verl's or OpenRLHF's words too, else by the first one.
        """
        names = self.names(run)
        found = stated(run.config, names)
        if not names or (self.only_stated and found is None) or not self.fits(run):
            return None
        parameter, current = found or (names[0], None)
        suggested = self._suggested(current, run) if found else self.unstated
        values = suggested.values if isinstance(suggested, Reasoned) else {}
        suggested = suggested.value if isinstance(suggested, Reasoned) else suggested
        if suggested is Keep.AS_IS or (suggested == current and suggested is not None):
            return None
        return Fix(parameter, current, suggested, Message(self.template, values), self.source)

    def _suggested(self, current: Any, run: Run) -> Any:
        if isinstance(self.suggest, Measured):
            return self.suggest.suggest(current, run)
        return self.suggest(current, run.config)


def scaled(factor: float) -> Suggest:
    """The value times a factor, to two digits; whole where it was whole."""

    def suggest(current: Any, config: Config) -> Any:
        if not is_number(current):
            return None
        better = float(f"{current * factor:.2g}")
        return round(better) if isinstance(current, int) and better >= 1 else better

    return suggest


def at_most(highest: float, otherwise: float) -> Suggest:
    """`otherwise` where the value is above `highest`."""
    return lambda current, config: otherwise if is_number(current) and current > highest else current


def always(value: Any) -> Suggest:
    """The same value whatever stands there; None where only a person can say it."""
    return lambda current, config: value


def halved_epochs(current: Any, config: Config) -> Any:
    """Half as many passes, at least one."""
    return max(1, current // 2) if isinstance(current, int) else None


def halved(current: Any, config: Config) -> Any:
    """Half of a count; nothing to change at 1."""
    return current // 2 if isinstance(current, int) and current > 1 else Keep.AS_IS


def stronger_kl(current: Any, config: Config) -> Any:
    """Three times the KL penalty, or 0.05 where there was none."""
    return scaled(3)(current, config) if current else 0.05


def wider_clip_range(current: Any, config: Config) -> Any:
    """1.4 times the clip range, as wide as DAPO's beside the usual one; the usual one where it is not half of that."""
    known = config.get("epsilon") if current is None else current
    is_far_off = isinstance(known, int | float) and known < USUAL_CLIP_RANGE / 2
    return USUAL_CLIP_RANGE if is_far_off else scaled(1.4)(known, config)


def clipped_gradient(current: Any, config: Config) -> Any:
    """1.0 where gradients are not clipped, or at 10 and above."""
    return current if is_number(current) and 0 < current < 10 else 1.0


def neutral_top_k(current: Any, config: Config) -> Any:
    """0, where top-k is on."""
    return current if current in (-1, 0) else 0


def neutral_least_length(current: Any, config: Config) -> Any:
    """0, where a least length is asked for."""
    return Keep.AS_IS if current is None or current <= 0 else 0


def positive_weights(current: Any, config: Config) -> Any:
    """The same weights without their signs, where one lies below 0."""
    if not isinstance(current, list | tuple) or not all(is_number(weight) for weight in current):
        return None
    return [abs(weight) for weight in current] if any(weight < 0 for weight in current) else None


def scored_temperature(current: Any, config: Config) -> Any:
    """The temperature at which answers are scored, where another one is used to sample them."""
    return Keep.AS_IS if current is None else config.get("temperature", 1.0)


def bf16_for_fp16(current: Any, config: Config) -> Any:
    """True where fp16 is on."""
    return True if config.get("fp16") else current


def unset_only(value: Any) -> Suggest:
    """The value where none is set."""
    return lambda current, config: value if current is None else current


def not_by_group(current: Any, config: Config) -> Any:
    """The spread of the batch; none at all where the setting is a switch, as in verl and in TRL up to 0.21."""
    return False if isinstance(current, bool) else "batch"


def by_batch(current: Any, config: Config) -> Any:
    """The spread of the batch, or of the group where the setting is a switch; as is where rewards are scaled."""
    if current not in UNSCALED:
        return Keep.AS_IS
    return True if isinstance(current, bool) else "batch"


def is_number(value: Any) -> bool:
    """Whether a setting is a number, which a boolean is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
