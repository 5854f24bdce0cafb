"""An entry of the catalogue of causes: what indicates it, what follows from it, and what to change."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from diagnostics.causes.indicator import Indicator
from diagnostics.model.run import Run


def summary_template(cause: str) -> str:
    """The id of the template of a cause's summary."""
    return f"cause.{cause}"


def not_by_nature(run: Run, step: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Variant:
    """A form of a cause with a summary and remedies of its own; `holds` gets the run and the core rules that fired."""

    name: str
    holds: Callable[[Run, Collection[str]], bool]
    summary: str
    remedies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CauseEntry:
    """One cause that a diagnosis may name.

    summary: the cause in one sentence · meaning: the paragraph that explains it
    core: at least one of these must apply · support: rules that add to the score · against: what subtracts from it
    ruled_out_by: rules of a state in which it cannot be, if that began no later
    preflight: settings checks that support it
    consequences: rules that fire because of it later, so that a cause made of them alone is explained by this one
    follows_if: of consequences, whether they can follow in a run; without an entry they can
    rivals: other causes that the same findings may mean → what decides between the two
    decided_by: of rivals, whether a run's log holds what decides; without an entry it does
    remedies: what to change, the most promising first
    variants: forms with other remedies; the first that holds is used
    is_often_meant: whether it is often so on purpose, so that what went wrong besides is told first
    is_note: whether a note is enough to tell it, as it is a state and no disease
    explains_worse: whether causes more severe than its own findings may be its consequence
    is_effect: whether, by its nature, what began at a step has a cause of its own, which may show a little later
    """

    name: str
    summary: str
    meaning: str
    core: tuple[Indicator, ...]
    support: tuple[str, ...] = ()
    against: tuple[Indicator, ...] = ()
    ruled_out_by: tuple[str, ...] = ()
    preflight: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    follows_if: Mapping[str, Callable[[Run], bool]] = field(default_factory=dict)
    rivals: Mapping[str, str] = field(default_factory=dict)
    decided_by: Mapping[str, Callable[[Run], bool]] = field(default_factory=dict)
    remedies: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    is_often_meant: bool = False
    is_note: bool = False
    explains_worse: bool = True
    is_effect: Callable[[Run, int], bool] = not_by_nature

    def template(self, variant: Variant | None = None) -> str:
        """The id of the template of the summary, or of a variant's."""
        summary = summary_template(self.name)
        return summary if variant is None else f"{summary}.{variant.name}"

    def is_open(self, rival: str, run: Run) -> bool:
        """Whether the run's log does not tell this cause from a rival."""
        return rival in self.decided_by and not self.decided_by[rival](run)

    def consequences_in(self, run: Run) -> tuple[str, ...]:
        """The rules that may fire because of it in this run."""
        holds = {condition: condition(run) for condition in {*self.follows_if.values()}}
        return tuple(rule for rule in self.consequences if rule not in self.follows_if or holds[self.follows_if[rule]])

    def rival_template(self, rival: str) -> str:
        """The id of the template of the sentence that decides between this cause and a rival."""
        return f"{self.template()}.or.{rival}"

    @property
    def core_rules(self) -> tuple[str, ...]:
        """The rules at its core, each once."""
        return tuple(dict.fromkeys(indicator.rule for indicator in self.core))

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that the cause can explain."""
        return tuple(dict.fromkeys((*self.core_rules, *self.support, *self.consequences)))
