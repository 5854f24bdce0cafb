"""Tests of the forms: text that fits its width, Markdown that nothing can break, JSON that every parser reads."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.diagnosis import Diagnosis, Verdict
from diagnostics.messages import Message
from diagnostics.report import markup
from diagnostics.report.contents import Problem, Report
from diagnostics.report.json import report_json
from diagnostics.report.markdown import report_markdown
from diagnostics.report.strict_json import strict
from diagnostics.report.style import Style
from diagnostics.report.tables import Table
from diagnostics.report.text import report_text


@pytest.mark.parametrize("width", [60, 80, 140])
def test_no_line_of_text_is_wider_than_the_terminal(broken_critic: Diagnosis, width: int) -> None:
    text = report_text(Report((broken_critic,)), Style(width=width))
    assert max(map(len, text.splitlines())) <= max(width, len(str(broken_critic.run.path)))


def test_colour_changes_no_column(broken_critic: Diagnosis) -> None:
    plain = report_text(Report((broken_critic,)), Style())
    coloured = report_text(Report((broken_critic,)), Style(colour=True))
    assert "\x1b[1;31mCRITICAL\x1b[0m" in coloured
    assert (
        coloured.replace("\x1b[1;31m", "").replace("\x1b[33m", "").replace("\x1b[34m", "").replace("\x1b[0m", "")
        == plain
    )


def test_a_broken_rule_is_shown_in_every_form(broken_critic: Diagnosis) -> None:
    message = Message("engine.broken", {"error": "ZeroDivisionError", "text": "division by zero"})
    outcome = replace(broken_critic.outcomes[0], verdict=Verdict.BROKEN, message=message, enable=None)
    report = Report((replace(broken_critic, outcomes=(outcome,), causes=()),))
    assert all(
        "ZeroDivisionError" in form for form in (report_text(report), report_markdown(report), report_json(report))
    )


def test_a_hostile_name_stays_text_in_markdown(diagnosed) -> None:
    name = "<b>a</b> | *b* `c`"
    written = report_markdown(Report((diagnosed({"reward": 1.0}, name=name),)))
    assert written.splitlines()[0].startswith(r"### \<b\>a\</b\> \| \*b\* \`c\`: ")


def test_underscores_within_a_word_stay_readable() -> None:
    assert markup.escaped("clip_ratio/low_mean and _this_") == r"clip_ratio/low_mean and \_this\_"


def test_a_cell_never_breaks_its_row() -> None:
    assert markup.table(("A", "B"), [("one\ntwo", "")]).splitlines()[2] == "| one two | – |"


def test_what_json_lacks_becomes_a_string() -> None:
    values = {"a": [math.nan, math.inf, -math.inf, 1.5], "b": np.array([math.nan, 2.0]), "c": np.int64(3), "d": None}
    assert strict(values) == {"a": ["NaN", "Infinity", "-Infinity", 1.5], "b": ["NaN", 2.0], "c": 3, "d": None}


def test_problems_stand_in_markdown_and_json() -> None:
    report = Report(problems=(Problem("runs/b", "runs/b is empty"),))
    assert "| `runs/b` | runs/b is empty |" in report_markdown(report)
    assert json.loads(report_json(report))["errors"] == [{"path": "runs/b", "error": "runs/b is empty"}]


def test_a_table_aligns_its_columns_and_wraps_the_last() -> None:
    table = Table(
        "things", {"name": "Name", "why": "Why"}, [{"name": "a", "why": "word " * 12}, {"name": "long", "why": None}]
    )
    assert table.text(Style(width=40)).splitlines() == [
        "Name  Why",
        "a     word word word word word word word",
        "      word word word word word",
        "long",
    ]
