"""The verdict of a gate as text, JSON, or Markdown for a pull request."""

from collections.abc import Iterator
from typing import Any

from diagnostics.gate.verdict import Check, State, Verdict
from diagnostics.report import markdown_elements as markup
from diagnostics.report.strict_json import to_json
from diagnostics.report.terminal import Style
from diagnostics.wording.values import counted

_WORDS = {State.PASSED: "passed", State.FAILED: "FAILED", State.UNSURE: "unsure"}
_ORDER = (State.FAILED, State.UNSURE, State.PASSED)
_COLUMN = 8  # "FAILED" and two spaces


def gate_form(verdict: Verdict, form: str, style: Style) -> str:
    """The verdict as "text", "json" or "markdown"."""
    if form == "json":
        return to_json(gate_document(verdict))
    return "\n".join(_markdown(verdict)) if form == "markdown" else "\n".join(_text(verdict, style))


def gate_document(verdict: Verdict) -> dict[str, Any]:
    """The verdict for JSON."""
    return {
        "state": verdict.state,
        "steps": list(verdict.steps),
        "false_fail_rate": verdict.false_fail_rate,
        "rate_of_one_bound": verdict.rate,
        "candidates": [path.as_posix() for path in verdict.candidates],
        "baseline_runs": verdict.baselines,
        "checks": [_document(check) for check in verdict.checks],
    }


def headline(verdict: Verdict) -> str:
    """The verdict in a line: "failed: 2 of 12 checks, 1 unsure"."""
    failed, unsure = len(verdict.of_state(State.FAILED)), len(verdict.of_state(State.UNSURE))
    doubt = f", {unsure} unsure" if unsure else ""
    total = counted(len(verdict.checks), "check")
    return f"failed: {failed} of {total}{doubt}" if failed else f"{verdict.state}: {total}{doubt}"


def _sides(verdict: Verdict) -> str:
    first, last = verdict.steps
    candidates = counted(len(verdict.candidates), "candidate run")
    return f"{candidates} against {counted(verdict.baselines, 'baseline run')}, means over steps {first} to {last}"


def _text(verdict: Verdict, style: Style) -> Iterator[str]:
    yield f"gate {headline(verdict)}"
    yield style.paragraph(_sides(verdict), indent=0)
    yield ""
    for check in _sorted(verdict):
        yield style.labelled(_WORDS[check.state], f"{_name(check)}: {check.message}", column=_COLUMN)


def _markdown(verdict: Verdict) -> Iterator[str]:
    yield f"### Training gate {headline(verdict)}"
    yield ""
    yield f"{_sides(verdict)}. A gate on which nothing changed fails in at most {verdict.false_fail_rate:.0%} of cases."
    told = [check for check in _sorted(verdict) if check.state is not State.PASSED]
    told += [check for check in verdict.checks if check.state is State.PASSED and check.interval is not None]
    if told:
        rows = [
            (f"**{_WORDS[item.state]}**", markup.escaped(_name(item)), markup.escaped(item.message)) for item in told
        ]
        yield ""
        yield markup.table(("", "Check", "Found"), rows)


def _sorted(verdict: Verdict) -> list[Check]:
    return sorted(verdict.checks, key=lambda check: _ORDER.index(check.state))


def _name(check: Check) -> str:
    of_run = f", {check.run.name}" if check.run else ""
    return f"{check.group} {check.name}{of_run}"


def _document(check: Check) -> dict[str, Any]:
    found = check.interval
    return {
        "group": check.group,
        "name": check.name,
        "state": check.state,
        "message": check.message,
        "run": check.run and check.run.as_posix(),
        "candidate": check.candidate,
        "baseline": check.baseline,
        "interval": found and {"estimate": found.estimate, "low": found.low, "high": found.high, "basis": found.basis},
        "limit": check.limit,
    }
