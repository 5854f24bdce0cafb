"""A remedy: a setting to change, in the words of the run's producer, and how to find a better value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Fix
from diagnostics.model.run import Run

ANY = ""
"""In a remedy's settings: every algorithm that is not named."""


class Keep(Enum):
    """The answer of a remedy whose setting is fine."""

    AS_IS = "as is"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A better value with the numbers that its reason states."""

    value: Any
    values: Mapping[str, Value]


Suggest = Callable[[Any, Run], Any]
"""From the current value and the run to a better value.

The answer is the same value or `Keep.AS_IS` where nothing is to be changed, None where only a person can name a better
one, and a `Suggestion` where the remedy's reason has places for numbers.
"""


def unlogged(run: Run) -> Any:
    """None: no log shows the setting."""
    return None


BY_HAND: Mapping[str, Any] = {ANY: None}
"""In `Remedy.unstated`: the argument is named, and a person finds the value."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to try.

    settings: algorithm (ANY: every other) → canonical settings: the first one that is stated is changed, else the first
    that the producer has an argument for · logged: the value as the log shows it, where the run states none of them;
    None where it does not · unstated: algorithm → what to suggest where neither is known, by default nothing ·
    is_advice: its sentence helps without an argument, where the producer has none that is known · applies: whether the
    run has what the remedy is about
    """

    name: str
    settings: Mapping[str, tuple[str, ...]]
    suggest: Suggest
    why: str
    source: str
    logged: Callable[[Run], Any] = unlogged
    unstated: Mapping[str, Any] = field(default_factory=dict)
    is_advice: bool = False
    applies: Callable[[Run], bool] = lambda run: True

    @property
    def template(self) -> str:
        """The id of the template of the reason."""
        return f"remedy.{self.name}"

    def fix(self, run: Run) -> Fix | None:
        """This remedy for this run; None where it has no such setting, or it is well set already.

        The setting goes by the argument that the configuration states, else by the producer's own; never by another's.
        """
        names = self._settings(run)
        if names is None or not self.applies(run):
            return None
        found = next((setting for name in names if (setting := run.settings.get(name)) is not None), None)
        if found is not None:
            return self._change(found.parameter, found.value, run)
        own, logged = _argument(names, run), self.logged(run)
        return self._unstated_fix(own, run) if logged is None else self._change(own, logged, run)

    def _change(self, parameter: str, current: Any, run: Run) -> Fix | None:
        """The change of a value, by its argument, or in words alone where the producer has none that is known."""
        answer = self.suggest(current, run)
        suggested, values = (answer.value, answer.values) if isinstance(answer, Suggestion) else (answer, {})
        if suggested is Keep.AS_IS or (suggested == current and suggested is not None):
            return None
        known, better = (current, suggested) if parameter else (None, None)
        return Fix(parameter, known, better, Message(self.template, values), self.source)

    def _unstated_fix(self, own: str, run: Run) -> Fix | None:
        """What to suggest where the value is not known, with the producer's argument or in words alone."""
        by_algorithm = BY_HAND if self.is_advice and not self.unstated else self.unstated
        key = run.algorithm if run.algorithm in by_algorithm else ANY
        if key not in by_algorithm or not (own or self.is_advice):
            return None
        return Fix(own, None, by_algorithm[key] if own else None, Message(self.template), self.source)

    def _settings(self, run: Run) -> tuple[str, ...] | None:
        """The canonical settings that it may change in this run, by its algorithm; None where it is about others."""
        if run.algorithm == "unknown":
            return tuple(dict.fromkeys(name for group in self.settings.values() for name in group))
        return self.settings.get(run.algorithm, self.settings.get(ANY))


def _argument(names: tuple[str, ...], run: Run) -> str:
    """What the producer calls the first of the settings that it has; empty where it has none that is known."""
    return next((argument for name in names if (argument := run.settings.argument(name))), "")
