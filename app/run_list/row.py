"""The rows of the list as plain data, every text on one line and visible, for the table in the browser to draw."""

import math
from collections.abc import Mapping
from typing import Any

from app.figures.sparkline import HEIGHT, WIDTH, Sparkline
from app.run_list.entry import Entry
from app.run_list.summary import Summary
from app.theme import STATES, VERDICTS
from diagnostics.language import _, ngettext
from diagnostics.model.status import FAILED_STATES
from diagnostics.visible_text import one_line, visible
from diagnostics.wording.runs import training_kind
from diagnostics.wording.times import date_and_time, duration
from diagnostics.wording.values import counted, optional_value

LONGEST = 300  # characters of a cell: more than any screen shows
_NOW = 60.0  # seconds
_TELLING = frozenset({"running", *FAILED_STATES})  # states with a shape, so that the eye finds them

Row = Mapping[str, Any]


def row(entry: Entry, address: str, now: float, *, starts_severity: bool = False) -> Row:
    """One run; `address` is the query of its pages, `starts_severity` whether a firmer line goes before it."""
    facts = entry.facts
    return {
        "address": address,
        "name": _short(entry.name),
        "where": _short(facts.path),
        "tags": [_short(tag) for tag in facts.tags],
        "note": visible(facts.note),
        "is_archived": facts.is_archived,
        "starts_severity": starts_severity,
        "written": _age(entry.written, now),
        "written_at": date_and_time(entry.written),
        **(_read(entry.summary) if entry.summary else {"verdict": "", "headline": _("reading …")}),
    }


def _read(summary: Summary) -> Row:
    facts = summary.facts
    sign, said = VERDICTS[summary.verdict], summary.said()
    return {
        "verdict": summary.verdict,
        "shape": sign.shape,
        "word": sign.word,
        "headline": _short(said.headline),
        "just_opened": summary.just_opened,
        "line": _strokes(summary.sparkline),
        "missing": _(summary.sparkline.missing),
        "last": optional_value(summary.last),
        "is_finite": summary.last is None or math.isfinite(summary.last),
        "state": STATES[facts.state].word,
        "state_shape": STATES[facts.state].shape,
        "state_id": facts.state,
        "is_telling": facts.state in _TELLING,
        "progress": _progress(summary),
        "time_left": said.time_left,
        "done": _done(summary),
        "kind": _short(" · ".join(training_kind(facts.algorithm, facts.producer.partition(" ")[0]))),
        "producer": _short(facts.producer),
        "cost": "" if summary.cost is None else duration(3600 * summary.cost),
    }


def _progress(summary: Summary) -> str:
    """ "44/60" while it trains, "at step 1/40" where it failed, "60" where it ended."""
    step, total = summary.facts.step, summary.total
    if step is None:
        return ""
    whole = f"{step:,}/{total:,}" if total and step != total else f"{step:,}"
    return _("at step {step}").format(step=whole) if summary.facts.state in FAILED_STATES else whole


def _done(summary: Summary) -> float | None:
    """The share of the planned steps that a running training has done."""
    step, total = summary.facts.step, summary.total
    return min(step / total, 1.0) if summary.facts.state == "running" and step is not None and total else None


def _strokes(line: Sparkline) -> Mapping[str, Any]:
    """SVG's coordinates, in which y goes downwards."""
    lines = [" ".join(f"{x},{HEIGHT - y}" for x, y in points) for points in line.lines]
    last = line.lines[-1][-1] if line.lines else None
    return {
        "lines": lines,
        "dot": [last[0], HEIGHT - last[1]] if last else None,
        "marks": line.marks,
        "box": [WIDTH, HEIGHT],
    }


def _age(moment: float | None, now: float) -> str:
    """ "now" in the first minute, so that a row is not drawn anew every second; then "2 min", "3 h"."""
    if moment is None:
        return ""
    return _("now") if now - moment < _NOW else duration(now - moment)


def _short(text: str) -> str:
    line = one_line(text[: LONGEST + 1])
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def status(shown: int, known: int, unread: int, order: str) -> str:
    """ "12 of 78 runs · severity, then newest", and how far reading is."""
    some = ngettext("{shown} of {count} run", "{shown} of {count} runs", known)
    count = counted(known, "run") if shown == known else some.format(shown=f"{shown:,}", count=f"{known:,}")
    reading = _("reading {count} more").format(count=f"{unread:,}") if unread else ""
    return " · ".join(filter(None, (count, reading, order)))
