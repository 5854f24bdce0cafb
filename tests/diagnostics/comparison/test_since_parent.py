"""How a relaunched run compares with the findings of its predecessor."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.comparison import ENOUGH_STEPS, Fate, compare
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Severity, Verdict
from diagnostics.report.forms import rendered
from diagnostics.report.report import Report
from diagnostics.runlog import RUN_FILE, RunLog
from diagnostics.runlog.parent import find_parent
from diagnostics.wording.comparison import comparison_heading, fate_sentence, reward_sentence
from diagnostics.wording.messages import message_text

CUT, WHOLE = {"completions/clipped_ratio": 0.9}, {"completions/clipped_ratio": 0.02}
CUT_OFF = "The completions are cut off before they end."
BROKE = "The numbers broke down: something became NaN or infinite."
Write = Callable[..., tuple[Diagnosis, str]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a run with this many steps; returns its diagnosis and its id."""

    def write_one(
        name: str, row: Mapping[str, float], parent: str | None = None, last: int = 40, **config: Any
    ) -> tuple[Diagnosis, str]:
        with RunLog(tmp_path / name, algorithm="grpo", config=config, parent=parent, total=last) as log:
            for step in range(1, last + 1):
                log.log(step, {"reward": step / last, "reward_std": 0.3, **row})
        return diagnose(open_run(tmp_path / name)), log.run_id

    return write_one


def inherited_fates(parent: Diagnosis, child: Diagnosis) -> list[tuple[str, Fate, str]]:
    inherited = compare(child, parent).inherited
    return [(message_text(item.finding.summary), item.fate, fate_sentence(item)) for item in inherited]


def test_what_the_fix_took_away_is_gone(write: Write) -> None:
    parent, run_id = write("a", CUT)
    child, _ = write("b", WHOLE, run_id, last=30)
    there = "There it is critical from step 1 on; here it is not found up to step 30."
    assert inherited_fates(parent, child) == [(CUT_OFF, Fate.GONE, there)]


def test_what_is_milder_is_still_there(write: Write) -> None:
    parent, run_id = write("a", CUT)
    child, _ = write("b", {"completions/clipped_ratio": 0.4}, run_id)
    ((_, fate, sentence),) = inherited_fates(parent, child)
    assert fate is Fate.STILL
    assert sentence == "There it is critical from step 1 on; here it is warning from step 1 on."


def test_before_the_step_at_which_it_began_nothing_is_gone(write: Write, tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo", total=60) as log:
        for step in range(1, 61):
            log.log(step, {"reward": step / 60, "reward_std": 0.3, **(CUT if step > 30 else WHOLE)})
    child, _ = write("b", WHOLE, log.run_id, last=20)
    parent = diagnose(open_run(tmp_path / "a"))
    ((_, fate, sentence),) = inherited_fates(parent, child)
    assert (fate, sentence[-27:]) == (Fate.TOO_EARLY, "on; this run is at step 20.")


def test_a_run_that_has_only_begun_is_not_called_rid_of_it(write: Write, tmp_path: Path) -> None:
    parent, run_id = write("a", CUT)
    with RunLog(tmp_path / "b", algorithm="grpo", parent=run_id, total=40) as log:
        for step in range(1, 41):
            log.log(step, {"reward": step / 40, "reward_std": 0.3, **WHOLE})
            if step in (ENOUGH_STEPS - 1, ENOUGH_STEPS):
                ((_, fate, _),) = inherited_fates(parent, diagnose(open_run(tmp_path / "b")))
                assert fate is (Fate.GONE if step == ENOUGH_STEPS else Fate.TOO_EARLY)


def test_a_metric_that_is_not_logged_any_more_proves_nothing(write: Write) -> None:
    parent, run_id = write("a", CUT)
    child, _ = write("b", {}, run_id)
    ((_, fate, sentence),) = inherited_fates(parent, child)
    assert fate is Fate.UNCHECKED
    assert "here it could not be checked. The log has no metric completions/clipped_ratio." in sentence


def test_a_consequence_that_is_quiet_does_not_prove_that_the_cause_is_gone(write: Write) -> None:
    parent, run_id = write("a", CUT)
    child, _ = write("b", WHOLE, run_id)
    outcomes = tuple(
        replace(each, verdict=Verdict.SKIPPED) if each.rule == "truncation-high" else each for each in child.outcomes
    )
    (finding,) = (found for found in parent.findings if found.severity is not Severity.INFO)
    also = replace(finding.leading, rule="eos-never-generated", severity=Severity.WARNING)
    cause = replace(parent.causes[0], outcomes=(*parent.causes[0].outcomes, also.rule))
    with_consequence = replace(parent, outcomes=(*parent.outcomes, also), causes=(cause,))
    ((_, fate, _),) = inherited_fates(with_consequence, replace(child, outcomes=outcomes))
    assert fate is Fate.UNCHECKED


def test_what_is_a_note_now_is_said_to_be_one(write: Write) -> None:
    parent, run_id = write("a", CUT)
    child, _ = write("b", WHOLE, run_id)
    noted = tuple(
        replace(each, verdict=Verdict.FIRED, severity=Severity.INFO, first_step=7)
        if each.rule == "truncation-high"
        else each
        for each in child.outcomes
    )
    ((_, fate, sentence),) = inherited_fates(parent, replace(child, outcomes=noted))
    assert fate is Fate.GONE
    assert sentence.endswith("here a note is left of it, from step 7 on.")


def test_a_new_finding_is_told_and_one_that_stayed_is_not_new(write: Write) -> None:
    parent, run_id = write("a", CUT)
    child, _ = write("b", {**CUT, "loss": float("nan")}, run_id)
    assert [message_text(finding.summary) for finding in compare(child, parent).new] == [BROKE]
    again, _ = write("c", CUT, run_id)
    assert compare(again, parent).new == ()


def test_changes_and_rewards_are_those_of_both_up_to_the_last_common_step(write: Write) -> None:
    parent, run_id = write("a", CUT, last=40, learning_rate=0.01, beta=0.0, fault="x")
    child, _ = write("b", WHOLE, run_id, last=20, learning_rate=0.001, beta=0.0, seed=1)
    comparison = compare(child, parent)
    assert comparison_heading(comparison) == "Since a, with learning_rate 0.01 → 0.001, seed None → 1"
    assert reward_sentence(comparison) == "reward up to step 20, mean of 10 logged steps: 0.388 → 0.775."


def test_scores_of_another_definition_are_not_compared(write: Write) -> None:
    parent, run_id = write("a", CUT, reward_weights=[1.0, 1.0])
    child, _ = write("b", WHOLE, run_id, reward_weights=[1.0, 0.0])
    assert reward_sentence(compare(child, parent)) == "The scores are not compared: reward_weights differ."


def test_the_parent_is_found_beside_its_child_or_in_a_folder_that_is_named(write: Write, tmp_path: Path) -> None:
    _, run_id = write("a", CUT)
    child, _ = write("b", WHOLE, run_id)
    apart, _ = write("elsewhere/c", WHOLE, run_id)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / RUN_FILE).write_text("{not json")
    assert find_parent(child.run) == tmp_path / "a"
    assert find_parent(apart.run) is None
    assert find_parent(apart.run, tmp_path) == tmp_path / "a"


def test_every_form_tells_it_and_says_where_it_cannot(write: Write) -> None:
    parent, run_id = write("a", CUT, learning_rate=0.01)
    child, _ = write("b", WHOLE, run_id, learning_rate=0.001)
    report = Report((child,), comparisons={child.run.path: compare(child, parent)})
    forms = ("text", "markdown", "html")
    for form in forms:
        written = " ".join(rendered(report, form).split())
        assert "Since a, with" in written
        assert "not found up to step 40" in written
        assert f"Relaunched from run {run_id}" in " ".join(rendered(Report((child,)), form).replace("\\", "").split())
    run = json.loads(rendered(report, "json"))["runs"][0]["since_parent"]
    assert run["changes"] == {"learning_rate": {"parent": 0.01, "child": 0.001}}
    assert [finding["fate"] for finding in run["findings"]] == ["gone"]
    assert json.loads(rendered(Report((child,)), "json"))["runs"][0]["since_parent"] is None
