"""What a rule is: a document that runs, limits with units and sources, and the findings it can return."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from types import MappingProxyType
from typing import ClassVar, Generic, TypeVar

from diagnostics.language import N_
from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Evidence, Fix, Severity, Stretch
from diagnostics.model.run import Run
from diagnostics.model.setup import Setup
from diagnostics.rules.limits import LimitDoc, RuleLimits

SECTIONS = (
    N_("What it checks"),
    N_("Why it matters"),
    N_("When it is wrong"),
    N_("What to try"),
    N_("References"),
)
GRADES: Mapping[str, str] = {
    "S": "stated in the documents",
    "C": "follows from source code or an identity",
    "D": "other official documentation with a number",
    "P": "published paper or report",
    "I": "issue thread or public log",
    "M": "measured on real runs",
    "F": "engineering default without a good source; never critical alone",
}


class Over(Enum):
    """When a distance that a rule has told is over: then it is a note, if it did no harm."""

    WITHIN_LIMIT = auto()
    BACK = auto()
    """The metric itself came back, and soon: the limit follows the metric's own past, which catches up."""
    BEFORE_SCHEDULE = auto()
    """It ended while the learning rate was still high: it shrinks with it, whatever was wrong until then."""
    NEVER = auto()
    """It says something of the whole run."""


Input = str | tuple[str, ...]
"""The name of a metric or setting, or several names when any one of them is enough."""

SubjectT = TypeVar("SubjectT", Run, Setup)
LimitsT = TypeVar("LimitsT", bound=RuleLimits)


@dataclass(frozen=True, slots=True)
class Fired:
    """The rule's condition held: how bad, where, and in which words.

    Rules of runs give steps and evidence, rules of settings the `parameters` to look at and `fixes` for them. Without
    `episodes` the steps are the only one. `remedies` replace the rule's own where given.
    """

    severity: Severity
    message: Message
    headline: Message | None = None
    first_step: int | None = None
    last_step: int | None = None
    still: bool = False
    episodes: tuple[Stretch, ...] = ()
    measured: float | None = None
    limit: float | None = None
    unit: str = ""
    metric: str = ""
    tag: str = ""
    evidence: Evidence = field(default_factory=Evidence)
    remedies: tuple[str, ...] | None = None
    parameters: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, slots=True)
class Quiet:
    """Nothing was found: the worst value measured and the limit it did not reach, where the rule measures."""

    measured: float | None = None
    limit: float | None = None
    unit: str = ""
    metric: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The rule could not run: why, and what would enable it. `applies` is False where there is nothing to judge."""

    message: Message
    enable: Message
    applies: bool = True


RuleResult = Fired | Quiet | Skipped


class NoLimits(RuleLimits):
    """The limits of a rule that compares with no number."""


def english(**texts: str) -> Mapping[str, str]:
    """A rule's English templates by key."""
    return MappingProxyType(texts)


def alternatives(item: Input) -> tuple[str, ...]:
    """The names of an input; any one of them is enough."""
    return (item,) if isinstance(item, str) else item


class Rule(ABC, Generic[SubjectT, LimitsT]):
    """One rule. Its module's docstring is its documentation; `limits` holds its defaults, which a user may override.

    `inputs` are the metrics or settings it cannot do without. `algorithms` empty: any. `texts` are its English
    templates; `headline` is the finding as one would say it, without numbers. `remedies` names what to try
    (`diagnostics.causes.remedies`) and `telling_samples` the kind of samples that show a finding
    (`diagnostics.rules.telling_samples`; empty: none). `judges_start`: only the first point is judged. Where one of
    `graver_with` warns of the same steps, a warning becomes critical. `measures_distance`: what it judges is a distance
    or a size, which alone is no harm, so it is critical only where harm is shown (`diagnostics.rules.harm`), and a note
    once it is `over`.
    `harmless_alone`: healthy runs have it as well, so that it is a note where the score rose or held since;
    `harmless_while_rising`: so it is where the score rose, or most likely did.
    `told_at_once`: one event is enough, so that its warning need not last (`diagnostics.rules.lasting`).
    `says_nothing_happens`: what has not happened yet still may, so that its warning has to last three times as long.
    """

    subject: ClassVar[type]
    material: ClassVar[str]  # what to send along when the rule itself fails

    code: str
    name: str
    grade: str
    source: str
    limits: LimitsT
    inputs: tuple[Input, ...]
    texts: Mapping[str, str]
    algorithms: frozenset[str] = frozenset()
    remedies: tuple[str, ...] = ()
    telling_samples: str = ""
    judges_start: bool = False
    graver_with: tuple[str, ...] = ()
    measures_distance: bool = False
    over: Over = Over.WITHIN_LIMIT
    harmless_alone: bool = False
    harmless_while_rising: bool = False
    told_at_once: bool = False
    says_nothing_happens: bool = False

    def seen(self, subject: SubjectT) -> SubjectT:
        """What the rule sees of a subject."""
        return subject

    @abstractmethod
    def check(self, subject: SubjectT, limits: LimitsT) -> RuleResult:
        """Judge a subject that has all inputs. What the rule cannot judge, it returns as Skipped."""

    @abstractmethod
    def applies(self, subject: SubjectT) -> bool:
        """Whether the rule means anything for the subject."""

    @abstractmethod
    def has(self, subject: SubjectT, name: str) -> bool:
        """Whether the subject has the input of that name."""

    @abstractmethod
    def why_missing(self, subject: SubjectT, item: Input) -> Skipped:
        """Why the subject lacks an input, and what would add it."""

    def missing(self, subject: SubjectT) -> tuple[Input, ...]:
        """The inputs that the subject lacks."""
        return tuple(item for item in self.inputs if not any(self.has(subject, name) for name in alternatives(item)))

    @property
    def document(self) -> str:
        """The rule's whole text: the docstring of its module."""
        return sys.modules[type(self).__module__].__doc__ or ""

    @property
    def summary(self) -> str:
        """The first line of the document."""
        return self.document.partition("\n")[0]

    @property
    def sections(self) -> dict[str, str]:
        """The document's sections by title, in order, each as one paragraph."""
        found: dict[str, list[str]] = {}
        for line in self.document.splitlines():
            if line in SECTIONS:
                found[line] = []
            elif found and line.strip():
                found[list(found)[-1]].append(line.strip())
        return {title: " ".join(lines) for title, lines in found.items()}

    @property
    def limit_docs(self) -> tuple[LimitDoc, ...]:
        """Each limit with its default, unit and source, in the order of the class."""
        return self.limits.docs

    @property
    def templates(self) -> dict[str, str]:
        """The English templates under their full ids, `kl-negative.fired`."""
        return {f"{self.name}.{key}": text for key, text in self.texts.items()}

    def message(self, key: str, **values: Value | Message) -> Message:
        """A message of this rule."""
        return Message(f"{self.name}.{key}", values)
