"""The verdict of a gate as text, JSON, or Markdown for a pull request."""

from collections.abc import Iterator
from typing import Any

from diagnostics.addresses import shown
from diagnostics.gate.verdict import Check, GateVerdict, Group, State
from diagnostics.language import N_, _, pgettext
from diagnostics.punctuation import labelled
from diagnostics.report import markdown_elements as markup
from diagnostics.report.strict_json import to_json
from diagnostics.report.terminal import Style
from diagnostics.wording.values import counted

_WORDS = {State.PASSED: N_("passed"), State.FAILED: N_("FAILED"), State.UNSURE: N_("unsure")}
_OF_A_RUN = {("run", "ended"): N_("run ended"), ("finding", "none"): N_("finding none")}
"""The checks whose names are no metric's, ratio's or finding's."""
_ORDER = (State.FAILED, State.UNSURE, State.PASSED)
_COLUMN = 8  # "FAILED" and two spaces


def gate_form(verdict: GateVerdict, form: str, style: Style) -> str:
    """The verdict as "text", "json" or "markdown"."""
    if form == "json":
        return to_json(gate_document(verdict))
    return "\n".join(_markdown(verdict)) if form == "markdown" else "\n".join(_text(verdict, style))


def gate_document(verdict: GateVerdict) -> dict[str, Any]:
    """The verdict for JSON."""
    return {
        "state": verdict.state,
        "steps": list(verdict.steps),
        "false_fail_rate": verdict.false_fail_rate,
        "rate_of_one_bound": verdict.rate,
        "candidates": [shown(path) for path in verdict.candidates],
        "baseline_runs": verdict.baselines,
        "checks": [_document(check) for check in verdict.checks],
    }


def headline(verdict: GateVerdict) -> str:
    """The verdict in a line: "failed: 2 of 12 checks, 1 unsure"."""
    failed, unsure = len(verdict.of_state(State.FAILED)), len(verdict.of_state(State.UNSURE))
    if failed:
        sentence = _("failed: {failed} of {checks}, {unsure} unsure") if unsure else _("failed: {failed} of {checks}")
    else:
        sentence = _("unsure: {checks}, {unsure} unsure") if unsure else _("passed: {checks}")
    return sentence.format(failed=failed, unsure=unsure, checks=counted(len(verdict.checks), "check"))


def _sides(verdict: GateVerdict) -> str:
    first, last = verdict.steps
    return _("{candidates} against {baselines}, means over steps {first} to {last}").format(
        candidates=counted(len(verdict.candidates), "candidate run"),
        baselines=counted(verdict.baselines, "baseline run"),
        first=first,
        last=last,
    )


def _text(verdict: GateVerdict, style: Style) -> Iterator[str]:
    yield _("gate {verdict}").format(verdict=headline(verdict))
    yield style.paragraph(_sides(verdict), indent=0)
    yield ""
    for check in _sorted(verdict):
        word = _WORDS[check.state]
        yield style.labelled(_(word), labelled(_name(check), check.message), column=_COLUMN, colour=word)


def _markdown(verdict: GateVerdict) -> Iterator[str]:
    yield _("### Training gate {verdict}").format(verdict=headline(verdict))
    yield ""
    sentence = _("{sides}. A gate on which nothing changed fails in at most {rate} of cases.")
    yield sentence.format(sides=_sides(verdict), rate=f"{verdict.false_fail_rate:.0%}")
    told = [check for check in _sorted(verdict) if check.state is not State.PASSED]
    told += [check for check in verdict.checks if check.state is State.PASSED and check.interval is not None]
    if told:
        rows = [
            (f"**{_(_WORDS[item.state])}**", markup.escaped(_name(item)), markup.escaped(item.message)) for item in told
        ]
        yield ""
        yield markup.table(("", _("Check"), _("Found")), rows)


def _sorted(verdict: GateVerdict) -> list[Check]:
    return sorted(verdict.checks, key=lambda check: _ORDER.index(check.state))


def _name(check: Check) -> str:
    spoken = _OF_A_RUN.get((check.group, check.name))
    name = _(spoken) if spoken else f"{_group(check.group)} {check.name}"
    return _("{check}, {run}").format(check=name, run=check.run.name) if check.run else name


def _group(group: Group) -> str:
    """What a check is about: of which kind its name is."""
    return {
        "run": pgettext("a check of a gate", "run"),
        "metric": pgettext("a check of a gate", "metric"),
        "ratio": pgettext("a check of a gate", "ratio"),
        "finding": pgettext("a check of a gate", "finding"),
        "first step": pgettext("a check of a gate", "first step"),
    }[group]


def _document(check: Check) -> dict[str, Any]:
    found = check.interval
    return {
        "group": check.group,
        "name": check.name,
        "state": check.state,
        "message": check.message,
        "run": check.run and shown(check.run),
        "candidate": check.candidate,
        "baseline": check.baseline,
        "interval": found and {"estimate": found.estimate, "low": found.low, "high": found.high, "basis": found.basis},
        "limit": check.limit,
    }
