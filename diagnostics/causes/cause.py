"""What a cause is: the rules that point at it, those that speak against it, what follows, and what to change."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from diagnostics.causes.clue import Clue
from diagnostics.model.run import Run

OVER_A_STRETCH = frozenset(
    {"reward-not-improving", "reward-func-stagnant", "kl-up-reward-flat", "reward-components-diverge"}
)
"""Rules that judge a whole stretch of the run: their first step says nothing about when it began."""


AGAINST_THE_START = frozenset({"length-collapse", "length-explosion"})
"""Rules that take the first points of a run as its level: they fire behind them at the earliest."""


OF_GARBLED_SAMPLES = (
    "smp-repetition",
    "smp-loop-tail",
    "smp-vocabulary-collapse",
    "smp-template-collapse",
    "smp-group-duplicates",
    "smp-nonlanguage",
    "smp-language-drift",
    "smp-exclaim-emoji",
    "smp-empty",
    "smp-truncated",
    "smp-special-leak",
)
"""What samples show of a policy that is ruined, whatever ruined it."""


OF_EQUAL_REWARDS = (
    "reward-stuck-at-floor",
    "reward-func-constant",
    "reward-func-stagnant",
    "zero-variance-groups",
    "zero-variance-excess",
    "reward-std-shrink",
    "smp-score-identical",
    "unscorable-completions",
    "policy-not-updating",
)
"""What a run shows whose answers can no longer earn anything, or all earn the same, whatever made them so."""


def never(run: Run, step: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Variant:
    """A form of a cause: what one would say of it, and what to change.

    `holds` is asked with the run and the rules at the core of the cause that fired.
    """

    name: str
    holds: Callable[[Run, Collection[str]], bool]
    summary: str
    remedies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CauseEntry:
    """One cause.

    `core`: at least one of these must have fired. `support` adds to the score, `against` takes from it. `consequences`
    are rules that fire because of it later on, so that a cause made of them is folded under this one. `summary` is what
    one would say, `meaning` the paragraph that explains it; `remedies` name what to change, most promising first.
    `rivals` are causes that the same findings may mean as well: name → what would decide between the two. `preflight`
    are checks of the settings alone that support it. `variants` are forms of it that want other remedies. Without
    `folds_worse` what is graver than its own findings is not put down to it. `is_effect` says of the step at which it
    began whether it is an effect by its nature there, so that a cause that explains it may show a little later.
    """

    name: str
    summary: str
    meaning: str
    core: tuple[Clue, ...]
    support: tuple[str, ...] = ()
    against: tuple[Clue, ...] = ()
    consequences: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()
    rivals: Mapping[str, str] = field(default_factory=dict)
    preflight: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    folds_worse: bool = True
    is_effect: Callable[[Run, int], bool] = never

    @property
    def template(self) -> str:
        """The id of the summary's template."""
        return f"cause.{self.name}"

    def template_of(self, form: Variant | None) -> str:
        """The same for a form of the cause."""
        return self.template if form is None else f"{self.template}.{form.name}"

    @property
    def shown_by(self) -> tuple[str, ...]:
        """The rules at its core, each once."""
        return tuple(dict.fromkeys(clue.rule for clue in self.core))

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that the cause can explain."""
        return tuple(dict.fromkeys((*self.shown_by, *self.support, *self.consequences)))
