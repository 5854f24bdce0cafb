"""Tests of smp-score-identical."""

from diagnostics.model.outcome import Severity, Verdict

TABLES = 10


def test_one_score_in_ten_tables_is_a_warning(look, sound) -> None:
    assert look("smp-score-identical", _rows_with_score(sound, 0.0)).severity is Severity.WARNING


def test_full_marks_are_no_illness(look, sound) -> None:
    assert look("smp-score-identical", _rows_with_score(sound, 1.0)).severity is None


def test_what_earlier_samples_earned_less_than_was_learned(look, sound) -> None:
    for before, severity in ((0.5, None), (2.5, Severity.WARNING), (2.0, Severity.WARNING)):
        rows = _rows_with_score(sound, before) + _rows_with_score(sound, 2.0)
        assert look("smp-score-identical", rows).severity is severity


def test_one_other_score_is_enough(look, sound) -> None:
    rows = _rows_with_score(sound, 0.0)
    rows[70]["score"] = 0.5
    assert look("smp-score-identical", rows).severity is None


def test_nine_tables_are_too_few(look, sound) -> None:
    assert look("smp-score-identical", _rows_with_score(sound, 0.0)[:-16]).verdict is Verdict.SKIPPED


def _rows_with_score(sound, score: float) -> list[dict[str, object]]:
    return [row | {"score": score} for row in sound(16 * TABLES)]
