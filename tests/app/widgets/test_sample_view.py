"""The Samples section as data: where it opens, its groups, its flags, a prompt followed, two steps compared."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.widgets.followed_prompt import answers_to, repeated_queries, searched_steps
from app.widgets.sample_table import Row
from app.widgets.sample_view import Choice, Section, followed_section, opening_step, score_scale, section
from diagnostics.api import diagnose, open_run
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.runlog import RunLog
from tests.hostile_text import DANGEROUS, EVERYTHING

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"
Written = Callable[..., Diagnosis]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes a run of so many steps: its reward per step, and the samples of each step."""

    def write(
        reward: Callable[[int], float], rows: Callable[[int], list[dict[str, Any]]], steps: int = 20, **more: Any
    ) -> Diagnosis:
        with RunLog(tmp_path / "a", algorithm="grpo", config={"max_completion_length": 8}, **more) as log:
            for step in range(1, steps + 1):
                log.log(step, {"reward": reward(step)}, rows(step))
        return diagnose(open_run(tmp_path / "a"))

    return write


def row(query: str = "2+2=", response: str = "4", score: float = 1.0, **more: Any) -> dict[str, Any]:
    return {"query": query, "response": response, "score": score, "terminated": True, "length": 2, "group": 0, **more}


def shown(diagnosis: Diagnosis, **choice: Any) -> Section:
    return section(diagnosis, diagnosis.run, Choice(**choice), frozenset())


def test_a_sick_run_opens_where_it_broke_and_a_healthy_one_at_its_newest_step() -> None:
    sick, healthy = (diagnose(open_run(SAMPLES / name)) for name in ("value-loss-nan", "healthy-ppo"))
    opened = opening_step(sick, sick.run.samples.steps)
    assert sick.findings[0].first_step <= opened < sick.run.samples.steps[-1]
    assert opening_step(healthy, healthy.run.samples.steps) == healthy.run.samples.steps[-1]


def test_between_two_steps_with_samples_the_first_one_after_the_onset_is_opened() -> None:
    sick = diagnose(open_run(SAMPLES / "value-loss-nan"))
    onset = sick.findings[0].first_step
    assert opening_step(sick, (1, onset - 1, onset + 2, onset + 9)) == onset + 2
    assert opening_step(sick, (1, onset - 1)) == onset - 1
    assert opening_step(sick, (10**6,)) == 10**6


def test_a_step_without_samples_shows_the_last_one_before_it() -> None:
    healthy = diagnose(open_run(SAMPLES / "healthy-grpo"))
    steps = healthy.run.samples.steps
    assert shown(healthy, step=steps[1]).steps.current == steps[1]
    assert shown(healthy, step=0).steps.current == steps[0]
    assert shown(healthy, step=10**9).steps.current == steps[-1]
    assert (shown(healthy, step=steps[0]).steps.before, shown(healthy, step=steps[0]).steps.after) == (None, steps[1])


def test_answers_are_gathered_by_prompt_with_their_mean_and_how_many_are_right(written: Written) -> None:
    rows = [row(), row(score=0.0, terminated=False), row("1+1=", score=0.25, group=1)]
    found = shown(written(lambda step: 0.5, lambda step: rows))
    assert [(group.query, group.facts) for group in found.groups] == [
        ("2+2=", "2 answers · mean 0.5 · 1 of 2 right · 1 cut off"),
        ("1+1=", "1 answer · mean 0.25"),
    ]


def test_the_heat_of_a_score_is_its_value_on_one_scale_for_all_steps(written: Written) -> None:
    diagnosis = written(lambda step: 4 * step / 20, lambda step: [row(score=2.0), row(score=9.0), row(score=-1.0)])
    assert score_scale(diagnosis.run) == (0.0, 4.0)
    for step in (1, 20):
        (group,) = shown(diagnosis, step=step).groups
        assert [item.heat for item in group.rows] == [0.5, 1.0, 0.0]


def test_the_heat_of_ppo_is_that_of_its_scores_whatever_the_kl_penalty_takes_away(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="ppo") as log:
        log.log(1, {"objective/scores": 0.8, "objective/rlhf_reward": -39.7}, [row(score=0.2), row(score=0.8)])
    diagnosis = diagnose(open_run(tmp_path / "a"))
    assert score_scale(diagnosis.run) == (0.0, 0.8)
    assert [item.heat for group in shown(diagnosis).groups for item in group.rows] == [0.25, 1.0]


def test_a_score_that_is_no_number_has_no_heat(written: Written) -> None:
    (group,) = shown(written(lambda step: 0.5, lambda step: [row(score=float("nan"))])).groups
    assert (group.rows[0].score, group.rows[0].heat) == ("NaN", None)


def test_a_search_leaves_the_rows_their_places(written: Written) -> None:
    diagnosis = written(lambda step: 0.5, lambda step: [row(), row(response="FOUR")])
    found = shown(diagnosis, find="four")
    assert [(item.row, item.response) for group in found.groups for item in group.rows] == [(1, "FOUR")]
    assert (found.found, found.total) == (1, 2)
    assert shown(diagnosis, find="five").detail is None


def test_a_cut_answer_says_at_which_of_how_many_tokens(written: Written) -> None:
    cut = shown(written(lambda step: 0.5, lambda step: [row(terminated=False, length=8)])).detail
    assert cut is not None
    assert cut.cut == "cut off here, 8 of 8 tokens"
    assert dict(cut.figures)["ended by itself"] == "no"


def test_rows_carry_the_flags_of_the_checks_that_fired() -> None:
    sick = diagnose(open_run(SAMPLES / "value-loss-nan"))
    fired = {outcome.rule for outcome in sick.fired}
    flags = [flag for group in shown(sick, is_newest=True).groups for item in group.rows for flag in item.flags]
    assert "smp-empty" in {flag.rule for flag in flags} <= fired
    assert all(flag.sentence for flag in flags)


def test_every_answer_whose_score_is_not_finite_is_flagged(written: Written) -> None:
    broken = [row(response=str(number), score=math.nan if number % 2 else 1.0) for number in range(12)]
    found = shown(written(lambda step: math.nan, lambda step: broken))
    flagged = {item.row for group in found.groups for item in group.rows if "nonfinite-metric" in _rules_of(item)}
    assert flagged == {number for number in range(12) if number % 2}


def _rules_of(item: Row) -> set[str]:
    return {flag.rule for flag in item.flags}


def test_a_run_without_findings_has_no_flags() -> None:
    healthy = diagnose(open_run(SAMPLES / "healthy-grpo"))
    rows = [item for group in shown(healthy).groups for item in group.rows]
    alarms = {outcome.rule for outcome in healthy.fired}
    assert {flag.rule for item in rows for flag in item.flags} <= alarms


def test_a_prompt_that_was_asked_twice_can_be_followed_and_another_cannot(written: Written) -> None:
    def rows(step: int) -> list[dict[str, Any]]:
        return [row(f"{step}+1=", group=0)] + ([row("kept", f"at {step}", group=1)] if step in (3, 9) else [])

    diagnosis = written(lambda step: 0.5, rows)
    run = diagnosis.run
    steps = searched_steps(run, 9)
    known: dict[int, frozenset[str]] = {}
    assert repeated_queries(run, steps, known) == {"kept"} == repeated_queries(run, steps, known)
    found = followed_section(diagnosis, run, Choice(step=9, followed="kept"), answers_to(run, "kept", steps))
    assert [(item.step, item.response) for item in found.groups[0].rows] == [(3, "at 3"), (9, "at 9")]
    assert found.groups[0].facts == "2 answers at 2 steps of 20"
    assert found.detail is not None
    assert found.detail.step == 9


def test_a_long_run_is_searched_at_a_bounded_number_of_steps_and_at_the_one_in_view(written: Written) -> None:
    run = written(lambda step: 0.5, lambda step: [row()], steps=300).run
    steps = searched_steps(run, 77)
    assert len(steps) <= 61
    assert {1, 77, 300} <= set(steps)


def test_two_steps_are_compared_by_their_figures_and_word_by_word(written: Written) -> None:
    diagnosis = written(lambda step: 0.5, lambda step: [row(response=f"it is {step}", score=step / 20)])
    found = shown(diagnosis, step=20, compared_with=1).difference
    assert found is not None
    assert ("mean score", "0.05", "1") in found.figures
    assert [(part.kind, part.text) for part in found.words] == [("same", "it is "), ("then", "1"), ("now", "20")]
    assert shown(diagnosis, step=20, compared_with=999).difference is None


def test_a_long_text_is_sent_in_full_once_and_its_row_is_short(written: Written) -> None:
    long = "word " * 200_000
    found = shown(written(lambda step: 0.5, lambda step: [row(response=long)], steps=2))
    assert found.detail is not None
    assert "".join(piece.text for turn in found.detail.response for piece in turn.pieces) == long
    assert len(found.groups[0].rows[0].response) <= 240


def test_rows_beyond_the_first_ones_are_sent_when_asked_for(written: Written) -> None:
    diagnosis = written(lambda step: 0.5, lambda step: [row() for _ in range(200)], steps=2)
    assert (shown(diagnosis).left, shown(diagnosis, most_rows=256).left) == (72, 0)


def test_what_a_hostile_log_says_can_be_seen(written: Written) -> None:
    hostile = row(EVERYTHING, EVERYTHING, rewards={EVERYTHING: 1.0, "b": 0.0})
    found = shown(written(lambda step: 0.5, lambda step: [hostile], name=EVERYTHING))
    assert found.detail is not None
    pieces = [piece.text for turn in (*found.detail.query, *found.detail.response) for piece in turn.pieces]
    cells = [text for group in found.groups for item in group.rows for text in (group.query, item.query, item.response)]
    words = "".join([*pieces, *cells, *found.functions, *(name for name, _ in found.detail.figures)])
    assert DANGEROUS & set(words) == set()
