"""A remedy: a setting to change, in the words of the run's producer, and how to find a better value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to try.

    settings: algorithm (ANY: every other) → canonical settings: the first one that is stated is changed, else the
    first · if_unstated: what to suggest where the run states none of them · only_if_stated: then nothing is suggested ·
    applies: whether the run has what the remedy is about
    """

    name: str
    settings: Mapping[str, tuple[str, ...]]
    suggest: Suggest
    why: str
    source: str
    if_unstated: Any = None
    only_if_stated: bool = False
    applies: Callable[[Run], bool] = lambda run: True

    @property
    def template(self) -> str:
        """The id of the template of the reason."""
        return f"remedy.{self.name}"

    def fix(self, run: Run) -> Fix | None:
        """This remedy for this run; None where its algorithm has no such setting or it is well set already.

        The setting goes by the argument that the configuration states, else by what the producer calls it.
        """
        names = self._settings(run)
        found = next((setting for name in names if (setting := run.settings.get(name)) is not None), None)
        if not names or (self.only_if_stated and found is None) or not self.applies(run):
            return None
        parameter, current = (found.parameter, found.value) if found else (run.settings.argument(names[0]), None)
        answer = self.suggest(current, run) if found else self.if_unstated
        suggested, values = (answer.value, answer.values) if isinstance(answer, Suggestion) else (answer, {})
        if suggested is Keep.AS_IS or (suggested == current and suggested is not None):
            return None
        return Fix(parameter, current, suggested, Message(self.template, values), self.source)

    def _settings(self, run: Run) -> tuple[str, ...]:
        """The canonical settings that it may change in this run, by its algorithm."""
        if run.algorithm == "unknown":
            return tuple(name for group in self.settings.values() for name in group)
        return self.settings.get(run.algorithm, self.settings.get(ANY, ()))
