"""The samples of a step are sorted, filtered and grouped by prompt."""

import math

from app.widgets.sample_table import filtered_and_sorted, group_samples, sample_facts, sample_frame
from diagnostics.model.samples import Sample

RIGHT = Sample(3, "2+2=", "4", score=1.0, terminated=True, group=0, rewards={"accuracy": 1.0, "format": 0.5})
WRONG = Sample(3, "2+2=", "5 and on", score=0.0, terminated=False, length=8, group=0)
BROKEN = Sample(3, "1+1=", "two", score=math.nan, group=1)
UNSCORED = Sample(3, "1+1=", "2")


def test_sorting_by_score_puts_nan_and_missing_scores_last() -> None:
    assert filtered_and_sorted([UNSCORED, BROKEN, WRONG, RIGHT], "highest score") == [RIGHT, WRONG, BROKEN, UNSCORED]
    assert filtered_and_sorted([UNSCORED, BROKEN, WRONG, RIGHT], "lowest score") == [WRONG, RIGHT, BROKEN, UNSCORED]


def test_only_cut_off_leaves_out_those_of_which_it_is_not_known() -> None:
    assert filtered_and_sorted([RIGHT, WRONG, UNSCORED], "as logged", only_cut=True) == [WRONG]


def test_finding_looks_at_query_and_response_in_any_case() -> None:
    assert filtered_and_sorted([RIGHT, BROKEN], "as logged", find="TWO") == [BROKEN]
    assert filtered_and_sorted([RIGHT, BROKEN], "as logged", find="2+2") == [RIGHT]


def test_a_group_says_its_mean_and_how_many_were_cut_off() -> None:
    (group,) = group_samples([RIGHT, WRONG])
    assert group.summary == "2 samples · mean score 0.5 · 1 cut off"


def test_samples_without_a_group_are_gathered_by_their_query() -> None:
    assert len(group_samples([Sample(1, "a", "x"), Sample(1, "b", "y"), Sample(1, "a", "z")])) == 2


def test_the_table_has_a_column_for_each_reward_function() -> None:
    columns = list(sample_frame([RIGHT, WRONG], with_query=True).columns)
    assert columns == ["query", "model response", "score", "accuracy", "format", "tokens", "end"]


def test_a_nan_score_is_shown_as_nan() -> None:
    assert sample_frame([BROKEN], with_query=False)["score"][0] == "NaN"


def test_the_facts_of_a_sample_say_how_it_ended() -> None:
    assert sample_facts(WRONG) == "step 3 · score 0 · 8 tokens · cut off"
