"""Tests of smp-score-outlier."""

from diagnostics.model.outcome import Severity, Verdict


def test_a_score_far_above_the_others_is_noted_and_shown(look, sound) -> None:
    rows = sound()
    rows[20]["score"] = 9.0
    outcome = look("smp-score-outlier", rows)
    assert outcome.severity is Severity.INFO
    assert [(shown.step, shown.row) for shown in outcome.evidence.samples] == [(102, 4)]


def test_a_score_far_below_is_none(look, sound) -> None:
    rows = sound()
    rows[20]["score"] = -9.0
    assert look("smp-score-outlier", rows).severity is None


def test_rounded_scores_do_not_make_everything_an_outlier(look, sound) -> None:
    rows = [row | {"score": 5.0 if place % 4 else 5.1 + place / 100} for place, row in enumerate(sound())]
    assert look("smp-score-outlier", rows).severity is None


def test_a_step_of_the_scale_that_few_or_many_reach_is_none(look, sound) -> None:
    steps = [row | {"score": (2.0, 2.0, 2.0, 1.0)[place % 4]} for place, row in enumerate(sound())]
    steps[5]["score"] = 3.0
    assert look("smp-score-outlier", steps).severity is None
    steps[5]["score"] = 9.0
    assert look("smp-score-outlier", steps).severity is Severity.INFO
    half = [row | {"score": 1.5 if place % 2 else 2.0} for place, row in enumerate(sound())]
    half[0]["score"] = half[2]["score"] = half[4]["score"] = 1.49  # most lie at 1.5 or just below
    outcome = look("smp-score-outlier", half)
    assert outcome.severity is None
    assert outcome.measured <= outcome.limit


def test_rights_and_wrongs_are_not_judged(look, sound) -> None:
    rows = [row | {"score": float(place == 0)} for place, row in enumerate(sound())]
    assert look("smp-score-outlier", rows).verdict is Verdict.SKIPPED
