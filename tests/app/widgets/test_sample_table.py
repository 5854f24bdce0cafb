"""The samples of a step are sorted, filtered and grouped by prompt."""

import math

from app.widgets.sample_table import filtered_and_sorted, group_samples, numbered, reward_functions, row_of, signed
from diagnostics.model.samples import Sample

RIGHT = Sample(3, "2+2=", "4", score=1.0, terminated=True, group=0, rewards={"accuracy": 1.0, "format": 0.5})
WRONG = Sample(3, "2+2=", "5 and on", score=0.0, terminated=False, length=8, group=0)
BROKEN = Sample(3, "1+1=", "two", score=math.nan, group=1)
UNSCORED = Sample(3, "1+1=", "2")
ALL = numbered([UNSCORED, BROKEN, WRONG, RIGHT])


def rows(*found: object) -> list[int]:
    return [item.row for item in filtered_and_sorted(ALL, *found)]  # type: ignore[arg-type]


def test_sorting_by_score_puts_nan_and_missing_scores_last() -> None:
    assert rows("highest score") == [3, 2, 1, 0]
    assert rows("lowest score") == [2, 3, 1, 0]


def test_the_longest_come_first_by_tokens_else_by_characters() -> None:
    assert rows("longest") == [2, 1, 0, 3]


def test_only_cut_off_leaves_out_those_of_which_it_is_not_known() -> None:
    assert rows("as logged", "", True) == [2]


def test_finding_looks_at_query_and_response_in_any_case() -> None:
    assert rows("as logged", "TWO") == [1]
    assert rows("as logged", "2+2") == [2, 3]


def test_a_group_says_its_mean_how_many_are_right_and_how_many_were_cut_off() -> None:
    (group,) = group_samples(numbered([RIGHT, WRONG]))
    assert group.facts == "2 answers · mean 0.5 · 1 of 2 right · 1 cut off"


def test_graded_scores_are_not_called_right() -> None:
    graded = [Sample(1, "a", "x", score=0.5), Sample(1, "a", "y", score=1.0)]
    assert "right" not in group_samples(numbered(graded))[0].facts


def test_samples_without_a_group_are_gathered_by_their_query() -> None:
    assert len(group_samples(numbered([Sample(1, "a", "x"), Sample(1, "b", "y"), Sample(1, "a", "z")]))) == 2


def test_reward_functions_have_a_column_each_unless_there_is_but_one() -> None:
    assert reward_functions([RIGHT, WRONG]) == ("accuracy", "format")
    assert reward_functions([Sample(1, "a", "x", rewards={"only": 1.0})]) == ()


def test_a_row_shows_what_is_logged_and_leaves_the_rest_empty() -> None:
    row = row_of(ALL[2], ("accuracy",), (0.0, 1.0), {})
    assert (row.score, row.rewards, row.advantage, row.tokens, row.end) == ("0", ("",), "", "8", "cut")


def test_an_advantage_has_its_sign() -> None:
    assert [signed(value) for value in (1.35, -1.05, 0.0, None, math.nan)] == ["+1.35", "−1.05", "0", "", "NaN"]
