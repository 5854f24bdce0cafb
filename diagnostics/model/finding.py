"""Findings: what fired in one run, grouped by the cause that explains it."""

from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.model.cause import Cause, Rival
from diagnostics.model.messages import Message
from diagnostics.model.outcome import MOST_SHOWN_SAMPLES, SAMPLE_CODE_PREFIX, Fix, Outcome, Severity, ShownSample


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause with the outcomes that it explains, or an outcome that no cause explains.

    `name` is the id of the cause, or of the rule where there is no cause: unique within a run. `outcomes` begin with
    the signs of the cause itself, the worst and then the strongest first; what it brought about follows, however much
    worse.
    """

    name: str
    severity: Severity
    summary: Message
    first_step: int
    last_step: int
    still: bool
    outcomes: tuple[Outcome, ...]
    against: tuple[str, ...]
    fixes: tuple[Fix, ...]
    rivals: tuple[Rival, ...] = ()

    @property
    def leading(self) -> Outcome:
        """The outcome that shows it best: a sign of the cause itself."""
        return self.outcomes[0]

    @property
    def open_rivals(self) -> tuple[Rival, ...]:
        """The other causes that the log does not rule out."""
        return tuple(rival for rival in self.rivals if rival.is_open)

    @property
    def consequences(self) -> tuple[Outcome, ...]:
        """Its other outcomes."""
        return tuple(outcome for outcome in self.outcomes if outcome is not self.leading)

    @property
    def samples(self) -> tuple[ShownSample, ...]:
        """The samples that show it, each once.

        They come from its leading outcome, from those of the worst severity and from sample rules above a note: the
        samples of a mere consequence may have nothing to do with the cause.
        """
        of_samples = [
            o for o in self.outcomes if o.code.startswith(SAMPLE_CODE_PREFIX) and o.severity is not Severity.INFO
        ]
        samples = (sample for outcome in (*self._telling, *of_samples) for sample in outcome.evidence.samples)
        by_row = {(sample.step, sample.row): sample for sample in reversed(tuple(samples))}
        return tuple(reversed(by_row.values()))[:MOST_SHOWN_SAMPLES]

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of the rules behind its leading outcome and those of the worst severity, each once."""
        return tuple(dict.fromkeys(outcome.source for outcome in self._telling if outcome.source))

    @property
    def _telling(self) -> tuple[Outcome, ...]:
        worst = max((outcome.severity or Severity.INFO for outcome in self.outcomes), key=lambda found: found.rank)
        return (self.leading, *(item for item in self.outcomes[1:] if item.severity is worst))


def group_findings(fired: Sequence[Outcome], causes: Sequence[Cause]) -> tuple[Finding, ...]:
    """Fired outcomes as findings, worst first: those that a cause explains together, every other one alone."""
    explained = {rule for cause in causes for rule in cause.outcomes}
    found = [_of_cause(cause, fired) for cause in causes]
    found += [_of_outcome(outcome) for outcome in fired if outcome.rule not in explained]
    return tuple(sorted(found, key=lambda finding: -finding.severity.rank))


def _of_cause(cause: Cause, fired: Sequence[Outcome]) -> Finding:
    place = {rule: number for number, rule in enumerate(cause.signs)}

    def order(outcome: Outcome) -> tuple[bool, int, int]:
        if outcome.rule not in place:
            return True, 0, 0  # in the order given
        return False, -(outcome.severity.rank if outcome.severity else 0), place[outcome.rule]

    members = tuple(sorted((outcome for outcome in fired if outcome.rule in cause.outcomes), key=order))
    return Finding(
        name=cause.cause,
        severity=cause.severity,
        summary=cause.summary,
        first_step=cause.first_step,
        last_step=cause.last_step,
        still=any(outcome.still for outcome in members),
        outcomes=members,
        against=cause.against,
        fixes=cause.fixes,
        rivals=cause.rivals,
    )


def _of_outcome(outcome: Outcome) -> Finding:
    first = outcome.first_step or 0
    return Finding(
        name=outcome.rule,
        severity=outcome.severity or Severity.INFO,
        summary=outcome.headline or outcome.message,
        first_step=first,
        last_step=first if outcome.last_step is None else outcome.last_step,
        still=outcome.still,
        outcomes=(outcome,),
        against=(),
        fixes=outcome.fixes,
    )
