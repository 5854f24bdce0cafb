"""Tests of the forms: text that fits its width, Markdown that nothing can break, JSON that every parser reads."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.causes import CATALOG as CAUSES
from diagnostics.model.cause import Rival
from diagnostics.model.cost import Cost, TrainingTime
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Severity, Verdict
from diagnostics.report import markdown_elements
from diagnostics.report.forms import rendered
from diagnostics.report.report import Problem, Report
from diagnostics.report.strict_json import json_types
from diagnostics.report.table_forms import Table
from diagnostics.report.terminal import Style
from diagnostics.runlog import RunLog


@pytest.mark.parametrize("width", [60, 80, 140])
def test_no_line_of_text_is_wider_than_the_terminal(broken_critic: Diagnosis, width: int) -> None:
    text = rendered(Report((broken_critic,)), "text", Style(width=width))
    assert max(map(len, text.splitlines())) <= max(width, len(str(broken_critic.run.path)))


def test_colour_changes_no_column(broken_critic: Diagnosis) -> None:
    plain = rendered(Report((broken_critic,)), "text", Style())
    coloured = rendered(Report((broken_critic,)), "text", Style(colour=True))
    assert "\x1b[1;31mCRITICAL\x1b[0m" in coloured
    assert (
        coloured.replace("\x1b[1;31m", "").replace("\x1b[33m", "").replace("\x1b[34m", "").replace("\x1b[0m", "")
        == plain
    )


def test_an_error_that_quotes_a_whole_answer_buries_nothing(broken_critic: Diagnosis) -> None:
    error = f"ValueError: no action in <think>{'think ' * 400}"
    status = replace(broken_critic.run.status, state="failed", error=error)
    report = Report((replace(broken_critic, run=replace(broken_critic.run, status=status, console=Path("train.log"))),))
    text = rendered(report, "text")
    assert text.count("think") < 120
    assert "ValueError: no action in <think>think" in text
    assert "The whole error stands in train.log." in " ".join(text.split())
    page = rendered(report, "html")
    assert page.index("…</p><details><summary>The whole error</summary><pre>ValueError") > 0
    assert "<think>" not in page


def test_a_broken_rule_is_shown_in_every_form(broken_critic: Diagnosis) -> None:
    message = Message("engine.broken", {"error": "ZeroDivisionError", "text": "division by zero"})
    outcome = replace(broken_critic.outcomes[0], verdict=Verdict.BROKEN, message=message, enable=None)
    report = Report((replace(broken_critic, outcomes=(outcome,), causes=()),))
    assert all(
        "ZeroDivisionError" in form
        for form in (rendered(report, "text"), rendered(report, "markdown"), rendered(report, "json"))
    )


def test_every_form_tells_what_a_sick_run_cost_after_the_onset(broken_critic: Diagnosis) -> None:
    cost = Cost(11, 20, True, TrainingTime(10_800, "rows", is_whole=True), gpus=8)
    report = Report((replace(broken_critic, cost=cost),))
    sentence = "After step 11 it ran for 9 steps: 3 h, 24 GPU-hours on 8 GPUs."
    assert sentence in rendered(report, "text")
    assert sentence in rendered(report, "html")
    assert sentence in rendered(report, "markdown").replace("\\", "")
    assert json.loads(rendered(report, "json"))["runs"][0]["cost"] == {
        "first_step": 11, "last_step": 20, "still": True, "steps": 9, "hours": 3.0, "at_least": False, "clock": "rows",
        "gpus": 8, "gpu_hours": 24.0,
    }  # fmt: skip


def test_a_run_without_a_cost_has_no_line_of_it(broken_critic: Diagnosis) -> None:
    report = Report((replace(broken_critic, cost=None),))
    assert all("it ran for" not in rendered(report, form) for form in ("text", "html", "markdown"))
    assert json.loads(rendered(report, "json"))["runs"][0]["cost"] is None


def test_a_hostile_name_stays_text_in_markdown(diagnosed) -> None:
    name = "<b>a</b> | *b* `c`"
    written = rendered(Report((diagnosed({"reward": 1.0}, name=name),)), "markdown")
    assert written.splitlines()[0].startswith(r"### \<b\>a\</b\> \| \*b\* \`c\`: ")


def test_underscores_within_a_word_stay_readable() -> None:
    assert markdown_elements.escaped("clip_ratio/low_mean and _this_") == r"clip_ratio/low_mean and \_this\_"


def test_a_cell_never_breaks_its_row() -> None:
    assert markdown_elements.table(("A", "B"), [("one\ntwo", "")]).splitlines()[2] == "| one two | – |"


def test_what_json_lacks_becomes_a_string() -> None:
    values = {"a": [math.nan, math.inf, -math.inf, 1.5], "b": np.array([math.nan, 2.0]), "c": np.int64(3), "d": None}
    assert json_types(values) == {"a": ["NaN", "Infinity", "-Infinity", 1.5], "b": ["NaN", 2.0], "c": 3, "d": None}


def test_problems_stand_in_markdown_and_json() -> None:
    report = Report(problems=(Problem("runs/b", "runs/b is empty"),))
    assert "| `runs/b` | runs/b is empty |" in rendered(report, "markdown")
    assert json.loads(rendered(report, "json"))["errors"] == [{"path": "runs/b", "error": "runs/b is empty"}]


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


def cut_off(tmp_path: Path, response: str) -> Diagnosis:
    """A GRPO run whose answers are cut off, with the same response in every sample."""
    with RunLog(tmp_path / "cut", algorithm="grpo", config={"max_completion_length": 8}, total=20) as log:
        for step in range(1, 21):
            rows = [{"query": "q", "response": response, "score": 0.5, "terminated": False} for _ in range(16)]
            log.log(step, {"reward": 0.5, "completions/clipped_ratio": 0.9}, samples=rows)
    return diagnose(open_run(tmp_path / "cut"))


def test_every_form_names_the_samples_that_show_a_finding(tmp_path: Path) -> None:
    report = Report((cut_off(tmp_path, "the film is"),))
    (run,) = json.loads(rendered(report, "json"))["runs"]
    outcome = next(outcome for outcome in run["outcomes"] if outcome["rule"] == "truncation-high")
    first = {"step": 20, "row": 0, "why": "Cut off at the length limit.", "quote": "the film is"}
    assert outcome["evidence"]["samples"][0] == first
    assert "step 20, sample 1: Cut off at the length limit. “the film is”" in rendered(report, "text")
    assert "step 20, sample 1: Cut off at the length limit. `the film is`" in rendered(report, "markdown")


def test_what_a_model_wrote_is_never_markup(tmp_path: Path) -> None:
    report = Report((cut_off(tmp_path, "<img src=x> | `code` @someone\n# heading"),))
    assert r"``<img src=x> \| `code` @someone # heading``" in rendered(report, "markdown")
    assert "\n# heading" not in rendered(report, "text")


def test_a_rival_cause_is_named_with_what_would_decide(broken_critic: Diagnosis) -> None:
    rival = Rival("reward-hacking", Message("cause.numerical-breakdown.or.reward-hacking"))
    cause = replace(broken_critic.causes[0], rivals=(rival,))
    report = Report((replace(broken_critic, causes=(cause,)),))
    (run,) = json.loads(rendered(report, "json"))["runs"]
    assert [item["cause"] for item in run["causes"][0]["rivals"]] == ["reward-hacking"]
    summary = next(entry.summary for entry in CAUSES if entry.name == rival.cause)
    text = " ".join(rendered(report, "text").split())
    assert text.index(f"or {summary}") < text.index("[reward-hacking]")


def test_a_cause_that_the_log_does_not_decide_is_told_so_in_every_form(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo", config={"max_completion_length": 8}) as log:
        for step in range(1, 21):
            log.log(step, {"completions/clipped_ratio": 1.0, "reward": 0.5})
    report = Report((diagnose(open_run(tmp_path / "a")),))
    forms = {form: " ".join(rendered(report, form).split()) for form in ("text", "markdown", "html")}
    headline = "Not decided. Either: The completions are cut off before they end. Or: The model has not learned to end "
    decides = "If answers still do not end at twice the limit, the model does not know how to stop."
    assert [form for form, text in forms.items() if headline not in text or decides not in text] == []
    (run,) = json.loads(rendered(report, "json"))["runs"]
    (cause,) = run["causes"]
    assert (cause["cause"], cause["decided"]) == ("completion-limit-too-short", False)
    assert cause["signs"] == ["truncation-high"]
    assert {"truncation-high", "eos-never-generated"} <= set(cause["outcomes"])
    assert [(rival["cause"], rival["open"]) for rival in cause["rivals"]] == [
        ("never-learned-to-stop", True),
        ("wrong-stop-token", True),
    ]


def test_the_first_screen_holds_every_finding_and_what_to_try_for_the_worst(broken_critic: Diagnosis) -> None:
    fired = next(outcome for outcome in broken_critic.outcomes if outcome.verdict is Verdict.FIRED)
    more = tuple(replace(fired, rule=f"other-{number}", severity=Severity.WARNING) for number in range(12))
    screen = rendered(
        Report((replace(broken_critic, outcomes=(*broken_critic.outcomes, *more)),)), "text"
    ).splitlines()[:24]
    assert any("findings, the worst first" in line for line in screen)
    assert any("and 7 more findings" in line for line in screen)
    assert any(line.strip().startswith("try") for line in screen)


def test_a_limit_of_ones_own_stands_in_every_form(broken_critic: Diagnosis) -> None:
    diagnosis = diagnose(broken_critic.run, {"nonfinite-metric": {"points": 3}, "kl-too-high": {}})
    report = Report((diagnosis,))
    override = "nonfinite-metric.points = 3 (default 1)"
    assert all(override in rendered(report, form) for form in ("text", "markdown", "html"))
    assert json.loads(rendered(report, "json"))["runs"][0]["limits"] == {
        "nonfinite-metric": {"points": 3},
        "kl-too-high": {},
    }


def test_what_does_not_apply_stands_apart_from_what_could_not_be_checked(broken_critic: Diagnosis) -> None:
    spot = broken_critic.blind_spots[0]
    outcomes = tuple(replace(o, applies=False) if o is spot else o for o in broken_critic.outcomes)
    absent = [o.rule for o in outcomes if not o.applies]
    report = Report((replace(broken_critic, outcomes=outcomes),))
    for form in ("text", "markdown", "html"):
        assert f"Does not apply here ({len(absent)})" in rendered(report, form)
        assert f"Could not be checked ({len(broken_critic.blind_spots) - 1})" in rendered(report, form)
    told = json.loads(rendered(report, "json"))["runs"][0]["outcomes"]
    assert [o["rule"] for o in told if o.get("applies") is False] == absent
    assert spot.rule in absent
