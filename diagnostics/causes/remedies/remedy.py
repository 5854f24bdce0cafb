"""A remedy: a setting to change, under its argument's name in the run's trainer, and how to find a better value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Fix
from diagnostics.model.run import Run
from diagnostics.producers.settings import stated

ANY = ""
"""In a remedy's parameters: every algorithm that is not named."""


class Keep(Enum):
    """The answer of a remedy whose argument is well set."""

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

    parameters: algorithm (ANY: every other) → the argument's possible names · if_unstated: what to suggest where the
    configuration does not state the argument · only_if_stated: then nothing is suggested · applies: whether the run has
    what the remedy is about
    """

    name: str
    parameters: Mapping[str, tuple[str, ...]]
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
        """This remedy for this run; None where the run has no such argument or it is well set already.

        The argument goes by the name that the configuration states, in any producer's words, else by the first one.
        """
        names = self._names(run)
        found = stated(run.config, names)
        if not names or (self.only_if_stated and found is None) or not self.applies(run):
            return None
        parameter, current = found or (names[0], None)
        answer = self.suggest(current, run) if found else self.if_unstated
        suggested, values = (answer.value, answer.values) if isinstance(answer, Suggestion) else (answer, {})
        if suggested is Keep.AS_IS or (suggested == current and suggested is not None):
            return None
        return Fix(parameter, current, suggested, Message(self.template, values), self.source)

    def _names(self, run: Run) -> tuple[str, ...]:
        """The argument's possible names in this run, by its algorithm."""
        if run.algorithm == "unknown":
            return tuple(name for group in self.parameters.values() for name in group)
        return self.parameters.get(run.algorithm, self.parameters.get(ANY, ()))
