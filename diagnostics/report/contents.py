"""What a report holds, in the order in which its reader needs it; the forms only dress it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diagnostics.causes import CATALOG as CAUSES
from diagnostics.model.cause import Cause, Rival
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import Message, Value, render, setting, shown
from diagnostics.model.outcome import SAMPLE_CODE_PREFIX, Fix, Outcome, Severity, ShownSample, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG
from diagnostics.rules.config import CHECKS
from diagnostics.rules.telling_samples import SHOWN_SAMPLES
from diagnostics.texts import templates

_DEFAULTS = {
    **{rule.name: {item.name: item.value for item in rule.limit_docs} for rule in CATALOG},
    **{check.name: {name: item.value for name, item in check.limits.items()} for check in CHECKS},
}
_SUMMARIES = {entry.name: entry.summary for entry in CAUSES}
NAMED_RULES = 12  # that a reason bears
_UNSAID_UNITS = frozenset({"ratio", "loss", "norm", "reward"})  # the metric's name says it already


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell: a cause with the outcomes that it explains, or an outcome that no cause explains."""

    name: str
    """The id of the cause, or of the rule where no cause explains it: what tells it from every other of the run."""
    severity: Severity
    sentence: str
    first_step: int
    last_step: int
    still: bool
    outcomes: tuple[Outcome, ...]
    against: tuple[str, ...]
    fixes: tuple[Fix, ...]
    rivals: tuple[Rival, ...] = ()

    @property
    def steps(self) -> str:
        """When it was so: "step 7", "steps 12 to 61" or "since step 12, still so"."""
        if self.still:
            return f"since step {self.first_step}, still so"
        if self.first_step == self.last_step:
            return f"step {self.first_step}"
        return f"steps {self.first_step} to {self.last_step}"

    @property
    def leading(self) -> Outcome:
        """The gravest of its outcomes, of several the first."""
        return self._gravest[0]

    @property
    def consequences(self) -> tuple[Outcome, ...]:
        """Its other outcomes."""
        return tuple(outcome for outcome in self.outcomes if outcome is not self.leading)

    @property
    def samples(self) -> tuple[ShownSample, ...]:
        """At most three samples that show it, each once.

        They are those of its gravest outcomes, and of checks of samples that are more than a note: what a consequence
        shows may have nothing to do with the cause.
        """
        of_samples = [
            o for o in self.outcomes if o.code.startswith(SAMPLE_CODE_PREFIX) and o.severity is not Severity.INFO
        ]
        shown = (sample for outcome in (*self._gravest, *of_samples) for sample in outcome.evidence.samples)
        places = {(sample.step, sample.row): sample for sample in reversed(tuple(shown))}
        return tuple(reversed(places.values()))[:SHOWN_SAMPLES]

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the rules behind its gravest outcomes come from, each once."""
        return tuple(dict.fromkeys(outcome.source for outcome in self._gravest if outcome.source))

    @property
    def _gravest(self) -> tuple[Outcome, ...]:
        worst = max((outcome.severity or Severity.INFO for outcome in self.outcomes), key=lambda found: found.rank)
        return tuple(outcome for outcome in self.outcomes if outcome.severity is worst)


def findings(diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """Everything that fired, worst first: causes with what they explain, then the outcomes that no cause explains."""
    explained = {name for cause in diagnosis.causes for name in cause.outcomes}
    found = [_from_cause(cause, diagnosis.fired) for cause in diagnosis.causes]
    found += [_from_outcome(outcome) for outcome in diagnosis.fired if outcome.rule not in explained]
    return tuple(sorted(found, key=lambda finding: -finding.severity.rank))


def said(message: Message) -> str:
    """A message in English."""
    return render(message, templates("en"))


def enabling(outcome: Outcome) -> str:
    """What would let a skipped rule run; empty where nothing would."""
    return said(outcome.enable) if outcome.enable else ""


def concerns(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The pre-flight checks that found something, worst first."""
    found = [outcome for outcome in outcomes if outcome.verdict is Verdict.FIRED and outcome.severity]
    return tuple(sorted(found, key=lambda outcome: -(outcome.severity or Severity.INFO).rank))


def verdict_sentence(diagnosis: Diagnosis) -> str:
    """What to say of a run in which nothing fired: how much was checked, and how much could not be."""
    unchecked = len(diagnosis.blind_spots)
    applying = len(diagnosis.outcomes) - len(diagnosis.not_applicable)
    checked = applying - unchecked
    if not diagnosis.run.series:
        logged = "was logged" if diagnosis.run.status.has_ended else "is logged yet"
        return f"Nothing to judge: no metric {logged}."
    if diagnosis.verdict == "not-judged":
        return f"Only {checked} of {applying} checks could run."
    left_out = f"; {unchecked} could not run." if unchecked else "."
    return f"No sign of trouble in {counted(checked, 'check')}{left_out}"


def reasons_not_to_apply(diagnosis: Diagnosis) -> dict[str, tuple[str, ...]]:
    """Why rules do not apply to this run, each reason with the names of its rules."""
    found: dict[str, tuple[str, ...]] = {}
    for outcome in diagnosis.not_applicable:
        reason = said(outcome.message)
        found[reason] = (*found.get(reason, ()), outcome.rule)
    return found


def reasons_not_to_look(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Why rules could not run and what would let them: the shortage of points, then each reason once with its rules."""
    needed: list[str] = []
    found: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.message.template == "engine.too-few":
            needed.append(f"{outcome.rule} {outcome.message.values['needed']}")
        else:
            found.setdefault(f"{said(outcome.message)} {enabling(outcome)}".rstrip(), []).append(outcome.rule)
    others = [f"{reason} [{_named(rules)}]" for reason, rules in found.items()]
    return (*([f"Too few logged points so far; needed: {', '.join(needed)}."] if needed else []), *others)


def _named(rules: Sequence[str]) -> str:
    more = len(rules) - NAMED_RULES
    return ", ".join(rules) if more <= 0 else f"{', '.join(rules[:NAMED_RULES])} and {more} more"


def own_limits(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The limits that judged this run and are not the rules' own: "kl-too-high.warning = 5 (default 10)"."""
    judging = {outcome.rule for outcome in (*diagnosis.outcomes, *diagnosis.preflight)}
    return tuple(
        f"{name}.{field} = {setting(value)} (default {setting(default)})"
        for name, given in diagnosis.limits.items()
        if name in judging
        for field, value in given.items()
        if value != (default := _DEFAULTS[name][field])
    )


def run_line(diagnosis: Diagnosis) -> str:
    """What a run is and where it stands: "grpo · trl 1.16.0 · running · step 143 of 200"."""
    run = diagnosis.run
    producer = f"{run.producer} {run.producer_version}" if run.producer_version else run.producer
    return " · ".join((run.algorithm, producer, state(run), progress(run)))


def state(run: Run) -> str:
    """The state in words; for a run that fell silent or died, with the age of its last sign of life."""
    written = run.status.last_written
    if run.status.state not in ("silent", "died") or written is None:
        return run.status.state
    return f"{run.status.state}, last written {age(run.observed_at - written)} ago"


def age(seconds: float) -> str:
    """A span of time as a person says it: "40 s", "12 min", "3 h" or "5 days"."""
    if seconds < 60:
        return f"{max(seconds, 0):.0f} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.0f} days"


def progress(run: Run) -> str:
    """How far the run is: "step 143 of 200", or the last logged step where no total is known."""
    step = run.status.step if run.status.step is not None else (int(run.steps[-1]) if len(run.steps) else None)
    if step is None:
        return "no step logged"
    return f"step {step} of {run.status.total}" if run.status.total else f"step {step}"


def data_line(diagnosis: Diagnosis) -> str:
    """What the log itself looks like: "4,576 points · 3 NaN · 1 rewind"; what is zero goes unsaid."""
    health = diagnosis.run.data_health
    oddities = {
        "NaN": health.nan,
        "infinite": health.inf,
        "duplicate": health.duplicates,
        "rewind": health.rewinds,
        "gap": health.gaps,
        "malformed": health.malformed,
    }
    invariable = {"NaN", "infinite", "malformed"}
    said_counts = [
        f"{count:,} {name}" if name in invariable else counted(count, name) for name, count in oddities.items() if count
    ]
    tags = len(health.unmapped_tags)
    said_counts += [f"{counted(tags, 'tag')} outside the vocabulary"] if tags else []
    return " · ".join([counted(health.points, "point"), *said_counts])


def advice(fix: Fix) -> str:
    """A fix in a line: "learning_rate 0.005 → 0.0005: smaller updates"; what is unknown is left out."""
    if fix.suggested is None:
        change = fix.parameter
    elif fix.current is None:
        change = f"{fix.parameter} = {setting(fix.suggested)}"
    else:
        change = f"{fix.parameter} {setting(fix.current)} → {setting(fix.suggested)}"
    return f"{change}: {said(fix.why)}"


def exhibited(shown: ShownSample) -> str:
    """Where a sample stands and why it is shown: "step 12, sample 4: Cut off at the length limit."; from 1 on."""
    return f"step {shown.step}, sample {shown.row + 1}: {said(shown.why)}"


def exhibit(shown: ShownSample) -> str:
    """The same with the answer's words: "step 12, sample 4: Cut off at the length limit. “was horri”"."""
    return f"{exhibited(shown)} “{shown.quote}”"


def alternative(rival: Rival) -> str:
    """Another cause with what would decide: "The numbers broke down: … A NaN in any metric … [numerical-breakdown]"."""
    return f"{_SUMMARIES[rival.cause]} {said(rival.decides)} [{rival.cause}]"


def number(value: Value, unit: str = "") -> str:
    """A measured value with its unit, a fraction as a share of 100."""
    if unit == "fraction" and isinstance(value, float):
        return f"{shown(100 * value)} %"
    return shown(value) if unit in _UNSAID_UNITS else f"{shown(value)} {unit}".rstrip()


def counted(count: int, noun: str) -> str:
    """A count with its noun: "1 rewind", "2 rewinds"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _from_cause(cause: Cause, fired_outcomes: tuple[Outcome, ...]) -> Finding:
    members = tuple(outcome for outcome in fired_outcomes if outcome.rule in cause.outcomes)
    return Finding(
        name=cause.cause,
        severity=cause.severity,
        sentence=said(cause.summary),
        first_step=cause.first_step,
        last_step=cause.last_step,
        still=any(outcome.still for outcome in members),
        outcomes=members,
        against=cause.against,
        fixes=cause.fixes,
        rivals=cause.rivals,
    )


def _from_outcome(outcome: Outcome) -> Finding:
    first = outcome.first_step or 0
    return Finding(
        name=outcome.rule,
        severity=outcome.severity or Severity.INFO,
        sentence=said(outcome.headline or outcome.message),
        first_step=first,
        last_step=first if outcome.last_step is None else outcome.last_step,
        still=outcome.still,
        outcomes=(outcome,),
        against=(),
        fixes=outcome.fixes,
    )
