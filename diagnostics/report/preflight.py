"""Pre-flight findings in every form: as a section of a run's report, or as a report of their own."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.language import _
from diagnostics.model.outcome import Outcome, Severity, Verdict, fired_worst_first
from diagnostics.model.tokenization import Tokenization
from diagnostics.punctuation import bracketed, labelled, listed, sentences
from diagnostics.report.graders import grader_document, grader_lines, grader_table
from diagnostics.report.markdown_elements import code, escaped, table
from diagnostics.report.pass_rates import pass_rate_document, pass_rate_lines, pass_rate_table
from diagnostics.report.report import Problem
from diagnostics.report.strict_json import to_json
from diagnostics.report.terminal import LABEL_COLUMN, Style
from diagnostics.report.tokenization import token_document, token_lines, token_table
from diagnostics.rules.config.grader_figures import GraderFigures
from diagnostics.rules.config.pass_rates import PassRates
from diagnostics.visible_text import one_line
from diagnostics.wording.findings import fix_line
from diagnostics.wording.messages import message_text, message_with_rule, reason_and_remedy
from diagnostics.wording.values import counted

_MOST_NAMES = 8  # of settings that no check reads, before they are only counted


@dataclass(frozen=True, slots=True)
class Review:
    """The pre-flight checks of one configuration.

    `unread` names the settings that no check reads, `assumed_newest` the producer whose newest defaults are assumed;
    `graders` are the reward functions that were tried, `pass_rates` those of the untrained policy if it was,
    `tokenization` what its tokenizer did if it was tried.
    """

    path: str
    algorithm: str
    producer: str
    version: str
    settings: int
    unread: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    assumed_newest: str = ""
    graders: tuple[GraderFigures, ...] = ()
    pass_rates: PassRates | None = None
    tokenization: Tokenization | None = None

    @property
    def worst(self) -> Severity | None:
        """The worst severity that was found."""
        found = fired_worst_first(self.outcomes)
        return found[0].severity if found else None

    @property
    def summary_line(self) -> str:
        """What was checked: "grpo · trl 1.12.0 · 145 settings"."""
        program = f"{self.producer} {self.version}".rstrip()
        return " · ".join((self.algorithm, program, counted(self.settings, "setting")))

    @property
    def check_counts(self) -> str:
        """How many checks ran: "23 checks, 4 could not run"."""
        unchecked = len(_unchecked(self.outcomes))
        checks = counted(len(self.outcomes) - unchecked, "check")
        if not unchecked:
            return checks
        return _("{checks}, {unchecked} could not run").format(checks=checks, unchecked=unchecked)

    @property
    def assumed_defaults(self) -> str:
        """Whose defaults count if the version is unknown; empty if it is known or makes no difference."""
        if not self.assumed_newest:
            return ""
        return _(
            "The version of {producer} is not known: the defaults of the newest count; {option} names another."
        ).format(producer=self.assumed_newest, option="--producer-version")

    @property
    def unread_note(self) -> str:
        """How many settings no check reads, by name if there are few; empty for none."""
        if not self.unread:
            return ""
        unread = _("{settings} that no check looks at").format(settings=counted(len(self.unread), "setting"))
        return labelled(unread, listed(self.unread)) if len(self.unread) <= _MOST_NAMES else unread


def settings_section(outcomes: Iterable[Outcome], style: Style) -> Iterator[str]:
    """Lines of a run's report: warnings in full, notes by name; none if nothing fired."""
    found = fired_worst_first(outcomes)
    if not found:
        return
    yield _("Settings worth a look ({count}); they do not count for the verdict").format(count=len(found))
    notes = [outcome.rule for outcome in found if outcome.severity is Severity.INFO]
    for outcome in found:
        if outcome.rule not in notes:
            text = sentences([message_with_rule(outcome), *map(fix_line, outcome.fixes)])
            yield style.labelled(_(str(outcome.severity)), text, indent=2, colour=outcome.severity)
    if notes:
        yield style.labelled(_("notes"), listed(notes), indent=2)
    yield ""


def settings_table(found: Iterable[Outcome]) -> str:
    """The findings as a Markdown table."""
    rows = [
        (
            f"**{_(str(outcome.severity))}**",
            sentences((escaped(message_text(outcome.message)), bracketed(code(outcome.rule)))),
            "<br>".join(escaped(fix_line(fix)) for fix in outcome.fixes),
            escaped(_(outcome.source)),
        )
        for outcome in found
    ]
    return table((_("Severity"), _("Setting"), _("Try"), _("Source")), rows)


def reviews_form(reviews: Sequence[Review], form: str, style: Style, problems: Sequence[Problem] = ()) -> str:
    """The reviews as "text" or "markdown", or as one JSON document, which holds the problems too."""
    if form == "json":
        errors = [{"path": problem.path, "error": problem.error} for problem in problems]
        return to_json({"configurations": [_document(review) for review in reviews], "errors": errors})
    if form == "markdown":
        return "\n\n".join(map(_markdown, reviews))
    return "\n\n\n".join("\n".join(_text(review, style)) for review in reviews)


def preflight_document(outcome: Outcome) -> dict[str, Any]:
    """A fired check for JSON."""
    return {
        "code": outcome.code,
        "rule": outcome.rule,
        "severity": outcome.severity,
        "grade": outcome.grade,
        "message": message_text(outcome.message),
        "parameters": outcome.parameters,
        "source": outcome.source,
        "fixes": [
            {
                "parameter": fix.parameter,
                "current": fix.current,
                "suggested": fix.suggested,
                "why": message_text(fix.why),
                "source": fix.source,
            }
            for fix in outcome.fixes
        ],
    }


def _text(review: Review, style: Style) -> Iterator[str]:
    yield one_line(f"{review.path}  {review.summary_line}")
    yield ""
    for outcome in fired_worst_first(review.outcomes):
        yield style.verdict(outcome.severity or "", message_with_rule(outcome))
        yield from (style.labelled(_("try"), fix_line(fix), indent=LABEL_COLUMN) for fix in outcome.fixes)
        yield style.labelled(_("source"), _(outcome.source), indent=LABEL_COLUMN)
        yield ""
    if not fired_worst_first(review.outcomes):
        yield style.verdict("healthy", _nothing_found(review))
        yield ""
    yield from grader_lines(review.graders, style)
    yield from pass_rate_lines(review.pass_rates, style)
    yield from token_lines(review.tokenization, style)
    if unchecked := _unchecked(review.outcomes):
        yield _("Could not be checked ({count})").format(count=len(unchecked))
        column = max(len(outcome.rule) for outcome in unchecked) + 2
        for outcome in unchecked:
            reason = reason_and_remedy(outcome)
            yield style.labelled(outcome.rule, reason, indent=2, column=column)
        yield ""
    yield from (style.labelled(_("note"), note) for note in (review.assumed_defaults, review.unread_note) if note)


def _markdown(review: Review) -> str:
    found = fired_worst_first(review.outcomes)
    lines = [f"### {labelled(code(review.path), _(review.worst or 'healthy'))}", "", escaped(review.summary_line), ""]
    lines.append(settings_table(found) if found else _nothing_found(review))
    if review.graders:
        lines += ["", grader_table(review.graders)]
    if review.pass_rates:
        lines += ["", pass_rate_table(review.pass_rates)]
    if review.tokenization:
        lines += ["", token_table(review.tokenization)]
    if unchecked := _unchecked(review.outcomes):
        rows = [
            (code(outcome.rule), escaped(message_text(outcome.message)), escaped(message_text(outcome.enable)))
            for outcome in unchecked
        ]
        summary = _("Could not be checked ({count})").format(count=len(unchecked))
        title = f"<details><summary>{summary}</summary>"
        lines += ["", title, "", table((_("Check"), _("Why"), _("To enable")), rows), "", "</details>"]
    return "\n\n".join(
        ["\n".join(lines), *(escaped(note) for note in (review.assumed_defaults, review.unread_note) if note)]
    )


def _nothing_found(review: Review) -> str:
    return _("Nothing to object to in {checks}.").format(checks=review.check_counts)


def _document(review: Review) -> dict[str, Any]:
    unchecked = _unchecked(review.outcomes)
    return {
        "path": review.path,
        "algorithm": review.algorithm,
        "producer": review.producer,
        "producer_version": review.version or None,
        "settings": review.settings,
        "unread_settings": review.unread,
        "notes": [review.assumed_defaults] if review.assumed_defaults else [],
        "preflight": [preflight_document(outcome) for outcome in fired_worst_first(review.outcomes)],
        "quiet": [outcome.rule for outcome in review.outcomes if outcome.verdict is Verdict.QUIET],
        "skipped": [
            {"rule": outcome.rule, "reason": message_text(outcome.message), "enable": message_text(outcome.enable)}
            for outcome in unchecked
        ],
        "graders": [grader_document(figures) for figures in review.graders],
        "pass_rates": pass_rate_document(review.pass_rates),
        "tokenization": token_document(review.tokenization),
    }


def _unchecked(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    return tuple(o for o in outcomes if o.verdict in (Verdict.SKIPPED, Verdict.BROKEN))
